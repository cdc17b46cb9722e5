//! Job contract v1: what the conductor is to run.
//!
//! Jobs come from other programs, so reading is tolerant: `null` stands for a missing value, a number for a text where
//! ids are meant, one text for a list of one; keys that nobody reads are named in a warning.

mod read;
mod request;

pub use request::{ERROR_SUMMARY_CHARS, request_of};

use super::event::SkipReason;
use super::id::{JobId, PROJECT_DEFAULT, ProjectId};
use crate::document::{self, DocumentError, Read, Words};
use read::{attempts, detail, object, scalar, text, texts};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The largest job, in bytes: four times the largest request, since a seed prompt may stand in it.
pub const JOB_MAX_BYTES: usize = 4 * 1024 * 1024;
/// The kind of job that gets a packet.
pub const KIND_IMPLEMENT: &str = "implement";

const JOB: Words = Words {
    name: "job",
    unreadable: "job_json",
    invalid: "job_invalid",
    help: "see `contracts/schemas/job.v1.json` for the fields of a job",
    limit: JOB_MAX_BYTES,
};

const ENTRY: Words = Words {
    name: "batch line",
    unreadable: "batch_json",
    invalid: "batch_invalid",
    help: "a line is one object with `job`, `worktree`, `prompt` and `prompt_out`",
    limit: JOB_MAX_BYTES,
};

/// A job.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Job {
    /// Name of the job, which becomes part of file names: ASCII letters, digits, `.`, `_` and `-`, at most 128.
    #[serde(deserialize_with = "read::job_id")]
    #[schemars(with = "read::Scalar")]
    pub id: JobId,
    /// Project whose chain of the ledger the job belongs to.
    #[serde(default = "default_project", deserialize_with = "read::project_id")]
    #[schemars(with = "Option<read::Scalar>")]
    pub project_id: ProjectId,
    /// Cycle of the pipeline.
    #[serde(default, deserialize_with = "scalar")]
    #[schemars(with = "Option<read::Scalar>")]
    pub cycle: String,
    /// Phase of the pipeline, for example `build`.
    #[serde(default, deserialize_with = "scalar")]
    #[schemars(with = "Option<read::Scalar>")]
    pub phase: String,
    /// Kind of job; only `implement` gets a packet.
    pub kind: String,
    /// The work item that the job is for.
    #[serde(default, deserialize_with = "scalar")]
    #[schemars(with = "Option<read::Scalar>")]
    pub work_item_id: String,
    /// Number of this attempt, as the conductor counts; it stands in the ledger as it stands here.
    #[serde(default = "first_attempt", deserialize_with = "attempts")]
    #[schemars(with = "Option<u32>")]
    pub attempts: u32,
    /// What is to be done.
    #[serde(default, deserialize_with = "object")]
    #[schemars(with = "Option<Payload>")]
    pub payload: Payload,
}

/// What is to be done in a job.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Payload {
    /// One line that names the work.
    #[serde(deserialize_with = "text")]
    #[schemars(with = "Option<String>")]
    pub title: String,
    /// What is to be achieved.
    #[serde(deserialize_with = "text")]
    #[schemars(with = "Option<String>")]
    pub objective: String,
    /// What the result must do.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub requirements: Vec<String>,
    /// How the result is judged.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub acceptance_criteria: Vec<String>,
    /// Programming languages.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub languages: Vec<String>,
    /// Libraries and services that the work touches.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub dependencies: Vec<String>,
    /// Folders and files that the work touches.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub paths: Vec<String>,
    /// Files that the work shall change.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub target_files: Vec<String>,
    /// Files that have changed already.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub changed_files: Vec<String>,
    /// Only skills of these plugins.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub required_plugins: Vec<String>,
    /// No skill of these plugins.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub excluded_plugins: Vec<String>,
    /// Only these skills.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub required_skills: Vec<String>,
    /// None of these skills.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub excluded_skills: Vec<String>,
    /// How the result is verified.
    #[serde(deserialize_with = "object")]
    #[schemars(with = "Option<Verification>")]
    pub verification: Verification,
    /// Why an earlier attempt failed its verification: a text, or any JSON.
    #[serde(deserialize_with = "detail")]
    #[schemars(with = "Value")]
    pub repair_detail: Option<Value>,
    /// The whole prompt, written by somebody else: a handoff brief, a repair instruction. It gets no packet.
    #[serde(deserialize_with = "text")]
    #[schemars(with = "Option<String>")]
    pub seed_prompt: String,
}

/// How the result of a job is verified.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Verification {
    /// The commands that have to succeed.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Option<read::Texts>")]
    pub commands: Vec<String>,
}

/// One line of a batch: a job, where it runs, and where its prompts lie.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct BatchEntry {
    /// The job.
    #[serde(deserialize_with = "document::object")]
    pub job: Job,
    /// The worktree in which it runs.
    pub worktree: String,
    /// The file of its prompt.
    pub prompt: String,
    /// The file that gets the final prompt.
    pub prompt_out: String,
}

/// Reads a job.
///
/// # Errors
/// Over 4 MiB, a BOM, invalid UTF-8 or JSON, a missing `id` or `kind`, a repeated field, a wrong type, or an id that is no
/// safe file name; the error names field and place.
pub fn parse(bytes: &[u8]) -> Result<Read<Job>, DocumentError> {
    tolerant(bytes, &JOB)
}

/// Reads one line of a batch.
///
/// # Errors
/// As [`parse`]; field paths start with `job.` there.
pub fn parse_entry(bytes: &[u8]) -> Result<Read<BatchEntry>, DocumentError> {
    tolerant(bytes, &ENTRY)
}

fn tolerant<T: serde::de::DeserializeOwned>(
    bytes: &[u8],
    words: &Words,
) -> Result<Read<T>, DocumentError> {
    let (value, unknown) = document::read(bytes, words)?;
    let warnings = unknown
        .iter()
        .map(|path| format!("unknown field `{path}` of the {} ignored", words.name))
        // As a whole: a path may open what our own words close.
        .map(|warning| crate::redact::redact(&warning).into_owned())
        .collect();
    Ok(Read { value, warnings })
}

impl Job {
    /// Why this job gets no packet, whatever the mode; `None` where it may get one. A seed prompt weighs more than the
    /// kind.
    #[must_use]
    pub fn skip(&self) -> Option<SkipReason> {
        if !self.payload.seed_prompt.is_empty() {
            Some(SkipReason::SeedPrompt)
        } else if self.kind != KIND_IMPLEMENT {
            Some(SkipReason::Kind)
        } else {
            None
        }
    }
}

fn default_project() -> ProjectId {
    ProjectId::new(PROJECT_DEFAULT).expect("the default is a valid id")
}

fn first_attempt() -> u32 {
    1
}

#[cfg(test)]
mod tests;
