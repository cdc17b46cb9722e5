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
