//! A command line of `markers` that is none: answered in the form of the operation that was meant.
//!
//! The message is ours, not that of the parser: that one repeats the words, and a word may name a path outside the project.

use super::{answers, print};
use crate::cli::failure::Failure;
use std::ffi::OsString;
use vibey_context_contracts::markers::result::{MarkersError, MarkersResult, Operation};

/// Options before or behind `markers` that take a value.
const WITH_VALUE: [&str; 2] = ["--skills", "--manifest"];

/// Whether the command of a command line is `markers`.
pub(in crate::cli) fn is_meant(words: &[OsString]) -> bool {
    command(words) == Some("markers")
}

/// Says what the operation takes. Ends with 2.
pub(in crate::cli) fn refuse(words: &[OsString]) -> u8 {
    let operation = match operation(words) {
        Some("apply") => Operation::Apply,
        Some("check") => Operation::Check,
        Some("generate") => Operation::Generate,
        Some(name @ ("explain" | "orphans")) => {
            let takes = if name == "explain" {
                "`markers explain` takes one PATH, `--json` and nothing else"
            } else {
                "`markers orphans` takes `--manifest FILE` once, `--json` and nothing else"
            };
            let as_json = words.iter().any(|word| word == "--json");
            return answers::refuse(&Failure::new("usage", takes, HELP), as_json);
        }
        _ => {
            let message = format!(
                "`markers` takes one of `apply`, `check`, `generate`, `explain` and `orphans`; {HELP}"
            );
            return print(&refused(None, message));
        }
    };
    let message = format!(
        "`markers apply`, `check` and `generate` take `--manifest FILE` once and nothing else, and print JSON anyway; {HELP}"
    );
    print(&refused(Some(operation), message))
}

const HELP: &str = "see `vibey-context markers --help`";

fn refused(operation: Option<Operation>, message: String) -> MarkersResult {
    let error = MarkersError {
        code: "usage".to_owned(),
        message,
        path: None,
    };
    MarkersResult::refused(operation, error)
}

/// The first word that is no option.
fn command(words: &[OsString]) -> Option<&str> {
    plain_words(words).next()
}

/// The second word that is no option.
fn operation(words: &[OsString]) -> Option<&str> {
    plain_words(words).nth(1)
}

/// The words behind the program's name that are neither options nor the values of those that have one.
fn plain_words(words: &[OsString]) -> impl Iterator<Item = &str> {
    let mut words = words.iter().skip(1);
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?.to_str()?;
            if WITH_VALUE.contains(&word) {
                words.next();
            } else if !word.starts_with('-') {
                return Some(word);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_operation_is_found_among_options() {
        for (line, expected) in [
            ("p markers apply", Some("apply")),
            ("p --skills apply markers check", Some("check")),
            (
                "p --skills=x --embedded markers --skills y generate --json",
                Some("generate"),
            ),
            ("p markers --manifest explain apply", Some("apply")),
            ("p markers", None),
            ("p markers --help", None),
        ] {
            assert!(is_meant(&words(line)), "{line}");
            assert_eq!(operation(&words(line)), expected, "{line}");
        }
        for line in [
            "p",
            "p check markers",
            "p --skills markers check",
            "p --embedded",
        ] {
            assert!(!is_meant(&words(line)), "{line}");
        }
    }
}
