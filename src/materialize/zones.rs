//! Where may a run write, and what may it replace there?
//!
//! The brain is read-only: results go to a scratch folder, or to a place that was named and lies in the brain or in our
//! cache folder, or beside the artifact below `.context/`. Places are checked before anything is resolved, so that a
//! refusal leaves nothing behind.

use super::artifact::Artifact;
use super::private::is_private;
use super::refused::Refused;
use crate::text::frontmatter;
use crate::text::yaml::mapping;
use std::path::{Component, Path, PathBuf};
use vibey_context_contracts::materialize::{ContextManifest, Mode};
use vibey_context_contracts::time::rfc3339;
use vibey_context_host::read::read_regular;
use vibey_context_host::write::{Durability, create_folder, create_new_folder, remove_tree, stage};

/// Our folder among the caches of all programs.
pub(crate) const CACHE_FOLDER: &str = "project-brain";

/// Our folder in it for results and answers.
pub(crate) const SCRATCH_FOLDER: &str = "materialize-context";

/// The folder in that for answers.
pub(crate) const ANSWERS_FOLDER: &str = "cache";

/// What is wrong with a place of ours in the brain.
const IN_BRAIN: &str = "lies in the brain, which is read-only";

/// The folder beside an artifact that keeps results.
const PERSIST_FOLDER: &str = ".context";

/// Runs that start in the same second. More are a loop gone wrong.
const CLASHES_MAX: u32 = 1_000;

/// Bytes of a file that might be ours. A `context.md` without ceiling can be large.
const OURS_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// How files of ours start.
const OUR_STARTS: [&[u8]; 2] = [
    b"---\nkind: materialized-context\n",
    b"---\nkind: stale-refs\n",
];

/// Keys that the frontmatter of files of ours has, but for the first one.
const OUR_KEYS: [&str; 2] = ["artifact", "generated_at"];

/// Keys that make a file an artifact, which nobody wants to lose.
const ARTIFACT_KEYS: [&str; 2] = ["soft_links", "id"];

/// The places that the zones are made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zones<'a> {
    /// Canonical root of the brain.
    pub(crate) brain: &'a Path,
    /// The caches of all programs.
    pub(crate) cache: Option<&'a Path>,
    /// Root of the default place.
    pub(crate) scratch: Option<&'a Path>,
}

/// The root of the default place of results: the one that was named, else ours among the caches of all programs.
#[must_use]
pub fn scratch_root(named: Option<&Path>, cache: Option<&Path>) -> Option<PathBuf> {
    let own = |cache: &Path| cache.join(CACHE_FOLDER).join(SCRATCH_FOLDER);
    named.map(Path::to_path_buf).or_else(|| cache.map(own))
}

/// Where a result was asked to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish<'a> {
    /// The default place.
    Scratch,
    /// Beside the artifact.
    Persist,
    /// A named place, absolute.
    Out(&'a Path),
}

/// Where a result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A new folder of this name, or with `-2` and so on behind it.
    Scratch(PathBuf),
    /// A new folder of this name.
    Persist(PathBuf),
    /// A folder whose files of ours may be replaced.
    Folder(PathBuf),
    /// A file of this name, and its sidecar beside it.
    File(PathBuf),
}

/// Files of a result: what people read, and its sidecar where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Files<'a> {
    /// Name and text.
    pub(crate) document: (&'a str, &'a str),
    /// Name and text.
    pub(crate) sidecar: Option<(&'a str, &'a str)>,
}

/// Paths of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What people read.
    pub document: PathBuf,
    /// Its sidecar.
    pub sidecar: Option<PathBuf>,
}

