//! Which reviews of this pipeline say that the work is not good enough? After a restart that is what the work is done again for.

use crate::handoff::artifact::file::{format, places, read};
use crate::handoff::desk::Desk;
use crate::handoff::judgement::judge::found;
use crate::handoff::judgement::oddities::negative_verdict;
use crate::handoff::pipelines::{Pipelines, Route};
use std::ops::Range;
use vibey_context_contracts::handoff::config::{Format, PhaseConfig};
use vibey_context_contracts::handoff::state::{Phase, PipelineState, Status};

/// One sentence for each negative review of these phases, by place, from 0; with the path of the review.
pub(crate) fn negative_reviews(
    desk: &Desk,
    pipelines: &Pipelines,
    route: &Route<'_>,
    state: &PipelineState,
    phases: Range<usize>,
) -> Vec<String> {
    let mut told = Vec::new();
    for index in phases {
        let (Some(config), Some(phase)) = (route.phase(index), state.phases.get(index)) else {
            break;
        };
        if has_begun(phase) {
            told.extend(of_phase(desk, pipelines, config));
        }
    }
    told
}

/// Whether a phase has begun in this pipeline, be it before a restart: what else lies in its place is of another time.
fn has_begun(phase: &Phase) -> bool {
    phase.status != Status::Pending
        || phase.context_brief_path.is_some()
        || !phase.artifacts.is_empty()
}

fn of_phase(desk: &Desk, pipelines: &Pipelines, config: &PhaseConfig) -> Vec<String> {
    let of_artifact = |name: &String| {
        places(&pipelines.rule(name), desk).iter().find_map(|path| {
            let rule = pipelines.rule_at(name, path);
            if format(&rule, path) != Format::Html {
                return None;
            }
            let review = found(&read(desk, path).ok()?, &rule).ok()?;
            negative_verdict(&review)
        })
    };
    config.artifacts.iter().filter_map(of_artifact).collect()
}

/// Adds warnings that are not told already.
pub(crate) fn add_new(warnings: &mut Vec<String>, more: Vec<String>) {
    for one in more {
        if !warnings.contains(&one) {
            warnings.push(one);
        }
    }
}
