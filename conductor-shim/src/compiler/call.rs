//! How did one run of the compiler end, and what did it print?

use super::Compiler;
use super::failure::Failure;
use std::ffi::OsStr;
use vibey_context_contracts::conductor::event::FailureCode;
use vibey_context_contracts::redact::redact;
use vibey_context_host::process::{
    Bound, Captured, Command, Input, Leftovers, Outcome, Output, run_async,
};

/// The largest answer that is read from standard output: `contract --json` and `index build --json` print some hundred
/// bytes, a list of a thousand skills half a megabyte.
const STDOUT: Bound = Bound {
    head_bytes: 16 * 1024 * 1024,
    tail_bytes: 0,
};
/// What is kept of standard error: the first complaint and the last ones.
const STDERR: Bound = Bound {
    head_bytes: 16 * 1024,
    tail_bytes: 48 * 1024,
};

/// A run that ended by itself.
pub(super) struct Answer {
    pub(super) return_code: i32,
    /// `None` where it was larger than any answer.
    pub(super) stdout: Option<Vec<u8>>,
    /// Redacted and bounded.
    pub(super) stderr: Box<str>,
    /// Milliseconds that it took.
    pub(super) took_ms: u64,
}

impl Answer {
    /// The failure that an exit code means which stands for no answer; the compiler's own complaint is part of it.
    pub(super) fn failed(self, code: FailureCode, mut message: String) -> Failure {
        if let Some(complaint) = complaint(&self.stderr) {
            message.push_str(": ");
            message.push_str(&complaint);
        }
        Failure {
            return_code: Some(self.return_code),
            stderr: self.stderr,
            compile_ms: self.took_ms,
            ..Failure::new(code, message)
        }
    }
}

/// Runs the compiler with `words` behind its own.
pub(super) async fn call(compiler: &Compiler, words: &[&OsStr]) -> Result<Answer, Failure> {
    let own = compiler.words.iter().map(|word| word.as_os_str());
    let finished = run_async(Command {
        program: compiler.program.clone(),
        args: own
            .chain(words.iter().copied())
            .map(OsStr::to_owned)
            .collect(),
        directory: compiler.directory.clone(),
        environment: compiler.environment.clone(),
        stdin: Input::Null,
        stdout: Output::Capture(STDOUT),
        stderr: Output::Capture(STDERR),
        output_limit_bytes: None,
        timeout: Some(compiler.timeout),
        grace: compiler.grace,
        cancel: compiler.cancel.clone(),
        forward: None,
        leftovers: Leftovers::Kill,
    })
    .await;
    let stderr: Box<str> = shown(&finished.stderr).into();
    let took_ms = u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX);
    let what = words
        .first()
        .map_or_else(String::new, |word| word.to_string_lossy().into_owned());
    let (code, signal, message) = match finished.outcome {
        Outcome::Exited(return_code) => {
            return Ok(Answer {
                return_code,
                stdout: finished.stdout.whole(),
                stderr,
                took_ms,
            });
        }
        Outcome::Signalled(signal) => (
            FailureCode::Signalled,
            Some(signal),
            format!("`{what}` was ended by signal {signal}"),
        ),
        Outcome::TimedOut => {
            let seconds = compiler.timeout.as_secs();
            (
                FailureCode::TimedOut,
                None,
                format!("`{what}` took longer than {seconds} s and was stopped"),
            )
        }
        Outcome::Cancelled => (
            FailureCode::Cancelled,
            None,
            format!("`{what}` was stopped"),
        ),
        Outcome::FailedToStart(cause) => return Err(compiler.not_started(&cause)),
        Outcome::Lost(cause) => (
            FailureCode::CompilerFailed,
            None,
            format!("`{what}` was lost: {cause}"),
        ),
        Outcome::OutputLimit => (
            FailureCode::CompilerFailed,
            None,
            format!("`{what}` printed too much"),
        ),
    };
    Err(Failure {
        signal,
        stderr,
        compile_ms: took_ms,
        ..Failure::new(code, message)
    })
}

/// The first error in what the compiler wrote to standard error.
fn complaint(stderr: &str) -> Option<String> {
    /// A line of a terminal or two; the file beside the request has the rest.
    const SHOWN_CHARS: usize = 200;
    let line = stderr
        .lines()
        .find_map(|line| line.strip_prefix("error: "))?;
    Some(match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    })
}

/// Standard error as a file may hold it. Where bytes were left out, the lines that were cut go with them: half a secret
/// may have no shape by which it is found.
fn shown(stderr: &Captured) -> String {
    let is_cut = stderr.left_out_bytes > 0;
    let head = match stderr.head.iter().rposition(|byte| *byte == b'\n') {
        _ if !is_cut => &stderr.head[..],
        Some(end) => &stderr.head[..=end],
        None => &[],
    };
    let tail = match stderr.tail.iter().position(|byte| *byte == b'\n') {
        _ if !is_cut => &stderr.tail[..],
        Some(end) => &stderr.tail[end + 1..],
        None => &[],
    };
    if !is_cut {
        let whole = [head, tail].concat();
        return redact(&String::from_utf8_lossy(&whole)).into_owned();
    }
    let kept = head.len() + tail.len();
    let all = stderr.head.len() + stderr.tail.len();
    let left_out = stderr.left_out_bytes.saturating_add((all - kept) as u64);
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    format!(
        "{}[{left_out} bytes left out]\n{}",
        redact(&head),
        redact(&tail)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(head: &[u8], tail: &[u8], left_out_bytes: u64) -> Captured {
        Captured {
            head: head.to_vec(),
            tail: tail.to_vec(),
            left_out_bytes,
            ended: true,
        }
    }

    #[test]
    fn standard_error_is_redacted_and_cut_lines_are_left_out() {
        let whole = captured(b"a \xff pass", b"word=hunter2\n", 0);
        assert_eq!(shown(&whole), "a \u{fffd} password=[redacted:labelled]\n");
        let cut = captured(b"first\npassword=hun", b"ter2\nlast\n", 7);
        assert_eq!(shown(&cut), "first\n[24 bytes left out]\nlast\n");
        let one_line = captured(b"xxxx", b"yyyy", 1);
        assert_eq!(shown(&one_line), "[9 bytes left out]\n");
    }

    #[test]
    fn the_first_error_is_the_complaint() {
        let said = "note: a\nerror: no skill `x`\nhelp: y\nerror: later\n";
        assert_eq!(complaint(said).as_deref(), Some("no skill `x`"));
        assert_eq!(complaint("panic\n"), None);
        let long = format!("error: {}", "é".repeat(500));
        assert_eq!(complaint(&long), Some(format!("{}…", "é".repeat(200))));
    }
}
