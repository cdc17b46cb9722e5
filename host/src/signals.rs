//! Which signal asks this process to end?
//!
//! A signal becomes a message: the first one turns a [`Cancel`], and all of them can be passed on to a child
//! through [`Command::forward`](crate::process::Command::forward). The process goes on until its own code
//! decides to end, and its code may be held up: by a FIFO that nobody reads, by a database. Therefore
//! [`Signals::end_within`] says how long it may take; then the signal does what it does to any process.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::{Handle, Signals as Incoming};
use signal_hook::low_level::emulate_default_handler;

use crate::cancel::Cancel;
use crate::nonblocking::set_nonblocking;

/// The signals by which a terminal, a supervisor or a user asks a process to end.
const ASKED_TO_END: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// What arrives at this process. Clones are the same receiver: a signal that one of them takes is taken.
#[derive(Debug, Clone)]
pub struct Signals {
    receiver: Arc<Receiver>,
}

/// No limit.
const NEVER: u64 = u64::MAX;

#[derive(Debug)]
struct Receiver {
    /// 0: none yet.
    first: Arc<AtomicI32>,
    /// Milliseconds from a signal to the end of the process, or [`NEVER`].
    limit_ms: Arc<AtomicU64>,
    cancel: Cancel,
    /// One byte for each signal.
    queue: PipeReader,
    handle: Handle,
}

impl Signals {
    /// Begins to receive `SIGHUP`, `SIGINT`, `SIGQUIT` and `SIGTERM`, without those that the process was
    /// started to ignore (`nohup`, a shell's background job; only Linux tells).
    ///
    /// Once for a process, early: from here on these signals no longer end it, also after the last clone
    /// is dropped.
    ///
    /// # Errors
    /// The system refuses a handler, a pipe or a thread.
    pub fn install() -> io::Result<Self> {
        let cancel = Cancel::new()?;
        let first = Arc::new(AtomicI32::new(0));
        let limit_ms = Arc::new(AtomicU64::new(NEVER));
        let (queue, mut sender) = io::pipe()?;
        set_nonblocking(&queue)?;
        set_nonblocking(&sender)?;
        let wanted = ASKED_TO_END
            .into_iter()
            .filter(|signal| !is_ignored(*signal));
        let mut incoming = Incoming::new(wanted)?;
        let receiver = Receiver {
            first: Arc::clone(&first),
            limit_ms: Arc::clone(&limit_ms),
            cancel: cancel.clone(),
            queue,
            handle: incoming.handle(),
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                for signal in incoming.forever() {
                    let _ = first.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
                    // A queue of thousands of untaken signals loses further ones.
                    let _ = sender.write(&signal.to_le_bytes()[..1]);
                    cancel.cancel();
                    let limit_ms = Arc::clone(&limit_ms);
                    let set = limit_ms.load(Ordering::SeqCst);
                    let end = move || end_after(set, &limit_ms, signal);
                    if set != NEVER && thread::Builder::new().spawn(end).is_err() {
                        let _ = emulate_default_handler(signal);
                    }
                }
            })?;
        Ok(Self {
            receiver: Arc::new(receiver),
        })
    }

    /// From here on a signal ends the process by itself after so long, unless its code ends it before; `None`: never.
    /// What a signal has set going that came earlier goes by what is said here, too: with `None` it does nothing.
    pub fn end_within(&self, limit: Option<Duration>) {
        let limit_ms = limit.map_or(NEVER, |limit| {
            u64::try_from(limit.as_millis()).map_or(NEVER - 1, |limit| limit.min(NEVER - 1))
        });
        self.receiver.limit_ms.store(limit_ms, Ordering::SeqCst);
    }

    /// The signal that came first.
    #[must_use]
    pub fn first(&self) -> Option<i32> {
        let first = self.receiver.first.load(Ordering::SeqCst);
        (first != 0).then_some(first)
    }

    /// A switch that the first signal turns.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.receiver.cancel
    }

    /// Takes the signals that arrived since the last call, oldest first.
    #[must_use]
    pub fn take(&self) -> Vec<i32> {
        let mut signals = [0; 64];
        // An empty queue is an error to the pipe.
        let count = (&self.receiver.queue).read(&mut signals).unwrap_or(0);
        signals[..count].iter().copied().map(i32::from).collect()
    }
}

impl AsFd for Signals {
    /// Readable while [`Signals::take`] has something to give.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.receiver.queue.as_fd()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // Ends the thread.
        self.handle.close();
    }
}

/// Ends the process as `signal` does by default, after `wait_ms`, if a limit is still set then.
fn end_after(wait_ms: u64, limit_ms: &AtomicU64, signal: i32) {
    thread::sleep(Duration::from_millis(wait_ms));
    if limit_ms.load(Ordering::SeqCst) != NEVER {
        let _ = emulate_default_handler(signal);
    }
}

/// From here on a file that grows beyond its limit (`ulimit -f`) is an error of the write, as a full disk is, and no
/// longer the end of the process. Children have the default again.
///
/// # Errors
/// The system refuses the handler.
pub fn outlive_file_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

/// Whether this process ignores a signal, and with it every process that it starts. False where the system does not tell.
#[must_use]
pub fn is_ignored(signal: i32) -> bool {
    if cfg!(target_os = "linux") {
        /// Some 60 short lines.
        const STATUS_BYTES: u64 = 64 * 1024;

        let status = crate::read::read_regular("/proc/self/status".as_ref(), STATUS_BYTES);
        status.is_ok_and(|status| is_in_mask(&String::from_utf8_lossy(&status), signal))
    } else {
        false
    }
}

/// Whether the line `SigIgn` of a `/proc/PID/status` has the bit of a signal.
fn is_in_mask(status: &str, signal: i32) -> bool {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let bit = u32::try_from(signal - 1)
        .ok()
        .and_then(|shift| 1u64.checked_shl(shift));
    mask.zip(bit).is_some_and(|(mask, bit)| mask & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        let status = "Name:\tx\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        assert!(is_in_mask(status, SIGHUP));
        assert!(is_in_mask(status, 13));
        assert!(!is_in_mask(status, SIGINT));
        assert!(!is_in_mask(status, 0));
        assert!(!is_in_mask(status, 1000));
        assert!(!is_in_mask("Name:\tx\n", SIGHUP));
    }
}
