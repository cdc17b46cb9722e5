//! What goes to standard output and standard error.

use super::failure::Failure;
use serde::Serialize;
use std::io::{ErrorKind, Write as _};

/// Writes to standard output. A reader that has gone away (`| head`) is no failure: what it wanted, it has.
///
/// # Errors
/// Any other fault of standard output, a full disk behind a redirection for one.
pub(super) fn stdout(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes.as_ref()).and_then(|()| out.flush()) {
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

/// Writes JSON to standard output, for people and programs alike: sorted keys, two blanks per level.
///
/// # Errors
/// As [`stdout`].
pub(super) fn json<T: Serialize>(value: &T) -> Result<(), Failure> {
    stdout(vibey_context_contracts::canonical::pretty(value)?)
}

/// Writes one line of JSON to standard output: sorted keys, no blanks.
///
/// # Errors
/// As [`stdout`].
pub(super) fn json_line<T: Serialize>(value: &T) -> Result<(), Failure> {
    let mut line = vibey_context_contracts::canonical::compact(value)?;
    line.push('\n');
    stdout(line)
}

/// Writes a line to standard error. Nothing can be done where that fails.
pub(super) fn note(text: &str) {
    let _ = writeln!(
        std::io::stderr().lock(),
        "{}",
        super::failure::sentence(text)
    );
}

/// Writes to standard error as it is. Nothing can be done where that fails.
pub(super) fn stderr(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
