//! The dashboard again, from the state as it is.

use super::answer::answer;
use super::desk::Desk;
use super::drift::drift;
use super::error::HandoffError;
use super::pipelines::Pipelines;
use super::publish::draw;
use super::reviews::{add_new, negative_reviews};
use super::store::open;
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
