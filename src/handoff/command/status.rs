//! Where does a pipeline stand? Nothing is written.

use crate::handoff::brief::template::budget_of;
use crate::handoff::command::answer::answer;
use crate::handoff::command::publish::current_brief;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::reviews::{add_new, negative_reviews};
use crate::handoff::pipelines::Pipelines;
use crate::handoff::state::drift::drift;
use crate::handoff::state::lifecycle::{current, fits, source_of};
use crate::handoff::state::store::require;
use vibey_context_contracts::handoff::report::{Command, HandoffReport};
use vibey_context_contracts::handoff::state::PipelineState;
use vibey_context_host::read::kind_of;

/// Says where a pipeline stands.
///
/// # Errors
/// [`HandoffError`]; without a state nothing is inferred.
pub fn status(desk: &Desk) -> Result<HandoffReport, HandoffError> {
    let stored = require(desk)?;
    let state = &stored.state;
    let mut warnings: Vec<String> = stored.warning.into_iter().collect();
    // Without a readable configuration, or with other phases, the state is shown as it is.
    if let Ok(pipelines) = Pipelines::load(desk) {
        let route = pipelines.of_state(desk, state)?;
        match fits(desk, state, &route) {
            Ok(()) => {
                let phases = 0..state.phases.len();
                warnings.extend(negative_reviews(desk, &pipelines, &route, state, phases));
            }
            Err(other) => warnings.push(format!("{other} ({})", desk.shown(&desk.state_path()))),
        }
    }
    add_new(&mut warnings, drift(desk, state));
    let mut report = answer(Command::Status, desk, state);
    report.warnings = warnings;
    where_it_lies(desk, state, &mut report)?;
    Ok(report)
}

/// Adds the files of the current position, as far as there are any.
fn where_it_lies(
    desk: &Desk,
    state: &PipelineState,
    report: &mut HandoffReport,
) -> Result<(), HandoffError> {
    let position = &state.current_phase;
    let source = source_of(state, current(state)).and_then(|source| state.phases.get(source));
    report.source_phase = source.map(|phase| phase.phase_name.clone());
    report.target_phase = Some(position.phase_name.clone());
    report.state_path = Some(desk.shown(&desk.state_path()));
    if let Some(brief) = current_brief(desk, state) {
        let path = desk.brief_path(position.phase_number, position.step_number);
        report.brief_path = Some(desk.shown(&path));
        report.budget = budget_of(&brief, &state.config);
    }
    if kind_of(&desk.dashboard_path())?.is_some() {
        report.dashboard_path = Some(desk.shown(&desk.dashboard_path()));
    }
    Ok(())
}
