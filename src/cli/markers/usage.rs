//! A command line of `markers` that is none: answered in the form of the operation that was meant.
//!
//! The message is ours, not that of the parser: that one repeats the words, and a word may name a path outside the project.

use super::{answers, print};
use crate::cli::failure::Failure;
use crate::cli::words::meant;
use std::ffi::OsString;
use vibey_context_contracts::markers::result::{MarkersError, MarkersResult, Operation};

/// Says what the operation takes. Ends with 2.
pub(in crate::cli) fn refuse(words: &[OsString]) -> u8 {
    let operation = match meant(words).get(1).map(String::as_str) {
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
