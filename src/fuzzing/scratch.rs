//! A folder for the kinds of input that are read from a file: made once for a thread, and gone with it.

use std::path::{Path, PathBuf};
use tempfile::TempDir;
use vibey_context_host::read::{EntryKind, list_dir};
use vibey_context_host::write::{Durability, create_folder, remove_tree, replace};

/// A folder of our own.
pub(super) struct Scratch {
    path: PathBuf,
    _own: TempDir,
}

impl Scratch {
    /// A new one, empty.
    pub(super) fn new() -> Self {
        let own = tempfile::tempdir().expect("a temporary folder can be made");
        // A project's path is compared with its canonical one.
        let path = own.path().canonicalize().expect("it is there");
        Self { path, _own: own }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A place in it.
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file, and the folders above it.
    pub(super) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.at(name);
        let folder = path.parent().expect("a file lies in a folder");
        create_folder(folder, Durability::Rebuildable).expect("a folder of our own");
        replace(&path, bytes, Durability::Rebuildable).expect("a file of our own");
        path
    }

    /// Empties it.
    pub(super) fn clear(&self) {
        for entry in list_dir(&self.path).expect("a folder of our own") {
            let path = self.path.join(entry.name);
            remove_tree(&path)
                .or_else(|_| vibey_context_host::write::remove_file(&path))
                .expect("a file of our own");
        }
    }

    /// Every file in it, with its path relative to it, sorted.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            for entry in list_dir(&self.path.join(&folder)).expect("a folder of our own") {
                let path = folder.join(entry.name);
                match entry.kind {
                    EntryKind::Dir => open.push(path),
                    _ => found.push(path),
                }
            }
        }
        found.sort();
        found
    }
}
