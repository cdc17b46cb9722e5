//! A server that is a program: how is it started, and how did it end?

use super::{MESSAGE_MAX_CHARS, config};
use crate::text::neutralise::excerpt;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::Notify;
use vibey_context_contracts::redact::redact;
use vibey_context_host::process::{
    Bound, Command, Ended, Input, Leftovers, Output, Partner, StartFailure, converse,
};

/// How often it is looked whether a program has ended: the pause is what a run may last too long.
const LOOK: Duration = Duration::from_millis(5);

/// How long a program may take to end whose pipes have closed, and its last words to arrive.
const DEATH: Duration = Duration::from_millis(100);

/// Bytes of standard error that are kept: the end of it, for one line.
const LAST_WORDS_BYTES: usize = 4 * 1024;

/// A running program.
pub(super) struct Program {
    name: String,
    partner: Partner,
    last_words: Arc<LastWords>,
}

/// The end of what a program writes to standard error.
#[derive(Default)]
struct LastWords {
    bytes: Mutex<Vec<u8>>,
    /// Told once there is no more.
    over: Notify,
}

impl Program {
    /// Starts a program. It sees `environment`, and what its configuration adds to that.
    ///
    /// # Errors
    /// Why it does not start, in words for people.
    pub(super) fn start(
        described: &config::Program,
        environment: &[(OsString, OsString)],
    ) -> Result<((Receiver, Sender), Self), String> {
        let name = excerpt(&described.command, MESSAGE_MAX_CHARS);
        let (sender, receiver, mut partner) =
            converse(&command(described, environment)).map_err(|failure| match failure {
                StartFailure::NotFound => format!("program `{name}` not found"),
                failure => format!("`{name}`: {failure}"),
            })?;
        let last_words = Arc::new(LastWords::default());
        if let Some(stderr) = partner.take_stderr() {
            tokio::spawn(listen(stderr, Arc::clone(&last_words)));
        }
        let program = Self {
            name,
            partner,
            last_words,
        };
        Ok(((receiver, sender), program))
    }

    /// Waits for the end of the program, but not longer than this.
    pub(super) async fn end_within(&self, most: Duration) {
        let ended = async {
            while matches!(self.partner.ended(), Ok(None)) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let _ = tokio::time::timeout(most, ended).await;
    }

    /// How the program has ended, and what it said last; `None` where it goes on.
    pub(super) async fn how_it_ended(&self) -> Option<String> {
        self.end_within(DEATH).await;
        let how = match self.partner.ended().ok()?? {
            Ended::Exited(code) => format!("`{}` ended with exit status {code}", self.name),
            Ended::Signalled(signal) => format!("`{}` was ended by signal {signal}", self.name),
        };
        // Another process may hold the pipe open.
        let _ = tokio::time::timeout(DEATH, self.last_words.over.notified()).await;
        Some(match self.last_words.line() {
            Some(line) => format!("{how}: {line}"),
            None => how,
        })
    }
}

impl LastWords {
    fn add(&self, piece: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(piece);
        let too_many = bytes.len().saturating_sub(LAST_WORDS_BYTES);
        bytes.drain(..too_many);
    }

    /// The last line that is not empty. It comes from a program that is given secrets, and goes into a document.
    fn line(&self) -> Option<String> {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        let clean = redact(&text);
        let mut lines = clean.lines().rev().map(str::trim);
        let last = lines.find(|line| !line.is_empty())?;
        Some(excerpt(last, MESSAGE_MAX_CHARS))
    }
}

/// Reads all that a program writes to standard error, so that it is never held up.
async fn listen(mut stderr: Receiver, last_words: Arc<LastWords>) {
    let mut piece = [0; LAST_WORDS_BYTES];
    while let Ok(count @ 1..) = stderr.read(&mut piece).await {
        last_words.add(piece.get(..count).unwrap_or_default());
    }
    last_words.over.notify_one();
}

fn command(program: &config::Program, environment: &[(OsString, OsString)]) -> Command {
    let own = program.environment.iter();
    let own = own.map(|(name, value)| (name.into(), value.into()));
    Command {
        program: (&program.command).into(),
        args: program.args.iter().map(OsString::from).collect(),
        directory: program.directory.clone(),
        environment: environment.iter().cloned().chain(own).collect(),
        stdin: Input::Null,
        stdout: Output::Null,
        // How much of it is kept is decided here.
        stderr: Output::Capture(Bound {
            head_bytes: 0,
            tail_bytes: 0,
        }),
        output_limit_bytes: None,
        timeout: None,
        grace: Duration::ZERO,
        cancel: None,
        forward: None,
        leftovers: Leftovers::Kill,
    }
}
