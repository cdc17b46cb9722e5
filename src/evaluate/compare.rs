//! What has become worse or better since an earlier run?

use crate::text::neutralise::plain_line;
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::evaluation::{
    CaseResult, Change, ChangeReason, Comparison, EvaluationReport, Outcome,
};
use vibey_context_contracts::packet::Status;
use vibey_context_contracts::version::{EVALUATION, speaks};

/// The largest baseline that is read, in bytes: as many cases as the largest case file can hold.
pub const BASELINE_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The ranks that count: a move between two of them changes no measure that people look at.
const BOUNDARIES: [u32; 4] = [1, 3, 5, 10];

/// Why a file is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// It is not JSON, or not an evaluation.
    #[error("file is no evaluation: {0}")]
    NotEvaluation(String),
    /// It is of a contract that this compiler does not speak.
    #[error("evaluation is of contract {found}, this compiler speaks {ours}")]
    Contract {
        /// Version of the file.
        found: String,
        /// Version that this compiler writes.
        ours: String,
    },
}

/// Reads what an earlier run printed, of any minor version of this compiler's contract.
///
/// # Errors
/// No evaluation, or one of another major version.
pub fn read_baseline(bytes: &[u8]) -> Result<EvaluationReport, BaselineError> {
    let not = |error: serde_json::Error| BaselineError::NotEvaluation(error.to_string());
    let value = super::strict::value(bytes).map_err(not)?;
    let found = value["contract_version"]
        .as_str()
        .and_then(|text| semver::Version::parse(text).ok());
    match found {
        Some(found) if !speaks(&EVALUATION, &found) => Err(BaselineError::Contract {
            found: found.to_string(),
            ours: EVALUATION.to_string(),
        }),
        Some(_) => {
            let report: EvaluationReport = serde_json::from_value(value).map_err(not)?;
            let mut seen = BTreeSet::new();
            match report.cases.iter().find(|case| !seen.insert(&case.id)) {
                Some(twice) => {
                    let fault = format!("case `{}` stands twice", plain_line(&twice.id));
                    Err(BaselineError::NotEvaluation(fault))
                }
                None => Ok(report),
            }
        }
        None => {
            let fault = "it names no version of the contract".to_owned();
            Err(BaselineError::NotEvaluation(fault))
        }
    }
}

/// Compares case by case, and says what stands in the way of comparing.
pub(super) fn compare(
    before: &EvaluationReport,
    corpus_sha256: &str,
    now: &[CaseResult],
) -> (Comparison, Vec<String>) {
    let mut warnings = Vec::new();
    if before.corpus_sha256 != corpus_sha256 {
        warnings.push(format!(
            "the baseline is of another corpus: {} there, {corpus_sha256} here",
            before.corpus_sha256
        ));
    }
    let mut left: BTreeMap<&str, &CaseResult> =
        now.iter().map(|case| (case.id.as_str(), case)).collect();
    let (mut regressed, mut improved) = (Vec::new(), Vec::new());
    for old in &before.cases {
        let new = left.remove(old.id.as_str());
        if let Some(new) = new.filter(|new| new.negative != old.negative) {
            let is = if new.negative { "negative" } else { "positive" };
            warnings.push(format!("case `{}` is {is} now and is not compared", new.id));
            continue;
        }
        let change = |reasons| Change {
            id: old.id.clone(),
            negative: old.negative,
            reasons,
            before: outcome(old),
            after: new.map(outcome),
        };
        let Some(new) = new else {
            regressed.push(change(vec![ChangeReason::Missing]));
            continue;
        };
        let (worse, better) = (worsened(old, new), worsened(new, old));
        if !worse.is_empty() {
            regressed.push(change(worse));
        } else if !better.is_empty() {
            improved.push(change(better));
        }
    }
    let added = now
        .iter()
        .filter(|case| left.contains_key(case.id.as_str()));
    let comparison = Comparison {
        corpus_sha256: before.corpus_sha256.clone(),
        overall: before.overall.clone(),
        regressed,
        improved,
        added: added.map(|case| case.id.clone()).collect(),
    };
    (comparison, warnings)
}

fn outcome(case: &CaseResult) -> Outcome {
    Outcome {
        rank: case.rank,
        status: case.status,
    }
}

/// In what `to` is worse than `from`; both are results of the same case.
fn worsened(from: &CaseResult, to: &CaseResult) -> Vec<ChangeReason> {
    let mut reasons = Vec::new();
    if from.negative {
        if to.status == Status::Ok && from.status != Status::Ok {
            reasons.push(ChangeReason::Status);
        }
        return reasons;
    }
    if band(to.rank) > band(from.rank) {
        reasons.push(ChangeReason::Rank);
    }
    if from.status == Status::Ok && to.status != Status::Ok {
        reasons.push(ChangeReason::Status);
    }
    reasons
}

/// Between which boundaries a rank lies: 0 for the first, 4 for those behind the tenth and for no rank.
fn band(rank: Option<u32>) -> usize {
    rank.map_or(BOUNDARIES.len(), |rank| {
        BOUNDARIES
            .iter()
            .filter(|&&boundary| rank > boundary)
            .count()
    })
}

#[cfg(test)]
mod tests;
