//! Adoption by `PR_SET_CHILD_SUBREAPER` and the table of processes.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, child_subreaper, getpid, kill_process, set_child_subreaper,
    waitid,
};

use super::super::{Cancel, start, table};
use crate::clock::Stopwatch;

/// How long killed descendants may take to disappear, generation after generation. A tree of a thousand processes takes some
/// ten milliseconds; one in uninterruptible sleep would take for ever.
const SETTLE: Duration = Duration::from_secs(2);

/// Being a subreaper concerns the whole process, so one run at a time is.
static TURN: Mutex<()> = Mutex::new(());

/// Between two attempts to get a turn, and between two looks whether the killed are gone.
const PAUSE: Duration = Duration::from_millis(5);

/// This process adopts orphans until this value is dropped.
pub(in crate::process) struct Adoption {
    before: BTreeSet<i32>,
    was_subreaper: bool,
    _turn: MutexGuard<'static, ()>,
}

impl Adoption {
    /// Begins to adopt. Waits for its turn; nothing is returned where a cancellation comes first.
    pub(in crate::process) fn begin(cancels: &[&Cancel]) -> io::Result<Option<Self>> {
        let turn = loop {
            match TURN.try_lock() {
                Ok(turn) => break turn,
                // A run that panicked has left nothing that matters here.
                Err(TryLockError::Poisoned(turn)) => break turn.into_inner(),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
            if cancels.iter().any(|cancel| cancel.is_cancelled()) {
                return Ok(None);
            }
        };
        let was_subreaper = child_subreaper()?.is_some();
        set_child_subreaper(Some(getpid()))?;
        let mut adoption = Self {
            before: BTreeSet::new(),
            was_subreaper,
            _turn: turn,
        };
        let unknown = || io::Error::other("cannot read the table of processes in `/proc`");
        let children = adoption.children().ok_or_else(unknown)?;
        adoption.before = children.into_iter().map(|(pid, _)| pid).collect();
        Ok(Some(adoption))
    }

    /// Reaps adopted children that have died.
    pub(in crate::process) fn reap_dead(&self) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // Reading the table is dear; the kernel says cheaply whether there is anything to reap.
        if !matches!(waitid(WaitId::All, look), Ok(Some(_))) {
            return;
        }
        for (pid, running) in self.children().unwrap_or_default() {
            if !running {
                reap(pid);
            }
        }
    }

    /// Kills and reaps adopted children until there are none. False where that did not succeed in time, or the system
    /// does not tell.
    pub(in crate::process) fn end_all(&self) -> bool {
        let watch = Stopwatch::start();
        loop {
            let Some(children) = self.children() else {
                return false;
            };
            if children.is_empty() {
                return true;
            }
            if watch.elapsed() >= SETTLE {
                return false;
            }
            for (pid, _) in children {
                // A child of ours keeps its number until we reap it, so this hits no stranger.
                if let Some(pid) = Pid::from_raw(pid) {
                    let _ = kill_process(pid, Signal::KILL);
                }
                reap(pid);
            }
            thread::sleep(PAUSE);
        }
    }

    /// Number of each child that the run may have left to us, and whether it is running.
    fn children(&self) -> Option<Vec<(i32, bool)>> {
        let me = getpid().as_raw_nonzero().get();
        // Held while the table is read: no program of ours is started unseen in the meantime.
        let started = start::started();
        let rows = table::rows()?;
        let ours = rows.into_iter().filter(|row| {
            row.parent == me && !self.before.contains(&row.pid) && !started.contains(&row.pid)
        });
        Some(ours.map(|row| (row.pid, row.running)).collect())
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        if !self.was_subreaper {
            // Fails only where the kernel does not know the order, which it has just obeyed.
            let _ = set_child_subreaper(None);
        }
    }
}

/// Reaps a child if it is dead.
fn reap(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = waitid(
            WaitId::Pid(pid),
            WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
        );
    }
}
