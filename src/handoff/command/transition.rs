//! From one phase to the next: the artifacts of the first are judged, the second gets its brief.

mod hand_over;

use crate::handoff::command::answer::answer;
use crate::handoff::command::publish::publish_dashboard;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::judge::{Judged, judge};
use crate::handoff::pipelines::{Pipelines, Route};
use crate::handoff::state::conclude::unblock_before;
use crate::handoff::state::drift::drift;
use crate::handoff::state::lifecycle::{begun, block, current, fits, other_phases};
use crate::handoff::state::reconstruct::infer_at;
use crate::handoff::state::start::{Made, Start, start};
use crate::handoff::state::store::{Reading, Writer, load};
use hand_over::{Handing, hand_over};
use vibey_context_contracts::handoff::report::{Command, HandoffReport, Outcome};
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
    let named = named(desk, &pipelines, asked)?;
    if let Some(route) = named {
        ends(&route, asked)?;
    }
    let writer = Writer::new(desk)?;
    let reading = load(desk)?;
    let route = route_of(desk, &pipelines, asked, &reading, named)?;
    let ends = ends(&route, asked)?;
    let mut start = start(desk, reading, || made(desk, &pipelines, route, ends))?;
    fits(desk, &start.state, &route)?;
    let is_made = is_made(&start.state, ends, asked)?;
    let (Some(source), Some(target)) = (route.phase(ends.from), route.phase(ends.to)) else {
        return Err(other_phases(desk, &start.state, &route));
    };
    start.state.config = pipelines.settings(Some(&start.state.config));
    start.warnings.extend(drift(desk, &start.state));
    let reconstruction = start.reconstruction.take();
    let unblocked = unblock_before(
        desk,
        &pipelines,
        &route,
        &mut start.state,
        ends.to,
        ends.from,
        asked.force,
    )?;
    start.warnings.extend(unblocked);
    let judged = judge(desk, &pipelines, source);
    let mut report = if judged.failures.is_empty() {
        let handing = Handing {
            desk,
            pipelines: &pipelines,
            route,
            writer: &writer,
            ends,
            is_made,
            step: asked.step,
        };
        hand_over(&handing, start, &judged)?
    } else {
        refuse(desk, &writer, ends, start, &judged)?
    };
    report.source_phase = Some(source.name.clone());
    report.target_phase = Some(target.name.clone());
    report.reconstruction = reconstruction;
    Ok(report)
}

/// The pipeline that the words alone name: by its type, or where there is no state yet, by its phases.
fn named<'a>(
    desk: &Desk,
    pipelines: &'a Pipelines,
    asked: &Move<'_>,
) -> Result<Option<Route<'a>>, HandoffError> {
    match asked.pipeline {
        Some(name) => pipelines.named(name).map(Some),
        None if kind_of(&desk.state_path())?.is_none() => {
            pipelines.leading(asked.from, asked.to).map(Some)
        }
        None => Ok(None),
    }
}

/// The pipeline of the state, which must be the one that is named; where there is no state, the one that is meant.
fn route_of<'a>(
    desk: &Desk,
    pipelines: &'a Pipelines,
    asked: &Move<'_>,
    reading: &Reading,
    named: Option<Route<'a>>,
) -> Result<Route<'a>, HandoffError> {
    let Reading::Found(stored) = reading else {
        return named.map_or_else(|| pipelines.leading(asked.from, asked.to), Ok);
    };
    let route = pipelines.of_state(desk, &stored.state)?;
    let stored = route.name;
    match named.filter(|given| given.name != stored) {
        Some(given) => Err(HandoffError::OtherPipeline {
            project: desk.project.to_string(),
            stored: stored.to_owned(),
            given: given.name.to_owned(),
        }),
        None => Ok(route),
    }
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

/// A new state: at the first phase, or inferred from what lies in the project with `from` as the current phase.
fn made(
    desk: &Desk,
    pipelines: &Pipelines,
    route: Route<'_>,
    ends: Ends,
) -> Result<Made, HandoffError> {
    if ends.from > 0 {
        return infer_at(desk, pipelines, route, ends.from);
    }
    Ok(Made {
        state: begun(desk, &route, pipelines.settings(None)),
        reconstruction: None,
        warnings: Vec::new(),
    })
}

/// Whether the transition was made before; an error where the pipeline stands at neither of its ends.
fn is_made(state: &PipelineState, ends: Ends, asked: &Move<'_>) -> Result<bool, HandoffError> {
    match state.overall_status {
        OverallStatus::OnHold => return Err(HandoffError::OnHold(state.project_name.clone())),
        OverallStatus::Completed => {
            return Err(HandoffError::Completed(state.project_name.clone()));
        }
        OverallStatus::InProgress | OverallStatus::Blocked => {}
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
    mut start: Start,
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
        .chain(&judged.hints)
        .cloned()
        .collect();
    report.state_path = Some(desk.shown(&desk.state_path()));
    report.dashboard_path = publish_dashboard(desk, writer, state, None, &report.warnings)?;
    Ok(report)
}
