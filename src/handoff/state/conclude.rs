//! What becomes of a phase whose artifacts are good enough, and of one that is blocked while the pipeline wants to go on?

use crate::handoff::artifact::page::Page;
use crate::handoff::artifact::shelf::Shelf;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::judge::{Judged, judge};
use crate::handoff::pipelines::{Pipelines, Route};
use crate::handoff::state::accumulate::{accumulate, summary_of};
use crate::handoff::state::lifecycle::complete;
use vibey_context_contracts::handoff::state::{PipelineState, Status};

/// Completes a phase with its artifacts and what they have found out.
pub(crate) fn conclude(
    desk: &Desk,
    pipelines: &Pipelines,
    state: &mut PipelineState,
    index: usize,
    judged: &Judged,
    pages: &[Page],
) {
    let now = desk.now();
    let artifacts = judged
        .found
        .iter()
        .map(|found| found.artifact.clone())
        .collect();
    complete(state, index, artifacts, summary_of(pages), &now);
    if let Some(phase) = state.phases.get(index) {
        let context = &mut state.accumulated_context;
        accumulate(context, phase, pages, pipelines, &now);
    }
}

/// The artifacts of a completed phase that are good enough still and no longer what the state holds of them.
pub(crate) fn changed_artifacts(
    state: &PipelineState,
    index: usize,
    judged: &Judged,
) -> Vec<String> {
    let recorded = state
        .phases
        .get(index)
        .map_or(&[][..], |phase| phase.artifacts.as_slice());
    let is_recorded = |path: &str, sha256: &Option<String>| {
        recorded
            .iter()
            .any(|one| one.path == path && one.sha256 == *sha256)
    };
    let found = judged.found.iter().map(|found| &found.artifact);
    found
        .filter(|one| !is_recorded(&one.path, &one.sha256))
        .map(|one| one.path.clone())
        .collect()
}

/// Looks again at the blocked phases before `end`, except the one that is judged anyway. One that was mended is completed;
/// one that was not stops the pipeline, unless it is forced on.
///
/// # Errors
/// [`HandoffError::Blocked`].
pub(crate) fn unblock_before(
    desk: &Desk,
    pipelines: &Pipelines,
    route: &Route<'_>,
    state: &mut PipelineState,
    end: usize,
    judged_anyway: usize,
    force: bool,
) -> Result<Vec<String>, HandoffError> {
    let mut warnings = Vec::new();
    for index in (0..end).filter(|index| *index != judged_anyway) {
        let is_blocked = |state: &PipelineState| {
            let phase = state.phases.get(index);
            phase.is_some_and(|phase| phase.status == Status::Blocked)
        };
        let Some(phase) = route.phase(index).filter(|_| is_blocked(state)) else {
            continue;
        };
        let judged = judge(desk, pipelines, phase);
        if judged.failures.is_empty() {
            let shelf = Shelf::new(desk, &judged.found, &[]);
            conclude(desk, pipelines, state, index, &judged, shelf.source());
            warnings.push(format!("Phase {} was blocked and is mended", phase.name));
        } else if force {
            warnings.push(format!(
                "Phase {} is blocked and was passed over by force: {}",
                phase.name,
                judged.failures.join("; ")
            ));
        } else {
            return Err(HandoffError::Blocked {
                phase: phase.name.clone(),
                blockers: judged.failures,
            });
        }
    }
    Ok(warnings)
}
