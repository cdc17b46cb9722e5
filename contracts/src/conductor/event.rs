//! Ledger event v1: one row of the ledger, and the chain that its digest is a link of.
//!
//! A payload is provenance only. It never holds the text of a task or of a packet: what is no number, digest or word of
//! a closed vocabulary is a label (a phase, a plugin, a version), and every label passes through
//! [`label`] when the payload is [`Payload::cleaned`].

mod artifact;
mod chain;

pub use artifact::{ARTIFACT_TYPE, ArtifactProduced, ArtifactStatus, FailureCode, LIST_MAX};
pub use chain::{ChainRow, GENESIS};

use super::config::Mode;
use super::id::{JobId, ProjectId, label};
use crate::canonical::{self, CanonicalError};
use crate::version::SCHEMA_VERSION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a row tells of.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The compiler was asked for a packet.
    ArtifactProduced,
    /// It was not asked, though the mode is not `off`.
    Skipped,
    /// An attempt ended.
    Outcome,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::ArtifactProduced, Self::Skipped, Self::Outcome];

    /// The kind as the ledger writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ArtifactProduced => "artifact_produced",
            Self::Skipped => "skipped",
            Self::Outcome => "outcome",
        }
    }

    /// The kind that is written so.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Why a job got no packet.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Its prompt was written by somebody else.
    SeedPrompt,
    /// It is of another kind than `implement`.
    Kind,
}

/// A job got no packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Skipped {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Mode of the job.
    pub mode: Mode,
    /// Phase of the job.
    pub phase: String,
    /// Kind of the job.
    pub job_kind: String,
    /// Why it got no packet.
    pub reason: SkipReason,
}

/// How an attempt ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The work was accepted.
    Accepted,
    /// It was not.
    Rejected,
}

/// An attempt ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Outcome {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// How it ended.
    pub result: Verdict,
    /// What the agent cost, in micro-dollars.
    pub cost_micro_usd: Option<u64>,
    /// Turns of the agent.
    pub turns: Option<u64>,
    /// Retries within the attempt.
    pub retries: Option<u64>,
    /// Tokens that the agent used.
    pub tokens: Option<u64>,
}

impl Outcome {
    /// An outcome without figures.
    #[must_use]
    pub fn new(result: Verdict) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            result,
            cost_micro_usd: None,
            turns: None,
            retries: None,
            tokens: None,
        }
    }
}

/// What a row says, by its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Payload {
    /// Of [`Kind::ArtifactProduced`].
    ArtifactProduced(Box<ArtifactProduced>),
    /// Of [`Kind::Skipped`].
    Skipped(Skipped),
    /// Of [`Kind::Outcome`].
    Outcome(Outcome),
}

impl Payload {
    /// Kind of the row.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::ArtifactProduced(_) => Kind::ArtifactProduced,
            Self::Skipped(_) => Kind::Skipped,
            Self::Outcome(_) => Kind::Outcome,
        }
    }

    /// Reads the stored text of a payload. Keys of a newer minor version are passed over.
    ///
    /// # Errors
    /// The text is not the payload of that kind.
    pub fn read(kind: Kind, text: &str) -> serde_json::Result<Self> {
        Ok(match kind {
            Kind::ArtifactProduced => Self::ArtifactProduced(serde_json::from_str(text)?),
            Kind::Skipped => Self::Skipped(serde_json::from_str(text)?),
            Kind::Outcome => Self::Outcome(serde_json::from_str(text)?),
        })
    }

    /// The payload as the ledger may keep it: labels bounded and without secrets, digests that are digests.
    #[must_use]
    pub fn cleaned(self) -> Self {
        match self {
            Self::ArtifactProduced(artifact) => {
                Self::ArtifactProduced(Box::new(artifact.cleaned()))
            }
            Self::Skipped(skipped) => Self::Skipped(Skipped {
                phase: label(&skipped.phase),
                job_kind: label(&skipped.job_kind),
                ..skipped
            }),
            outcome @ Self::Outcome(_) => outcome,
        }
    }

    /// The payload in its one spelling, cleaned.
    ///
    /// # Errors
    /// Never in practice: no field is a float.
    pub fn canonical(self) -> Result<String, CanonicalError> {
        canonical::compact(&self.cleaned())
    }
}

/// What is to be appended to the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// Whose chain it joins.
    pub project: ProjectId,
    /// The job it is about.
    pub job: JobId,
    /// The attempt it is about.
    pub attempt: u32,
    /// What it says.
    pub payload: Payload,
}

/// A row as `ledger show --json` and `ledger export` print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Event {
    /// Position in the project's chain, from 1.
    #[schemars(range(min = 1))]
    pub sequence: u64,
    /// UUID version 7.
    pub id: String,
    /// Whose chain it is in.
    pub project: String,
    /// The job it is about.
    pub job: String,
    /// The attempt it is about.
    pub attempt: u32,
    /// When it was appended: RFC 3339 in UTC with milliseconds.
    pub at: String,
    /// What it tells of.
    pub kind: Kind,
    /// What it says.
    pub payload: Payload,
    /// Digest of the row before; 64 zeros for the first.
    pub previous: String,
    /// Digest of this row.
    pub digest: String,
}

#[cfg(test)]
mod tests;
