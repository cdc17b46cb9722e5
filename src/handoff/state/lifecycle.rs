//! How does a pipeline move: from phase to phase, from step to step, back, to a stop and on again?
//!
//! These functions change a state in memory and nothing else.

mod steps;

pub(crate) use steps::{enter_step, open_steps, passed_over};

use crate::handoff::brief::fold::folded_warnings;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::pipelines::Route;
use vibey_context_contracts::handoff::config::PhaseConfig;
use vibey_context_contracts::handoff::state::{
    Accumulated, Artifact, OverallStatus, Phase, PipelineState, Position, Settings, Status, Step,
    Unknown,
};

/// A pipeline at its first phase.
pub(crate) fn begun(desk: &Desk, route: &Route<'_>, settings: Settings) -> PipelineState {
    let now = desk.now();
    let phases = (1u32..)
        .zip(&route.pipeline.phases)
        .map(|(number, phase)| pending(number, phase))
        .collect();
    let mut state = PipelineState {
        pipeline_id: desk.new_id.clone(),
        pipeline_type: route.name.to_owned(),
        project_name: desk.project.to_string(),
        project_path: desk.shown(&desk.project_path),
        started_at: now.clone(),
        updated_at: now.clone(),
        overall_status: OverallStatus::InProgress,
        current_phase: Position::default(),
        phases,
        accumulated_context: Accumulated::default(),
        config: settings,
        reconstructed: false,
        reconstruction_confidence: None,
        unknown: Unknown::new(),
    };
    enter(&mut state, 0, &now);
    state
}

fn pending(number: u32, phase: &PhaseConfig) -> Phase {
    Phase {
        phase_number: number,
        phase_name: phase.name.clone(),
        display_name: phase.display().to_owned(),
        status: Status::Pending,
        started_at: None,
        completed_at: None,
        summary: None,
        artifacts: Vec::new(),
        context_brief_path: None,
        blockers: Vec::new(),
        steps: Vec::new(),
        unknown: Unknown::new(),
    }
}

/// Place of the current phase, from 0.
pub(crate) fn current(state: &PipelineState) -> usize {
    (state.current_phase.phase_number as usize).saturating_sub(1)
}

/// The phase that handed over to this one: the last completed one before it, else the one before it.
pub(crate) fn source_of(state: &PipelineState, target: usize) -> Option<usize> {
    let before = state.phases.get(..target).unwrap_or_default();
    let completed = before
        .iter()
        .rposition(|phase| phase.status == Status::Completed);
    completed.or_else(|| target.checked_sub(1))
}

/// Refuses a state whose phases are not those of its pipeline.
///
/// # Errors
/// [`HandoffError::OtherPhases`].
pub(crate) fn fits(
    desk: &Desk,
    state: &PipelineState,
    route: &Route<'_>,
) -> Result<(), HandoffError> {
    let stored = state.phases.iter().map(|phase| &phase.phase_name);
    if stored.eq(route.pipeline.phases.iter().map(|phase| &phase.name)) {
        return Ok(());
    }
    Err(other_phases(desk, state, route))
}

/// That the phases of a state are not those of its pipeline, with the first that differs.
pub(crate) fn other_phases(desk: &Desk, state: &PipelineState, route: &Route<'_>) -> HandoffError {
    let known: Vec<String> = route
        .pipeline
        .phases
        .iter()
        .map(|phase| phase.name.clone())
        .collect();
    let pairs = state.phases.iter().zip(&known).enumerate();
    let differs = pairs
        .filter(|(_, (phase, name))| phase.phase_name != **name)
        .map(|(nth, (phase, _))| {
            format!(
                "`phases[{nth}].phase_name` in the state is `{}`",
                phase.phase_name
            )
        })
        .next();
    HandoffError::OtherPhases {
        pipeline: route.name.to_owned(),
        differs: differs
            .unwrap_or_else(|| format!("`phases` in the state are {}", state.phases.len())),
        known,
        path: desk.shown(&desk.state_path()),
    }
}

