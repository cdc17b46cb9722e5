//! What goes to standard output and standard error.

use super::failure::Failure;
use serde::Serialize;
use vibey_context_contracts::canonical;
use vibey_context_host::standard;

/// Writes to standard output. A reader that has gone away (`| head`) is no failure: what it wanted, it has.
///
/// # Errors
/// Any other fault of standard output, a full disk behind a redirection for one.
pub(super) fn stdout(text: &str) -> Result<(), Failure> {
    standard::write_out(text.as_bytes()).map_err(|error| {
        Failure::new(
            "stdout",
            format!("cannot write to standard output: {error}"),
            "check where standard output leads",
        )
    })
}

/// Writes JSON to standard output, for people and programs alike: sorted keys, two blanks per level.
///
/// # Errors
/// As [`stdout`].
pub(super) fn json<T: Serialize>(value: &T) -> Result<(), Failure> {
    stdout(&canonical::pretty(value)?)
}

/// Writes a line to standard error.
pub(super) fn note(text: &str) {
    stderr(&format!("{text}\n"));
}

/// Writes to standard error as it is.
pub(super) fn stderr(text: &str) {
    standard::write_err(text);
}
