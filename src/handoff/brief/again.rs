//! The brief of the phase in progress, once more: what `resume` and `refresh` have in common.

use crate::handoff::artifact::shelf::Shelf;
use crate::handoff::brief::compose::{Call, Composed, compose};
use crate::handoff::brief::curate::{Chosen, Task, choose};
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::judge::{Found, judge};
use crate::handoff::judgement::reviews::{add_new, negative_reviews};
use crate::handoff::pipelines::{Pipelines, Route};
use crate::handoff::state::drift::drift;
use crate::handoff::state::lifecycle::{current, source_of};
use std::path::PathBuf;
use vibey_context_contracts::handoff::state::PipelineState;

/// A brief of the current position.
pub(crate) struct Again {
    /// The brief.
    pub(crate) composed: Composed,
    /// Where it goes.
    pub(crate) path: PathBuf,
    /// The story that it is about.
    pub(crate) chosen: Option<Chosen>,
}

/// Composes the brief of the current position.
///
/// That the phase in progress has produced nothing yet is normal; that it has produced what is not good enough is a warning,
/// and so is what has become of the artifacts of its source.
///
/// # Errors
/// [`HandoffError::UnknownStep`].
pub(crate) fn brief(
    desk: &Desk,
    pipelines: &Pipelines,
    route: Route<'_>,
    state: &PipelineState,
    mode: &'static str,
    mut warnings: Vec<String>,
) -> Result<Again, HandoffError> {
    let target = current(state);
    warnings.extend(drift(desk, state));
    if let Some(phase) = route.phase(target) {
        let judged = judge(desk, pipelines, phase);
        warnings.extend(judged.warnings);
        if !judged.invalid.is_empty() {
            warnings.extend(
                judged
                    .failures
                    .iter()
                    .map(|failure| format!("Not good enough yet: {failure}")),
            );
        }
    }
    let behind = target + 1..state.phases.len();
    let reviews = negative_reviews(desk, pipelines, &route, state, behind);
    add_new(&mut warnings, reviews);
    let source = source_of(state, target);
    let found = source.map_or_else(Vec::new, |source| {
        found(desk, pipelines, route, source, &mut warnings)
    });
    let earlier = state.phases.get(..source.unwrap_or(0)).unwrap_or_default();
    let shelf = Shelf::new(desk, &found, earlier);
    let name = |index: usize| route.phase(index).map_or("", |phase| phase.name.as_str());
    let task = Task {
        shelf: &shelf,
        transition: source.and_then(|source| route.transition(name(source), name(target))),
        pipelines,
        step: state.current_phase.step_number,
    };
    let chosen = choose(&task, &mut warnings)?;
    let step = chosen
        .as_ref()
        .map(|chosen| chosen.number)
        .or(state.current_phase.step_number);
    let path = desk.brief_path(state.current_phase.phase_number, step);
    let composed = compose(Call {
        desk,
        pipelines,
        route,
        state,
        source,
        target,
        mode,
        task: &task,
        chosen: chosen.as_ref(),
        warnings,
    });
    Ok(Again {
        composed,
        path,
        chosen,
    })
}

/// What there is of the source's artifacts, good enough or not.
fn found(
    desk: &Desk,
    pipelines: &Pipelines,
    route: Route<'_>,
    source: usize,
    warnings: &mut Vec<String>,
) -> Vec<Found> {
    let Some(phase) = route.phase(source) else {
        return Vec::new();
    };
    let judged = judge(desk, pipelines, phase);
    warnings.extend(
        judged
            .failures
            .iter()
            .map(|failure| format!("Of phase {}: {failure}", phase.name)),
    );
    warnings.extend(judged.warnings);
    judged.found.into_iter().chain(judged.invalid).collect()
}
