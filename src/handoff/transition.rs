//! From one phase to the next: the artifacts of the first are judged, the second gets its brief.

use super::accumulate::{accumulate, summary_of};
use super::answer::answer;
use super::compose::{Call, Composed, compose};
use super::curate::{Task, choose};
use super::desk::Desk;
use super::drift::drift;
use super::error::HandoffError;
use super::judge::{Judged, judge};
use super::lifecycle::{self, advance, begun, block, complete, current, enter_step, fits};
use super::pipelines::{Pipelines, Route};
use super::publish::publish_dashboard;
use super::reconstruct::{Inferred, infer_at};
use super::shelf::Shelf;
use super::store::{Reading, Seen, Writer, load, lost};
use vibey_context_contracts::handoff::config::Transition;
use vibey_context_contracts::handoff::report::{Command, HandoffReport, Outcome, Reconstruction};
use vibey_context_contracts::handoff::state::{OverallStatus, PipelineState, Status};
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
        let step = asked.step;
        hand_over(
            &Handing {
                desk,
                pipelines: &pipelines,
                route,
                writer: &writer,
                ends,
                is_made,
                step,
            },
            &mut start,
            &judged,
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

/// What handing over needs.
struct Handing<'a> {
    desk: &'a Desk,
    pipelines: &'a Pipelines,
    route: Route<'a>,
    writer: &'a Writer<'a>,
    ends: Ends,
    is_made: bool,
    step: Option<u32>,
}

/// The source is completed, the target begins, and gets its brief.
fn hand_over(
    handing: &Handing<'_>,
    start: &mut Start,
    judged: &Judged,
) -> Result<HandoffReport, HandoffError> {
    let Handing {
        desk,
        pipelines,
        route,
        writer,
        ends,
        is_made,
        step,
    } = *handing;
    let now = desk.now();
    let state = &mut start.state;
    let shelf = Shelf::new(
        desk,
        &judged.found,
        state.phases.get(..ends.from).unwrap_or_default(),
    );
    let mut warnings = std::mem::take(&mut start.warnings);
    let was_blocked = state
        .phases
        .get(ends.from)
        .is_some_and(|phase| phase.status == Status::Blocked);
    if !is_made || was_blocked {
        let artifacts = judged
            .found
            .iter()
            .map(|found| found.artifact.clone())
            .collect();
        complete(
            state,
            ends.from,
            artifacts,
            summary_of(shelf.source()),
            &now,
        );
        let source = state.phases.get(ends.from);
        if let Some(source) = source {
            accumulate(
                &mut state.accumulated_context,
                source,
                shelf.source(),
                pipelines,
                &now,
            );
        }
    }
    if is_made {
        warnings.push("This transition was made before: the brief was made again, the pipeline did not advance".to_owned());
        lifecycle::unpause(state);
    } else {
        advance(state, ends.to, &now);
    }
    let transition = rule_of(&route, ends, &mut warnings);
    let task = Task {
        shelf: &shelf,
        transition,
        pipelines,
        step: step.or(state.current_phase.step_number),
    };
    let chosen = choose(&task, &mut warnings)?;
    if let Some(chosen) = &chosen {
        enter_step(state, chosen, &now);
    }
    warnings.extend(judged.warnings.iter().cloned());
    let brief_path = desk.brief_path(
        state.current_phase.phase_number,
        state.current_phase.step_number,
    );
    if let Some(phase) = state.phases.get_mut(ends.to) {
        phase.context_brief_path = Some(desk.shown(&brief_path));
    }
    let Composed {
        text,
        budget,
        warnings,
    } = compose(Call {
        desk,
        pipelines,
        route,
        state,
        source: Some(ends.from),
        target: ends.to,
        mode: "transition",
        task: &task,
        chosen: chosen.as_ref(),
        warnings,
    });
    writer.unchanged(&start.seen)?;
    writer.brief(&brief_path, &text)?;
    writer.state(state, &start.seen)?;
    let mut report = answer(Command::Transition, desk, state);
    report.brief_path = Some(desk.shown(&brief_path));
    report.dashboard_path = publish_dashboard(desk, writer, state, Some(&text), &[])?;
    report.state_path = Some(desk.shown(&desk.state_path()));
    report.budget = Some(budget);
    report.warnings = warnings;
    Ok(report)
}

/// What the pipeline says of this transition; of one that skips phases, what it says of the way into the target.
fn rule_of<'a>(
    route: &Route<'a>,
    ends: Ends,
    warnings: &mut Vec<String>,
) -> Option<&'a Transition> {
    let (from, to) = (route.phase(ends.from)?, route.phase(ends.to)?);
    let found = route.transition(&from.name, &to.name);
    match found {
        None => warnings.push(format!(
            "Pipeline {} does not say what {} gets: nothing was handed over",
            route.name, to.name
        )),
        Some(found) if found.from != from.name => warnings.push(format!(
            "Pipeline {} has no transition from {} to {}: that from {} was used",
            route.name, from.name, to.name, found.from
        )),
        Some(_) => {}
    }
    found
}
