//! Which names of jobs and projects may become file names and columns of the ledger?

use crate::digest::sha256_hex;
use crate::redact::{contains_secret, redact};
use std::fmt;

/// The longest job id in bytes: with our suffixes and a temporary file's it stays below the 255 of file systems.
pub const JOB_ID_MAX: usize = 128;
/// The longest project id in bytes.
pub const PROJECT_ID_MAX: usize = 200;
/// The project of a job that names none.
pub const PROJECT_DEFAULT: &str = "default";
/// The longest label (a phase, a kind, a plugin, a skill) that the ledger keeps, in characters.
pub const LABEL_MAX: usize = 160;

/// Why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} `{shown}` {reason}")]
pub struct IdError {
    /// `job id` or `project id`.
    pub what: &'static str,
    /// The text, bounded, without secrets and control characters.
    pub shown: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// A job's id: 1 to 128 ASCII letters, digits, dots, underscores and hyphens, which makes it one safe file name.
///
/// It starts with a letter or a digit and does not end with a dot, its first part is no device name of Windows, and
/// it does not look like a secret, since it stands in file names and in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobId(String);

impl JobId {
    /// Takes a text as job id.
    ///
    /// # Errors
    /// [`IdError`] with the rule that it breaks.
    pub fn new(text: &str) -> Result<Self, IdError> {
        match job_fault(text) {
            Some(reason) => Err(refused("job id", text, reason)),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A project's id: 1 to 200 bytes of any script, without control, format or surrounding blank characters.
///
/// Each project has a chain of its own in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProjectId(String);

impl ProjectId {
    /// Takes a text as project id.
    ///
    /// # Errors
    /// [`IdError`] with the rule that it breaks.
    pub fn new(text: &str) -> Result<Self, IdError> {
        let fault = if text.is_empty() {
            Some("is empty")
        } else if text.len() > PROJECT_ID_MAX {
            Some("is longer than 200 bytes")
        } else if text.trim() != text {
            Some("starts or ends with a blank")
        } else if text.chars().any(|c| c.is_control() || is_format(c)) {
            Some("holds an invisible character")
        } else if contains_secret(text) {
            Some("looks like a secret")
        } else {
            None
        };
        match fault {
            Some(reason) => Err(refused("project id", text, reason)),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn job_fault(text: &str) -> Option<&'static str> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    if text.is_empty() {
        return Some("is empty");
    }
    if text.len() > JOB_ID_MAX {
        return Some("is longer than 128 bytes");
    }
    if !text.bytes().all(allowed) {
        return Some("holds other characters than ASCII letters, digits, `.`, `_` and `-`");
    }
    if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Some("does not start with a letter or digit");
    }
    if text.ends_with('.') {
        return Some("ends with a dot");
    }
    if is_device(text.split('.').next().unwrap_or_default()) {
        return Some("is a device name of Windows");
    }
    contains_secret(text).then_some("looks like a secret")
}

/// Names that Windows keeps for devices, whatever follows behind a dot.
fn is_device(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|tail| tail.len() == 1 && tail.bytes().all(|b| b.is_ascii_digit()))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

/// Characters without a shape of their own, which make two ids look alike or turn the direction of a line.
fn is_format(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn refused(what: &'static str, text: &str, reason: &'static str) -> IdError {
    IdError {
        what,
        shown: label(text),
        reason,
    }
}

/// A label as the ledger keeps it: without secrets, control and format characters, at most [`LABEL_MAX`] characters.
#[must_use]
pub fn label(text: &str) -> String {
    redact(text)
        .chars()
        .filter(|c| !is_format(*c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LABEL_MAX)
        .collect()
}

/// The name of a skill, a plugin or a tokenizer as the ledger keeps it. What a compiler says is anybody's text: one that is
/// not written as names are (letters, digits and `-_.:@+/#`) becomes `name-` and 12 characters of its digest.
#[must_use]
pub fn name(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || "-_.:@+/#".contains(c);
    match text.chars().all(is_name) {
        true => label(text),
        false => {
            let digest = sha256_hex(text.as_bytes());
            format!("name-{}", digest.get(..12).unwrap_or_default())
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn job_ids_are_safe_file_names() {
        let longest = "x".repeat(JOB_ID_MAX);
        for good in [
            "a",
            "0",
            "job-1_b.2",
            "console",
            "com10",
            "com",
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
            "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            longest.as_str(),
        ] {
            assert_eq!(JobId::new(good).unwrap().as_str(), good);
        }
        let too_long = "x".repeat(JOB_ID_MAX + 1);
        for bad in [
            "",
            ".",
            "..",
            ".a",
            "-a",
            "_a",
            "a.",
            "a/b",
            "a\\b",
            "a b",
            "a:b",
            "é",
            "a\n",
            "a\0",
            "con",
            "NUL",
            "nul.txt",
            "Com1.x",
            "lpt9",
            "~",
            "a*",
            too_long.as_str(),
        ] {
            assert!(JobId::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_id_that_is_a_secret_is_refused_and_not_shown() {
        let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
        for error in [
            JobId::new(&secret).unwrap_err(),
            ProjectId::new(&secret).unwrap_err(),
        ] {
            assert_eq!(error.reason, "looks like a secret");
            assert!(!error.to_string().contains("16C7e42F"), "{error}");
        }
    }

    #[test]
    fn project_ids_are_of_any_script_and_visible() {
        for good in [
            "a",
            "org/repo",
            "проект 1",
            "日本",
            "C:\\x",
            "'; DROP TABLE x; --",
        ] {
            assert_eq!(ProjectId::new(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            " a",
            "a ",
            "a\u{0}",
            "a\nb",
            "a\u{202e}b",
            "\u{feff}a",
            &"é".repeat(101),
        ] {
            assert!(ProjectId::new(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn an_accepted_job_id_is_one_component_of_a_path(text in "[a-z0-9./\\\\ _:-]{0,8}|.*") {
            if let Ok(id) = JobId::new(&text) {
                let path = std::path::Path::new(id.as_str());
                prop_assert_eq!(path.components().count(), 1);
                prop_assert_eq!(path.file_name().unwrap().to_str().unwrap(), text);
            }
        }

        #[test]
        fn labels_are_bounded_and_stay_labels(text in ".*") {
            let once = label(&text);
            prop_assert!(once.chars().count() <= LABEL_MAX);
            prop_assert!(!once.chars().any(char::is_control));
        }
    }
}
