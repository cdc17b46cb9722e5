//! A change of the state alone: how do the commands without a brief open a state, and how do they write it?

use crate::handoff::command::publish::publish_dashboard;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::pipelines::{Pipelines, Route};
use crate::handoff::state::lifecycle::fits;
use crate::handoff::state::store::{self, Stored, Writer};
use vibey_context_contracts::handoff::report::HandoffReport;
use vibey_context_contracts::handoff::state::PipelineState;

/// A state that may be changed.
pub(crate) struct Open<'a> {
    /// The right to change it.
    pub(crate) writer: Writer<'a>,
    /// The state.
    pub(crate) stored: Stored,
    /// Its pipeline.
    pub(crate) route: Route<'a>,
}

/// Opens the state of a project that has to have one.
///
/// # Errors
/// [`HandoffError`].
pub(crate) fn open<'a>(desk: &'a Desk, pipelines: &'a Pipelines) -> Result<Open<'a>, HandoffError> {
    let (writer, mut stored) = store::open(desk)?;
    let route = pipelines.of_state(desk, &stored.state)?;
    fits(desk, &stored.state, &route)?;
    if let Some(told) = adopt(desk, &mut stored.state) {
        let before = stored.warning.take();
        stored.warning = Some(
            before
                .into_iter()
                .chain([told])
                .collect::<Vec<_>>()
                .join("; "),
        );
    }
    Ok(Open {
        writer,
        stored,
        route,
    })
}

/// Makes the project's folder that of the state, where the desk says so, and says what that has changed.
pub(crate) fn adopt(desk: &Desk, state: &mut PipelineState) -> Option<String> {
    let here = desk.shown(&desk.project_path);
    if !desk.adopt_path || state.project_path == here {
        return None;
    }
    let before = std::mem::replace(&mut state.project_path, here);
    Some(format!(
        "The project has moved: its state named {before} and names {} now",
        state.project_path
    ))
}

/// Writes state and dashboard, and says so in the report.
///
/// # Errors
/// [`HandoffError`].
pub(crate) fn save(
    desk: &Desk,
    writer: &Writer<'_>,
    stored: &mut Stored,
    mut report: HandoffReport,
) -> Result<HandoffReport, HandoffError> {
    writer.state(&mut stored.state, &stored.seen)?;
    report.state_path = Some(desk.shown(&desk.state_path()));
    report.dashboard_path = publish_dashboard(desk, writer, &stored.state, None, &report.warnings)?;
    Ok(report)
}
