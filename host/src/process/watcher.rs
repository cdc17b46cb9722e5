//! Who ends the group of a program when this process itself is killed?
//!
//! The kernel ends the leader then, not what the leader has started. A shell of a few lines waits for a word from us; it gets
//! none when we are gone, and kills the group.

use std::io::{self, PipeWriter, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};

use rustix::process::Pid;

use super::start;

/// Reads a line; without one it kills the process group of its first argument.
const SCRIPT: &str = "read -r line || kill -s KILL -- \"-$1\"";

/// A process that kills a group when its [`Watcher`] is dropped, or is gone with this process.
pub(super) struct Watcher {
    child: Child,
    pipe: PipeWriter,
}

impl Watcher {
    /// Watches over the group that `leader` leads.
    ///
    /// # Errors
    /// There is no shell, or the system refuses another process or pipe.
    pub(super) fn over(leader: Pid) -> io::Result<Self> {
        let (theirs, pipe) = io::pipe()?;
        #[expect(
            clippy::disallowed_methods,
            reason = "not a program of anybody's: it outlives this process on purpose"
        )]
        let mut shell = std::process::Command::new("/bin/sh");
        shell
            .args(["-c", SCRIPT, "sh", &leader.as_raw_nonzero().to_string()])
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What is sent to our group must not reach it.
            .process_group(0);
        let child = start::spawn(&mut shell)?;
        Ok(Self { child, pipe })
    }

    /// The group is gone: its number may soon be somebody else's.
    pub(super) fn dismiss(mut self) {
        if self.pipe.write_all(b"\n").is_ok() {
            let _ = start::wait(&mut self.child);
        }
    }
}
