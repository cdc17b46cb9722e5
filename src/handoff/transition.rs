//! From one phase to the next: the artifacts of the first are judged, the second gets its brief.

mod hand_over;

use super::answer::answer;
use super::desk::Desk;
use super::drift::drift;
use super::error::HandoffError;
use super::judge::{Judged, judge};
use super::lifecycle::{begun, block, current, fits};
use super::pipelines::{Pipelines, Route};
use super::publish::publish_dashboard;
use super::reconstruct::{Inferred, infer_at};
use super::store::{Reading, Seen, Writer, load, lost};
use hand_over::{Handing, hand_over};
use vibey_context_contracts::handoff::report::{Command, HandoffReport, Outcome, Reconstruction};
use vibey_context_contracts::handoff::state::{OverallStatus, PipelineState};
use vibey_context_host::read::kind_of;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Move<'a> {
    /// The phase that hands over.
    pub from: &'a str,
    /// The phase that takes over.
    pub to: &'a str,
    /// Type of the pipeline; where none is named, the state's, or the one that has both phases.
    pub pipeline: Option<&'a str>,
    /// The story to work on.
    pub step: Option<u32>,
    /// Whether the pipeline may stand elsewhere.
    pub force: bool,
}

/// Where a pipeline stands before a transition.
struct Start {
    state: PipelineState,
    seen: Seen,
    warnings: Vec<String>,
    reconstruction: Option<Reconstruction>,
}

/// The two ends of a transition, by place, from 0.
#[derive(Clone, Copy)]
struct Ends {
    from: usize,
    to: usize,
}

/// Carries out a transition.
///
/// # Errors
/// [`HandoffError`]. That an artifact is not good enough is an [`Outcome`].
pub fn transition(desk: &Desk, asked: &Move<'_>) -> Result<HandoffReport, HandoffError> {
    let pipelines = Pipelines::load(desk)?;
    // What is wrong with the words is said before anything is written.
    let named = match asked.pipeline {
        Some(name) => Some(pipelines.named(name)?),
        None if kind_of(&desk.state_path())?.is_none() => {
            Some(pipelines.leading(asked.from, asked.to)?)
        }
        None => None,
    };
    if let Some(route) = named {
        ends(&route, asked)?;
    }
    let writer = Writer::new(desk)?;
    let reading = load(desk)?;
    let route = match (&reading, named) {
        (Reading::Found(stored), named) => {
            let stored = stored.state.pipeline_type.as_str();
            if let Some(given) = named.filter(|given| given.name != stored) {
                return Err(HandoffError::OtherPipeline {
                    project: desk.project.to_string(),
                    stored: stored.to_owned(),
                    given: given.name.to_owned(),
                });
            }
            pipelines.named(stored)?
        }
        (_, Some(route)) => route,
        (_, None) => pipelines.leading(asked.from, asked.to)?,
    };
    let ends = ends(&route, asked)?;
    let mut start = start(desk, &pipelines, route, reading, ends)?;
    fits(&start.state, &route)?;
    if desk.adopt_path {
        start.state.project_path = desk.shown(&desk.project_path);
    }
    let is_made = is_made(&start.state, ends, asked)?;
    let (Some(source), Some(target)) = (route.phase(ends.from), route.phase(ends.to)) else {
        return Err(HandoffError::OtherPhases(route.name.to_owned()));
    };
    start.state.config = pipelines.settings(Some(&start.state.config));
    start.warnings.extend(drift(desk, &start.state));
    let judged = judge(desk, &pipelines, source);
    let mut report = if judged.failures.is_empty() {
        hand_over(
            &Handing {
                desk,
                pipelines: &pipelines,
                route,
                writer: &writer,
                ends,
                is_made,
                step: asked.step,
            },
            start.state,
            &start.seen,
            &judged,
            start.warnings,
        )?
    } else {
        refuse(desk, &writer, ends, &mut start, &judged)?
    };
    report.source_phase = Some(source.name.clone());
    report.target_phase = Some(target.name.clone());
    report.reconstruction = start.reconstruction;
    Ok(report)
}

fn ends(route: &Route<'_>, asked: &Move<'_>) -> Result<Ends, HandoffError> {
    let ends = Ends {
        from: route.index(asked.from)?,
        to: route.index(asked.to)?,
    };
    if ends.from < ends.to {
        return Ok(ends);
    }
    Err(HandoffError::Backwards {
        from: asked.from.to_owned(),
        to: asked.to.to_owned(),
    })
}

/// The state on disk, or a new one: at the first phase, or inferred from what lies in the project with `from` as the
/// current phase.
fn start(
    desk: &Desk,
    pipelines: &Pipelines,
    route: Route<'_>,
    reading: Reading,
    ends: Ends,
) -> Result<Start, HandoffError> {
    let (seen, mut warnings) = match reading {
        Reading::Found(stored) => {
            let warnings = stored.warning.into_iter().collect();
            return Ok(Start {
                state: stored.state,
                seen: stored.seen,
                warnings,
                reconstruction: None,
            });
        }
        Reading::Missing => (Seen::default(), Vec::new()),
        Reading::Lost { fault, seen } => {
            let warning = lost(desk, &fault, &seen);
            (seen, vec![warning])
        }
    };
    if ends.from == 0 {
        let state = begun(desk, &route, pipelines.settings(None));
        return Ok(Start {
            state,
            seen,
            warnings,
            reconstruction: None,
        });
    }
    let Inferred {
        state,
        reconstruction,
        warnings: more,
    } = infer_at(desk, pipelines, route, ends.from)?;
    warnings.extend(more);
    Ok(Start {
        state,
        seen,
        warnings,
        reconstruction: Some(reconstruction),
    })
}

/// Whether the transition was made before; an error where the pipeline stands at neither of its ends.
fn is_made(state: &PipelineState, ends: Ends, asked: &Move<'_>) -> Result<bool, HandoffError> {
    match state.overall_status {
        OverallStatus::OnHold => return Err(HandoffError::OnHold(state.project_name.clone())),
        OverallStatus::Completed if !asked.force => {
            return Err(HandoffError::Completed(state.project_name.clone()));
        }
        _ => {}
    }
    let at = current(state);
    if at == ends.from || at == ends.to || asked.force {
        return Ok(at == ends.to);
    }
    Err(HandoffError::OtherPosition {
        current: state.current_phase.phase_name.clone(),
        given: asked.from.to_owned(),
    })
}

/// The source stays where it is, with what is wrong as its blockers.
fn refuse(
    desk: &Desk,
    writer: &Writer<'_>,
    ends: Ends,
    start: &mut Start,
    judged: &Judged,
) -> Result<HandoffReport, HandoffError> {
    let state = &mut start.state;
    block(state, ends.from, &judged.failures);
    writer.state(state, &start.seen)?;
    let mut report = answer(Command::Transition, desk, state);
    report.outcome = Outcome::ValidationFailed;
    report.failures.clone_from(&judged.failures);
    report.failed_paths.clone_from(&judged.failed_paths);
    report.warnings = start
        .warnings
        .iter()
        .chain(&judged.warnings)
        .cloned()
        .collect();
    report.state_path = Some(desk.shown(&desk.state_path()));
    report.dashboard_path = publish_dashboard(desk, writer, state, None, &report.warnings)?;
    Ok(report)
}
