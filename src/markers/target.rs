//! Which output directories may a manifest name together?

use super::fault::Fault;
use super::journal;
use super::source::Source;
use crate::policy::MARKER_FILE;
use std::collections::BTreeSet;
use std::path::Path;
use vibey_context_host::path::{RelPath, identity};

/// Whether the file system of the project takes two spellings of a name for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Folded,
}

impl Case {
    /// Asks for `existing` in the opposite case: where that is the same file, case does not count.
    pub(super) fn of(root: &Path, existing: &RelPath) -> Self {
        let opposite: String = existing.as_str().chars().map(opposite).collect();
        let same = match (
            identity(&existing.below(root)),
            identity(&root.join(&opposite)),
        ) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        };
        if same && opposite != existing.as_str() {
            Self::Folded
        } else {
            Self::Sensitive
        }
    }

    /// The path with its components in the one spelling that counts.
    fn key(self, path: &str) -> String {
        match self {
            Self::Sensitive => path.to_owned(),
            Self::Folded => path.to_lowercase(),
        }
    }
}

fn opposite(c: char) -> char {
    if c.is_ascii_lowercase() {
        c.to_ascii_uppercase()
    } else {
        c.to_ascii_lowercase()
    }
}

/// Refuses directories that stand twice, that are inside a marker, or that hold our own state.
///
/// # Errors
/// The first of them.
pub(super) fn check(directories: &[RelPath], case: Case) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    for directory in directories {
        let fault = |code, message: &str| Err(Fault::new(code, message).at(directory.as_str()));
        // In any case of its letters: a manifest goes from one system to another.
        let is_marker = |name: &str| name.eq_ignore_ascii_case(MARKER_FILE);
        if directory.components().any(is_marker) {
            let message = "an output directory can not lie in a marker; name another one";
            return fault("target_in_marker", message);
        }
        let key = case.key(directory.as_str());
        let state = case.key(journal::FOLDER);
        if is_at_or_below(&state, &key) || is_at_or_below(&key, &state) {
            let message = "this folder holds the state of `markers`; name another one";
            return fault("target_reserved", message);
        }
        if !seen.insert(key) {
            let message = "the manifest names this output directory twice; remove one entry";
            return fault("target_duplicate", message);
        }
    }
    Ok(())
}

/// Refuses a source in an output directory, by its path as given or as it really is: the next generator may remove it.
///
/// # Errors
/// It lies in one.
pub(super) fn check_source(
    source: &Source,
    directories: &[RelPath],
    case: Case,
) -> Result<(), Fault> {
    let given = case.key(source.given.as_str());
    let real = case.key(&source.real.to_string_lossy());
    let state = case.key(journal::FOLDER);
    if is_at_or_below(&given, &state) || is_at_or_below(&real, &state) {
        let message = "this folder holds the state of `markers`; move this file";
        return Err(Fault::new("source_in_target", message).at(source.given.as_str()));
    }
    for directory in directories {
        let directory = case.key(directory.as_str());
        if is_at_or_below(&given, &directory) || is_at_or_below(&real, &directory) {
            let message =
                "manifest and guidance must lie outside every output directory; move this file";
            return Err(Fault::new("source_in_target", message).at(source.given.as_str()));
        }
    }
    Ok(())
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;

    fn code(directories: &[&str], case: Case) -> Option<&'static str> {
        let paths: Vec<_> = directories
            .iter()
            .map(|path| RelPath::new(*path).unwrap())
            .collect();
        check(&paths, case).err().map(|fault| fault.code)
    }

    #[test]
    fn a_directory_stands_once_in_the_sense_of_the_file_system() {
        assert_eq!(code(&["a", "a/b", "ab"], Case::Folded), None);
        assert_eq!(
            code(&["a/b", "a/b"], Case::Sensitive),
            Some("target_duplicate")
        );
        assert_eq!(code(&["a/B", "A/b"], Case::Sensitive), None);
        assert_eq!(
            code(&["a/B", "A/b"], Case::Folded),
            Some("target_duplicate")
        );
        assert_eq!(
            code(&["\u{c4}", "\u{e4}"], Case::Folded),
            Some("target_duplicate")
        );
    }

    #[test]
    fn markers_and_our_own_state_are_no_output_directories() {
        for path in [
            ".agent-no-read.md",
            "a/.agent-no-read.md/b",
            ".Agent-No-Read.md",
        ] {
            assert_eq!(
                code(&[path], Case::Sensitive),
                Some("target_in_marker"),
                "{path}"
            );
        }
        for path in [".vibey", ".vibey/markers", ".vibey/markers/x"] {
            assert_eq!(
                code(&[path], Case::Sensitive),
                Some("target_reserved"),
                "{path}"
            );
        }
        assert_eq!(code(&[".VIBEY"], Case::Folded), Some("target_reserved"));
        for path in [".vibey/other", ".vibey/markers-2", "a.agent-no-read.md"] {
            assert_eq!(code(&[path], Case::Sensitive), None, "{path}");
        }
    }

    #[test]
    fn case_counts_unless_the_other_spelling_is_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let name = RelPath::new("m.json").unwrap();
        std::fs::write(dir.path().join("m.json"), "").unwrap();
        if cfg!(target_os = "linux") {
            assert_eq!(Case::of(dir.path(), &name), Case::Sensitive);
        }
        let digits = RelPath::new("1").unwrap();
        std::fs::write(dir.path().join("1"), "").unwrap();
        assert_eq!(Case::of(dir.path(), &digits), Case::Sensitive);
        // A second name for the file stands in for a file system that folds case.
        let _ = std::fs::hard_link(dir.path().join("m.json"), dir.path().join("M.JSON"));
        assert_eq!(Case::of(dir.path(), &name), Case::Folded);
    }
}
