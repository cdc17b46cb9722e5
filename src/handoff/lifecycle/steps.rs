//! How do the steps of a phase follow the user stories?

use super::end_step;
use crate::handoff::curate::Chosen;
use std::collections::BTreeMap;
use vibey_context_contracts::handoff::state::{PipelineState, Status, Step, Unknown};

/// Makes a story the current step of the current phase. The step before is completed, and every story has a step.
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
    for step in &mut phase.steps {
        let is_chosen = step.step_number == chosen.number;
        match step.status {
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
