//! Where does a pipeline stand? Nothing is written.

use super::answer::answer;
use super::desk::Desk;
use super::drift::drift;
use super::error::HandoffError;
use super::pipelines::Pipelines;
use super::store::require;
use vibey_context_contracts::handoff::report::{Command, HandoffReport};

/// Says where a pipeline stands.
///
/// # Errors
/// [`HandoffError`]; without a state nothing is inferred.
pub fn status(desk: &Desk) -> Result<HandoffReport, HandoffError> {
    let stored = require(desk)?;
    // Without a readable configuration the state is shown as it is.
    if let Ok(pipelines) = Pipelines::load(desk) {
        pipelines.of_state(desk, &stored.state)?;
    }
    let mut report = answer(Command::Status, desk, &stored.state);
    report.warnings = stored
        .warning
        .into_iter()
        .chain(drift(desk, &stored.state))
        .collect();
    Ok(report)
}
