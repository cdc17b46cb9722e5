//! Which paths of the brain look like one that is not there?

use super::local::relative_text;
use std::path::Path;
use vibey_context_host::read::{EntryKind, list_dir};

/// Paths that are suggested: more is a listing, not a hint.
const SUGGESTIONS: usize = 5;

/// Files that are looked at. The walk goes by name, so the bound cuts a huge brain at the same place every time.
const FILES_MAX: usize = 5_000;

/// The paths of Markdown files in the brain that are nearest to `wanted` by edit distance, relative to the brain.
pub(crate) fn nearby(brain: &Path, wanted: &Path) -> Vec<String> {
    let wanted = relative_text(wanted.strip_prefix(brain).unwrap_or(wanted));
    let mut paths = Vec::new();
    walk(brain, brain, &mut paths);
    paths.sort_by_cached_key(|path| (strsim::osa_distance(path, &wanted), path.clone()));
    paths.truncate(SUGGESTIONS);
    paths
}

fn walk(brain: &Path, folder: &Path, paths: &mut Vec<String>) {
    // A folder that can not be listed has no suggestions.
    for entry in list_dir(folder).unwrap_or_default() {
        let path = folder.join(&entry.name);
        let hidden = entry.name.as_encoded_bytes().starts_with(b".");
        match entry.kind {
            EntryKind::Dir if !hidden => walk(brain, &path, paths),
            EntryKind::File if path.extension().is_some_and(|ext| ext == "md") => {
                if paths.len() >= FILES_MAX {
                    return;
                }
                paths.push(relative_text(path.strip_prefix(brain).unwrap_or(&path)));
            }
            _ => {}
        }
    }
}
