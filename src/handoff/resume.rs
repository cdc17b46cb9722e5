//! On from where a pipeline stands; where nothing says where that is, it is inferred from what lies in the project.

use super::again::{Again, brief};
use super::answer::answer;
use super::desk::Desk;
use super::error::HandoffError;
use super::lifecycle::{current, enter_step, fits, unpause};
use super::pipelines::Pipelines;
use super::publish::publish_dashboard;
use super::reconstruct::{Inferred, infer};
use super::store::{Reading, Seen, Writer, load, lost};
use vibey_context_contracts::handoff::report::{Command, HandoffReport, Reconstruction};
use vibey_context_contracts::handoff::state::{OverallStatus, PipelineState};

/// A state that goes on.
struct Start {
    state: PipelineState,
    seen: Seen,
    warnings: Vec<String>,
    reconstruction: Option<Reconstruction>,
    /// Whether it differs from what lies on disk.
    is_new: bool,
}

/// Goes on.
///
/// # Errors
/// [`HandoffError`].
pub fn resume(desk: &Desk) -> Result<HandoffReport, HandoffError> {
    let pipelines = Pipelines::load(desk)?;
    let writer = Writer::new(desk)?;
    let mut start = start(desk, &pipelines)?;
    let route = pipelines.named(&start.state.pipeline_type)?;
    fits(&start.state, &route)?;
    match start.state.overall_status {
        OverallStatus::Completed => return Err(HandoffError::Completed(desk.project.to_string())),
        OverallStatus::OnHold => {
            unpause(&mut start.state);
            start.is_new = true;
        }
        OverallStatus::InProgress | OverallStatus::Blocked => {}
    }
    let here = desk.shown(&desk.project_path);
    if desk.adopt_path && start.state.project_path != here {
        start.state.project_path = here;
        start.is_new = true;
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

fn start(desk: &Desk, pipelines: &Pipelines) -> Result<Start, HandoffError> {
    let (seen, mut warnings) = match load(desk)? {
        Reading::Found(stored) => {
            let is_new = stored.warning.is_some();
            let warnings = stored.warning.into_iter().collect();
            return Ok(Start {
                state: stored.state,
                seen: stored.seen,
                warnings,
                reconstruction: None,
                is_new,
            });
        }
        Reading::Missing => (Seen::default(), Vec::new()),
        Reading::Lost { fault, seen } => {
            let warning = lost(desk, &fault, &seen);
            (seen, vec![warning])
        }
    };
    let Inferred {
        state,
        reconstruction,
        warnings: more,
    } = infer(desk, pipelines)?;
    warnings.extend(more);
    Ok(Start {
        state,
        seen,
        warnings,
        reconstruction: Some(reconstruction),
        is_new: true,
    })
}
