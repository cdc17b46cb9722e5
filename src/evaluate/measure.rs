//! What became of one case: the rank of its answer, its packet, and how long it took?

pub use super::resolve::{Against, MeasureError};

use super::resolve::{Resolved, names, unfollowed};
use crate::packet::compile::{Compile, CompileError, compile_ranked};
use std::collections::BTreeSet;
use vibey_context_contracts::evaluation::CaseResult;
use vibey_context_contracts::request::BUDGET_DEFAULT;

/// Skills that a result names: the largest `k` of any measure.
const TOP: usize = 10;
/// A measured case.
pub(super) struct Measured {
    pub(super) result: CaseResult,
    /// Number of expected skills.
    pub(super) expected: usize,
    /// Ranks of the expected skills that are ranked, from 1, ascending.
    pub(super) ranks: Vec<usize>,
    /// How long compiling took, in microseconds.
    pub(super) latency: u64,
    pub(super) warnings: Vec<String>,
}

/// Ranks and compiles a case.
///
/// # Errors
/// Lists of the request that can not be followed; an index that is not usable.
pub(super) fn measure(
    against: &Against<'_>,
    resolved: Resolved<'_>,
) -> Result<Measured, MeasureError> {
    let case = resolved.case;
    let task = Compile {
        reader: against.reader,
        index: against.index,
        request: &case.request,
        warnings: case.warnings.clone(),
        budget: case
            .request
            .maximum_context_tokens
            .unwrap_or(BUDGET_DEFAULT),
        tokenizer: against.tokenizer,
        rejected: against.rejected,
    };
    let started = (against.clock)();
    let compiled = compile_ranked(task);
    let latency = (against.clock)().saturating_sub(started);
    let (compiled, ranking) = compiled.map_err(|error| match error {
        CompileError::Eligibility(cause) => unfollowed(case, "request", cause),
        error => error.into(),
    })?;
    let manifest = compiled.manifest;
    let order: Vec<usize> = ranking.skills.iter().map(|skill| skill.at).collect();
    let ranks: Vec<usize> = (1..)
        .zip(&order)
        .filter(|(_, at)| resolved.expected.contains(at))
        .map(|(rank, _)| rank)
        .collect();
    let included: BTreeSet<&String> = manifest
        .included_chunks
        .iter()
        .map(|chunk| &chunk.content_sha256)
        .collect();
    let mandatory = &resolved.mandatory;
    let lacking = mandatory
        .iter()
        .filter(|(text, _)| !included.contains(text));
    let missing: Vec<String> = lacking.map(|(_, heading)| heading.clone()).collect();
    let mut warnings = resolved.warnings;
    let of_packet = manifest.warnings.iter();
    warnings.extend(of_packet.map(|warning| format!("case `{}`: {warning}", case.id)));
    let result = CaseResult {
        id: case.id.clone(),
        form: case.form.clone(),
        negative: case.negative,
        expected: resolved.expected_names,
        also_relevant: resolved.also_relevant,
        rank: ranks.first().map(|&rank| rank as u32),
        top: names(against.reader, order.iter().copied().take(TOP))?,
        status: manifest.status,
        confidence: manifest.confidence,
        selected: manifest.selected_skills,
        packet_token_estimate: manifest.packet_token_estimate,
        mandatory_named: mandatory.len() as u64,
        mandatory_included: (mandatory.len() - missing.len()) as u64,
        mandatory_missing: missing,
    };
    Ok(Measured {
        result,
        expected: resolved.expected.len(),
        ranks,
        latency,
        warnings,
    })
}
