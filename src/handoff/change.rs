//! A change of the state alone: how do the commands without a brief open a state, and how do they write it?

use super::desk::Desk;
use super::error::HandoffError;
use super::lifecycle::fits;
use super::pipelines::{Pipelines, Route};
use super::publish::publish_dashboard;
use super::store::{self, Stored, Writer};
use vibey_context_contracts::handoff::report::HandoffReport;

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
    let route = pipelines.named(&stored.state.pipeline_type)?;
    fits(&stored.state, &route)?;
    if desk.adopt_path {
        stored.state.project_path = desk.shown(&desk.project_path);
    }
    Ok(Open {
        writer,
        stored,
        route,
    })
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
