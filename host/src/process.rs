//! What did another program answer, and is nothing of it left?
//!
//! [`run`] starts one program in a process group of its own, feeds it, listens to it and follows it to its
//! end, on the calling thread and without any other. It returns in bounded time after the program ended or
//! was told to end, even when a grandchild keeps a pipe open or has left the group.
//!
//! How a run ends:
//! - The leader (the started program) exits: what is still in the pipes is read until they close or for
//!   100 ms, then the rest of the group gets `SIGKILL`. A tool's leftovers do not outlive it, unless
//!   [`Leftovers::Leave`] says so.
//! - Timeout, cancellation, too much output: the group gets `SIGTERM` and [`Command::grace`] to follow it,
//!   then `SIGKILL`. Output is read all the while. The grace ends early when the whole group is gone.
//! - After `SIGKILL` it waits at most 300 ms for the group to disappear, and the leader is reaped last: while
//!   it is unreaped its number cannot be given to another process, so no signal can hit a stranger.
//! - The calling process dies: on Linux the kernel kills the leader (not its descendants); other systems have
//!   no such order, and the leader lives on. The order is bound to the thread that called [`run`]; that thread
//!   is here until the leader is gone. With [`Leftovers::KillDescendants`] a watcher kills the whole group.
//!
//! A descendant that leaves the process group (`setsid`) gets none of these signals; what it has in its hands
//! is a pipe that nobody reads any more. [`Leftovers::KillDescendants`] ends it too, where the system can find it.
//!
//! Input is written while output is read, and a program that does not want its input (`EPIPE`) is no error;
//! that needs `SIGPIPE` ignored, which is how every Rust program starts.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::cancel::Cancel;
use crate::clock::Stopwatch;
use crate::signals::Signals;

use adopt::Adoption;

mod adopt;
mod capture;
#[cfg(feature = "tokio")]
mod converse;
mod follow;
#[cfg(feature = "tokio")]
mod future;
mod group;
mod pipe;
mod start;
mod table;
mod watcher;

pub use capture::{Bound, Captured};
#[cfg(feature = "tokio")]
pub use converse::{Descendants, Ended, Partner, converse};
#[cfg(feature = "tokio")]
pub use future::run_async;

/// A program to run and the rules it runs under; nothing is inherited that is not named here.
///
/// Not `Debug`: arguments, input and environment may hold secrets.
#[derive(Clone)]
pub struct Command {
    /// The program. Without a `/` it is looked up in `PATH` of [`Command::environment`]; a relative path
    /// with a `/` starts in [`Command::directory`].
    pub program: OsString,
    /// Arguments behind the program's name.
    pub args: Vec<OsString>,
    /// Working directory.
    pub directory: PathBuf,
    /// The whole environment. Of two entries with one name the later counts.
    pub environment: Vec<(OsString, OsString)>,
    /// What the program reads on standard input.
    pub stdin: Input,
    /// Where standard output goes.
    pub stdout: Output,
    /// Where standard error goes.
    pub stderr: Output,
    /// Ends the run with [`Outcome::OutputLimit`] when both captured streams together exceed this many bytes.
    pub output_limit_bytes: Option<u64>,
    /// Time that the program may take.
    pub timeout: Option<Duration>,
    /// Time between `SIGTERM` and `SIGKILL`.
    pub grace: Duration,
    /// Ends the run from elsewhere.
    pub cancel: Option<Cancel>,
    /// Signals that are passed on to the whole group while the leader lives, as they arrive, each followed
    /// by `SIGCONT`. In its own group the program gets nothing from the terminal: Ctrl-C reaches it this way
    /// only (and once), Ctrl-Z does not, and reading from `/dev/tty` stops it.
    pub forward: Option<Signals>,
    /// What happens to what the leader has started when it exits.
    pub leftovers: Leftovers,
}

/// What a program reads on standard input; never the caller's own.
#[derive(Clone)]
pub enum Input {
    /// Nothing: the first read is the end.
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
}

/// Where an output stream goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Into [`Finished`], as much as the bound allows; the rest is read, counted and dropped.
    Capture(Bound),
    /// Into the caller's own stream.
    Inherit,
    /// Nowhere.
    Null,
}

