//! What a `handoff` command did: the facts of the text that it prints, for programs.

use crate::handoff::state::{Confidence, OverallStatus, Position, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a command did. Every key is always present.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandoffReport {
    /// Always 1.
    pub schema_version: u32,
    /// The command.
    pub command: Command,
    /// How it ended.
    pub outcome: Outcome,
    /// Name of the project.
    pub project_name: String,
    /// Type of the pipeline.
    pub pipeline_type: String,
    /// UUID of the pipeline; `null` where there is no state.
    pub pipeline_id: Option<String>,
    /// The phase that hands over.
    pub source_phase: Option<String>,
    /// The phase that takes over.
    pub target_phase: Option<String>,
    /// Where the pipeline stands now.
    pub position: Option<Place>,
    /// How it stands as a whole.
    pub overall_status: Option<OverallStatus>,
    /// The phases.
    pub phases: Vec<PhaseLine>,
    /// Size of the brief.
    pub budget: Option<Budget>,
    /// The brief that was written; of `status`, that of the current position.
    pub brief_path: Option<String>,
    /// The dashboard that was written; of `status`, the one that there is.
    pub dashboard_path: Option<String>,
    /// The state file, where it was written; of `status`, the one that was read.
    pub state_path: Option<String>,
    /// Why the artifacts are not good enough.
    pub failures: Vec<String>,
    /// Where they may lie.
    pub failed_paths: Vec<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// What was inferred, where the state was reconstructed.
    pub reconstruction: Option<Reconstruction>,
    /// Of `validate`: the files that were judged.
    pub judged: Vec<JudgedFile>,
    /// The command that comes next, as it may be typed in the project's folder; `null` where nothing is left to do or there is
    /// no state.
    pub next_command: Option<String>,
}

/// A file that was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgedFile {
    /// Where it lies, relative to the project.
    pub path: String,
    /// Name of its rule; `null` where it has none and needs no more than to hold something.
    pub rule: Option<String>,
    /// What the rule requires, in words.
    pub requires: Vec<String>,
    /// Whether it is good enough.
    pub is_valid: bool,
}

/// A `handoff` command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// From one phase to another.
    Transition,
    /// On from where a pipeline stands.
    Resume,
    /// The brief again.
    Refresh,
    /// Back to a phase.
    Restart,
    /// The artifacts alone.
    Validate,
    /// The last phase is done.
    Finish,
    /// On hold.
    Pause,
    /// Where a pipeline stands.
    Status,
    /// The dashboard again.
    Dashboard,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did what it was asked.
    Done,
    /// The artifacts failed their validation.
    ValidationFailed,
}

/// Where a pipeline stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Number of the phase, from 1.
    #[schemars(range(min = 1))]
    pub phase_number: u32,
    /// Name of the phase.
    pub phase_name: String,
    /// Number of the step in it, where it has steps.
    pub step_number: Option<u32>,
    /// Name of the step.
    pub step_name: Option<String>,
}

impl From<&Position> for Place {
    fn from(position: &Position) -> Self {
        Self {
            phase_number: position.phase_number,
            phase_name: position.phase_name.clone(),
            step_number: position.step_number,
            step_name: position.step_name.clone(),
        }
    }
}

/// A phase, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseLine {
    /// Number, from 1.
    #[schemars(range(min = 1))]
    pub phase_number: u32,
    /// Name.
    pub phase_name: String,
    /// How it stands.
    pub status: Status,
    /// Artifacts that are recorded.
    pub artifacts: u64,
    /// Why it can not be left.
    pub blockers: Vec<String>,
    /// Its steps: the user stories.
    pub steps: Vec<StepLine>,
}

/// A step of a phase, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepLine {
    /// Number of the story.
    pub step_number: u32,
    /// Title of the story.
    pub step_name: String,
    /// How it stands.
    pub status: Status,
}

/// Size of a brief against the window of its reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// What tokens were counted by; `null` in `status`: a brief does not say it.
    pub tokenizer: Option<String>,
    /// Tokens of the brief.
    pub tokens: u64,
    /// Tokens that it would have without compression.
    pub raw_tokens: u64,
    /// Tokens from which on it is compressed.
    pub limit: u64,
    /// Tokens of the window.
    #[schemars(range(min = 1))]
    pub window: u64,
    /// Tokens as per cent of the window, to the nearest whole one.
    pub used_percent: u64,
    /// How it fits.
    pub status: BudgetStatus,
}

/// How a brief fits the window of its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetStatus {
    /// At or under the limit as it was.
    Within,
    /// Over the limit, and compressed to it; the uncompressed brief would have fitted the window.
    Pressure,
    /// The uncompressed brief would not have fitted the window, or the compressed one is over the limit.
    Over,
}

impl BudgetStatus {
    /// The status as a brief shows it.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Within => "✅ Within budget",
            Self::Pressure => "⚠️ Context pressure",
            Self::Over => "🔴 Over budget (compressed)",
        }
    }

    /// Every status.
    pub const ALL: [Self; 3] = [Self::Within, Self::Pressure, Self::Over];
}

/// What was inferred from files, where there was no state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reconstruction {
    /// How far it can be trusted.
    pub confidence: Confidence,
    /// Number of the current phase.
    #[schemars(range(min = 1))]
    pub phase_number: u32,
    /// Name of the current phase.
    pub phase_name: String,
    /// Names of the completed phases.
    pub completed_phases: Vec<String>,
    /// Paths of the artifacts that were found.
    pub artifacts_found: Vec<String>,
    /// The state file, which a person may correct.
    pub state_path: String,
}
