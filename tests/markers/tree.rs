//! What stands in a folder, to the inode and the nanosecond: did a call write anything there?

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use vibey_context_contracts::digest::sha256_hex;

/// A folder and everything below it, by path from it. Nothing is followed, and only regular files are opened.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    entries: BTreeMap<String, String>,
}

impl Tree {
    pub(crate) fn of(folder: &Path) -> Self {
        let mut entries = BTreeMap::new();
        add(folder, "", &mut entries);
        Self { entries }
    }

    /// What is known of one entry, for a comparison of two trees.
    pub(crate) fn line(&self, path: &str) -> &str {
        &self.entries[path]
    }

    /// Fails unless the folder still is what it was. A file that came and went shows in the times of its folder.
    #[track_caller]
    pub(crate) fn assert_still(&self, folder: &Path) {
        let now = Self::of(folder);
        let changed: Vec<String> = self
            .entries
            .iter()
            .filter(|(path, was)| now.entries.get(*path) != Some(was))
            .map(|(path, was)| format!("`{path}` was {was}, is {:?}", now.entries.get(path)))
            .collect();
        let new: Vec<&String> = now
            .entries
            .keys()
            .filter(|path| !self.entries.contains_key(*path))
            .collect();
        assert!(
            changed.is_empty() && new.is_empty(),
            "changed: {changed:#?}\nnew: {new:?}"
        );
    }
}

fn add(path: &Path, shown: &str, entries: &mut BTreeMap<String, String>) {
    let found = path.symlink_metadata().unwrap();
    let kind = found.file_type();
    let content = if kind.is_file() {
        // A test may have taken away the right to read it from whom it runs as.
        std::fs::read(path).map_or_else(|error| error.to_string(), |bytes| sha256_hex(&bytes))
    } else if kind.is_symlink() {
        format!("-> {}", path.read_link().unwrap().display())
    } else {
        String::new()
    };
    entries.insert(
        shown.to_owned(),
        format!(
            "mode {:o} inode {}:{} modified {}.{:09} changed {}.{:09} {content}",
            found.mode(),
            found.dev(),
            found.ino(),
            found.mtime(),
            found.mtime_nsec(),
            found.ctime(),
            found.ctime_nsec(),
        ),
    );
    if kind.is_dir() {
        for entry in path.read_dir().unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            add(&entry.path(), &format!("{shown}/{name}"), entries);
        }
    }
}

/// Inode and time of modification, which an unchanged file keeps.
pub(crate) fn identity(path: &Path) -> (u64, i64, i64) {
    let found = path.symlink_metadata().unwrap();
    (found.ino(), found.mtime(), found.mtime_nsec())
}
