//! Is a process group still there, and how does it get a signal?

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

use super::table::{self, Row};

/// The process group of a started program. Signals go out only while the leader is unreaped.
#[derive(Clone, Copy)]
pub(super) struct Group {
    leader: Pid,
}

impl Group {
    /// The group that `leader` was started in.
    pub(super) fn of(leader: Pid) -> Self {
        Self { leader }
    }

    /// Sends a request to end or to react. A stopped process would not act on it, hence the `SIGCONT`.
    pub(super) fn ask(self, signal: Signal) {
        // Fails only where nobody is left who may get it.
        let _ = kill_process_group(self.leader, signal);
        let _ = kill_process_group(self.leader, Signal::CONT);
    }

    /// Kills every member, and the leader also where it has moved to another group.
    pub(super) fn kill(self) {
        let _ = kill_process_group(self.leader, Signal::KILL);
        let _ = kill_process(self.leader, Signal::KILL);
    }

    /// Whether a member other than the reaped leader may be running. Nothing is sent, so a group of
    /// strangers that got the number meanwhile costs time and nothing else.
    pub(super) fn outlives_reaped_leader(self) -> bool {
        if test_kill_process_group(self.leader) == Err(Errno::SRCH) {
            return false;
        }
        // Elsewhere a dead member counts until its new parent has reaped it.
        cfg!(not(target_os = "linux")) || self.has_running_member()
    }

    /// Whether a member is running; one that is dead and not yet reaped is not. Only Linux tells;
    /// true where the answer is not known.
    pub(super) fn has_running_member(self) -> bool {
        let group = self.leader.as_raw_nonzero().get();
        let is_member = |row: &Row| row.running && row.group == group;
        table::rows().is_none_or(|rows| rows.iter().any(is_member))
    }
}
