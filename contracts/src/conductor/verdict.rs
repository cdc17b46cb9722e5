//! What `vibey-conductor ledger verify --json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is wrong with a ledger or with a row of it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Its columns do not have its digest: it was altered.
    Altered,
    /// It does not name the digest of the row before it: that one was altered with its digest, or exchanged.
    BrokenLink,
    /// Rows before it are missing.
    MissingRows,
    /// A digest that the ledger once had is not in it: its tail was cut, or another ledger is meant.
    HeadNotFound,
    /// It stands where no row can stand: at a position below 1, or in no project.
    Misplaced,
    /// A trigger that refuses changes is missing, not always on, or another one: rows may have been changed and their
    /// digests made anew.
    GuardMissing,
}

/// A row with a fault, or a fault of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Whose chain it is in; `null` for a digest that was not found and for a trigger.
    pub project: Option<String>,
    /// Its position; `null` for a digest that was not found and for a trigger.
    pub sequence: Option<i64>,
    /// Its id; the digest where one was not found; the name of a trigger.
    pub id: String,
    /// One sentence about it, a lowercase fragment.
    pub message: String,
}

/// Where a chain ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Head {
    /// Whose chain it is.
    pub project: String,
    /// Position of the last row.
    pub sequence: i64,
    /// Digest of the last row.
    pub digest: String,
}

/// Whether the chains of a ledger are whole, and guarded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Verdict {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Whether there is no fault.
    pub whole: bool,
    /// Rows that were read.
    pub rows: u64,
    /// Number of faults.
    pub faults_total: u64,
    /// The first faults: triggers, then rows in their order, then a digest.
    pub faults: Vec<Fault>,
    /// Where each chain ends, by project.
    pub heads: Vec<Head>,
}
