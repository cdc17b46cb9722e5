//! Report v1: what the ledger says about packets, as `vibey-conductor report --json` prints it.
//!
//! No number is a float: shares and rates are parts per million, means thousandths, money whole micro-dollars. A figure that
//! nothing was counted for is `null`, never 0.

use super::config::Mode;
use super::event::{ArtifactStatus, SkipReason};
use crate::packet::OmissionReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parts per million in the whole.
pub const MILLION: u32 = 1_000_000;
/// Outcomes that each arm of a comparison needs before anything is decided.
pub const OUTCOMES_MIN: u64 = 30;

/// The report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Report {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Rows from this time on were read; `null` for all.
    pub since: Option<String>,
    /// Time of the earliest row.
    pub first_at: Option<String>,
    /// Time of the latest row.
    pub last_at: Option<String>,
    /// Price of a million packet tokens, in micro-dollars.
    pub price_micro_usd_per_mtok: u64,
    /// What was read.
    pub rows: Rows,
    /// Shadow against inject: first for all jobs, then by phase and skill, by name.
    pub comparisons: Vec<Comparison>,
    /// Figures by mode, by phase and by skill, in this order, then by name, shadow before inject.
    pub groups: Vec<Group>,
    /// Which skills were selected.
    pub skills: Skills,
    /// Sections left out of packets, by reason.
    pub omissions: BTreeMap<OmissionReason, u64>,
    /// Requests that no skill explains.
    pub low_confidence: LowConfidence,
}

/// What was read of the ledger. An attempt is that of a project's job with its number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Rows {
    /// Every row.
    pub read: u64,
    /// Projects that they are of.
    pub projects: u64,
    /// Rows whose payload this program can not read; no figure counts them.
    pub unreadable: u64,
    /// Rows of asking the compiler.
    pub packets: u64,
    /// Rows of jobs that got no packet, by reason.
    pub skipped: BTreeMap<SkipReason, u64>,
    /// Rows of outcomes.
    pub outcomes: u64,
    /// Outcomes that a later one of the same attempt replaces.
    pub outcomes_replaced: u64,
    /// Outcomes before which the compiler was not asked for their attempt, or not since `since`; no figure counts them.
    pub outcomes_without_packet: u64,
    /// Outcomes that name no cost, of those that figures count.
    pub outcomes_without_cost: u64,
}

/// What a group of rows shares.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// The mode of the job.
    Mode,
    /// The phase of the job.
    Phase,
    /// A skill in the packet. A packet with several skills counts in the group of each.
    Skill,
}

/// Figures of the rows that share something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Group {
    /// What they share.
    pub by: Dimension,
    /// The mode, the phase, or the skill as `plugin/skill`.
    pub name: String,
    /// Mode of their jobs.
    pub mode: Mode,
    /// Different jobs with a packet among them; one that ran in two modes counts in both.
    pub jobs: u64,
    /// Rows of asking the compiler.
    pub packets: u64,
    /// The same by what became of it.
    pub statuses: BTreeMap<ArtifactStatus, u64>,
    /// Share of `ok` in parts per million.
    #[schemars(range(max = 1_000_000))]
    pub ok_ppm: u32,
    /// Packets that were appended to a prompt.
    pub appended: u64,
    /// Tokens of the packets with status `ok`.
    pub packet_tokens: Spread,
    /// Tokens of the whole skills that these packets were cut from.
    pub whole_skill_tokens: u64,
    /// Whole skills less packets; negative where packets are larger.
    pub tokens_saved: i64,
    /// Wall-clock milliseconds of the compiler.
    pub compile_ms: Spread,
    /// Sections that did not fit the budget.
    pub budget_omissions: u64,
    /// How the attempts ended.
    pub ended: Ended,
}

/// How the values of a figure are spread. Percentiles are nearest-rank: the smallest value that at least so many per cent
/// of all values do not exceed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Spread {
    /// Number of values.
    pub count: u64,
    /// Their sum.
    pub sum: u64,
    /// Their mean in thousandths, rounded half up.
    pub mean_milli: Option<u64>,
    /// Their median.
    pub p50: Option<u64>,
    /// Their 95th percentile.
    pub p95: Option<u64>,
}

