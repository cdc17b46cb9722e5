//! Where is the brain, and what do its configuration and the user's registry say?

use super::refused::Refused;
use super::registry::{Aliases, Projects, projects};
use super::yaml_file::{self, needed_text, no_text};
use crate::text::neutralise::plain_line;
use crate::text::yaml::Value;
use std::path::{Path, PathBuf};

/// Name of the folder that holds a brain.
pub(crate) const BRAIN_FOLDER: &str = "project-brain";

/// The file that makes a folder a brain.
const CONVENTIONS: &str = "CONVENTIONS.md";

/// The brain's own configuration; it need not be there.
pub(crate) const CONFIG_FILE: &str = "config.yaml";

/// The brain's configuration and all that is known about other projects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Knowledge {
    /// The project of artifacts that name none.
    pub(crate) primary_project: Option<String>,
    /// How much is printed where nothing else says so.
    pub(crate) verbosity: Option<String>,
    /// Projects by alias.
    pub(crate) aliases: Aliases,
    /// One sentence each.
    pub(crate) warnings: Vec<String>,
}

/// The canonical root of the brain: the named one, else the one around `cwd`, else the one around the artifact.
///
/// # Errors
/// [`Refused::NotABrain`] or [`Refused::BrainNotFound`].
pub(crate) fn find(
    named: Option<&Path>,
    cwd: &Path,
    artifact: Option<&Path>,
) -> Result<PathBuf, Refused> {
    if let Some(path) = named {
        let path = cwd.join(path);
        return [path.clone(), path.join(BRAIN_FOLDER)]
            .iter()
            .find_map(|folder| brain_at(folder))
            .ok_or(Refused::NotABrain { path });
    }
    let artifact = artifact.map(|path| cwd.join(path));
    let starts = std::iter::once(cwd).chain(artifact.as_deref());
    starts
        .flat_map(Path::ancestors)
        .find_map(around)
        .ok_or_else(|| Refused::BrainNotFound {
            from: cwd.to_path_buf(),
        })
}

/// The brain that a folder is, or that stands in it.
fn around(folder: &Path) -> Option<PathBuf> {
    let is_named = folder.file_name().is_some_and(|name| name == BRAIN_FOLDER);
    let own = is_named.then(|| brain_at(folder)).flatten();
    own.or_else(|| brain_at(&folder.join(BRAIN_FOLDER)))
}

fn brain_at(folder: &Path) -> Option<PathBuf> {
    let canonical = folder.canonicalize().ok()?;
    canonical.join(CONVENTIONS).is_file().then_some(canonical)
}

/// Reads the configuration of the brain and the registry; either may be missing.
///
/// # Errors
/// What [`yaml_file::read`] refuses.
pub(crate) fn knowledge(
    brain: &Path,
    registry: Option<&Path>,
    home: Option<&Path>,
) -> Result<Knowledge, Refused> {
    let config = yaml_file::read(&brain.join(CONFIG_FILE))?.unwrap_or_default();
    let (own_aliases, mut warnings) = match config.get("aliases").map(|node| &node.value) {
        Some(Value::Map(map)) => projects(map, CONFIG_FILE, brain, home),
        Some(Value::Text(_) | Value::List(_)) => {
            let warning = format!("`aliases` in `{CONFIG_FILE}` is no mapping, and is passed over");
            (Projects::new(), vec![warning])
        }
        Some(Value::Null) | None => (Projects::new(), Vec::new()),
    };
    let read = registry.map(yaml_file::read).transpose()?.flatten();
    let base = registry.and_then(Path::parent).unwrap_or(brain);
    let (registered, more) = match read {
        Some(map) => {
            let name = registry.and_then(Path::file_name).unwrap_or_default();
            projects(&map, &plain_line(&name.to_string_lossy()), base, home)
        }
        None => (Projects::new(), Vec::new()),
    };
    warnings.extend(more);
    let file = brain.join(CONFIG_FILE);
    let primary_project = needed_text(&config, "primary_project", &file)?.map(str::to_owned);
    let no_verbosity = config.get("verbosity");
    let no_verbosity = no_verbosity.and_then(|node| no_text("verbosity", node));
    warnings.extend(no_verbosity.map(|fault| format!("{fault} in `{CONFIG_FILE}`")));
    Ok(Knowledge {
        aliases: Aliases {
            config: own_aliases,
            registry: registered,
            own: primary_project
                .clone()
                .map(|alias| (alias, brain.to_path_buf())),
        },
        primary_project,
        verbosity: config.text("verbosity").map(str::to_owned),
        warnings,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;

    fn folder(conventions: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        for name in conventions {
            std::fs::create_dir_all(top.join(name)).unwrap();
            std::fs::write(top.join(name).join(CONVENTIONS), "").unwrap();
        }
        (scratch, top)
    }

    #[test]
    fn a_brain_is_found_from_inside_from_beside_and_from_the_artifact() {
        let (_scratch, top) =
            folder(&["a/project-brain", "a/project-brain/tree/deep/project-brain"]);
        let brain = top.join("a/project-brain");
        for (cwd, artifact) in [
            ("a/project-brain", None),
            ("a", None),
            ("a/src", None),
            ("", Some("a/project-brain/tree/x.md")),
        ] {
            let found = find(None, &top.join(cwd), artifact.map(Path::new)).unwrap();
            assert_eq!(found, brain, "{cwd}");
        }
        let inner = brain.join("tree/deep/project-brain");
        assert_eq!(find(None, &inner.join("x"), None).unwrap(), inner);
        assert!(matches!(
            find(None, &top, None),
            Err(Refused::BrainNotFound { .. })
        ));
    }

    #[test]
    fn a_named_brain_is_itself_or_its_parent() {
        let (_scratch, top) = folder(&["a/project-brain", "other"]);
        let named = |path: &str| find(Some(Path::new(path)), &top, None);
        assert_eq!(named("a").unwrap(), top.join("a/project-brain"));
        assert_eq!(named("other").unwrap(), top.join("other"));
        assert!(matches!(named("b"), Err(Refused::NotABrain { .. })));
    }
}
