//! What a refusal of `materialize` is called, and what to do about it.

use super::Failure;
use crate::materialize::refused::{PATH_MAX_CHARS, Refused};
use crate::text::neutralise::excerpt;
use std::path::Path;
use vibey_context_contracts::exit;

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let message = refused.to_string();
        let refuse = |code, help: &str| Self::new(code, message.clone(), help);
        match refused {
            Refused::BrainNotFound { from } => {
                refuse("brain_not_found", "name the brain with `--brain`").at(&from)
            }
            Refused::NotABrain { path } => {
                refuse("brain_not_found", "name a folder with a `CONVENTIONS.md`").at(&path)
            }
            Refused::ArtifactUnclear { folder, .. } => {
                let failure = refuse("artifact_unclear", "name the artifact").at(&folder);
                failure.ending_with(exit::USAGE)
            }
            Refused::ArtifactMissing { nearby, path } => {
                let names: Vec<String> = nearby.iter().map(|path| format!("`{path}`")).collect();
                let help = match names.as_slice() {
                    [] => "check the path and the working directory".to_owned(),
                    names => format!("nearby paths in the brain: {}", names.join(", ")),
                };
                let shown = excerpt(&path.to_string_lossy(), PATH_MAX_CHARS);
                refuse("artifact_missing", &help).at(Path::new(&shown))
            }
            Refused::ArtifactEscapes { canonical } => {
                refuse("artifact_escapes", "name a file in the brain").at(&canonical)
            }
            Refused::ArtifactExcluded { path, .. } => {
                let help = "name another artifact, or let the marker's owner remove it";
                refuse("artifact_excluded", help).at(&path)
            }
            Refused::NotText { path } => refuse("not_text", "save the file as UTF-8").at(&path),
            Refused::Yaml {
                path, line, column, ..
            } => {
                let mut failure =
                    refuse("yaml_invalid", "correct the YAML at this place").at(&path);
                failure.body.line = Some(line);
                failure.body.column = Some(column);
                failure
            }
            Refused::NoSoftLinks { path } => {
                let help = "run verify-tree to diagnose the frontmatter, or add `soft_links: []`";
                refuse("soft_links_missing", help).at(&path)
            }
            Refused::UnsafeName { path, .. } => {
                refuse("name_unsafe", "use one plain name without `/` and `..`").at(&path)
            }
            Refused::NoProject { path } => {
                let help = "add `primary_project` to the artifact or to the brain's `config.yaml`";
                refuse("project_missing", help).at(&path)
            }
            Refused::UnknownProject { registry, .. } => {
                let help = format!(
                    "add the alias to `{}`, or name it as `primary_project` in the brain's `config.yaml`",
                    registry.display()
                );
                refuse("project_unknown", &help).at(&registry)
            }
            Refused::McpConfig { path, .. } => {
                let help = "write `{\"mcpServers\": {NAME: {\"command\": …} or {\"url\": …}}}`";
                refuse("mcp_config", help).at(&path)
            }
            Refused::NoScratch => refuse(
                "no_cache_folder",
                "name a place with `MATERIALIZE_SCRATCH_ROOT`, `XDG_CACHE_HOME` or `--out`; `HOME` counts where it names a folder that exists",
            ),
            Refused::OutsideZones { path } => refuse(
                "out_outside_zones",
                "name a place in the brain or below the cache folder `project-brain`",
            )
            .at(&path),
            Refused::PrivatePlace { path } => refuse(
                "out_private",
                "name a place that is not below `.git` or another private folder",
            )
            .at(&path),
            Refused::ScratchUnsafe { path, .. } => refuse(
                "scratch_unsafe",
                "let `MATERIALIZE_SCRATCH_ROOT` name a folder of its own outside the brain",
            )
            .at(&path),
            Refused::PersistEscapes { path } => {
                refuse("persist_escapes", "remove the link at `.context`").at(&path)
            }
            Refused::Foreign { path } => {
                refuse("not_ours", "name another path with `--out`").at(&path)
            }
            Refused::Collision { path } => refuse(
                "persist_collision",
                "remove the folder, or pick a different `--out`",
            )
            .at(&path),
            Refused::Secrets { .. } => refuse(
                "persist_secrets",
                "`--dry-run` names their links; `--confirm-persist` keeps them all the same",
            ),
            Refused::Unconfirmed => refuse(
                "persist_unconfirmed",
                "add `--confirm-persist`, or answer on a terminal",
            ),
            Refused::Scratch(error) => {
                let help = "name another place with `MATERIALIZE_SCRATCH_ROOT`, `XDG_CACHE_HOME` or `--out`";
                let mut failure = Self::from(error);
                failure.body.help = Some(help.to_owned());
                failure
            }
            Refused::Host(error) => error.into(),
            Refused::Canonical(error) => error.into(),
            Refused::Render(_) => refuse("internal", "report this with the artifact that shows it"),
        }
    }
}
