//! On from where a pipeline stands; where nothing says where that is, it is inferred from what lies in the project.

use crate::handoff::brief::again::{Again, brief};
use crate::handoff::command::answer::answer;
use crate::handoff::command::publish::publish_dashboard;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::pipelines::Pipelines;
use crate::handoff::state::lifecycle::{current, enter_step, fits, unpause};
use crate::handoff::state::reconstruct::infer;
use crate::handoff::state::start::start;
use crate::handoff::state::store::{Writer, load};
use vibey_context_contracts::handoff::report::{Command, HandoffReport};
use vibey_context_contracts::handoff::state::OverallStatus;

/// Goes on.
///
/// # Errors
/// [`HandoffError`].
pub fn resume(desk: &Desk) -> Result<HandoffReport, HandoffError> {
    let pipelines = Pipelines::load(desk)?;
    let writer = Writer::new(desk)?;
    let mut start = start(desk, load(desk)?, || infer(desk, &pipelines))?;
    let route = pipelines.of_state(desk, &start.state)?;
    fits(desk, &start.state, &route)?;
    match start.state.overall_status {
        OverallStatus::Completed => return Err(HandoffError::Completed(desk.project.to_string())),
        OverallStatus::OnHold => {
            unpause(&mut start.state);
            start.is_new = true;
        }
        OverallStatus::InProgress | OverallStatus::Blocked => {}
    }
    let mut state = start.state;
    state.config = pipelines.settings(Some(&state.config));
    let Again {
        composed,
        path,
        chosen,
    } = brief(desk, &pipelines, route, &state, "resume", start.warnings)?;
    writer.is_free(&start.seen)?;
    writer.brief(&path, &composed.text)?;
    if start.is_new {
        if let Some(chosen) = &chosen {
            enter_step(&mut state, chosen, &desk.now());
        }
        let at = current(&state);
        if let Some(phase) = state.phases.get_mut(at) {
            phase.context_brief_path = Some(desk.shown(&path));
        }
        writer.state(&mut state, &start.seen)?;
    }
    let mut report = answer(Command::Resume, desk, &state);
    report.target_phase = Some(state.current_phase.phase_name.clone());
    report.brief_path = Some(desk.shown(&path));
    report.dashboard_path = publish_dashboard(desk, &writer, &state, Some(&composed.text), &[])?;
    report.budget = Some(composed.budget);
    report.warnings = composed.warnings;
    report.reconstruction = start.reconstruction;
    Ok(report)
}
