//! What `markers explain --json` and `markers orphans --json` print.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most that a reader shows of a marker, in bytes: reason and guidance together.
pub const SHOWN_MAX_BYTES: u64 = 1024;

/// Whether a path may be read, and which marker says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Explanation {
    /// Version of the contract's major: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// The path that was asked about, as it was given.
    pub path: String,
    /// Whether an agent may read it.
    pub readable: bool,
    /// The marker that decides; null where there is none.
    pub marker: Option<DecidingMarker>,
    /// Markers that change nothing beside that one, outermost first, relative to the project.
    pub shadowed: Vec<String>,
}

/// The outermost marker on the way to a path, given or real.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecidingMarker {
    /// The marker, relative to the project.
    pub path: String,
    /// What is in it.
    pub content: MarkerContent,
    /// The sentence that tells a reader why it gets nothing.
    pub reason: String,
    /// Bytes of the reason and, behind a line break, the guidance.
    pub shown_bytes: u64,
    /// Whether that is more than the 1,024 bytes that a reader shows, so that the end of the guidance is cut.
    pub exceeds_limit: bool,
}

/// What is in a marker. Whatever it is, it excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MarkerContent {
    /// Guidance.
    Guidance,
    /// Nothing.
    Empty,
    /// Something that can not be shown: no UTF-8, more than any guidance, no regular file, or not readable.
    Broken,
}

/// The markers in a project that its manifest does not name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Orphans {
    /// Version of the contract's major: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Each of them, relative to the project, in byte order.
    pub orphans: Vec<String>,
}
