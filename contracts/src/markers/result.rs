//! What `markers apply`, `check` and `generate` print: one object on one line, whatever happened.
//!
//! It names what was done and where. The text of a marker or of guidance, the output of a generator and paths outside the
//! project are never in it.

use super::VERSION;
use crate::exit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MarkersResult {
    /// Version of the contract's major: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// What was asked for; null where the command line names no such operation.
    pub operation: Option<Operation>,
    /// How it ended.
    pub status: Status,
    /// What became of each marker, in the order of the manifest; empty where the call was refused.
    pub markers: Vec<MarkerState>,
    /// How the generator ended; absent where none was to run yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GeneratorState")]
    pub generator: Option<GeneratorState>,
    /// Whether a `generate` that did not come to its end has left its journal, and nothing has mended it since.
    pub interrupted_generate: bool,
    /// Why the status is not `ok`, where the other keys do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MarkersError")]
    pub error: Option<MarkersError>,
}

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Operation {
    /// Bring markers up to date.
    Apply,
    /// Say whether they are, and change nothing.
    Check,
    /// Run the generator between two `apply` of the same plan.
    Generate,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// Every marker is as the manifest says.
    Ok,
    /// A marker is missing or outdated, or a `generate` was interrupted.
    CheckFailed,
    /// The generator failed; the markers are restored.
    GeneratorFailed,
    /// The call was cancelled; the markers are restored.
    Cancelled,
    /// A marker could not be written or restored. Whatever else went wrong or well, this counts.
    MaintenanceFailed,
    /// The call, the manifest or a path is not acceptable, or another call is at work. Nothing was changed.
    Invalid,
}

/// What became of one marker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkerState {
    /// The output directory, as the manifest names it.
    pub directory: String,
    /// The marker, relative to the project.
    pub path: String,
    /// What became of it.
    pub status: MarkerStatus,
}

/// What became of a marker, or in `check` and after a failure how it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MarkerStatus {
    /// It was not there, and is now.
    Created,
    /// It had another text.
    Updated,
    /// It was and is right.
    Unchanged,
    /// It is not there.
    Missing,
    /// It has another text.
    Outdated,
    /// The generator removed or changed it, and it is right again.
    Restored,
    /// It could not be written, or is not right in the end.
    Failed,
}

/// How the generator ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GeneratorState {
    /// In one word.
    pub status: GeneratorStatus,
    /// Its exit code; null where it has none, since it did not start, was ended, or died by a signal.
    pub exit_code: Option<i32>,
}

/// How the generator ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GeneratorStatus {
    /// Exit code 0.
    Ok,
    /// Another exit code, or a signal.
    Failed,
    /// It could not be started.
    SpawnFailed,
    /// It took longer than `timeoutMs`.
    TimedOut,
    /// It wrote more than `maxOutputBytes`.
    OutputLimit,
    /// The call was cancelled, before or while it ran.
    Cancelled,
}

/// Why a call did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkersError {
    /// Stable name of the fault, in `snake_case`.
    pub code: String,
    /// What is wrong, where, and what to do about it: a lowercase fragment without final period.
    pub message: String,
    /// The file or folder that it is about, relative to the project; null where there is none inside.
    pub path: Option<String>,
}

impl MarkersResult {
    /// A call that was refused: nothing was changed.
    #[must_use]
    pub fn refused(operation: Option<Operation>, error: MarkersError) -> Self {
        Self {
            version: VERSION,
            operation,
            status: Status::Invalid,
            markers: Vec::new(),
            generator: None,
            interrupted_generate: false,
            error: Some(error),
        }
    }

    /// The code with which the process ends: 0 success; 1 failed check, generator or restore; 2 refused, or failed before a
    /// generator was to run.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self.status {
            Status::Ok => exit::DONE,
            Status::CheckFailed | Status::GeneratorFailed | Status::Cancelled => exit::FAILED,
            Status::MaintenanceFailed if self.generator.is_some() => exit::FAILED,
            Status::MaintenanceFailed | Status::Invalid => exit::STRUCTURED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_follows_from_the_result() {
        let error = MarkersError {
            code: "x".to_owned(),
            message: "x".to_owned(),
            path: None,
        };
        let mut result = MarkersResult::refused(None, error);
        let mut code = |status, ran: bool| {
            result.status = status;
            result.generator = ran.then_some(GeneratorState {
                status: GeneratorStatus::Ok,
                exit_code: Some(0),
            });
            result.exit_code()
        };
        assert_eq!(code(Status::Ok, false), 0);
        assert_eq!(code(Status::CheckFailed, false), 1);
        assert_eq!(code(Status::GeneratorFailed, true), 1);
        assert_eq!(code(Status::Cancelled, true), 1);
        assert_eq!(code(Status::MaintenanceFailed, true), 1);
        assert_eq!(code(Status::MaintenanceFailed, false), 2);
        assert_eq!(code(Status::Invalid, false), 2);
    }
}
