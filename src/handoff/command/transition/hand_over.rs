//! The source is good enough: it is completed, the target begins, and gets its brief.

use super::Ends;
use crate::handoff::artifact::page::Page;
use crate::handoff::artifact::shelf::Shelf;
use crate::handoff::brief::compose::{Call, Composed, compose};
use crate::handoff::brief::curate::{Task, choose};
use crate::handoff::command::answer::answer;
use crate::handoff::command::publish::publish_dashboard;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::judge::Judged;
use crate::handoff::judgement::reviews::{add_new, negative_reviews};
use crate::handoff::pipelines::{Pipelines, Route};
use crate::handoff::state::conclude::{changed_artifacts, conclude};
use crate::handoff::state::lifecycle::{advance, enter_step, open_steps, passed_over, unpause};
use crate::handoff::state::start::Start;
use crate::handoff::state::store::Writer;
use vibey_context_contracts::handoff::config::Transition;
use vibey_context_contracts::handoff::report::{Command, HandoffReport};
use vibey_context_contracts::handoff::state::{PipelineState, Status};

/// What handing over needs.
pub(super) struct Handing<'a> {
    pub(super) desk: &'a Desk,
    pub(super) pipelines: &'a Pipelines,
    pub(super) route: Route<'a>,
    pub(super) writer: &'a Writer<'a>,
    pub(super) ends: Ends,
    /// Whether the pipeline stands at the target already.
    pub(super) is_made: bool,
    /// The story that was asked for.
    pub(super) step: Option<u32>,
}

/// Hands over: in memory first, then brief, state and dashboard are written in this order.
pub(super) fn hand_over(
    handing: &Handing<'_>,
    start: Start,
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
    let Start {
        mut state,
        seen,
        mut warnings,
        ..
    } = start;
    let shelf = Shelf::new(
        desk,
        &judged.found,
        state.phases.get(..ends.from).unwrap_or_default(),
    );
    settle(handing, &mut state, judged, shelf.source(), &mut warnings);
    let step_before = state.current_phase.step_number;
    let task = Task {
        shelf: &shelf,
        transition: rule_of(&route, ends, &mut warnings),
        pipelines,
        step: step.or(step_before),
    };
    let chosen = choose(&task, &mut warnings)?;
    if let Some(chosen) = &chosen {
        warnings.extend(passed_over(&state, chosen, step_before));
        enter_step(&mut state, chosen, &desk.now());
    }
    let position = &state.current_phase;
    if is_made && position.step_number == step_before {
        warnings.push("This transition was made before: the brief was made again, the pipeline did not advance".to_owned());
    }
    let brief_path = desk.brief_path(position.phase_number, position.step_number);
    if let Some(phase) = state.phases.get_mut(ends.to) {
        phase.context_brief_path = Some(desk.shown(&brief_path));
    }
    warnings.extend(judged.warnings.iter().cloned());
    let behind = ends.to + 1..state.phases.len();
    let reviews = negative_reviews(desk, pipelines, &route, &state, behind);
    add_new(&mut warnings, reviews);
    let Composed {
        text,
        budget,
        warnings,
    } = compose(Call {
        desk,
        pipelines,
        route,
        state: &state,
        source: Some(ends.from),
        target: ends.to,
        mode: "transition",
        task: &task,
        chosen: chosen.as_ref(),
        warnings,
    });
    writer.is_free(&seen)?;
    writer.brief(&brief_path, &text)?;
    writer.state(&mut state, &seen)?;
    let mut report = answer(Command::Transition, desk, &state);
    report.brief_path = Some(desk.shown(&brief_path));
    report.dashboard_path = publish_dashboard(desk, writer, &state, Some(&text), &[])?;
    report.state_path = Some(desk.shown(&desk.state_path()));
    report.budget = Some(budget);
    report.warnings = warnings;
    Ok(report)
}

/// Completes the source with what it has found out, and begins the target; where that was done before, only a source that was
/// blocked or changed meanwhile is completed again.
fn settle(
    handing: &Handing<'_>,
    state: &mut PipelineState,
    judged: &Judged,
    pages: &[Page],
    warnings: &mut Vec<String>,
) {
    let Handing {
        desk,
        pipelines,
        ends,
        is_made,
        ..
    } = *handing;
    let now = desk.now();
    let source = state.phases.get(ends.from);
    let was_blocked = source.is_some_and(|phase| phase.status == Status::Blocked);
    let completed_at = source.and_then(|phase| phase.completed_at.clone());
    if !is_made {
        warnings.extend(source.and_then(open_steps));
    }
    let changed = changed_artifacts(state, ends.from, judged);
    if !is_made || was_blocked || !changed.is_empty() {
        conclude(desk, pipelines, state, ends.from, judged, pages);
    }
    if is_made && !was_blocked && !changed.is_empty() {
        // The phase was completed then; only what it has produced is another.
        if let Some(source) = state.phases.get_mut(ends.from) {
            source.completed_at = completed_at.or_else(|| Some(now.clone()));
        }
        warnings.push(format!(
            "Changed since this transition was made, and taken over: {}",
            changed.join(", ")
        ));
    }
    if is_made {
        unpause(state);
    } else {
        let skipped = advance(state, ends.to, &now);
        if !skipped.is_empty() {
            warnings.push(format!("Marked as skipped: {}", skipped.join(", ")));
        }
    }
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
