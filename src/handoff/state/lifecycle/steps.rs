//! How do the steps of a phase follow the user stories?

use super::end_step;
use crate::handoff::brief::block::in_title;
use crate::handoff::brief::curate::Chosen;
use std::collections::BTreeMap;
use vibey_context_contracts::handoff::state::{Phase, PipelineState, Status, Step, Unknown};

/// Steps that a warning names; the state has them all.
const NAMED: usize = 8;

/// That steps of a phase that is left have not been worked on.
pub(crate) fn open_steps(phase: &Phase) -> Option<String> {
    // The one in progress is completed with its phase.
    let open = phase
        .steps
        .iter()
        .filter(|step| !matches!(step.status, Status::Completed | Status::InProgress))
        .map(|step| (step.step_number, step.step_name.as_str()));
    let named = named(open)?;
    Some(format!(
        "Steps of {} that were not completed: {named}",
        phase.phase_name
    ))
}

/// That stories between the step before and the chosen one are not completed; of a phase that begins, stories before the
/// chosen one.
pub(crate) fn passed_over(
    state: &PipelineState,
    chosen: &Chosen,
    before: Option<u32>,
) -> Option<String> {
    let place = |wanted: u32| chosen.stories.iter().position(|one| one.0 == wanted);
    let from = before.and_then(place).map_or(0, |before| before + 1);
    let between = chosen.stories.get(from..place(chosen.number)?)?;
    let steps = state
        .phases
        .get(super::current(state))
        .map_or(&[][..], |phase| phase.steps.as_slice());
    let is_done = |number: u32| {
        let step = steps.iter().find(|step| step.step_number == number);
        step.is_some_and(|step| step.status == Status::Completed)
    };
    let open = between.iter().filter(|one| !is_done(one.0));
    let named = named(open.map(|one| (one.0, one.1.as_str())))?;
    Some(format!(
        "Step {} passes over stories that are not completed: {named}",
        chosen.number
    ))
}

/// `2 (Registration), 3 (Profiles)`; `None` of nothing.
fn named<'a>(steps: impl Iterator<Item = (u32, &'a str)>) -> Option<String> {
    let steps: Vec<_> = steps.collect();
    let shown = |(number, name): &(u32, &str)| format!("{number} ({})", in_title(name));
    let mut named: Vec<String> = steps.iter().take(NAMED).map(shown).collect();
    if steps.len() > NAMED {
        named.push(format!("and {} more", steps.len() - NAMED));
    }
    (!named.is_empty()).then(|| named.join(", "))
}

/// Makes a story the current step of the current phase. Every story has a step. The step before is completed, unless the
/// chosen one stands before it: who goes back has not done what is left.
pub(crate) fn enter_step(state: &mut PipelineState, chosen: &Chosen, now: &str) {
    let index = super::current(state);
    let Some(phase) = state.phases.get_mut(index) else {
        return;
    };
    // Of two steps with one number the first stands for the story.
    let mut known = BTreeMap::new();
    for (nth, step) in phase.steps.iter().enumerate() {
        known.entry(step.step_number).or_insert(nth);
    }
    for (number, name, summary) in &chosen.stories {
        let step = known.get(number).and_then(|nth| phase.steps.get_mut(*nth));
        match step {
            Some(step) => step.step_name.clone_from(name),
            None => phase.steps.push(Step {
                step_number: *number,
                step_name: name.clone(),
                status: Status::Pending,
                started_at: None,
                completed_at: None,
                summary: (!summary.is_empty()).then(|| summary.clone()),
                unknown: Unknown::new(),
            }),
        }
    }
    let place = |wanted: u32| chosen.stories.iter().position(|one| one.0 == wanted);
    let at = place(chosen.number);
    for step in &mut phase.steps {
        let is_chosen = step.step_number == chosen.number;
        match step.status {
            Status::InProgress if !is_chosen && place(step.step_number) > at => {
                step.status = Status::Pending;
            }
            Status::InProgress if !is_chosen => end_step(step, now),
            status if is_chosen && status != Status::InProgress => {
                step.status = Status::InProgress;
                step.started_at = Some(now.to_owned());
                step.completed_at = None;
            }
            _ => {}
        }
    }
    state.current_phase.step_number = Some(chosen.number);
    state.current_phase.step_name = Some(chosen.name.clone());
}
