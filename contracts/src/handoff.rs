//! What `handoff` reads and writes: the configuration of pipelines, the state of one, and the report of a command.

pub mod config;
pub mod name;
pub mod report;
pub mod state;
pub mod threshold;

use semver::Version;

/// The `pipeline-config.json` that `handoff` reads.
pub const PIPELINE_CONFIG: Version = Version::new(1, 0, 0);
/// The `pipeline-state-PROJECT.json` that `handoff` keeps.
pub const PIPELINE_STATE: Version = Version::new(1, 0, 0);
/// What every `handoff` command prints with `--json`.
pub const HANDOFF_REPORT: Version = Version::new(1, 1, 0);
