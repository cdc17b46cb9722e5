//! The dashboard again, from the state as it is.

use crate::handoff::command::answer::answer;
use crate::handoff::command::publish::draw;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::reviews::{add_new, negative_reviews};
use crate::handoff::pipelines::Pipelines;
use crate::handoff::state::drift::drift;
use crate::handoff::state::store::open;
use vibey_context_contracts::handoff::report::{Command, HandoffReport};

/// Writes the dashboard, also where dashboards are switched off: here one is asked for.
///
/// # Errors
/// [`HandoffError`]; without a state nothing is inferred.
pub fn redraw(desk: &Desk) -> Result<HandoffReport, HandoffError> {
    let (writer, stored) = open(desk)?;
    let mut report = answer(Command::Dashboard, desk, &stored.state);
    report.warnings = stored
        .warning
        .into_iter()
        .chain(drift(desk, &stored.state))
        .collect();
    if let Ok(pipelines) = Pipelines::load(desk)
        && let Ok(route) = pipelines.of_state(desk, &stored.state)
    {
        let phases = 0..stored.state.phases.len();
        let reviews = negative_reviews(desk, &pipelines, &route, &stored.state, phases);
        add_new(&mut report.warnings, reviews);
    }
    report.dashboard_path = Some(draw(desk, &writer, &stored.state, None, &report.warnings)?);
    Ok(report)
}