/// How attempts ended, as far as outcomes were recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Ended {
    /// How many were accepted.
    pub acceptance: Acceptance,
    /// Different jobs with an accepted attempt: the accepted work items.
    pub accepted_items: u64,
    /// Turns of an attempt.
    pub turns: Spread,
    /// Retries within an attempt.
    pub retries: Spread,
    /// What the agent cost in the first attempt of each job, in micro-dollars.
    pub agent_cost_micro_usd: u64,
    /// What it cost in later attempts.
    pub retry_cost_micro_usd: u64,
    /// What the packets cost that were appended to prompts.
    pub retrieval_cost_micro_usd: u64,
    /// Outcomes that name no cost: with them the costs are too low.
    pub without_cost: u64,
    /// The three costs for each accepted work item; `null` without one, and where no outcome names a cost.
    pub cost_per_accepted_micro_usd: Option<u64>,
}

/// Outcomes and how many of them were `accepted`, with the 95 % Wilson interval of the rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Acceptance {
    /// Attempts with an outcome.
    pub outcomes: u64,
    /// Those of them that were accepted.
    pub accepted: u64,
    /// The rate in parts per million.
    #[schemars(range(max = 1_000_000))]
    pub rate_ppm: Option<u32>,
    /// Lower end of the interval.
    #[schemars(range(max = 1_000_000))]
    pub low_ppm: Option<u32>,
    /// Upper end of the interval.
    #[schemars(range(max = 1_000_000))]
    pub high_ppm: Option<u32>,
}

/// Shadow against inject. An outcome belongs to the mode of the last packet of its attempt before it, whether or not that
/// packet reached the prompt: a comparison of those alone that got one would compare easy jobs with all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Comparison {
    /// What the compared jobs share besides; `mode` for all jobs.
    pub by: Dimension,
    /// The phase or skill; `null` for all jobs.
    pub name: Option<String>,
    /// Acceptance in shadow mode.
    pub shadow: Acceptance,
    /// Acceptance in inject mode.
    pub inject: Acceptance,
    /// Inject less shadow; `null` where an arm has no outcome.
    pub difference: Option<Difference>,
    /// What that means.
    pub decision: Decision,
}

/// A difference of two rates in parts per million, with Newcombe's 95 % interval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Difference {
    /// The difference.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub value_ppm: i32,
    /// Lower end of the interval.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub low_ppm: i32,
    /// Upper end of the interval.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub high_ppm: i32,
}

/// What a comparison means.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Fewer than 30 outcomes in an arm.
    CannotDecideFewOutcomes,
    /// The interval of the difference holds 0.
    CannotDecideHoldsZero,
    /// Work with packets is accepted more often.
    InjectBetter,
    /// Work with packets is accepted less often.
    InjectWorse,
}

/// Which skills packets were made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Skills {
    /// Different skills that were selected.
    pub selected: u64,
    /// Those selected most often, most often first, then by name.
    pub most_selected: Vec<Selected>,
    /// Skills in the index; `null` where it was not to be read.
    pub indexed: Option<u64>,
    /// Those of them that no packet was made of, by name.
    pub never_selected: Option<Vec<String>>,
}

/// A skill that was selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Selected {
    /// The skill as `plugin/skill`.
    pub skill: String,
    /// Packets with it.
    pub packets: u64,
}

/// Requests that no skill explains: where a skill may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LowConfidence {
    /// Packets with status `low_confidence`.
    pub packets: u64,
    /// Different requests among them.
    pub requests: u64,
    /// The most frequent of these requests, most frequent first, then by digest.
    pub cases: Vec<LowConfidenceCase>,
}

/// A request that no skill explains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LowConfidenceCase {
    /// Digest of the canonical request.
    pub query_sha256: String,
    /// How often it was made.
    pub packets: u64,
    /// Confidence in thousandths when it was last made.
    pub confidence: Option<u32>,
    /// Project of the job that made it last.
    pub project: String,
    /// The job that made it last: its request file lies in the worktree.
    pub job: String,
}
