//! Which folders below the roots are left out, by patterns that a person wrote?
//!
//! A pattern is matched against the path of a folder from its root, and against that of the skill file in it. `*` and `?`
//! stand within a name, `**` for any number of folders; a pattern without `/` is the name of a folder at any depth.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// Patterns of paths that are left out. A clone shares them.
#[derive(Clone, Default)]
pub struct Exclude(Option<Arc<Patterns>>);

struct Patterns {
    /// As they were written.
    texts: Vec<String>,
    set: GlobSet,
}

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatternError {
    /// Its place among the patterns.
    pub at: usize,
    /// What is wrong with it, as a lowercase fragment.
    pub reason: String,
}

impl Exclude {
    /// Reads patterns.
    ///
    /// # Errors
    /// The first text that is no pattern.
    pub fn new(texts: Vec<String>) -> Result<Self, PatternError> {
        if texts.is_empty() {
            return Ok(Self::default());
        }
        let mut set = GlobSetBuilder::new();
        for (at, text) in texts.iter().enumerate() {
            let wrong = |reason: String| PatternError { at, reason };
            if text.starts_with('!') {
                return Err(wrong("no pattern takes another one back".to_owned()));
            }
            // A slash at either end says where names begin and that a folder is meant: both are so anyway.
            let bare = text.trim_end_matches('/');
            let bare = match bare.strip_prefix('/') {
                Some(from_root) => from_root.to_owned(),
                None if bare.contains('/') => bare.to_owned(),
                None => format!("**/{bare}"),
            };
            if bare.is_empty() || bare == "**/" {
                return Err(wrong("it names no folder".to_owned()));
            }
            let glob = GlobBuilder::new(&bare).literal_separator(true).build();
            set.add(glob.map_err(|error| wrong(error.kind().to_string()))?);
        }
        let set = set.build().map_err(|error| PatternError {
            at: 0,
            reason: error.kind().to_string(),
        })?;
        Ok(Self(Some(Arc::new(Patterns { texts, set }))))
    }

    /// The patterns as they were written, in their order.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        self.0
            .as_ref()
            .map_or(&[], |patterns| patterns.texts.as_slice())
    }

    /// The first pattern that fits a path, which is relative to a root, with `/` between components.
    #[must_use]
    pub fn pattern_of(&self, path: &str) -> Option<&str> {
        let patterns = self.0.as_ref()?;
        let at = *patterns.set.matches(path).first()?;
        patterns.texts.get(at).map(String::as_str)
    }
}

impl fmt::Debug for Exclude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Exclude").field(&self.texts()).finish()
    }
}

impl PartialEq for Exclude {
    fn eq(&self, other: &Self) -> bool {
        self.texts() == other.texts()
    }
}

impl Eq for Exclude {}

impl PartialOrd for Exclude {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exclude {
    fn cmp(&self, other: &Self) -> Ordering {
        self.texts().cmp(other.texts())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fits(pattern: &str, path: &str) -> bool {
        let exclude = Exclude::new(vec![pattern.to_owned()]).unwrap();
        exclude.pattern_of(path).is_some()
    }

    #[test]
    fn a_name_fits_at_any_depth_and_a_path_from_the_root() {
        for (pattern, path, expected) in [
            ("drafts", "drafts", true),
            ("drafts", "a/b/drafts", true),
            ("drafts", "a/drafts2", false),
            ("drafts/", "a/drafts", true),
            ("/drafts", "drafts", true),
            ("/drafts", "a/drafts", false),
            ("a/drafts", "a/drafts", true),
            ("a/drafts", "b/a/drafts", false),
            ("old-*", "a/old-x", true),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("a/**", "a/b/c", true),
            ("**/b/**/SKILL.md", "a/b/c/SKILL.md", true),
            ("{x,y}/z", "y/z", true),
            ("A", "a", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
        assert_eq!(Exclude::default().pattern_of("a"), None);
    }

    #[test]
    fn what_is_no_pattern_is_named_by_its_place() {
        for text in ["", "/", "//", "!a", "a/[", "{a"] {
            let texts = vec!["good".to_owned(), text.to_owned()];
            let refused = Exclude::new(texts).unwrap_err();
            assert_eq!(refused.at, 1, "{text}");
            assert!(!refused.reason.is_empty());
        }
    }

    #[test]
    fn the_first_pattern_that_fits_is_the_one_that_is_named() {
        let exclude = Exclude::new(vec!["b".into(), "a/*".into(), "a/b".into()]).unwrap();
        assert_eq!(exclude.pattern_of("a/b"), Some("b"));
        assert_eq!(exclude.pattern_of("a/c"), Some("a/*"));
        assert_eq!(exclude.texts().len(), 3);
    }
}
