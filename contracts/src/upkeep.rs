//! What `doctor --json` and `clean --json` print.

use crate::version::Compiler;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `doctor --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoctorReport {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// This compiler.
    pub compiler: Compiler,
    /// Commit that it was built of; `null` in a build for development.
    pub commit: Option<String>,
    /// How many checks ended in which way.
    pub summary: DoctorSummary,
    /// Every check, by topic in the order of the topics.
    pub checks: Vec<Check>,
}

/// How many checks ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoctorSummary {
    /// Nothing to do.
    pub ok: u64,
    /// Something that works, and not as one would expect.
    pub warnings: u64,
    /// Something that does not work.
    pub problems: u64,
}

impl DoctorSummary {
    /// Counts checks.
    #[must_use]
    pub fn of(checks: &[Check]) -> Self {
        let count =
            |state: State| checks.iter().filter(|check| check.state == state).count() as u64;
        Self {
            ok: count(State::Ok),
            warnings: count(State::Warning),
            problems: count(State::Problem),
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What it is about.
    pub topic: Topic,
    /// How it is.
    pub state: State,
    /// What was found, as a lowercase fragment.
    pub message: String,
    /// What to do about it; `null` exactly where there is nothing to do.
    pub help: Option<String>,
    /// The file or folder that it is about.
    pub path: Option<String>,
    /// Bytes of what lies there, where it was measured.
    pub size_bytes: Option<u64>,
    /// How many there are: skills of a root, answers and results of a cache, indexes.
    pub count: Option<u64>,
    /// Seconds since the last change of what lies there, of the oldest where there are several.
    pub age_seconds: Option<u64>,
}

/// What a check is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// The program itself.
    Program,
    /// The project file.
    ProjectFile,
    /// Skill roots.
    Skills,
    /// The index of these skills.
    Index,
    /// Its lock.
    Lock,
    /// The file systems that they lie on.
    FileSystem,
    /// Caches.
    Cache,
    /// The other program.
    Conductor,
}

/// How something is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it should be.
    Ok,
    /// It works, and not as one would expect.
    Warning,
    /// It does not work.
    Problem,
}

/// What `clean --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CleanReport {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Whether nothing was removed because of `--dry-run`.
    pub dry_run: bool,
    /// `--older-than`, in days.
    pub older_than_days: u64,
    /// Bytes of what was removed, or would have been.
    pub freed_bytes: u64,
    /// Everything that was found and is left over, by kind and path.
    pub entries: Vec<CleanEntry>,
}

/// Something that was found and is left over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CleanEntry {
    /// What it is.
    pub kind: CleanKind,
    /// Where it lies.
    pub path: String,
    /// Its bytes.
    pub size_bytes: u64,
    /// Seconds since it was changed last, or since nobody needs it; 0 where that lies in the future.
    pub age_seconds: u64,
    /// What became of it.
    pub outcome: CleanOutcome,
    /// Why it is still there; `null` where it is not, or would not be.
    pub reason: Option<String>,
}

/// What something is that is left over.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CleanKind {
    /// A file or folder that a killed run has left.
    Scratch,
    /// A generation of an index that is no longer the current one.
    Generation,
    /// An index at a default place that has not changed for long, and that this command line does not mean.
    Index,
    /// A result of `materialize` in its default place.
    Result,
    /// An answer of a server that `materialize` has kept.
    Answer,
}

/// What became of it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CleanOutcome {
    /// It is gone.
    Removed,
    /// It would be gone without `--dry-run`.
    WouldRemove,
    /// It is kept on purpose.
    Kept,
    /// It could not be removed.
    Failed,
}
