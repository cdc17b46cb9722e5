//! Back to a phase, to do it again. No file of the project is touched.

use crate::handoff::command::answer::answer;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::judge::judge;
use crate::handoff::judgement::reviews::{add_new, negative_reviews};
use crate::handoff::state::change::{Open, open};
use crate::handoff::state::drift::drift;
use crate::handoff::state::lifecycle::{current, reopen};
use crate::handoff::state::next::command;
use vibey_context_contracts::handoff::report::{Command, HandoffReport};
use vibey_context_contracts::handoff::state::{OverallStatus, Status};

/// Reopens a phase; those behind it have not begun again.
///
/// # Errors
/// [`HandoffError`].
pub fn restart(desk: &Desk, phase: &str) -> Result<HandoffReport, HandoffError> {
    let pipelines = crate::handoff::pipelines::Pipelines::load(desk)?;
    let Open {
        writer,
        mut stored,
        route,
    } = open(desk, &pipelines)?;
    let index = route.index(phase)?;
    let has_begun = stored
        .state
        .phases
        .get(index)
        .is_some_and(|one| one.status != Status::Pending);
    if index > current(&stored.state) || !has_begun {
        return Err(HandoffError::NotBegun(phase.to_owned()));
    }
    let was_on_hold = stored.state.overall_status == OverallStatus::OnHold;
    reopen(&mut stored.state, index, &desk.now());
    let mut warnings: Vec<String> = stored.warning.take().into_iter().collect();
    if was_on_hold {
        warnings.push("The pipeline was on hold and is no longer".to_owned());
    }
    for blocked in stored.state.phases.iter().take(index) {
        if blocked.status == Status::Blocked {
            warnings.push(format!("Phase {} is blocked still", blocked.phase_name));
        }
    }
    warnings.extend(drift(desk, &stored.state));
    let phases = 0..stored.state.phases.len();
    let reviews = negative_reviews(desk, &pipelines, &route, &stored.state, phases);
    add_new(&mut warnings, reviews);
    if let Some(config) = route.phase(index) {
        let judged = judge(desk, &pipelines, config);
        let passing = judged.found.iter().map(|found| {
            format!(
                "{} of the last time is still there and would pass at once",
                found.artifact.path
            )
        });
        warnings.extend(passing);
    }
    let mut report = answer(Command::Restart, desk, &stored.state);
    report.target_phase = Some(phase.to_owned());
    report.warnings = warnings;
    report.next_command = Some(command(desk, "resume"));
    crate::handoff::state::change::save(desk, &writer, &mut stored, report)
}
