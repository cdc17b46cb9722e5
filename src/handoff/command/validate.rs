//! Are the artifacts of a phase good enough? Nothing is written.

use crate::handoff::command::answer::{answer, bare};
use crate::handoff::command::finish::FINISH;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::judge::judge;
use crate::handoff::pipelines::{Pipelines, Route};
use crate::handoff::state::lifecycle::{current, fits};
use crate::handoff::state::store::{Reading, load, require};
use vibey_context_contracts::handoff::report::{Command, HandoffReport, Outcome};

/// Judges the artifacts of `phase`, or of the current one, in the pipeline named, or in the state's.
///
/// # Errors
/// [`HandoffError`]. That an artifact is not good enough is an [`Outcome`].
pub fn validate(
    desk: &Desk,
    pipeline: Option<&str>,
    phase: Option<&str>,
) -> Result<HandoffReport, HandoffError> {
    let pipelines = Pipelines::load(desk)?;
    let (route, index, mut report) = match (pipeline, phase) {
        (Some(pipeline), Some(phase)) => {
            let route = pipelines.named(pipeline)?;
            (
                route,
                route.index(phase)?,
                bare(Command::Validate, desk, pipeline),
            )
        }
        (None, Some(phase)) if matches!(load(desk)?, Reading::Missing) => {
            let route = pipelines.leading(phase, phase)?;
            (
                route,
                route.index(phase)?,
                bare(Command::Validate, desk, route.name),
            )
        }
        _ => of_state(desk, &pipelines, pipeline, phase)?,
    };
    let config = route
        .phase(index)
        .expect("the place of a phase was looked up in this pipeline");
    let judged = judge(desk, &pipelines, config);
    report.source_phase = Some(config.name.clone());
    report.target_phase = Some(
        route
            .phase(index + 1)
            .map_or(FINISH, |next| next.name.as_str())
            .to_owned(),
    );
    report.warnings.extend(judged.warnings);
    report.judged = judged.files;
    if !judged.failures.is_empty() {
        report.outcome = Outcome::ValidationFailed;
        report.warnings.extend(judged.hints);
        report.failures = judged.failures;
        report.failed_paths = judged.failed_paths;
    }
    Ok(report)
}

fn of_state<'a>(
    desk: &Desk,
    pipelines: &'a Pipelines,
    pipeline: Option<&str>,
    phase: Option<&str>,
) -> Result<(Route<'a>, usize, HandoffReport), HandoffError> {
    let stored = require(desk)?;
    let route = match pipeline {
        Some(pipeline) => pipelines.named(pipeline)?,
        None => pipelines.of_state(desk, &stored.state)?,
    };
    let index = match phase {
        Some(phase) => route.index(phase)?,
        None => {
            fits(desk, &stored.state, &route)?;
            current(&stored.state)
        }
    };
    let mut report = answer(Command::Validate, desk, &stored.state);
    report.warnings.extend(stored.warning);
    Ok((route, index, report))
}
