//! Are the artifacts of a phase good enough? Nothing is written.

use super::answer::{answer, bare};
use super::desk::Desk;
use super::error::HandoffError;
use super::finish::FINISH;
use super::judge::judge;
use super::lifecycle::current;
use super::pipelines::{Pipelines, Route};
use super::store::{Reading, load, require};
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
    let Some(config) = route.phase(index) else {
        return Err(HandoffError::OtherPhases(route.name.to_owned()));
    };
    let judged = judge(desk, &pipelines, config);
    report.source_phase = Some(config.name.clone());
    report.target_phase = Some(
        route
            .phase(index + 1)
            .map_or(FINISH, |next| next.name.as_str())
            .to_owned(),
    );
    report.warnings.extend(judged.warnings);
    if !judged.failures.is_empty() {
        report.outcome = Outcome::ValidationFailed;
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
    let route = pipelines.named(pipeline.unwrap_or(&stored.state.pipeline_type))?;
    let index = match phase {
        Some(phase) => route.index(phase)?,
        None => current(&stored.state),
    };
    let mut report = answer(Command::Validate, desk, &stored.state);
    report.warnings.extend(stored.warning);
    Ok((route, index, report))
}
