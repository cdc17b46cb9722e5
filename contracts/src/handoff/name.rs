//! Which names of projects, pipelines and phases may become file names and lines of a brief?

use crate::conductor::id::IdError;
use crate::visible::in_one_line;
use std::fmt;

/// The longest name in bytes: with our prefixes and suffixes a file name stays below the 255 of file systems.
pub const NAME_MAX: usize = 128;
/// Characters of a refused name that a message shows.
const SHOWN_CHARS: usize = 100;

/// A project's name: ASCII letters, digits, `.`, `_` and `-`, without a leading dot, at most [`NAME_MAX`] bytes.
///
/// State, briefs and dashboard of a project lie in files and folders of this name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProjectName(String);

impl ProjectName {
    /// Takes a text as name.
    ///
    /// # Errors
    /// [`IdError`] with the rule that it breaks.
    pub fn new(text: &str) -> Result<Self, IdError> {
        match fault(text) {
            Some(reason) => Err(IdError {
                what: "project name",
                shown: in_one_line(text).chars().take(SHOWN_CHARS).collect(),
                reason,
            }),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is wrong with a name; pipelines, phases and include keys follow the rule of projects.
pub(crate) fn fault(text: &str) -> Option<&'static str> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    if text.is_empty() {
        Some("is empty")
    } else if text.len() > NAME_MAX {
        Some("is longer than 128 bytes")
    } else if text.starts_with('.') {
        Some("starts with a dot")
    } else if !text.bytes().all(allowed) {
        Some("holds other characters than ASCII letters, digits, `.`, `_` and `-`")
    } else {
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_safe_file_names() {
        for good in ["a", "my-app_2.0", "-", "x".repeat(NAME_MAX).as_str()] {
            assert_eq!(ProjectName::new(good).unwrap().as_str(), good);
        }
        let too_long = "x".repeat(NAME_MAX + 1);
        for bad in ["", ".", "..", ".a", "a/b", "a b", "é", "a\n", &too_long] {
            assert!(ProjectName::new(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn an_accepted_name_is_one_component_of_a_path(text in "[a./\\\\ _-]{0,6}|.*") {
            if let Ok(name) = ProjectName::new(&text) {
                let path = std::path::Path::new(name.as_str());
                prop_assert_eq!(path.file_name().unwrap().to_str().unwrap(), text);
            }
        }
    }
}
