//! What does a running program want next: input, a reader, more time, or its end?

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};

use super::adopt::{self, Adoption};
use super::group::Group;
use super::pipe::{Feed, Stream};
use super::start::{self, Started};
use super::watcher::Watcher;
use super::{Captured, Command, Finished, Leftovers, Outcome};
use crate::cancel::Cancel;
use crate::clock::Stopwatch;

/// How long output is awaited after the last process that we know of has ended. What was written before
/// lies in the pipe already and takes no time; only a process that keeps the pipe open makes us wait.
const DRAIN: Duration = Duration::from_millis(100);

/// How long the dead may take to disappear after `SIGKILL`. A large address space takes some ten
/// milliseconds to tear down; a process in uninterruptible sleep would take for ever.
const SETTLE: Duration = Duration::from_millis(300);

/// Between two looks for something that sends no notice, from the first to the longest.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LONGEST_LOOK: Duration = Duration::from_millis(16);

/// Why a program has to end before it wants to.
enum Stop {
    Timeout,
    Cancel,
    OutputLimit,
    Fault(io::Error),
}

/// Follows a started program to its end and leaves nothing of it.
pub(super) fn follow(
    started: Started,
    command: &Command,
    cancels: &[&Cancel],
    adoption: Option<&Adoption>,
    watch: Stopwatch,
) -> Finished {
    let mut running = Running::new(started, command, watch);
    // Without it only the leader would end with us.
    let watcher = match command.leftovers {
        Leftovers::KillDescendants => Watcher::over(running.leader).ok(),
        Leftovers::Kill | Leftovers::Leave => None,
    };
    let mut stop = running.until_exit(command, cancels, adoption);
    if stop.is_some() {
        running.terminate(command.grace);
    } else {
        running.drain();
    }
    let mut is_gone = true;
    if stop.is_some() || command.leftovers != Leftovers::Leave {
        is_gone = running.kill_group();
    }
    if stop.is_none() && running.writes_too_much(command) {
        stop = Some(Stop::OutputLimit);
    }
    if let Some(watcher) = watcher {
        watcher.dismiss();
    }
    let status = running.reap();
    // Last, since the group's own orphans become ours when their parents are dead.
    is_gone &= adoption.is_none_or(Adoption::end_all);
    Finished {
        outcome: outcome(stop, status),
        is_gone,
        stdout: running
            .stdout
            .map_or_else(Captured::default, Stream::finish),
        stderr: running
            .stderr
            .map_or_else(Captured::default, Stream::finish),
        duration: watch.elapsed(),
    }
}

fn outcome(stop: Option<Stop>, status: io::Result<ExitStatus>) -> Outcome {
    match (stop, status) {
        (Some(Stop::Timeout), _) => Outcome::TimedOut,
        (Some(Stop::Cancel), _) => Outcome::Cancelled,
        (Some(Stop::OutputLimit), _) => Outcome::OutputLimit,
        (Some(Stop::Fault(cause)), _) | (None, Err(cause)) => Outcome::Lost(cause),
        (None, Ok(status)) => match (status.code(), status.signal()) {
            (Some(code), _) => Outcome::Exited(code),
            (None, Some(signal)) => Outcome::Signalled(signal),
            (None, None) => Outcome::Lost(io::Error::other("neither exit code nor signal")),
        },
    }
}

struct Running<'a> {
    watch: Stopwatch,
    child: Option<Child>,
    leader: Pid,
    group: Group,
    /// Readable once the leader has exited; absent where the system has no such thing.
    exit_notice: Option<OwnedFd>,
    exited: bool,
    /// Known once the leader is reaped. No signal may be sent from then on.
    status: Option<io::Result<ExitStatus>>,
    stdin: Option<Feed<'a>>,
    stdout: Option<Stream>,
    stderr: Option<Stream>,
}

