//! On hold, until somebody resumes.

use crate::handoff::command::answer::answer;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::pipelines::Pipelines;
use crate::handoff::state::change::{Open, open, save};
use vibey_context_contracts::handoff::report::{Command, HandoffReport};
use vibey_context_contracts::handoff::state::OverallStatus;

/// Puts a pipeline on hold.
///
/// # Errors
/// [`HandoffError`].
pub fn pause(desk: &Desk) -> Result<HandoffReport, HandoffError> {
    let pipelines = Pipelines::load(desk)?;
    let Open {
        writer, mut stored, ..
    } = open(desk, &pipelines)?;
    match stored.state.overall_status {
        OverallStatus::Completed => return Err(HandoffError::Completed(desk.project.to_string())),
        OverallStatus::OnHold => return Err(HandoffError::OnHold(desk.project.to_string())),
        OverallStatus::InProgress | OverallStatus::Blocked => {}
    }
    stored.state.overall_status = OverallStatus::OnHold;
    let mut report = answer(Command::Pause, desk, &stored.state);
    report.warnings = stored.warning.take().into_iter().collect();
    save(desk, &writer, &mut stored, report)
}
