//! What goes to standard output and standard error.

use super::failure::Failure;
use serde::Serialize;
use std::io::{self, ErrorKind, Write as _};

/// Writes to standard output. A reader that has gone away (`| head`) is no failure: what it wanted, it has.
///
/// # Errors
/// Any other fault of standard output, a full disk behind a redirection for one.
pub(super) fn stdout(text: &str) -> Result<(), Failure> {
    match send(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            Err(Failure::new(
                "stdout",
                message,
                "check where standard output leads",
            ))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard output, for a reader that must not miss it.
///
/// # Errors
/// Any fault of standard output, a reader that has gone away too.
pub(super) fn line(text: &str) -> io::Result<()> {
    send(&format!("{text}\n"))
}

fn send(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// Writes JSON to standard output, for people and programs alike: sorted keys, two blanks per level.
///
/// # Errors
/// As [`stdout`].
pub(super) fn json<T: Serialize>(value: &T) -> Result<(), Failure> {
    stdout(&vibey_context_contracts::canonical::pretty(value)?)
}

/// Writes a line to standard error. Nothing can be done where that fails.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes to standard error as it is. Nothing can be done where that fails.
pub(super) fn stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
