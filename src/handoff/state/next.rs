//! Which command comes next where a pipeline stands so?

use crate::handoff::desk::Desk;
use crate::handoff::state::lifecycle::{current, source_of};
use std::path::Path;
use vibey_context_contracts::handoff::state::{OverallStatus, Phase, PipelineState, Status};
use vibey_context_contracts::version::COMPILER_NAME;

/// The command, as it may be typed in the project's folder; `None` where the pipeline is completed.
pub(crate) fn next_command(desk: &Desk, state: &PipelineState) -> Option<String> {
    let at = current(state);
    let phase = state.phases.get(at)?;
    let words = match state.overall_status {
        OverallStatus::Completed => return None,
        OverallStatus::OnHold => "resume".to_owned(),
        OverallStatus::InProgress | OverallStatus::Blocked => {
            match (next_step(state, at, phase), state.phases.get(at + 1)) {
                (Some((source, step)), _) => format!(
                    "transition --from {source} --to {} --step {step}",
                    phase.phase_name
                ),
                (None, Some(next)) => format!(
                    "transition --from {} --to {}",
                    phase.phase_name, next.phase_name
                ),
                (None, None) => "finish".to_owned(),
            }
        }
    };
    Some(command(desk, &words))
}

/// A command on this project, with these words behind `handoff`.
pub(crate) fn command(desk: &Desk, words: &str) -> String {
    let home = if desk.is_usual_home() {
        String::new()
    } else {
        format!(" --home {}", quoted(desk, &desk.home))
    };
    format!(
        "{COMPILER_NAME} handoff {words} --project {}{home}",
        desk.project
    )
}

/// The phase that hands over to the current one, and its next open step: behind the current one, else before it. None of a
/// phase that somebody has tried to leave already.
fn next_step<'a>(state: &'a PipelineState, at: usize, phase: &Phase) -> Option<(&'a str, u32)> {
    let number = state
        .current_phase
        .step_number
        .filter(|_| phase.status != Status::Blocked)?;
    let here = phase
        .steps
        .iter()
        .position(|step| step.step_number == number)?;
    let (before, behind) = phase.steps.split_at_checked(here + 1)?;
    let open = behind
        .iter()
        .chain(before.iter().take(here))
        .find(|step| step.status != Status::Completed)?;
    let source = state.phases.get(source_of(state, at)?)?;
    Some((source.phase_name.as_str(), open.step_number))
}

/// A path for a shell.
fn quoted(desk: &Desk, path: &Path) -> String {
    let shown = desk.shown(path);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "~/._-".contains(c);
    if shown.chars().all(is_plain) {
        return shown;
    }
    // A shell expands no `~` within quotes.
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
