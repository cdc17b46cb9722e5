//! What the conductor reads and writes: its jobs, a project's configuration, and the rows of the ledger.
//!
//! The conductor is another program than the compiler and has a version of its own: the numbers below are not in the
//! compiler's `contract --json`.

pub mod config;
pub mod event;
pub mod id;
pub mod job;
pub mod money;
pub mod report;
pub mod verdict;

use semver::Version;

/// The job that `implement` and `run` read.
pub const JOB: Version = Version::new(1, 0, 0);
/// The keys of `project.json` that are ours.
pub const PROJECT_CONFIG: Version = Version::new(1, 0, 0);
/// A row of the ledger, as `ledger show --json` and `ledger export` print it.
pub const LEDGER_EVENT: Version = Version::new(1, 0, 0);
/// What `ledger verify --json` prints.
pub const LEDGER_VERDICT: Version = Version::new(1, 0, 0);
/// What `report --json` prints.
pub const SHADOW_REPORT: Version = Version::new(1, 0, 0);
