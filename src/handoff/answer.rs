//! What does a command say about a pipeline?

use super::desk::Desk;
use vibey_context_contracts::handoff::report::{Command, HandoffReport, Outcome, PhaseLine, Place};
use vibey_context_contracts::handoff::state::{Phase, PipelineState};
use vibey_context_contracts::version::SCHEMA_VERSION;

/// What is known where there is no state.
pub(crate) fn bare(command: Command, desk: &Desk, pipeline_type: &str) -> HandoffReport {
    HandoffReport {
        schema_version: SCHEMA_VERSION,
        command,
        outcome: Outcome::Done,
        project_name: desk.project.to_string(),
        pipeline_type: pipeline_type.to_owned(),
        pipeline_id: None,
        source_phase: None,
        target_phase: None,
        position: None,
        overall_status: None,
        phases: Vec::new(),
        budget: None,
        brief_path: None,
        dashboard_path: None,
        state_path: None,
        failures: Vec::new(),
        failed_paths: Vec::new(),
        warnings: Vec::new(),
        reconstruction: None,
    }
}

/// What a state says.
pub(crate) fn answer(command: Command, desk: &Desk, state: &PipelineState) -> HandoffReport {
    let line = |phase: &Phase| PhaseLine {
        phase_number: phase.phase_number,
        phase_name: phase.phase_name.clone(),
        status: phase.status,
        artifacts: phase.artifacts.len() as u64,
        blockers: phase.blockers.clone(),
    };
    HandoffReport {
        pipeline_id: Some(state.pipeline_id.clone()),
        position: Some(Place::from(&state.current_phase)),
        overall_status: Some(state.overall_status),
        phases: state.phases.iter().map(line).collect(),
        ..bare(command, desk, &state.pipeline_type)
    }
}
