//! Are the artifacts of completed phases still what they were when their phase was completed?
//!
//! Size, time of change and digest are compared. A new time with the same digest is no drift: a checkout touches times.

use crate::handoff::artifact::file::{Unread, modified, read};
use crate::handoff::desk::Desk;
use vibey_context_contracts::handoff::state::{Artifact, Phase, PipelineState, Status};
use vibey_context_contracts::time::parse;
use vibey_context_host::path::RelPath;
use vibey_context_host::read::{EntryKind, file_stamp, kind_of};

/// Nanoseconds in a millisecond.
const NANOS_PER_MS: i128 = 1_000_000;

/// One sentence for each artifact of a completed phase that has changed, in the order of phases.
pub(crate) fn drift(desk: &Desk, state: &PipelineState) -> Vec<String> {
    if !state.config.enable_drift_detection {
        return Vec::new();
    }
    let completed = state
        .phases
        .iter()
        .filter(|phase| phase.status == Status::Completed);
    // A time of completion later than the state that tells it, or than now, was set by hand.
    let written = file_stamp(&desk.state_path()).map_or(0, |stamp| stamp.ctime_ns);
    let latest = written.min(i128::from(desk.now_ms) * NANOS_PER_MS);
    let compare = |phase: &Phase| {
        phase
            .artifacts
            .iter()
            .filter_map(|artifact| changed(desk, phase, artifact, latest))
            .collect::<Vec<_>>()
    };
    completed.flat_map(compare).collect()
}

fn changed(desk: &Desk, phase: &Phase, artifact: &Artifact, latest: i128) -> Option<String> {
    if looks_untouched(desk, phase, artifact, latest) {
        return None;
    }
    let then = &artifact.last_modified;
    let told = |what: &str, now: &str| {
        Some(format!(
            "Drift: {} of completed phase {} {what} (recorded {then}, {now})",
            artifact.path, phase.phase_name
        ))
    };
    let seen = format!("looked at {}", desk.now());
    match read(desk, &artifact.path) {
        Ok(file) => {
            let same = match &artifact.sha256 {
                Some(sha256) => *sha256 == file.sha256,
                // The state of another program: size and time are all there is.
                None => artifact.size_bytes == file.size && artifact.last_modified == file.modified,
            };
            if same {
                None
            } else {
                told("was changed", &format!("now {}", file.modified))
            }
        }
        Err(Unread::Missing) => told("was removed", &seen),
        Err(Unread::Excluded(_)) => told("is kept from agents by a marker now", &seen),
        Err(Unread::Refused(_)) => told("was replaced by something that is not read", &seen),
    }
}

/// Whether size and time are as recorded and the kernel has seen no change since the phase was completed. A time of change
/// can be forged, the kernel's can not; so that thousands of artifacts need not be read again. A time of completion after
/// `latest`, in nanoseconds since 1970, says nothing.
fn looks_untouched(desk: &Desk, phase: &Phase, artifact: &Artifact, latest: i128) -> bool {
    let Ok(path) = RelPath::new(artifact.path.as_str()) else {
        return false;
    };
    let place = path.below(&desk.project_path);
    // A link may lead to an old file.
    if !matches!(kind_of(&place), Ok(Some(EntryKind::File))) {
        return false;
    }
    let Ok(stamp) = file_stamp(&place) else {
        return false;
    };
    let completed = phase
        .completed_at
        .as_deref()
        .and_then(parse)
        .map(|ms| i128::from(ms) * NANOS_PER_MS)
        .filter(|completed| *completed <= latest);
    let is_older = completed.is_some_and(|completed| stamp.ctime_ns < completed);
    is_older && stamp.size == artifact.size_bytes && modified(&stamp) == artifact.last_modified
}
