//! The one shape in which every command reports a failure with `--json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands on standard output when a command with `--json` fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorReport {
    /// The failure.
    pub error: ErrorBody,
}

/// A failure: what, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorBody {
    /// Stable name of the kind of failure, in `snake_case`.
    pub code: String,
    /// One sentence, a lowercase fragment without final period.
    pub message: String,
    /// The file or folder that it is about.
    pub path: Option<String>,
    /// Line in that file, from 1.
    pub line: Option<u32>,
    /// Column in Unicode scalar values, from 1.
    pub column: Option<u32>,
    /// What to do about it.
    pub help: Option<String>,
}
