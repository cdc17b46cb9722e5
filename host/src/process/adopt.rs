//! Which processes belong to a run although they have left its group, and are they gone?
//!
//! A descendant that calls `setsid` gets no signal of the group's. On Linux this process can ask to be the one that adopts
//! orphans below it (`PR_SET_CHILD_SUBREAPER`) instead of process 1. Then each descendant whose parents have died becomes a
//! child of ours, and can be killed and reaped like one; its own children follow when it is dead. The run is clean when no
//! child is left that it might have started.
//!
//! Nobody can tell an adopted child from one that another thread has started. So these are left alone: children from before the
//! run, and those that this crate started. While such a run lasts, nothing else in the process may start programs.
//! Other systems have no such order; there the descendants outside the group live on.

use std::time::Duration;

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub(super) use linux::Adoption;

/// Between two looks for adopted children that died while the run goes on. Unreaped, they would keep a program waiting that
/// asks whether its daemon has ended; nobody notices a tenth of a second.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// Nothing is adopted here.
#[cfg(not(target_os = "linux"))]
pub(super) struct Adoption;

#[cfg(not(target_os = "linux"))]
impl Adoption {
    pub(super) fn begin(_cancels: &[&super::Cancel]) -> std::io::Result<Option<Self>> {
        Ok(Some(Self))
    }

    pub(super) fn reap_dead(&self) {}

    pub(super) fn end_all(&self) -> bool {
        true
    }
}
