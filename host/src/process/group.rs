//! Is a process group still there, and how does it get a signal?

use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

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
        let Ok(entries) = crate::read::list_dir(Path::new("/proc")) else {
            return true;
        };
        entries
            .iter()
            .filter_map(|entry| entry.name.to_str()?.parse().ok())
            .any(|pid| is_running_in(pid, self.leader))
    }
}

/// Whether `/proc` shows the process in the group, and not as a zombie. No system call asks for the group: the
/// one of a kernel thread is 0, which the wrapper takes for impossible.
fn is_running_in(pid: u32, group: Pid) -> bool {
    /// One line of numbers; the kernel writes about 350 bytes.
    const STAT_BYTES: u64 = 4096;

    let path = format!("/proc/{pid}/stat");
    let stat = crate::read::read_regular(path.as_ref(), STAT_BYTES).unwrap_or_default();
    // State, parent and group follow the name, which is in parentheses and may contain some.
    let name_end = stat.iter().rposition(|byte| *byte == b')').unwrap_or(0);
    let mut fields = stat[name_end..].split(|byte| *byte == b' ').skip(1);
    let running = !matches!(fields.next(), None | Some(b"Z" | b"X"));
    running && fields.nth(1) == Some(group.as_raw_nonzero().to_string().as_bytes())
}
