//! `--dry-run`: what would stand in the file, without writing it.

use super::page::shorten;
use super::refused::Refused;
use super::resolve;
use super::roles::cut;
use super::setup::Setup;
use crate::text::neutralise::plain_line;
use std::fmt::Write as _;
use vibey_context_contracts::materialize::PlanEntry;

/// What stands in a column that has nothing to say.
const NOTHING: &str = "-";

/// The plan, and a sentence each for what is to be known about it. Answers of servers may go to the cache.
///
/// # Errors
/// The runtime can not be started.
pub fn plan(setup: &Setup) -> Result<(Vec<PlanEntry>, Vec<String>), Refused> {
    let mut warnings = setup.warnings.clone();
    let refs = resolve::documents(&setup.links, &setup.places(), &setup.network, &mut warnings)?;
    let (consumer, tokenizer) = (setup.options.consumer, setup.options.tokenizer);
    let entries = refs.into_iter().map(|one| {
        let budget = cut(one.role, consumer);
        let (target, budget, estimated_tokens, reason) = match &one.outcome {
            Ok(resolved) => {
                let tokens = shorten(resolved, budget, tokenizer).tokens(tokenizer);
                (Some(resolved.source.clone()), Some(budget), tokens, None)
            }
            Err(why) => (None, None, 0, Some(why.reason.to_string())),
        };
        PlanEntry {
            uri: one.uri,
            role: one.label,
            target,
            budget,
            estimated_tokens,
            reason,
        }
    });
    Ok((entries.collect(), warnings))
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
