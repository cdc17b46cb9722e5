//! What `implement` and `run` need before the first job.

use super::failure::Failure;
use super::place::Meant;
use crate::compiler::Compiler;
use crate::job::attempt::{Attempt, Context, State};
use crate::job::record::Recorder;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::conductor::config::{Config, Mode};
use vibey_context_contracts::conductor::event::{ArtifactStatus, SkipReason};
use vibey_context_contracts::visible::in_one_line;
use vibey_context_host::read::read_regular;
use vibey_context_host::signals::Signals;

/// The largest prompt, in bytes: far above what any model reads, and no danger to memory.
pub(super) const PROMPT_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How long the ledger may hold up our own end, beyond what the compiler is granted: a row takes milliseconds, and a
/// supervisor that asks us to end waits ten seconds at least before it kills.
const LEDGER_GRACE: Duration = Duration::from_secs(3);

/// What every job of a project needs.
pub(super) struct Session {
    /// What asks us to end. It is received from here on.
    pub(super) signals: Signals,
    /// `None` where packets are switched off.
    pub(super) context: Option<Context>,
}

impl Session {
    /// For the project in `dir`.
    ///
    /// # Errors
    /// A broken place of the ledger, where one is needed, or the system refuses to tell us of signals.
    pub(super) fn open(meant: &Meant<'_>, dir: &Path, config: Config) -> Result<Self, Failure> {
        let is_off = config.skills_context.mode == Mode::Off;
        let location = match is_off {
            true => None,
            false => Some(meant.ledger(dir, &config)?),
        };
        let signals = received()?;
        let grace = Duration::from_secs(config.skills_context.kill_grace_seconds);
        signals.end_within(Some(match is_off {
            true => Duration::ZERO,
            false => grace.saturating_add(LEDGER_GRACE),
        }));
        let context = location.map(|location| {
            let cancel = Some(signals.cancel().clone());
            let variables = &meant.surroundings.variables;
            Context {
                compiler: Compiler::new(dir, &config.skills_context, variables, cancel),
                recorder: Recorder::new(dir, location),
                config: config.skills_context,
            }
        });
        Ok(Self { signals, context })
    }
}

/// Begins to receive the signals that ask us to end. What waits from here on needs [`Signals::end_within`].
pub(super) fn received() -> Result<Signals, Failure> {
    Signals::install().map_err(|error| {
        let message = format!("cannot receive signals: {error}");
        Failure::new(
            "io",
            message,
            "check the limits of processes and open files",
        )
    })
}

/// Reads a prompt: any bytes.
///
/// # Errors
/// No regular file, or more than 64 MiB.
pub(super) fn read_prompt(path: &Path) -> Result<Vec<u8>, Failure> {
    Ok(read_regular(path, PROMPT_MAX_BYTES)?)
}

/// What a person is told about a job: lines, or nothing.
pub(super) fn told(attempt: &Attempt) -> String {
    let job = &attempt.summary.job;
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&in_one_line(&line));
        text.push('\n');
    };
    let plain = match (attempt.summary.status, attempt.summary.reason) {
        (State::Asked(ArtifactStatus::LowConfidence), _) => {
            Some("no skill explains its request well enough: low_confidence")
        }
        (State::Asked(ArtifactStatus::BudgetInsufficient), _) => {
            Some("what it requires does not fit the budget: budget_insufficient")
        }
        (State::Skipped, Some(SkipReason::Kind)) => {
            Some("no packet, since its kind is not `implement`")
        }
        _ => None,
    };
    if let Some(plain) = plain {
        line(format!("note: job `{job}`: {plain}"));
    }
    if let Some(note) = &attempt.note {
        line(format!("warning: job `{job}`: {}", note.text));
        note.help
            .into_iter()
            .for_each(|help| line(format!("help: {help}")));
    }
    if let Some(error) = &attempt.unrecorded {
        line(format!(
            "error: job `{job}` is not in the ledger, and its prompt stays as it is: {error}"
        ));
        line(format!("help: {}", error.help()));
    }
    text
}
