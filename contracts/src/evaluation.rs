//! Evaluation report v1: how well requests with known answers find them, and what has changed since an earlier run.
//!
//! Rates are fractions from 0 to 1, rounded to four decimals. They make this the one document with floats, so it has no
//! canonical form and no digest. Nothing in it depends on the machine but `latency_us`.

use crate::packet::{Confidence, Status};
use crate::version::Compiler;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `evaluate --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluationReport {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Version of this contract, `major.minor.patch`.
    pub contract_version: String,
    /// What compiled the packets.
    pub compiler: Compiler,
    /// Digest of the corpus.
    pub corpus_sha256: String,
    /// Name of the token estimate.
    pub tokenizer: String,
    /// The measures over all cases.
    pub overall: Measures,
    /// The measures over the cases of each form; a case without form is in none.
    pub by_form: BTreeMap<String, Measures>,
    /// Every case, in the order of its file.
    pub cases: Vec<CaseResult>,
    /// What has changed since the baseline; `null` without one.
    pub comparison: Option<Comparison>,
    /// One sentence each.
    pub warnings: Vec<String>,
}

impl EvaluationReport {
    /// The report as it is printed: keys in the order of the types, two blanks per level, a line break at the end.
    ///
    /// # Errors
    /// Never in practice: every key is a text.
    pub fn pretty(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }
}

/// The measures over a set of cases. Rates are over the positive ones, and `null` where there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Measures {
    /// Cases that have an answer.
    pub positives: u64,
    /// Cases that have none.
    pub negatives: u64,
    /// Share of cases whose best skill is an expected one.
    #[schemars(range(min = 0, max = 1))]
    pub hit_at_1: Option<f64>,
    /// Share of cases with any expected skill among the first three.
    #[schemars(range(min = 0, max = 1))]
    pub any_at_3: Option<f64>,
    /// Share of cases with any expected skill among the first five.
    #[schemars(range(min = 0, max = 1))]
    pub any_at_5: Option<f64>,
    /// Share of cases with any expected skill among the first ten.
    #[schemars(range(min = 0, max = 1))]
    pub any_at_10: Option<f64>,
    /// Mean share of a case's expected skills that are among the first three.
    #[schemars(range(min = 0, max = 1))]
    pub recall_at_3: Option<f64>,
    /// Mean share of a case's expected skills that are among the first five.
    #[schemars(range(min = 0, max = 1))]
    pub recall_at_5: Option<f64>,
    /// Mean share of a case's expected skills that are among the first ten.
    #[schemars(range(min = 0, max = 1))]
    pub recall_at_10: Option<f64>,
    /// Mean of one divided by the rank of the best expected skill; 0 for a case in which none is ranked.
    #[schemars(range(min = 0, max = 1))]
    pub mrr: Option<f64>,
    /// Mean normalised discounted cumulative gain of the first ten (Järvelin and Kekäläinen 2002), gain 1 for an expected
    /// skill.
    #[schemars(range(min = 0, max = 1))]
    pub ndcg_at_10: Option<f64>,
    /// Share of the sections named as mandatory that are in the packets; `null` where no case names any.
    #[schemars(range(min = 0, max = 1))]
    pub mandatory_recall: Option<f64>,
    /// Negatives with status `ok`.
    pub negatives_ok: u64,
    /// Positives with status `low_confidence`.
    pub positives_low_confidence: u64,
    /// Size of the packets with status `ok`; `null` where there are none.
    pub packet_tokens: Option<PacketTokens>,
    /// How long compiling took; `null` where there are no cases.
    pub latency_us: Option<Latency>,
}

/// Token estimates of packets. Percentiles are nearest ranks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PacketTokens {
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
}

/// Durations in microseconds. Percentiles are nearest ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Latency {
    /// Median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
}

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CaseResult {
    /// Its name in the case file.
    pub id: String,
    /// Its form; `null` where the case file names none.
    pub form: Option<String>,
    /// Whether it has no answer.
    pub negative: bool,
    /// The skills that answer it, as `plugin/skill`.
    pub expected: Vec<String>,
    /// The skills that are not wrong beside them, as `plugin/skill`; they change no measure.
    pub also_relevant: Vec<String>,
    /// Rank of the best expected skill, from 1; `null` where none is ranked.
    #[schemars(range(min = 1))]
    pub rank: Option<u32>,
    /// The first ten skills, as `plugin/skill`.
    pub top: Vec<String>,
    /// Status of its packet.
    pub status: Status,
    /// How well the best skill explains the request; `null` where nothing was ranked.
    pub confidence: Option<Confidence>,
    /// The skills in its packet, as `plugin/skill`, sorted; empty without one. Since 1.1.
    #[serde(default)]
    pub selected: Vec<String>,
    /// Estimate of its packet; 0 without one.
    pub packet_token_estimate: u64,
    /// Sections that the case names as mandatory.
    pub mandatory_named: u64,
    /// Those of them that are in its packet.
    pub mandatory_included: u64,
    /// Headings of the others, in the order of their skills and files. Since 1.1.
    #[serde(default)]
    pub mandatory_missing: Vec<String>,
}

/// What has changed since a baseline, case by case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Comparison {
    /// Digest of the baseline's corpus.
    pub corpus_sha256: String,
    /// The baseline's measures over all its cases.
    pub overall: Measures,
    /// Cases that became worse, and cases of the baseline that are missing, in the order of the baseline.
    pub regressed: Vec<Change>,
    /// Cases that became better and in nothing worse, in the order of the baseline.
    pub improved: Vec<Change>,
    /// Names of the cases that the baseline does not have.
    pub added: Vec<String>,
}

/// A case before and now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Change {
    /// Name of the case.
    pub id: String,
    /// Whether it has no answer.
    pub negative: bool,
    /// What became better or worse.
    pub reasons: Vec<ChangeReason>,
    /// The baseline.
    pub before: Outcome,
    /// This run; `null` where the case is missing.
    pub after: Option<Outcome>,
}

/// What became better or worse.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeReason {
    /// The rank crossed 1, 3, 5 or 10.
    Rank,
    /// A packet is compiled or refused, and was not before.
    Status,
    /// The case is not in this run.
    Missing,
}

/// The part of a case's result that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Outcome {
    /// Rank of the best expected skill, from 1; `null` where none is ranked.
    #[schemars(range(min = 1))]
    pub rank: Option<u32>,
    /// Status of the packet.
    pub status: Status,
}
