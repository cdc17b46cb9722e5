//! The compiler's version and the version of each contract it speaks.
//!
//! A contract's major number changes when an old reader would misread a new document, or meet a word that it does not
//! know in a field that has a list of them; its minor number when a field is added. A reader accepts any minor of its
//! own major and refuses other majors.

use crate::handoff;
use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name of the compiler, as manifests carry it.
pub const COMPILER_NAME: &str = "vibey-context";
/// Version of the compiler: the version of this workspace.
pub const COMPILER_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The request that `packet` reads.
pub const REQUEST: Version = Version::new(1, 0, 0);
/// The manifest that `packet` writes where no project file took part, and all that a reader has to know of it.
pub const PACKET_MANIFEST: Version = Version::new(1, 0, 0);
/// The manifest that `packet` writes where a project file took part: it has one key more, `project_file`.
pub const PACKET_MANIFEST_PROJECT_FILE: Version = Version::new(1, 1, 0);
/// The `manifest.json` of an index.
pub const INDEX_MANIFEST: Version = Version::new(1, 0, 0);
/// What `index --json` and `index inspect --json` print.
pub const INDEX_REPORT: Version = Version::new(1, 0, 0);
/// What `list --json` prints.
pub const LIST: Version = Version::new(1, 0, 0);
/// What `contract --json` prints.
pub const CONTRACT_REPORT: Version = Version::new(1, 0, 0);
/// The report of `check --json`.
pub const CHECK_REPORT: Version = Version::new(1, 0, 0);
/// The rows of `search --json`.
pub const SEARCH_RESULT: Version = Version::new(1, 1, 0);
/// What `evaluate --json` prints and `evaluate --baseline` reads.
pub const EVALUATION: Version = Version::new(1, 1, 0);
/// The manifest that `markers` reads.
pub const MARKERS_MANIFEST: Version = Version::new(1, 0, 0);
/// What `markers apply`, `check` and `generate` print.
pub const MARKERS_RESULT: Version = Version::new(1, 0, 0);
/// What `markers explain --json` prints.
pub const MARKERS_EXPLANATION: Version = Version::new(1, 0, 0);
/// What `markers orphans --json` prints.
pub const MARKERS_ORPHANS: Version = Version::new(1, 0, 0);
/// The `context.json` of `materialize`.
pub const CONTEXT_MANIFEST: Version = Version::new(1, 0, 0);
/// What `materialize --dry-run --json` prints.
pub const MATERIALIZE_PLAN: Version = Version::new(1, 0, 0);
/// What `materialize --json` prints.
pub const MATERIALIZE_REPORT: Version = Version::new(1, 0, 0);
/// What `doctor --json` prints.
pub const DOCTOR_REPORT: Version = Version::new(1, 0, 0);
/// What `clean --json` prints.
pub const CLEAN_REPORT: Version = Version::new(1, 0, 0);
/// The error object of every command with `--json`.
pub const ERROR: Version = Version::new(1, 0, 0);

/// Version of the files inside an index generation. Any change of layout or of the text analysis raises it;
/// an older index is rebuilt, a newer one refused.
pub const INDEX_FORMAT: u32 = 4;

/// `schema_version` of every version-1 JSON document.
pub const SCHEMA_VERSION: u32 = 1;

/// What `contract --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContractReport {
    /// The compiler.
    pub compiler: Compiler,
    /// Contract name to version (`major.minor.patch`).
    pub contracts: BTreeMap<String, String>,
    /// Version of the files inside an index.
    pub index_format: u32,
}

/// The compiler, as manifests carry it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Compiler {
    /// Always `vibey-context`.
    pub name: String,
    /// `major.minor.patch`.
    pub version: String,
}

impl Compiler {
    /// This compiler.
    #[must_use]
    pub fn current() -> Self {
        Self {
            name: COMPILER_NAME.to_owned(),
            version: COMPILER_VERSION.to_owned(),
        }
    }
}

impl ContractReport {
    /// What this compiler speaks.
    #[must_use]
    pub fn current() -> Self {
        let contracts = [
            ("request", REQUEST),
            ("packet_manifest", PACKET_MANIFEST_PROJECT_FILE),
            ("index_manifest", INDEX_MANIFEST),
            ("index_report", INDEX_REPORT),
            ("list", LIST),
            ("contract_report", CONTRACT_REPORT),
            ("check_report", CHECK_REPORT),
            ("search_result", SEARCH_RESULT),
            ("evaluation", EVALUATION),
            ("markers_manifest", MARKERS_MANIFEST),
            ("markers_result", MARKERS_RESULT),
            ("markers_explanation", MARKERS_EXPLANATION),
            ("markers_orphans", MARKERS_ORPHANS),
            ("context_manifest", CONTEXT_MANIFEST),
            ("materialize_plan", MATERIALIZE_PLAN),
            ("materialize_report", MATERIALIZE_REPORT),
            ("doctor_report", DOCTOR_REPORT),
            ("clean_report", CLEAN_REPORT),
            ("error", ERROR),
            ("pipeline_config", handoff::PIPELINE_CONFIG),
            ("pipeline_state", handoff::PIPELINE_STATE),
            ("handoff_report", handoff::HANDOFF_REPORT),
        ];
        Self {
            compiler: Compiler::current(),
            contracts: contracts
                .map(|(name, version)| (name.to_owned(), version.to_string()))
                .into(),
            index_format: INDEX_FORMAT,
        }
    }
}

/// Whether a document of version `theirs` can be read by a reader of version `ours`.
#[must_use]
pub fn speaks(ours: &Version, theirs: &Version) -> bool {
    ours.major == theirs.major
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_takes_any_minor_of_its_major() {
        let ours = Version::new(1, 2, 0);
        assert!(speaks(&ours, &Version::new(1, 9, 3)));
        assert!(speaks(&ours, &Version::new(1, 0, 0)));
        assert!(!speaks(&ours, &Version::new(2, 0, 0)));
    }

    #[test]
    fn the_compiler_version_is_semver() {
        assert!(Version::parse(COMPILER_VERSION).is_ok());
    }
}