/// Makes a phase the current one.
pub(crate) fn enter(state: &mut PipelineState, index: usize, now: &str) {
    let Some(phase) = state.phases.get_mut(index) else {
        return;
    };
    phase.status = Status::InProgress;
    phase.started_at = Some(now.to_owned());
    phase.completed_at = None;
    phase.blockers.clear();
    let position = &mut state.current_phase;
    position.phase_number = phase.phase_number;
    position.phase_name = phase.phase_name.clone();
    position.step_number = None;
    position.step_name = None;
    unpause(state);
}

/// Completes a phase with what it has produced.
pub(crate) fn complete(
    state: &mut PipelineState,
    index: usize,
    artifacts: Vec<Artifact>,
    summary: Option<String>,
    now: &str,
) {
    let Some(phase) = state.phases.get_mut(index) else {
        return;
    };
    phase.status = Status::Completed;
    phase.started_at.get_or_insert_with(|| now.to_owned());
    phase.completed_at = Some(now.to_owned());
    phase.blockers.clear();
    phase.summary = summary.or_else(|| phase.summary.take());
    let recorded = std::mem::take(&mut phase.artifacts);
    phase.artifacts = artifacts;
    for artifact in &mut phase.artifacts {
        if let Some(before) = recorded.iter().find(|before| before.path == artifact.path) {
            artifact.unknown = before.unknown.clone();
        }
    }
    for step in phase
        .steps
        .iter_mut()
        .filter(|step| step.status == Status::InProgress)
    {
        end_step(step, now);
    }
}

/// Completes the current step of a phase.
fn end_step(step: &mut Step, now: &str) {
    step.status = Status::Completed;
    step.completed_at = Some(now.to_owned());
}

/// Goes from a phase that was just completed to a later one: what lies before it and is not completed was skipped, what lies
/// behind it has not begun. Returns the names of those that are skipped from now on.
pub(crate) fn advance(state: &mut PipelineState, to: usize, now: &str) -> Vec<String> {
    let mut skipped = Vec::new();
    for phase in state
        .phases
        .iter_mut()
        .take(to)
        .filter(|phase| phase.status != Status::Completed)
    {
        if phase.status != Status::Skipped {
            skipped.push(phase.phase_name.clone());
        }
        phase.status = Status::Skipped;
        phase.blockers.clear();
    }
    reset_after(state, to);
    enter(state, to, now);
    skipped
}

/// Goes back to a phase, and to its first step where it has any. Artifacts, summaries and what was accumulated stay.
pub(crate) fn reopen(state: &mut PipelineState, index: usize, now: &str) {
    reset_after(state, index);
    if let Some(phase) = state.phases.get_mut(index) {
        reset_steps(phase);
    }
    enter(state, index, now);
    let steps = state.phases.get_mut(index).map(|phase| &mut phase.steps);
    if let Some(first) = steps.and_then(|steps| steps.first_mut()) {
        first.status = Status::InProgress;
        first.started_at = Some(now.to_owned());
        state.current_phase.step_number = Some(first.step_number);
        state.current_phase.step_name = Some(first.step_name.clone());
    }
}

fn reset_after(state: &mut PipelineState, index: usize) {
    for phase in state.phases.iter_mut().skip(index + 1) {
        phase.status = Status::Pending;
        phase.started_at = None;
        phase.completed_at = None;
        phase.blockers.clear();
        reset_steps(phase);
    }
}

fn reset_steps(phase: &mut Phase) {
    for step in &mut phase.steps {
        step.status = Status::Pending;
        step.started_at = None;
        step.completed_at = None;
    }
}

/// A phase can not be left: its artifacts are not good enough.
pub(crate) fn block(state: &mut PipelineState, index: usize, failures: &[String]) {
    if let Some(phase) = state.phases.get_mut(index) {
        phase.status = Status::Blocked;
        phase.completed_at = None;
        phase.blockers = folded_warnings(failures.to_vec());
        state.overall_status = OverallStatus::Blocked;
    }
}

/// On from a pause: blocked still, if it was.
pub(crate) fn unpause(state: &mut PipelineState) {
    let is_blocked = state
        .phases
        .iter()
        .any(|phase| phase.status == Status::Blocked);
    state.overall_status = if is_blocked {
        OverallStatus::Blocked
    } else {
        OverallStatus::InProgress
    };
}
