//! What makes a run refuse, before anything is written?

use super::context::counted;
use crate::text::neutralise::excerpt;
use std::path::PathBuf;
use vibey_context_contracts::canonical::CanonicalError;
use vibey_context_host::error::HostError;

/// Characters of a path that a message shows: what no system takes for a path is no use to anybody.
pub const PATH_MAX_CHARS: usize = 4096;

/// A refusal. Exit code and hint are decided by the command line.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// No brain where it was looked for.
    #[error("brain root not found: no `project-brain/CONVENTIONS.md` in `{}` or above it", from.display())]
    BrainNotFound {
        /// Where the search began.
        from: PathBuf,
    },
    /// What was named as a brain is none.
    #[error("brain root not found: `{}` holds no `CONVENTIONS.md` and no `project-brain` with one", path.display())]
    NotABrain {
        /// What was named.
        path: PathBuf,
    },
    /// No artifact was named, and none or several in the folder would do.
    #[error("no artifact is named, and {} fit in `{}`", fitting(names), folder.display())]
    ArtifactUnclear {
        /// Where it was looked for.
        folder: PathBuf,
        /// The files that would do.
        names: Vec<String>,
    },
    /// The artifact is not there.
    #[error("artifact `{}` does not exist", excerpt(&path.to_string_lossy(), PATH_MAX_CHARS))]
    ArtifactMissing {
        /// As it was named.
        path: PathBuf,
        /// Paths in the brain that look like it, the nearest first.
        nearby: Vec<String>,
    },
    /// The artifact lies outside the brain.
    #[error("artifact_path escapes brain_path: {}", canonical.display())]
    ArtifactEscapes {
        /// Where it really lies.
        canonical: PathBuf,
    },
    /// A marker keeps agents out of the folder of the artifact.
    #[error("`{}` keeps agents from the artifact", marker.display())]
    ArtifactExcluded {
        /// The artifact.
        path: PathBuf,
        /// The marker.
        marker: PathBuf,
    },
    /// The artifact, or a file that a run depends on, is no UTF-8 text.
    #[error("`{}` is not UTF-8 text", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// YAML that can not be read.
    #[error("{reason}")]
    Yaml {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1.
        line: u32,
        /// Column in Unicode scalar values, from 1.
        column: u32,
        /// What is wrong there.
        reason: String,
    },
    /// The artifact names no list of links.
    #[error("the artifact has no `soft_links` key")]
    NoSoftLinks {
        /// The artifact.
        path: PathBuf,
    },
    /// A name that becomes a folder must not leave its place.
    #[error("`{key}: {value}` can not name a folder: {why}")]
    UnsafeName {
        /// The artifact or `config.yaml`.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// Its value, in one line.
        value: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Neither the artifact nor `config.yaml` names the project.
    #[error("neither the artifact nor `config.yaml` has a `primary_project`")]
    NoProject {
        /// The artifact.
        path: PathBuf,
    },
    /// The project is not known.
    #[error("primary_project alias `{alias}` is missing from the registry `{}`", registry.display())]
    UnknownProject {
        /// The alias.
        alias: String,
        /// The registry.
        registry: PathBuf,
    },
    /// A configuration of MCP servers that can not be read.
    #[error("`{}` is no configuration of MCP servers: {why}", path.display())]
    McpConfig {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is no folder for results.
    #[error("there is no cache folder for the result")]
    NoScratch,
    /// `--out` would write where nothing may be written.
    #[error("--out `{}` is outside both safe zones, the brain and the cache folder `project-brain`", path.display())]
    OutsideZones {
        /// Where it would be written.
        path: PathBuf,
    },
    /// `--out` would write where nothing is read either.
    #[error("--out `{}` lies in a private place", path.display())]
    PrivatePlace {
        /// Where it would be written.
        path: PathBuf,
    },
    /// The default place would write where nothing may be written.
    #[error("`{}` {why}", path.display())]
    ScratchUnsafe {
        /// Where it would be written.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// `--persist` would write outside the brain.
    #[error("--persist target escapes brain_path: {}", path.display())]
    PersistEscapes {
        /// Where it would be written.
        path: PathBuf,
    },
    /// A file that this tool has not written is in the way.
    #[error("`{}` was not written by this tool", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// An earlier run has left the folder.
    #[error("--persist target `{}` exists", path.display())]
    Collision {
        /// The folder.
        path: PathBuf,
    },
    /// Content with secrets would be kept in the brain.
    #[error("{option} would keep {} in the brain", counted(*count, "secret", "secrets"))]
    Secrets {
        /// The option that asks for it.
        option: &'static str,
        /// How many shapes were found.
        count: u64,
    },
    /// `--strict` without a yes.
    #[error("--strict --persist writes nothing before the warning is confirmed")]
    Unconfirmed,
    /// The machine, about the default place.
    #[error(transparent)]
    Scratch(HostError),
    /// The machine.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A document could not be rendered.
    #[error("cannot render the document: {0}")]
    Render(#[from] askama::Error),
    /// A document could not be written as JSON.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
}

/// The files that would do, as a message names them.
fn fitting(names: &[String]) -> String {
    match names {
        [] => "no files".to_owned(),
        names => format!("several files ({})", names.join(", ")),
    }
}