/// Chooses and checks the place of a result; nothing is created.
///
/// # Errors
/// The place lies outside the zones, or something is there that may not be replaced.
pub(crate) fn choose(
    wish: Wish<'_>,
    zones: &Zones<'_>,
    artifact: &Artifact,
    project: &str,
    mode: Mode,
    now_ms: u64,
) -> Result<Target, Refused> {
    let stamp = stamp(now_ms);
    match wish {
        Wish::Scratch => {
            let root = zones.scratch.ok_or(Refused::NoScratch)?;
            let root = real(root).unwrap_or_else(|| root.to_path_buf());
            let unsafe_place = |path: &Path, why| Refused::ScratchUnsafe {
                path: path.to_path_buf(),
                why,
            };
            if root.starts_with(zones.brain) {
                return Err(unsafe_place(&root, IN_BRAIN));
            }
            let folder = root.join(project).join(&artifact.id).join(stamp);
            match real(&folder) {
                Some(place) if place.starts_with(&root) => Ok(Target::Scratch(place)),
                _ => Err(unsafe_place(&folder, "leads out of the scratch folder")),
            }
        }
        Wish::Persist => {
            let beside = artifact.path.parent().unwrap_or(zones.brain);
            let folder = beside.join(PERSIST_FOLDER).join(stamp);
            let place = real(&folder).filter(|place| place.starts_with(zones.brain));
            let path = place.ok_or(Refused::PersistEscapes { path: folder })?;
            if path.symlink_metadata().is_ok() {
                return Err(Refused::Collision { path });
            }
            Ok(Target::Persist(path))
        }
        Wish::Out(path) => {
            let cache = zones.cache.map(|cache| cache.join(CACHE_FOLDER));
            let cache = cache.map(|zone| real(&zone).unwrap_or(zone));
            let place = real(path).filter(|place| {
                place.starts_with(zones.brain)
                    || cache.as_ref().is_some_and(|zone| place.starts_with(zone))
            });
            let place = place.ok_or_else(|| Refused::OutsideZones {
                path: path.to_path_buf(),
            })?;
            if place.strip_prefix(zones.brain).is_ok_and(is_private) {
                return Err(Refused::PrivatePlace { path: place });
            }
            let is_file = place.extension().is_some_and(|ext| ext == "md") && !place.is_dir();
            let target = if is_file {
                Target::File(place)
            } else {
                Target::Folder(place)
            };
            for path in target.replaceable(mode) {
                if path == artifact.path || !is_ours(&path) {
                    return Err(Refused::Foreign { path });
                }
            }
            Ok(target)
        }
    }
}

/// The folder for answers of servers, in the folder for results: it is written in every mode, so it must not lie in the brain
/// in any.
///
/// # Errors
/// [`Refused::ScratchUnsafe`].
pub(crate) fn cache_folder(scratch: &Path, brain: &Path) -> Result<PathBuf, Refused> {
    let path = scratch.join(ANSWERS_FOLDER);
    match real(&path) {
        Some(place) if !place.starts_with(brain) => Ok(place),
        Some(path) => Err(Refused::ScratchUnsafe {
            path,
            why: IN_BRAIN,
        }),
        None => Err(Refused::ScratchUnsafe {
            path,
            why: "leads nowhere",
        }),
    }
}

impl Target {
    /// The path of what people read, if it is `name`; in the default place it may get another folder.
    #[must_use]
    pub fn document(&self, name: &str) -> PathBuf {
        match self {
            Self::Scratch(folder) | Self::Persist(folder) | Self::Folder(folder) => {
                folder.join(name)
            }
            Self::File(path) => path.clone(),
        }
    }

    /// What a run would replace.
    fn replaceable(&self, mode: Mode) -> Vec<PathBuf> {
        let stale = mode == Mode::DetectStale;
        match self {
            Self::Scratch(_) | Self::Persist(_) => Vec::new(),
            Self::Folder(folder) if stale => vec![folder.join("stale-refs.md")],
            Self::Folder(folder) => ["context.md", "context.json"]
                .map(|name| folder.join(name))
                .into(),
            Self::File(path) if stale => vec![path.clone()],
            Self::File(path) => vec![path.clone(), path.with_extension("json")],
        }
    }
}

/// Writes a result to its place. All of it lies complete beside its names before the first one is given, so that a disk that
/// is full leaves what was there before; a folder that was made for it goes again.
///
/// # Errors
/// The place was taken meanwhile, or the system refuses.
pub(crate) fn write(target: &Target, files: &Files<'_>) -> Result<Written, Refused> {
    match target {
        Target::Scratch(folder) => {
            let folder = new_folder(folder).map_err(about_scratch)?;
            in_new_folder(&folder, files).map_err(about_scratch)
        }
        Target::Persist(folder) => {
            create_folder(folder.parent().unwrap_or(folder), Durability::Rebuildable)?;
            if !create_new_folder(folder)? {
                let path = folder.clone();
                return Err(Refused::Collision { path });
            }
            in_new_folder(folder, files)
        }
        Target::Folder(folder) => {
            create_folder(folder, Durability::Rebuildable)?;
            let sidecar = files.sidecar.map(|(name, text)| (folder.join(name), text));
            let (name, text) = files.document;
            put((folder.join(name), text), sidecar)
        }
        Target::File(path) => {
            create_folder(path.parent().unwrap_or(path), Durability::Rebuildable)?;
            let sidecar = files.sidecar;
            let sidecar = sidecar.map(|(_, text)| (path.with_extension("json"), text));
            put((path.clone(), files.document.1), sidecar)
        }
    }
}

