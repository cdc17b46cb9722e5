//! The last phase is done, if its artifacts are good enough.

use crate::handoff::artifact::shelf::Shelf;
use crate::handoff::command::answer::answer;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::judge::judge;
use crate::handoff::judgement::reviews::{add_new, negative_reviews};
use crate::handoff::pipelines::Pipelines;
use crate::handoff::state::change::{Open, open, save};
use crate::handoff::state::conclude::{conclude, unblock_before};
use crate::handoff::state::drift::drift;
use crate::handoff::state::lifecycle::{block, current, open_steps, other_phases};
use vibey_context_contracts::handoff::report::{Command, HandoffReport, Outcome};
use vibey_context_contracts::handoff::state::OverallStatus;

/// The target of the last phase.
pub(crate) const FINISH: &str = "finish";

/// Completes the pipeline.
///
/// # Errors
/// [`HandoffError`]. That an artifact is not good enough is an [`Outcome`].
pub fn finish(desk: &Desk) -> Result<HandoffReport, HandoffError> {
    let pipelines = Pipelines::load(desk)?;
    let Open {
        writer,
        mut stored,
        route,
    } = open(desk, &pipelines)?;
    let index = current(&stored.state);
    let last = route.pipeline.phases.len().saturating_sub(1);
    let (Some(phase), Some(last_phase)) = (route.phase(index), route.phase(last)) else {
        return Err(other_phases(desk, &stored.state, &route));
    };
    match stored.state.overall_status {
        OverallStatus::OnHold => return Err(HandoffError::OnHold(desk.project.to_string())),
        OverallStatus::Completed => return Err(HandoffError::Completed(desk.project.to_string())),
        _ if index != last => {
            return Err(HandoffError::NotLast {
                current: phase.name.clone(),
                last: last_phase.name.clone(),
            });
        }
        _ => {}
    }
    let mut warnings: Vec<String> = stored.warning.take().into_iter().collect();
    warnings.extend(drift(desk, &stored.state));
    warnings.extend(unblock_before(
        desk,
        &pipelines,
        &route,
        &mut stored.state,
        index,
        index,
        false,
    )?);
    let judged = judge(desk, &pipelines, phase);
    warnings.extend(judged.warnings.iter().cloned());
    if !judged.failures.is_empty() {
        warnings.extend(judged.hints.iter().cloned());
    }
    let before = negative_reviews(desk, &pipelines, &route, &stored.state, 0..index);
    add_new(&mut warnings, before);
    let state = &mut stored.state;
    if judged.failures.is_empty() {
        warnings.extend(state.phases.get(index).and_then(open_steps));
    }
    if judged.failures.is_empty() {
        let shelf = Shelf::new(desk, &judged.found, &[]);
        conclude(desk, &pipelines, state, index, &judged, shelf.source());
        state.overall_status = OverallStatus::Completed;
    } else {
        block(state, index, &judged.failures);
    }
    let mut report = answer(Command::Finish, desk, state);
    if !judged.failures.is_empty() {
        report.outcome = Outcome::ValidationFailed;
        report.failures = judged.failures;
        report.failed_paths = judged.failed_paths;
    }
    report.source_phase = Some(phase.name.clone());
    report.target_phase = Some(FINISH.to_owned());
    report.warnings = warnings;
    save(desk, &writer, &mut stored, report)
}
