//! How do bytes reach standard output and standard error?

use std::io::{self, ErrorKind, Write};

/// Writes to standard output, all of it. A reader that has gone away (`| head`) is no failure: what it wanted, it has.
///
/// # Errors
/// Any other fault of standard output, a full disk behind a redirection for one.
pub fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes to standard error. Nothing can be done where that fails.
pub fn write_err(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