fn about_scratch(error: Refused) -> Refused {
    match error {
        Refused::Host(error) => Refused::Scratch(error),
        error => error,
    }
}

fn in_new_folder(folder: &Path, files: &Files<'_>) -> Result<Written, Refused> {
    let target = Target::Folder(folder.to_path_buf());
    write(&target, files).inspect_err(|_| {
        // The first failure is the one to report.
        let _ = remove_tree(folder);
    })
}

/// Puts both files in place, the sidecar first.
fn put(document: (PathBuf, &str), sidecar: Option<(PathBuf, &str)>) -> Result<Written, Refused> {
    let staged =
        |(path, text): &(PathBuf, &str)| stage(path, text.as_bytes(), Durability::Rebuildable);
    let staged_document = staged(&document)?;
    let staged_sidecar = sidecar.as_ref().map(staged).transpose()?;
    if let Some(sidecar) = staged_sidecar {
        sidecar.publish()?;
    }
    staged_document.publish()?;
    Ok(Written {
        document: document.0,
        sidecar: sidecar.map(|(path, _)| path),
    })
}

/// A folder that no other run has: the name itself, else with a number behind it.
fn new_folder(folder: &Path) -> Result<PathBuf, Refused> {
    create_folder(folder.parent().unwrap_or(folder), Durability::Rebuildable)?;
    let name = folder.file_name().unwrap_or_default();
    for number in 1..=CLASHES_MAX {
        let mut name = name.to_os_string();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let candidate = folder.with_file_name(name);
        if create_new_folder(&candidate)? {
            return Ok(candidate);
        }
    }
    Err(Refused::Collision {
        path: folder.to_path_buf(),
    })
}

/// Where a path that need not exist really leads: its nearest existing ancestor resolved, the rest behind it. `None`
/// where that can not be said: a dangling link, or `..` in a part that does not exist.
fn real(path: &Path) -> Option<PathBuf> {
    // Rebuilt from its parts, so that `link/` is looked at as the link that it is.
    let path: PathBuf = path.components().collect();
    let existing = path
        .ancestors()
        .find(|ancestor| ancestor.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(existing).ok()?;
    let plain = rest
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let resolved = existing.canonicalize().ok()?;
    let joined: PathBuf = resolved.components().chain(rest.components()).collect();
    plain.then_some(joined)
}

/// Whether nothing is there, or a file that this tool has written.
pub(crate) fn is_ours(path: &Path) -> bool {
    if path.symlink_metadata().is_err() {
        return true;
    }
    let Ok(bytes) = read_regular(path, OURS_MAX_BYTES) else {
        return false;
    };
    is_our_document(&bytes) || serde_json::from_slice::<ContextManifest>(&bytes).is_ok()
}

/// Whether a text has the frontmatter of a result, and is nothing that somebody has written from one.
fn is_our_document(bytes: &[u8]) -> bool {
    if !OUR_STARTS.iter().any(|start| bytes.starts_with(start)) {
        return false;
    }
    let block = || {
        let text = std::str::from_utf8(bytes).ok()?;
        let opening = frontmatter::opening(text)?;
        let closing = frontmatter::closing(text, &opening)?;
        let block = text.get(opening.content_start..closing.block_end)?;
        mapping(block, opening.content_line).ok()
    };
    block().is_some_and(|map| {
        OUR_KEYS.iter().all(|key| map.text(key).is_some())
            && ARTIFACT_KEYS.iter().all(|key| map.get(key).is_none())
    })
}

/// A time as the name of a folder, without colons, which some file systems refuse.
fn stamp(now_ms: u64) -> String {
    let text = rfc3339(now_ms);
    let (seconds, _) = text.split_once('.').unwrap_or((&text, ""));
    format!("{}Z", seconds.replace(['-', ':'], ""))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