/// What happens to processes that outlive the leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    /// Those of its group get `SIGKILL`.
    Kill,
    /// They go on; on a timeout or cancellation those of the group end all the same.
    Leave,
    /// Those of its group get `SIGKILL`, and on Linux every other descendant too, whatever group or session it has moved to
    /// and however the run ended. Elsewhere as [`Leftovers::Kill`].
    ///
    /// Such a run waits until no other one of this process is under way. While it lasts this process adopts orphans; it must
    /// start no programs but by this module, since they would be taken for orphans, and end.
    KillDescendants,
}

/// How a run ended.
#[derive(Debug)]
pub enum Outcome {
    /// The program exited with this code, 0 to 255.
    Exited(i32),
    /// A signal that this crate did not send on its own account ended the program.
    Signalled(i32),
    /// It took longer than [`Command::timeout`] and was ended, whatever it answered to that.
    TimedOut,
    /// [`Command::cancel`] fired, and the program was ended or not even started.
    Cancelled,
    /// It wrote more than [`Command::output_limit_bytes`].
    OutputLimit,
    /// It did not run.
    FailedToStart(StartFailure),
    /// It ran and was ended, because the system refused to say more about it.
    Lost(io::Error),
}

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartFailure {
    /// No such program, or its script interpreter is missing.
    #[error("program not found")]
    NotFound,
    /// The file is there and cannot be executed.
    #[error("program is not executable")]
    NotExecutable,
    /// The working directory cannot be entered.
    #[error("cannot enter the working directory: {0}")]
    Directory(io::Error),
    /// The system refused: too many processes, an argument list that is too long, a NUL byte in an argument.
    #[error("cannot start the program: {0}")]
    Other(io::Error),
}

/// What is known about a program after its end.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// Whether everything is gone that [`Command::leftovers`] ends. False where a killed process did not disappear in time,
    /// or the system does not tell.
    pub is_gone: bool,
    /// What it wrote to standard output, where that was captured.
    pub stdout: Captured,
    /// What it wrote to standard error, where that was captured.
    pub stderr: Captured,
    /// Time on the monotonic clock from the start to the end of the last clean-up.
    pub duration: Duration,
}

impl Finished {
    fn without_output(outcome: Outcome, watch: Stopwatch) -> Self {
        Self {
            outcome,
            is_gone: true,
            stdout: Captured::default(),
            stderr: Captured::default(),
            duration: watch.elapsed(),
        }
    }
}

/// Runs a program to its end; see the [module](self) for what that means.
#[must_use]
pub fn run(command: &Command) -> Finished {
    run_until(command, None)
}

/// As [`run`], with a second reason to cancel.
fn run_until(command: &Command, also: Option<&Cancel>) -> Finished {
    let cancels: Vec<&Cancel> = command.cancel.iter().chain(also).collect();
    let adoption = match adoption(command.leftovers, &cancels) {
        Ok(adoption) => adoption,
        Err(outcome) => return Finished::without_output(outcome, Stopwatch::start()),
    };
    // From here on, since the wait for a turn is not the program's time.
    let watch = Stopwatch::start();
    match start::start(command) {
        Ok(started) => follow::follow(started, command, &cancels, adoption.as_ref(), watch),
        Err(failure) => Finished::without_output(Outcome::FailedToStart(failure), watch),
    }
}

/// Begins to adopt, if the rules of the run ask for it; or says why there is no run.
fn adoption(leftovers: Leftovers, cancels: &[&Cancel]) -> Result<Option<Adoption>, Outcome> {
    if cancels.iter().any(|cancel| cancel.is_cancelled()) {
        return Err(Outcome::Cancelled);
    }
    if leftovers != Leftovers::KillDescendants {
        return Ok(None);
    }
    match Adoption::begin(cancels) {
        Ok(Some(adoption)) => Ok(Some(adoption)),
        Ok(None) => Err(Outcome::Cancelled),
        Err(cause) => Err(Outcome::FailedToStart(StartFailure::Other(cause))),
    }
}
