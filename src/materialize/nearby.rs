//! Which paths of the brain look like one that is not there?

use super::artifact::FIXED_NAMES;
use super::local::relative_text;
use super::zones;
use crate::policy::excluded_by;
use std::collections::BTreeSet;
use std::path::Path;
use vibey_context_host::read::{EntryKind, list_dir};

/// Paths that are suggested: more is a listing, not a hint.
const SUGGESTIONS: usize = 5;

/// Files that are looked at. The walk goes by name, so the bound cuts a huge brain at the same place every time.
const FILES_MAX: usize = 100_000;

/// Paths that are kept while the brain is walked: some of the nearest may be files that nobody means.
const KEPT: usize = 50;

/// Bytes of a path that can look like another one. Comparing takes time with the product of the lengths.
const WANTED_MAX_BYTES: usize = 512;

/// The paths of Markdown files in the brain that are nearest to `wanted` by edit distance, of the whole or of what it is
/// called by, as they can be typed in `cwd`.
pub(crate) fn nearby(brain: &Path, wanted: &Path, cwd: &Path) -> Vec<String> {
    let wanted = relative_text(wanted.strip_prefix(brain).unwrap_or(wanted));
    if wanted.len() > WANTED_MAX_BYTES {
        return Vec::new();
    }
    let mut nearest = Nearest {
        wanted: &wanted,
        seen: 0,
        found: BTreeSet::new(),
    };
    walk(brain, brain, &mut nearest);
    let paths = nearest
        .found
        .into_iter()
        .map(|(_, _, path)| brain.join(path));
    let meant = paths.filter(|path| {
        !zones::is_ours(path) && matches!(excluded_by(Path::new("/"), path), Ok(None))
    });
    meant
        .take(SUGGESTIONS)
        .map(|path| match path.strip_prefix(cwd) {
            Ok(typed) => relative_text(typed),
            Err(_) => path.to_string_lossy().into_owned(),
        })
        .collect()
}

/// The nearest paths so far.
struct Nearest<'a> {
    wanted: &'a str,
    seen: usize,
    /// With their distances, that of the name and of the whole.
    found: BTreeSet<(usize, usize, String)>,
}

impl Nearest<'_> {
    fn look_at(&mut self, path: String) {
        self.seen += 1;
        let least = path.len().abs_diff(self.wanted.len());
        let named = name(&path).len().abs_diff(name(self.wanted).len());
        let worst = self.found.last().filter(|_| self.found.len() >= KEPT);
        if worst.is_some_and(|(worst, _, _)| least.min(named) > *worst) {
            return;
        }
        let whole = strsim::osa_distance(&path, self.wanted);
        let by_name = strsim::osa_distance(name(&path), name(self.wanted));
        self.found.insert((whole.min(by_name), whole, path));
        if self.found.len() > KEPT {
            self.found.pop_last();
        }
    }
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

fn walk(brain: &Path, folder: &Path, nearest: &mut Nearest<'_>) {
    // A folder that can not be listed has no suggestions.
    for entry in list_dir(folder).unwrap_or_default() {
        if nearest.seen >= FILES_MAX {
            return;
        }
        let path = folder.join(&entry.name);
        if entry.name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        match entry.kind {
            EntryKind::Dir => walk(brain, &path, nearest),
            EntryKind::File if path.extension().is_some_and(|ext| ext == "md") => {
                nearest.look_at(relative_text(path.strip_prefix(brain).unwrap_or(&path)));
            }
            _ => {}
        }
    }
}
