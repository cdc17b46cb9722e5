//! `--dry-run`: what would stand in the file, without writing it.

use super::context::Context;
use super::roles::{Role, cut};
use crate::text::neutralise::plain_line;
use std::fmt::Write as _;
use vibey_context_contracts::materialize::{ContextRef, Cut, PlanEntry, RefStatus};

/// What stands in a column that has nothing to say.
const NOTHING: &str = "-";

/// The plan: every link with its budget, the cell of the role table or what a ceiling leaves of that.
#[must_use]
pub fn plan(context: &Context) -> Vec<PlanEntry> {
    let refs = context.manifest.refs.iter().cloned();
    refs.map(|one| PlanEntry {
        budget: (one.status == RefStatus::Resolved).then(|| budget(&one, context)),
        uri: one.uri,
        role: one.role,
        target: one.source,
        estimated_tokens: one.token_estimate,
        reason: one.reason,
    })
    .collect()
}

/// A document that is shorter than its cell has been cut by nothing.
fn budget(one: &ContextRef, context: &Context) -> Cut {
    one.trim_applied.unwrap_or_else(|| {
        let role = one.role.as_deref().and_then(Role::labelled);
        cut(role, context.manifest.consumer)
    })
}

/// The plan for people: a line for each link, with URI, target, budget and tokens between tabs. The target of an
/// unresolved one is its reason.
#[must_use]
pub fn table(entries: &[PlanEntry]) -> String {
    let mut out = String::new();
    for entry in entries {
        let reason = entry
            .reason
            .as_ref()
            .map(|reason| format!("unresolved: {reason}"));
        let target = entry.target.clone().or(reason).unwrap_or_default();
        let budget = entry.budget.map_or(NOTHING, |budget| budget.label());
        // Writing to a text can not fail.
        let _ = writeln!(
            out,
            "{}\t{}\t{budget}\t{}",
            plain_line(&entry.uri),
            plain_line(&target),
            entry.estimated_tokens
        );
    }
    out
}
