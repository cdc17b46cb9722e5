//! How does a program start with exactly what it was given, and why did it not?

use std::collections::BTreeSet;
use std::io::{self, PipeReader, PipeWriter};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::fs::Access;
use rustix::process::Pid;
use signal_hook::consts::SIGCHLD;

use super::{Command, Input, Output, StartFailure};
use crate::nonblocking::set_nonblocking;
use crate::signals;

/// Numbers of the programs that were started here and not yet reaped.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// The numbers of all programs that were started here and not yet reaped; none starts while this is held.
pub(super) fn started() -> MutexGuard<'static, BTreeSet<i32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the end of a program that [`start`] has started, and reaps it.
pub(super) fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let status = child.wait();
    started().remove(&number(child));
    status
}

fn number(child: &Child) -> i32 {
    Pid::from_child(child).as_raw_nonzero().get()
}

/// A running program and our ends of its pipes, none of which blocks.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) stdin: Option<PipeWriter>,
    pub(super) stdout: Option<PipeReader>,
    pub(super) stderr: Option<PipeReader>,
}

/// Starts the program in a process group of its own.
///
/// On Linux it dies with the calling thread, which therefore has to be the one that waits for it.
pub(super) fn start(command: &Command) -> Result<Started, StartFailure> {
    keep_exit_statuses().map_err(StartFailure::Other)?;
    let (stdin, to_child) = input(&command.stdin).map_err(StartFailure::Other)?;
    let (stdout, from_stdout) = output(command.stdout).map_err(StartFailure::Other)?;
    let (stderr, from_stderr) = output(command.stderr).map_err(StartFailure::Other)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that starts a process"
    )]
    let mut child = std::process::Command::new(&command.program);
    child
        .args(&command.args)
        .current_dir(&command.directory)
        .env_clear()
        .envs(
            command
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0);
    #[cfg(target_os = "linux")]
    die_with_this_thread(&mut child);
    // `child` holds the program's ends of the pipes; they close with it at the end of this function.
    match spawn(&mut child) {
        Ok(child) => Ok(Started {
            child,
            stdin: to_child,
            stdout: from_stdout,
            stderr: from_stderr,
        }),
        Err(cause) => Err(explain(cause, &command.directory)),
    }
}

/// Starts what is to be reaped by [`wait`].
pub(super) fn spawn(command: &mut std::process::Command) -> io::Result<Child> {
    let mut started = started();
    let child = command.spawn()?;
    started.insert(number(&child));
    Ok(child)
}

fn input(input: &Input) -> io::Result<(Stdio, Option<PipeWriter>)> {
    match input {
        Input::Null => Ok((Stdio::null(), None)),
        Input::Bytes(_) => {
            let (theirs, ours) = io::pipe()?;
            set_nonblocking(&ours)?;
            Ok((theirs.into(), Some(ours)))
        }
    }
}

fn output(output: Output) -> io::Result<(Stdio, Option<PipeReader>)> {
    match output {
        Output::Null => Ok((Stdio::null(), None)),
        Output::Inherit => Ok((Stdio::inherit(), None)),
        Output::Capture(_) => {
            let (ours, theirs) = io::pipe()?;
            set_nonblocking(&ours)?;
            Ok((theirs.into(), Some(ours)))
        }
    }
}

/// A process that was started with `SIGCHLD` ignored gets no exit status, and the number of a dead child
/// is free at once. A handler that does nothing restores the order of things.
fn keep_exit_statuses() -> io::Result<()> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_none() {
        if signals::is_ignored(SIGCHLD) {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(SIGCHLD, flag)?;
        }
        DONE.get_or_init(|| ());
    }
    Ok(())
}

#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "the order to die with the parent has to be given in the child, between fork and exec"
)]
fn die_with_this_thread(child: &mut std::process::Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

    let parent = getpid();
    let order = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before the order was given; then somebody else is the parent now.
        if getppid() != Some(parent) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    };
    // SAFETY: the closure makes two system calls and takes no lock, allocates nothing and does not panic, so
    // it may run in the forked child of a process with threads.
    unsafe {
        child.pre_exec(order);
    }
}

/// The system has one code for a missing program and a missing working directory.
fn explain(cause: io::Error, directory: &Path) -> StartFailure {
    let kind = cause.kind();
    if matches!(
        kind,
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory
    ) && let Err(refusal) = enter(directory)
    {
        return StartFailure::Directory(refusal);
    }
    match (kind, cause.raw_os_error()) {
        (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, _) => StartFailure::NotFound,
        (io::ErrorKind::PermissionDenied, _) => StartFailure::NotExecutable,
        (_, Some(code)) if code == rustix::io::Errno::NOEXEC.raw_os_error() => {
            StartFailure::NotExecutable
        }
        _ => StartFailure::Other(cause),
    }
}

fn enter(directory: &Path) -> io::Result<()> {
    if !std::fs::metadata(directory)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    rustix::fs::access(directory, Access::EXEC_OK)?;
    Ok(())
}
