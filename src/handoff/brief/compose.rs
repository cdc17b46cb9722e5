//! From a state and the artifacts of its phases to the brief of one of them.

use crate::handoff::artifact::file::places;
use crate::handoff::brief::block::{framed, in_line, in_title};
use crate::handoff::brief::budget::fit;
use crate::handoff::brief::curate::{Chosen, Task, curate, protected};
use crate::handoff::brief::fold::folded_warnings;
use crate::handoff::brief::template::{Draft, FoundOut, Head, References};
use crate::handoff::desk::Desk;
use crate::handoff::judgement::judge::requirements;
use crate::handoff::pipelines::{Pipelines, Route};
use serde_json::Value;
use std::collections::BTreeSet;
use vibey_context_contracts::canonical;
use vibey_context_contracts::handoff::report::Budget;
use vibey_context_contracts::handoff::state::{Accumulated, Phase, PipelineState, Status};

/// The source of a brief for the first phase.
const START: &str = "start";

/// A brief that is asked for.
pub(crate) struct Call<'a> {
    /// Who asks.
    pub(crate) desk: &'a Desk,
    /// The configuration.
    pub(crate) pipelines: &'a Pipelines,
    /// The pipeline.
    pub(crate) route: Route<'a>,
    /// Its state, as it is handed over.
    pub(crate) state: &'a PipelineState,
    /// Place of the phase that hands over, from 0; `None` for the first phase.
    pub(crate) source: Option<usize>,
    /// Place of the phase that takes over, from 0.
    pub(crate) target: usize,
    /// `transition`, `resume` or `refresh`.
    pub(crate) mode: &'static str,
    /// What is handed over.
    pub(crate) task: &'a Task<'a>,
    /// The story that is worked on.
    pub(crate) chosen: Option<&'a Chosen>,
    /// What a reader should know already.
    pub(crate) warnings: Vec<String>,
}

/// A brief.
pub(crate) struct Composed {
    /// Its text.
    pub(crate) text: String,
    /// Its size.
    pub(crate) budget: Budget,
    /// What it warns of.
    pub(crate) warnings: Vec<String>,
}

/// Composes a brief and fits it into its budget.
pub(crate) fn compose(call: Call<'_>) -> Composed {
    let target = call.state.phases.get(call.target);
    let steps = target.map_or(&[][..], |phase| phase.steps.as_slice());
    let done: BTreeSet<u32> = steps
        .iter()
        .filter(|step| step.status == Status::Completed)
        .map(|step| step.step_number)
        .collect();
    let is_done = |number| done.contains(&number);
    let curated = curate(call.task, call.chosen, &is_done);
    let mut draft = Draft {
        head: head(&call),
        mission: mission(&call),
        pieces: curated.pieces,
        rest: curated.rest,
        protected: protected(call.pipelines),
        found: found_out(&call.state.accumulated_context),
        warnings: call.warnings.clone(),
        dropped: Vec::new(),
        references: references(&call),
    };
    draft.warnings.extend(curated.warnings);
    let blockers = call.state.phases.iter().flat_map(|phase| &phase.blockers);
    draft
        .warnings
        .extend(blockers.map(|blocker| format!("Blocked: {blocker}")));
    draft.warnings = folded_warnings(draft.warnings);
    let (text, budget) = fit(&mut draft, &call.state.config, call.desk.tokenizer);
    draft.warnings.append(&mut draft.dropped);
    Composed {
        text,
        budget,
        warnings: draft.warnings,
    }
}