impl<'a> Running<'a> {
    fn new(started: Started, command: &'a Command, watch: Stopwatch) -> Self {
        let leader = Pid::from_child(&started.child);
        Self {
            watch,
            child: Some(started.child),
            leader,
            group: Group::of(leader),
            exit_notice: exit_notice(leader),
            exited: false,
            status: None,
            stdin: Feed::new(started.stdin, &command.stdin),
            stdout: Stream::new(started.stdout, command.stdout),
            stderr: Stream::new(started.stderr, command.stderr),
        }
    }

    /// Serves the program until it exits (nothing is returned) or has to be stopped.
    fn until_exit(
        &mut self,
        command: &Command,
        cancels: &[&Cancel],
        adoption: Option<&Adoption>,
    ) -> Option<Stop> {
        let mut ears: Vec<BorrowedFd<'_>> = cancels.iter().map(|cancel| cancel.as_fd()).collect();
        ears.extend(command.forward.iter().map(AsFd::as_fd));
        loop {
            let left = command
                .timeout
                .map(|timeout| timeout.saturating_sub(self.watch.elapsed()));
            let look = adoption.map(|_| adopt::LOOK);
            let wait = left.into_iter().chain(look).min();
            if let Err(fault) = self.turn(wait, &ears) {
                return Some(Stop::Fault(fault));
            }
            adoption.inspect(|adoption| adoption.reap_dead());
            if self.exited {
                return None;
            }
            if cancels.iter().any(|cancel| cancel.is_cancelled()) {
                return Some(Stop::Cancel);
            }
            if self.writes_too_much(command) {
                return Some(Stop::OutputLimit);
            }
            if command
                .timeout
                .is_some_and(|timeout| self.watch.elapsed() >= timeout)
            {
                return Some(Stop::Timeout);
            }
            for signal in command.forward.iter().flat_map(|signals| signals.take()) {
                if let Some(signal) = Signal::from_named_raw(signal) {
                    self.group.ask(signal);
                }
            }
        }
    }

    /// Asks the group to end, and gives it the grace to do so.
    fn terminate(&mut self, grace: Duration) {
        self.group.ask(Signal::TERM);
        self.stdin = None;
        let until = self.watch.elapsed().saturating_add(grace);
        let mut looks = Looks::new(self.watch);
        loop {
            let left = until.saturating_sub(self.watch.elapsed());
            // Nobody tells when a process ends that is not our child.
            if self.exited && looks.is_due() && !self.may_have_company() {
                return;
            }
            let wait = if self.exited { looks.pause() } else { left };
            if left.is_zero() || self.turn(Some(wait.min(left)), &[]).is_err() {
                return;
            }
        }
    }

    /// Reads until both streams end, for a moment.
    fn drain(&mut self) {
        self.stdin = None;
        let until = self.watch.elapsed().saturating_add(DRAIN);
        while self.has_open_stream() {
            let left = until.saturating_sub(self.watch.elapsed());
            if left.is_zero() || self.turn(Some(left), &[]).is_err() {
                return;
            }
        }
    }

    /// Kills the group, reads what is left in the pipes and waits until the group is gone, both for a moment. Says whether
    /// it is gone.
    fn kill_group(&mut self) -> bool {
        if self.status.is_some() {
            // Reaped by somebody else: the number may be a stranger's, and no signal may be sent to find out.
            return false;
        }
        self.group.kill();
        let began = self.watch.elapsed();
        let mut looks = Looks::new(self.watch);
        let mut gone = false;
        loop {
            if self.exited && self.status.is_none() {
                self.status = self.child.as_mut().map(start::wait);
            }
            if self.status.is_some() && !gone && looks.is_due() {
                gone = !self.group.outlives_reaped_leader();
            }
            let spent = self.watch.elapsed().saturating_sub(began);
            let drained = !self.has_open_stream() || spent >= DRAIN;
            if (gone && drained) || spent >= SETTLE {
                return gone;
            }
            let wait = match (gone, self.status.is_some()) {
                (true, _) => DRAIN - spent,
                (false, true) => looks.pause(),
                (false, false) => SETTLE - spent,
            };
            if self.turn(Some(wait), &[]).is_err() {
                return gone;
            }
        }
    }

