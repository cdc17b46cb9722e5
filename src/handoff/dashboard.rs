//! The dashboard: one HTML file that needs nothing else, no network and no script.

mod flow;

use crate::handoff::brief::block::in_title;
use crate::handoff::brief::compose::tests;
use crate::handoff::brief::fold::folded_warnings;
use crate::handoff::brief::template::{Facts, facts};
use crate::text::neutralise::plain_line;
use askama::Template;
use flow::Flow;
use std::collections::BTreeSet;
use vibey_context_contracts::handoff::state::{Phase, PipelineState, Status, Step};

/// Rows of a list that are shown; the state has them all.
const ROWS: usize = 50;
/// Stands where there is nothing.
const NOTHING: &str = "–";

/// What a dashboard is made of.
pub(crate) struct Shown<'a> {
    /// The state.
    pub(crate) state: &'a PipelineState,
    /// The brief of the current position, where there is one.
    pub(crate) brief: Option<&'a str>,
    /// What a person should know that the brief does not say.
    pub(crate) warnings: &'a [String],
}

/// What the template shows. Its values are escaped where they are put in.
#[derive(Template)]
#[template(path = "dashboard.html")]
struct Page<'a> {
    state: &'a PipelineState,
    /// Paths, and what an artifact may have put anywhere, are shown with what would hide in them.
    project_path: String,
    position: String,
    flow: Flow,
    phases: Vec<Row<'a>>,
    facts: Option<Facts>,
    lists: Vec<List>,
    warnings: Vec<String>,
    confidence: &'static str,
}

/// A phase in the table.
struct Row<'a> {
    phase: &'a Phase,
    title: String,
    summary: Option<String>,
    blockers: Vec<String>,
    status: &'static str,
    started: String,
    completed: String,
    artifacts: List,
    done: String,
    steps: List,
}

/// A list of the accumulated state.
struct List {
    name: &'static str,
    items: Vec<String>,
    more: usize,
}

/// The dashboard as an HTML document.
///
/// # Errors
/// None in practice: the template writes into memory.
pub(crate) fn render(shown: &Shown<'_>) -> Result<String, askama::Error> {
    let state = shown.state;
    let facts = shown.brief.and_then(facts);
    let mut warnings = shown.warnings.to_vec();
    let mut known: BTreeSet<String> = warnings.iter().cloned().collect();
    for warning in facts
        .iter()
        .flat_map(|facts| &facts.warnings)
        .cloned()
        .chain(blockers(state))
    {
        if known.insert(warning.clone()) {
            warnings.push(warning);
        }
    }
    let warnings = folded_warnings(warnings);
    let warnings = warnings.iter().map(|one| plain_line(one)).collect();
    Page {
        state,
        project_path: plain_line(&state.project_path),
        position: position(state),
        flow: Flow::new(&state.phases),
        phases: state.phases.iter().map(row).collect(),
        lists: lists(state),
        confidence: state
            .reconstruction_confidence
            .map_or("UNKNOWN", |confidence| confidence.shown()),
        facts,
        warnings,
    }
    .render()
}

fn blockers(state: &PipelineState) -> impl Iterator<Item = String> + '_ {
    state
        .phases
        .iter()
        .flat_map(|phase| &phase.blockers)
        .map(|blocker| format!("Blocked: {blocker}"))
}

fn position(state: &PipelineState) -> String {
    let current = &state.current_phase;
    let count = state.phases.len();
    let mut text = format!(
        "Phase {} of {count}, {}",
        current.phase_number, current.phase_name
    );
    if let Some(step) = current.step_number {
        text.push_str(&format!(
            ", step {step}: {}",
            in_title(current.step_name.as_deref().unwrap_or_default())
        ));
    }
    text
}

fn row(phase: &Phase) -> Row<'_> {
    let done = phase
        .steps
        .iter()
        .filter(|step| step.status == Status::Completed)
        .count();
    let step = |step: &Step| {
        format!(
            "{}. {} ({})",
            step.step_number,
            in_title(&step.step_name),
            step.status.as_str()
        )
    };
    Row {
        phase,
        title: in_title(&phase.display_name),
        summary: phase.summary.as_deref().map(plain_line),
        blockers: phase.blockers.iter().map(|one| plain_line(one)).collect(),
        status: phase.status.as_str(),
        started: time(phase.started_at.as_deref()),
        completed: time(phase.completed_at.as_deref()),
        artifacts: list(
            "Artifacts",
            phase
                .artifacts
                .iter()
                .map(|artifact| artifact.path.clone())
                .collect(),
        ),
        steps: list("Stories", phase.steps.iter().map(step).collect()),
        done: if phase.steps.is_empty() {
            String::new()
        } else {
            format!("{done} of {} steps", phase.steps.len())
        },
    }
}

/// Date and time of day, so that a narrow column breaks between them.
fn time(time: Option<&str>) -> String {
    let time = time.unwrap_or(NOTHING);
    time.trim_end_matches('Z').replacen('T', " ", 1)
}

fn lists(state: &PipelineState) -> Vec<List> {
    let context = &state.accumulated_context;
    let created = context
        .artifacts_created
        .iter()
        .map(|one| format!("{} ({})", one.path, one.phase))
        .collect();
    vec![
        list("Key decisions", context.key_decisions.clone()),
        list("Artifacts created", created),
        list("Files modified", context.files_modified.clone()),
        list("Test results", tests(context)),
        list("Deviations", context.deviations.clone()),
    ]
}

fn list(name: &'static str, mut items: Vec<String>) -> List {
    let more = items.len().saturating_sub(ROWS);
    items.truncate(ROWS);
    let items = items.iter().map(|item| plain_line(item)).collect();
    List { name, items, more }
}
