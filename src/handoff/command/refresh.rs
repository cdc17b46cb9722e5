//! The brief again, and nothing else: neither the state nor the dashboard changes.

use crate::handoff::brief::again::{Again, brief};
use crate::handoff::command::answer::answer;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::pipelines::Pipelines;
use crate::handoff::state::lifecycle::fits;
use crate::handoff::state::store::open;
use vibey_context_contracts::handoff::report::{Command, HandoffReport};

/// Makes the brief of the current position again.
///
/// # Errors
/// [`HandoffError`]; without a state nothing is inferred.
pub fn refresh(desk: &Desk) -> Result<HandoffReport, HandoffError> {
    let pipelines = Pipelines::load(desk)?;
    let (writer, stored) = open(desk)?;
    let mut state = stored.state;
    let route = pipelines.of_state(desk, &state)?;
    fits(desk, &state, &route)?;
    state.config = pipelines.settings(Some(&state.config));
    let warnings = stored.warning.into_iter().collect();
    let Again { composed, path, .. } = brief(desk, &pipelines, route, &state, "refresh", warnings)?;
    writer.brief(&path, &composed.text)?;
    let mut report = answer(Command::Refresh, desk, &state);
    report.target_phase = Some(state.current_phase.phase_name.clone());
    report.brief_path = Some(desk.shown(&path));
    report.budget = Some(composed.budget);
    report.warnings = composed.warnings;
    Ok(report)
}