    /// The leader's status. One that even `SIGKILL` did not end in time is left to a thread that waits for
    /// it, so that it does not stay a zombie when it ends after all.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status.take() {
            return status;
        }
        match self.child.take() {
            Some(mut child) if self.exited => start::wait(&mut child),
            Some(mut child) => {
                thread::spawn(move || start::wait(&mut child));
                Err(io::Error::from(io::ErrorKind::TimedOut))
            }
            None => Err(Errno::CHILD.into()),
        }
    }

    /// Sleeps until something happens or `wait` is over, then does all that can be done without sleeping.
    fn turn(&mut self, wait: Option<Duration>, ears: &[BorrowedFd<'_>]) -> io::Result<()> {
        let notice = self.exit_notice.as_ref().filter(|_| !self.exited);
        let wait = if self.exited || notice.is_some() {
            wait
        } else {
            Some(wait.map_or(LONGEST_LOOK, |wait| wait.min(LONGEST_LOOK)))
        };
        let wait = wait.map(Timespec::try_from).transpose();
        let wait = wait.map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(ears.len() + 4);
        let readers = [&self.stdout, &self.stderr].into_iter().flatten();
        let readers = readers.filter_map(Stream::pipe);
        fds.extend(readers.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        fds.extend(notice.map(|notice| PollFd::new(notice, PollFlags::IN)));
        fds.extend(ears.iter().map(|ear| PollFd::new(ear, PollFlags::IN)));
        let feed = self.stdin.as_ref();
        fds.extend(feed.map(|feed| PollFd::new(feed.pipe(), PollFlags::OUT)));
        match poll(&mut fds, wait.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(fault) => return Err(fault.into()),
        }
        if self.stdin.as_mut().is_some_and(|feed| !feed.write()) {
            self.stdin = None;
        }
        for stream in [&mut self.stdout, &mut self.stderr].into_iter().flatten() {
            stream.read();
        }
        if !self.exited {
            // Unreaped it keeps its number, and with it the group's.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            match waitid(WaitId::Pid(self.leader), options) {
                Ok(status) => self.exited = status.is_some(),
                Err(Errno::INTR) => {}
                Err(fault) => {
                    // Somebody else in this process reaped it.
                    self.exited = true;
                    self.status = Some(Err(fault.into()));
                }
            }
        }
        Ok(())
    }

    /// Whether a member of the group may be running beside the leader. Where the system does not tell, a
    /// member is taken to hold a pipe.
    fn may_have_company(&self) -> bool {
        if cfg!(target_os = "linux") {
            self.group.has_running_member()
        } else {
            self.has_open_stream()
        }
    }

    fn has_open_stream(&self) -> bool {
        let mut streams = [&self.stdout, &self.stderr].into_iter().flatten();
        streams.any(|stream| stream.pipe().is_some())
    }

    fn writes_too_much(&self, command: &Command) -> bool {
        let streams = [&self.stdout, &self.stderr].into_iter().flatten();
        let total_bytes: u64 = streams.map(|stream| stream.total_bytes()).sum();
        command
            .output_limit_bytes
            .is_some_and(|limit| total_bytes > limit)
    }
}

#[cfg(target_os = "linux")]
fn exit_notice(leader: Pid) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};

    // Kernels before 5.3 do not know it.
    pidfd_open(leader, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_notice(_leader: Pid) -> Option<OwnedFd> {
    None
}

/// When to look again for something that sends no notice: soon at first, then more and more rarely.
struct Looks {
    watch: Stopwatch,
    next: Duration,
    step: Duration,
}

impl Looks {
    fn new(watch: Stopwatch) -> Self {
        Self {
            watch,
            next: Duration::ZERO,
            step: FIRST_LOOK,
        }
    }

    /// Whether it is time; then the next time is later.
    fn is_due(&mut self) -> bool {
        let now = self.watch.elapsed();
        let due = now >= self.next;
        if due {
            self.next = now.saturating_add(self.step);
            self.step = (self.step * 2).min(LONGEST_LOOK);
        }
        due
    }

    fn pause(&self) -> Duration {
        self.next.saturating_sub(self.watch.elapsed())
    }
}