fn head(call: &Call<'_>) -> Head {
    let name = |phase: &Phase| phase.phase_name.clone();
    let title = |phase: &Phase| phase.display_name.clone();
    let phase = |index: usize| call.state.phases.get(index);
    let source = call.source.and_then(phase);
    let mut target_title = phase(call.target).map(title).unwrap_or_default();
    if let Some(chosen) = call.chosen {
        target_title.push_str(&format!(
            " / Step {}: {}",
            chosen.number,
            in_title(&chosen.name)
        ));
    }
    Head {
        source_title: source.map_or("Start".to_owned(), title),
        target_title,
        pipeline_type: call.state.pipeline_type.clone(),
        project: call.desk.project.to_string(),
        pipeline_id: call.state.pipeline_id.clone(),
        source: source.map_or(START.to_owned(), name),
        target: phase(call.target).map(name).unwrap_or_default(),
        generated: call.desk.now(),
        mode: call.mode,
    }
}

/// What the receiving agent is to do, what it is to produce, and what that has to look like.
fn mission(call: &Call<'_>) -> Vec<String> {
    let Some(phase) = call.route.phase(call.target) else {
        return Vec::new();
    };
    let mut mission = Vec::new();
    if !phase.mission.is_empty() {
        // A mission of the configuration is no heading of the brief either.
        mission.push(framed(&in_line(&phase.mission)));
    }
    if let Some(chosen) = call.chosen {
        mission.push(format!(
            "Work on step {} of {}: {}.",
            chosen.number,
            chosen.stories.len(),
            in_title(&chosen.name)
        ));
    }
    mission.extend(phase.artifacts.iter().map(|name| product(call, name)));
    mission
}

fn product(call: &Call<'_>, name: &str) -> String {
    let rule = call.pipelines.rule(name);
    let places: Vec<String> = places(&rule, call.desk)
        .iter()
        .map(|path| format!("`{}`", in_line(path)))
        .collect();
    let required = requirements(&rule);
    let constraints = if required.is_empty() {
        String::new()
    } else {
        format!(" Constraints: {}.", required.join("; "))
    };
    format!("Produce {}.{constraints}", places.join(" or "))
}

fn found_out(context: &Accumulated) -> FoundOut {
    let lines = |list: &[String]| list.iter().map(|one| in_line(one)).collect::<Vec<_>>();
    let mut seen = BTreeSet::new();
    let paths = context.artifacts_created.iter();
    let artifacts = paths
        .map(|created| in_line(&created.path))
        .filter(|path| seen.insert(path.clone()))
        .collect();
    FoundOut {
        decisions: lines(&context.key_decisions),
        artifacts,
        files: lines(&context.files_modified),
        tests: tests(context),
        deviations: lines(&context.deviations),
    }
}

/// Results of tests, one line each. What another program has put there is shown as JSON.
pub(crate) fn tests(context: &Accumulated) -> Vec<String> {
    let line = |phase: &String, result: &Value| {
        let text = match result {
            Value::String(text) => text.clone(),
            // A number with a fraction has no canonical form.
            other => canonical::compact(other).unwrap_or_else(|_| other.to_string()),
        };
        in_line(&format!("{phase}: {text}"))
    };
    let of_phase = |(phase, value): (&String, &Value)| match value {
        Value::Array(results) => results.iter().map(|result| line(phase, result)).collect(),
        other => vec![line(phase, other)],
    };
    context.test_results.iter().flat_map(of_phase).collect()
}

fn references(call: &Call<'_>) -> References {
    let mut artifacts = call.state.phases.iter().flat_map(|phase| &phase.artifacts);
    let spec = artifacts.rfind(|artifact| artifact.kind == "spec");
    let source = call.source.and_then(|index| call.state.phases.get(index));
    let previous = source.map_or(&[][..], |phase| phase.artifacts.as_slice());
    let desk = call.desk;
    References {
        spec: spec.map(|artifact| in_line(&artifact.path)),
        previous: previous
            .iter()
            .map(|artifact| in_line(&artifact.path))
            .collect(),
        state: in_line(&desk.shown(&desk.state_path())),
        dashboard: call
            .state
            .config
            .enable_dashboard
            .then(|| in_line(&desk.shown(&desk.dashboard_path()))),
    }
}
