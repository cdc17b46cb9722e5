//! How does a tokio program speak with another program while that runs?

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::net::unix::pipe::{Receiver, Sender};

use super::adopt::Adoption;
use super::capture::Bound;
use super::group::Group;
use super::start::{start, wait};
use super::{Command, Input, Output, StartFailure};

/// How a program ended that was spoken with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

/// A stream that is not recorded.
const UNUSED: Bound = Bound {
    head_bytes: 0,
    tail_bytes: 0,
};

/// A running program that is spoken with. It and the rest of its process group get `SIGKILL` when this is
/// dropped; there is no other end.
#[must_use = "the program is killed as soon as this is dropped"]
#[derive(Debug)]
pub struct Partner {
    child: Child,
    stderr: Option<Receiver>,
}

impl Partner {
    /// How the program has ended by itself, once it has. It is not reaped yet, so that its number stays its own.
    ///
    /// # Errors
    /// The system does not say.
    pub fn ended(&self) -> io::Result<Option<Ended>> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(Pid::from_child(&self.child)), look)?;
        Ok(status.map(|status| match status.terminating_signal() {
            Some(signal) => Ended::Signalled(signal),
            None => Ended::Exited(status.exit_status().unwrap_or_default()),
        }))
    }

    /// What the program writes to standard error, where that is captured; once. Whoever takes it has to read it, whatever
    /// its bound: a full pipe stops the program.
    pub fn take_stderr(&mut self) -> Option<Receiver> {
        self.stderr.take()
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        Group::of(Pid::from_child(&self.child)).kill();
        // What got SIGKILL is gone in no time; reaping it keeps its number from being another's meanwhile.
        let _ = wait(&mut self.child);
    }
}

/// What partners have started that left their process group is adopted by this process while this value lives, on Linux.
///
/// One at a time is, and no run with [`Leftovers::KillDescendants`](super::Leftovers) beside it; while it lasts this process
/// starts no programs but by this module.
pub struct Descendants(Adoption);

impl Descendants {
    /// Begins to adopt; call it before the first partner is started.
    ///
    /// # Errors
    /// The system does not tell which processes there are.
    pub fn adopt() -> io::Result<Option<Self>> {
        Ok(Adoption::begin(&[])?.map(Self))
    }

    /// Kills and reaps all that were adopted; call it after the last partner is dropped. False where that did not succeed
    /// in time.
    #[must_use]
    pub fn end(self) -> bool {
        self.0.end_all()
    }
}

/// Starts a program under the rules of `command`, whose input and output become pipes to speak through. Of the rules
/// of an end (`timeout`, `grace`, `cancel`, `output_limit_bytes`) none counts: the caller decides when it is over.
///
/// Call it inside a tokio runtime with I/O. On Linux the program dies with the calling thread.
///
/// # Errors
/// The program does not start.
pub fn converse(command: &Command) -> Result<(Sender, Receiver, Partner), StartFailure> {
    let mut command = command.clone();
    command.stdin = Input::Bytes(Vec::new());
    command.stdout = Output::Capture(UNUSED);
    let started = start(&command)?;
    let mut partner = Partner {
        child: started.child,
        stderr: None,
    };
    if let Some(stderr) = started.stderr {
        let stderr = Receiver::from_owned_fd(stderr.into()).map_err(StartFailure::Other)?;
        partner.stderr = Some(stderr);
    }
    let no_pipe = || StartFailure::Other(io::ErrorKind::BrokenPipe.into());
    let stdin: OwnedFd = started.stdin.ok_or_else(no_pipe)?.into();
    let stdout: OwnedFd = started.stdout.ok_or_else(no_pipe)?.into();
    let sender = Sender::from_owned_fd(stdin).map_err(StartFailure::Other)?;
    let receiver = Receiver::from_owned_fd(stdout).map_err(StartFailure::Other)?;
    Ok((sender, receiver, partner))
}
