//! Where the published files lie, and how tests read them: sorted, complete, with their path in every failure.

use std::path::{Path, PathBuf};

/// The folder of this crate.
pub(crate) fn contracts() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    contracts().join("..")
}

/// The bytes of a file.
#[expect(
    clippy::disallowed_methods,
    reason = "a file of this repository, never one that a user names"
)]
pub(crate) fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}

/// The text of a file.
pub(crate) fn text(path: &Path) -> String {
    String::from_utf8(read(path)).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}

/// Names of the entries of a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("`{}`: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
