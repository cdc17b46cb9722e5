//! Which markers stand in a project that its manifest does not name? Removing an entry removes no marker.

use super::fault::Fault;
use super::plan;
use super::root::Root;
use crate::policy::MARKER_FILE;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vibey_context_contracts::markers::VERSION;
use vibey_context_contracts::markers::answer::Orphans;
use vibey_context_host::read::{EntryKind, list_dir};

/// Lists them. `root` is the project, `manifest` a path relative to it. Symlinks are not followed.
///
/// # Errors
/// The manifest is not acceptable, or a folder can not be listed.
pub fn orphans(root: &Path, manifest: &Path) -> Result<Orphans, Fault> {
    let root = Root::open(root)?;
    let plan = plan::read(&root, manifest)?;
    let named: BTreeSet<&str> = plan
        .entries
        .iter()
        .map(|entry| entry.marker.as_str())
        .collect();
    let mut orphans = markers_below(root.path())?;
    orphans.retain(|marker| !named.contains(marker.as_str()));
    orphans.sort_unstable();
    Ok(Orphans {
        version: VERSION,
        orphans,
    })
}

/// Everything below `root` that has a marker's name, relative to it.
fn markers_below(root: &Path) -> Result<Vec<String>, Fault> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let entries = list_dir(&root.join(&folder)).map_err(|error| {
            Fault::host("the folder cannot be listed", &error).at(folder.to_string_lossy())
        })?;
        for entry in entries {
            let path = folder.join(&entry.name);
            if entry.name == MARKER_FILE {
                found.push(path.to_string_lossy().into_owned());
            } else if entry.kind == EntryKind::Dir {
                folders.push(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::super::bed::{MANIFEST, Project};
    use super::*;

    #[test]
    fn markers_that_the_manifest_does_not_name_are_listed_in_order() {
        let project = Project::new(&["named", "deep/named"]);
        for folder in ["named", "deep/named", "deep", "old", "", ".hidden/x"] {
            project.folder(folder);
            std::fs::write(project.at(folder).join(MARKER_FILE), "").unwrap();
        }
        project.folder("folder/.agent-no-read.md");
        project.folder("link");
        project.link("nowhere", "link/.agent-no-read.md");
        project.link("old", "again");
        let found = orphans(project.path(), Path::new(MANIFEST)).unwrap();
        assert_eq!(
            found.orphans,
            [
                ".agent-no-read.md",
                ".hidden/x/.agent-no-read.md",
                "deep/.agent-no-read.md",
                "folder/.agent-no-read.md",
                "link/.agent-no-read.md",
                "old/.agent-no-read.md",
            ]
        );
        assert!(orphans(project.path(), Path::new("none.json")).is_err());
    }
}
