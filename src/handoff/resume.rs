//! On from where a pipeline stands; where nothing says where that is, it is inferred from what lies in the project.

use super::again::{Again, brief};
use super::answer::answer;
use super::desk::Desk;
use super::error::HandoffError;
use super::lifecycle::{current, enter_step, fits, unpause};
use super::pipelines::Pipelines;
use super::publish::publish_dashboard;
use super::reconstruct::infer;
use super::start::start;
use super::store::{Writer, load};
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
    writer.unchanged(&start.seen)?;
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
