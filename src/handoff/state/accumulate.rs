//! What have the artifacts of a phase found out that every later phase should know?

use crate::handoff::artifact::decisions::decisions;
use crate::handoff::artifact::items::{files, is_nothing, items};
use crate::handoff::artifact::page::Page;
use crate::handoff::artifact::summary::summary;
use crate::handoff::brief::block::in_line;
use crate::handoff::pipelines::Pipelines;
use serde_json::Value;
use std::collections::BTreeSet;
use vibey_context_contracts::handoff::state::{Accumulated, Created, Phase, Unknown};

/// Sections that say what a phase was about.
const SUMMARIES: [&str; 4] = [
    "Summary",
    "Executive Summary",
    "Research Summary",
    "Overview",
];

/// Adds what the pages of a completed phase say. What is there already is not added again; nothing is removed.
pub(crate) fn accumulate(
    context: &mut Accumulated,
    phase: &Phase,
    pages: &[Page],
    pipelines: &Pipelines,
    now: &str,
) {
    for artifact in &phase.artifacts {
        let is_known = |one: &Created| one.path == artifact.path && one.phase == phase.phase_name;
        if !context.artifacts_created.iter().any(is_known) {
            context.artifacts_created.push(Created {
                path: artifact.path.clone(),
                phase: phase.phase_name.clone(),
                timestamp: now.to_owned(),
                unknown: Unknown::new(),
            });
        }
    }
    for page in pages {
        let items = |key: &str| items(page, &page.sections(&pipelines.headings(key)));
        let texts = |key: &str| {
            items(key)
                .into_iter()
                .map(|item| in_line(&item.text))
                .collect::<Vec<_>>()
        };
        let decided = page.sections(&pipelines.headings("decisions"));
        let decided = decided
            .iter()
            .flat_map(|section| decisions(page, section))
            .filter(|line| !is_nothing(line));
        add(
            &mut context.key_decisions,
            decided.map(|line| in_line(&line)),
        );
        add(&mut context.deviations, texts("deviations"));
        let changed = items("files_modified");
        add(
            &mut context.files_modified,
            changed.iter().flat_map(files).map(|file| in_line(&file)),
        );
        let results = texts("test_results");
        if !results.is_empty() {
            add_results(context, &phase.phase_name, results);
        }
    }
}

/// What a phase was about, in its own words; `None` where its pages do not say.
pub(crate) fn summary_of(pages: &[Page]) -> Option<String> {
    let told = |page: &Page| {
        let sections = page.sections(&SUMMARIES.map(str::to_owned));
        let from_section = sections
            .first()
            .map(|section| summary(page.slice(&section.body)));
        let text = from_section
            .filter(|text| !text.is_empty())
            .unwrap_or_else(|| summary(&page.text));
        (!text.is_empty()).then(|| in_line(&text))
    };
    pages.iter().find_map(told)
}

fn add(list: &mut Vec<String>, new: impl IntoIterator<Item = String>) {
    let mut known: BTreeSet<String> = list.iter().cloned().collect();
    list.extend(new.into_iter().filter(|one| known.insert(one.clone())));
}

/// Results stand by phase. What another program has put there in another form stays.
fn add_results(context: &mut Accumulated, phase: &str, results: Vec<String>) {
    let known = context
        .test_results
        .entry(phase.to_owned())
        .or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(values) = known else { return };
    let mut texts: BTreeSet<String> = values
        .iter()
        .filter_map(|value| value.as_str().map(str::to_owned))
        .collect();
    let new = results
        .into_iter()
        .filter(|result| texts.insert(result.clone()));
    values.extend(new.map(Value::String));
}
