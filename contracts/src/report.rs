//! What `check --json`, `search --json` and `list --json` print.

use crate::diagnostic::Diagnostic;
use crate::index::{SkillEntry, SkillSummary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `check --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckReport {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// What was found.
    pub summary: SkillSummary,
    /// Every diagnostic, by path, line and column.
    pub diagnostics: Vec<Diagnostic>,
}

/// One row of `search --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchHit {
    /// Identity of the section.
    pub id: String,
    /// Plugin of the skill.
    pub plugin: String,
    /// Name of the skill.
    pub skill: String,
    /// Headings from the document's title to the section.
    pub heading_path: Vec<String>,
    /// File of the skill, relative to its root.
    pub source_path: String,
    /// First line in that file, from 1.
    pub line_start: u32,
    /// Last line in that file.
    pub line_end: u32,
    /// How well the section matches, in thousandths.
    pub score: i64,
    /// Why: `word:field` for each word that matched.
    pub reasons: Vec<String>,
}

/// One plugin of `list --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginEntry {
    /// Name of the plugin.
    pub plugin: String,
    /// Its skills, by name.
    pub skills: Vec<SkillEntry>,
}
