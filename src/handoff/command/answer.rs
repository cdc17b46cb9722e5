//! What does a command say about a pipeline?

use crate::handoff::desk::Desk;
use crate::handoff::state::next::next_command;
use vibey_context_contracts::handoff::report::{
    Command, HandoffReport, Outcome, PhaseLine, Place, StepLine,
};
use vibey_context_contracts::handoff::state::{Phase, PipelineState, Step};
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
        judged: Vec::new(),
        next_command: None,
    }
}

/// What a state says.
pub(crate) fn answer(command: Command, desk: &Desk, state: &PipelineState) -> HandoffReport {
    let step = |step: &Step| StepLine {
        step_number: step.step_number,
        step_name: step.step_name.clone(),
        status: step.status,
    };
    let line = |phase: &Phase| PhaseLine {
        phase_number: phase.phase_number,
        phase_name: phase.phase_name.clone(),
        status: phase.status,
        artifacts: phase.artifacts.len() as u64,
        blockers: phase.blockers.clone(),
        steps: phase.steps.iter().map(step).collect(),
    };
    HandoffReport {
        pipeline_id: Some(state.pipeline_id.clone()),
        position: Some(Place::from(&state.current_phase)),
        overall_status: Some(state.overall_status),
        phases: state.phases.iter().map(line).collect(),
        next_command: next_command(desk, state),
        ..bare(command, desk, &state.pipeline_type)
    }
}
