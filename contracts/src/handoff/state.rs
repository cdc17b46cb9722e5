//! Where a pipeline stands: `pipeline-state-PROJECT.json`.
//!
//! Keys that this version does not know survive a rewrite, in every object: other programs keep theirs here.

mod read;

pub use read::{StateFault, parse};

use crate::handoff::threshold::Threshold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Keys of an object that this version does not know.
pub type Unknown = BTreeMap<String, Value>;

/// The largest state, in bytes: a hundred times one of 200 phases with ten artifacts each.
pub const STATE_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A pipeline on its way. Times are RFC 3339 in UTC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PipelineState {
    /// UUID of the pipeline.
    pub pipeline_id: String,
    /// Type of the pipeline: the key of its description.
    pub pipeline_type: String,
    /// Name of the project.
    pub project_name: String,
    /// Folder of the project; `~` stands for the user's home.
    pub project_path: String,
    /// When the pipeline began.
    pub started_at: String,
    /// When this state was written.
    pub updated_at: String,
    /// How the pipeline as a whole stands.
    pub overall_status: OverallStatus,
    /// Where it stands.
    pub current_phase: Position,
    /// Every phase, in order.
    #[schemars(length(min = 1))]
    pub phases: Vec<Phase>,
    /// What the phases have found out so far; it only grows.
    pub accumulated_context: Accumulated,
    /// What this pipeline runs under.
    pub config: Settings,
    /// Whether the state was inferred from what lay on disk.
    pub reconstructed: bool,
    /// How far the inference can be trusted.
    pub reconstruction_confidence: Option<Confidence>,
    /// What this version does not know.
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub unknown: Unknown,
}

impl PipelineState {
    /// The text of the file: keys in the order of this type, two blanks per level.
    ///
    /// # Errors
    /// None in practice: every field is JSON.
    pub fn pretty(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// How a pipeline as a whole stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OverallStatus {
    /// A phase is being worked on.
    InProgress,
    /// Finished.
    Completed,
    /// Artifacts of the current phase failed their validation.
    Blocked,
    /// Paused by a person.
    OnHold,
}

impl OverallStatus {
    /// The status as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "in-progress",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::OnHold => "on-hold",
        }
    }
}

/// Where a pipeline stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// Number of the phase, from 1.
    #[schemars(range(min = 1))]
    pub phase_number: u32,
    /// Name of the phase.
    pub phase_name: String,
    /// Number of the step in it, where it has steps.
    pub step_number: Option<u32>,
    /// Name of the step.
    pub step_name: Option<String>,
    /// What this version does not know.
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub unknown: Unknown,
}

/// A phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// Its number, from 1.
    #[schemars(range(min = 1))]
    pub phase_number: u32,
    /// Its name.
    pub phase_name: String,
    /// Its name for people.
    pub display_name: String,
    /// How it stands.
    pub status: Status,
    /// When it began, the last time.
    pub started_at: Option<String>,
    /// When it was completed, the last time.
    pub completed_at: Option<String>,
    /// What it was about, in a sentence or two of its artifact.
    pub summary: Option<String>,
    /// What it has produced, as it was when it was completed.
    pub artifacts: Vec<Artifact>,
    /// The brief for its agent.
    pub context_brief_path: Option<String>,
    /// Why it can not be left.
    pub blockers: Vec<String>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// What this version does not know.
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub unknown: Unknown,
}

/// How a phase or step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
    /// Its artifacts failed their validation.
    Blocked,
    /// Passed over.
    Skipped,
}

impl Status {
    /// The status as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in-progress",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Skipped => "skipped",
        }
    }
}

/// A file that a phase has produced, as it was when the phase was completed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// Where it lies, relative to the project.
    pub path: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// When it was last changed.
    pub last_modified: String,
    /// SHA-256 of its bytes; a state of another program has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What this version does not know.
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub unknown: Unknown,
}

/// A step of a phase: a user story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Number of the story.
    pub step_number: u32,
    /// Title of the story.
    pub step_name: String,
    /// How it stands.
    pub status: Status,
    /// When it began.
    pub started_at: Option<String>,
    /// When it was completed.
    pub completed_at: Option<String>,
    /// What it was about.
    pub summary: Option<String>,
    /// What this version does not know.
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub unknown: Unknown,
}

/// What the phases have found out so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accumulated {
    /// Decisions, in the words of the artifacts.
    pub key_decisions: Vec<String>,
    /// Files that phases have produced.
    pub artifacts_created: Vec<Created>,
    /// Files that were changed.
    pub files_modified: Vec<String>,
    /// Results of tests, by phase; what is not a list of texts is another program's.
    pub test_results: BTreeMap<String, Value>,
    /// Where the work deviates from what was specified.
    pub deviations: Vec<String>,
    /// What this version does not know.
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub unknown: Unknown,
}

/// A file that a phase has produced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Created {
    /// Where it lies, relative to the project.
    pub path: String,
    /// Name of the phase.
    pub phase: String,
    /// When the phase was completed.
    pub timestamp: String,
    /// What this version does not know.
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub unknown: Unknown,
}

/// What a pipeline runs under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Context window of the receiving model, in tokens.
    #[schemars(range(min = 1))]
    pub context_window: u64,
    /// Part of the window from which on a brief is compressed.
    pub compression_threshold: Threshold,
    /// Whether artifacts of completed phases are compared with what they were.
    pub enable_drift_detection: bool,
    /// Whether a dashboard is written.
    pub enable_dashboard: bool,
    /// What this version does not know.
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub unknown: Unknown,
}

/// How far an inferred state can be trusted.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Much is missing, or it fits several pipelines.
    Low,
    /// Something is missing, or times are out of order.
    Medium,
    /// Everything is there, in order.
    High,
}

impl Confidence {
    /// The level as a report shows it.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Low => "LOW",
            Self::Medium => "MEDIUM",
            Self::High => "HIGH",
        }
    }
}
