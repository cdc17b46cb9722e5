//! Which paths of the brain look like one that is not there?

use super::artifact::FIXED_NAMES;
use super::local::relative_text;
use super::zones;
use std::path::Path;
use vibey_context_host::read::{EntryKind, list_dir};

/// Paths that are suggested: more is a listing, not a hint.
const SUGGESTIONS: usize = 5;

/// Files that are looked at. The walk goes by name, so the bound cuts a huge brain at the same place every time.
const FILES_MAX: usize = 5_000;

/// The paths of Markdown files in the brain that are nearest to `wanted` by edit distance, of the whole or of what it is
/// called by, as they can be typed in `cwd`.
pub(crate) fn nearby(brain: &Path, wanted: &Path, cwd: &Path) -> Vec<String> {
    let wanted = relative_text(wanted.strip_prefix(brain).unwrap_or(wanted));
    let mut paths = Vec::new();
    walk(brain, brain, &mut paths);
    paths.sort_by_cached_key(|path| {
        let whole = strsim::osa_distance(path, &wanted);
        let name = strsim::osa_distance(name(path), name(&wanted));
        (whole.min(name), whole, path.clone())
    });
    let paths = paths.into_iter().map(|path| brain.join(path));
    let foreign = paths.filter(|path| !zones::is_ours(path));
    foreign
        .take(SUGGESTIONS)
        .map(|path| match path.strip_prefix(cwd) {
            Ok(typed) => relative_text(typed),
            Err(_) => path.to_string_lossy().into_owned(),
        })
        .collect()
}

/// What people call an artifact by: the slug of a thread, the folder of other fixed names, else the name without extension.
fn name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    match parts.next() {
        Some(folder) if FIXED_NAMES.contains(&last) => folder,
        _ => last.strip_suffix(".md").unwrap_or(last),
    }
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
