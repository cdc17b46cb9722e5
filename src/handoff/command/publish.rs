//! The dashboard of a state, where the project has one.

use crate::handoff::dashboard::{Shown, render};
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::state::store::Writer;
use vibey_context_contracts::handoff::state::PipelineState;
use vibey_context_host::read::read_regular;

/// The largest brief that is read back, in bytes.
const BRIEF_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Writes the dashboard and returns its path as it is written; `None` where dashboards are switched off.
///
/// `brief` is the brief of the current position; where none is given, the one on disk. `warnings` are those that it does not
/// hold.
pub(crate) fn publish_dashboard(
    desk: &Desk,
    writer: &Writer<'_>,
    state: &PipelineState,
    brief: Option<&str>,
    warnings: &[String],
) -> Result<Option<String>, HandoffError> {
    if !state.config.enable_dashboard {
        return Ok(None);
    }
    draw(desk, writer, state, brief, warnings).map(Some)
}

/// The same, whether or not dashboards are switched off.
pub(crate) fn draw(
    desk: &Desk,
    writer: &Writer<'_>,
    state: &PipelineState,
    brief: Option<&str>,
    warnings: &[String],
) -> Result<String, HandoffError> {
    let brief = brief
        .map(str::to_owned)
        .or_else(|| current_brief(desk, state));
    let html = render(&Shown {
        state,
        brief: brief.as_deref(),
        warnings,
    })
    .map_err(|error| HandoffError::Render(error.to_string()))?;
    writer.dashboard(&html)?;
    Ok(desk.shown(&desk.dashboard_path()))
}

/// The brief of the current position. The path is computed, not taken from the state: a file that anybody may edit names no
/// file to read.
pub(crate) fn current_brief(desk: &Desk, state: &PipelineState) -> Option<String> {
    let position = &state.current_phase;
    let path = desk.brief_path(position.phase_number, position.step_number);
    String::from_utf8(read_regular(&path, BRIEF_MAX_BYTES).ok()?).ok()
}
