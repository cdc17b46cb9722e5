//! How did the engine end?

use crate::environment::Variables;
use crate::program;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::exit;
use vibey_context_host::process::{Command, Input, Leftovers, Outcome, Output, StartFailure, run};
use vibey_context_host::signals::Signals;

/// An engine, and where it runs.
pub struct Engine<'a> {
    /// Its name; with a `/`, relative to `cwd`.
    pub program: &'a OsString,
    /// Its arguments.
    pub args: &'a [OsString],
    /// Our own working directory. Not the worktree: an agent must not choose the program by writing a file there.
    pub cwd: &'a Path,
    /// Its working directory.
    pub worktree: &'a Path,
    /// Our environment.
    pub variables: &'a Variables,
}

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct End {
    /// The exit code to pass on.
    pub code: u8,
    /// Why it did not run, where it did not.
    pub failure: Option<String>,
    /// What to do about that.
    pub help: Option<&'static str>,
}

/// Runs an engine with the prompt on its standard input, to its end. Signals are passed on to it, and what it leaves
/// running runs on: it is no different from an engine that was started without us.
#[must_use]
pub fn run_engine(engine: &Engine<'_>, prompt: Vec<u8>, signals: &Signals) -> End {
    let path = engine.variables.get("PATH");
    let program = program::to_start(engine.program, path, engine.cwd);
    let finished = run(&Command {
        program,
        args: engine.args.to_vec(),
        directory: engine.worktree.to_owned(),
        environment: engine.variables.for_engine(),
        stdin: Input::Bytes(prompt),
        stdout: Output::Inherit,
        stderr: Output::Inherit,
        output_limit_bytes: None,
        timeout: None,
        grace: Duration::ZERO,
        cancel: None,
        forward: Some(signals.clone()),
        leftovers: Leftovers::Leave,
    });
    let name = engine.program.to_string_lossy();
    let mut help = None;
    let (code, failure) = match finished.outcome {
        // Unix has no codes above 255.
        Outcome::Exited(code) => (u8::try_from(code).unwrap_or(u8::MAX), None),
        Outcome::Signalled(signal) => (signalled(signal), None),
        Outcome::FailedToStart(cause) => {
            let code = match cause {
                StartFailure::NotFound => {
                    help = Some(
                        "name a program in PATH or its path from this folder, and each argument as a word of its own",
                    );
                    exit::ENGINE_NOT_FOUND
                }
                StartFailure::NotExecutable => exit::ENGINE_NOT_EXECUTABLE,
                StartFailure::Directory(_) | StartFailure::Other(_) => exit::SHIM_FAILED,
            };
            (code, Some(format!("engine `{name}`: {cause}")))
        }
        Outcome::Lost(cause) => (
            exit::SHIM_FAILED,
            Some(format!("engine `{name}` was lost: {cause}")),
        ),
        Outcome::TimedOut | Outcome::Cancelled | Outcome::OutputLimit => (
            exit::SHIM_FAILED,
            Some(format!("engine `{name}` was stopped")),
        ),
    };
    End {
        code,
        failure,
        help,
    }
}

/// The exit code of a process that a signal ended, as shells write it.
#[must_use]
pub fn signalled(signal: i32) -> u8 {
    let signal = u8::try_from(signal).unwrap_or(u8::MAX);
    exit::ENGINE_SIGNALLED.saturating_add(signal)
}
