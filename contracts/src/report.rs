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
    /// Where the score comes from; null without `--explain`.
    pub explanation: Option<Explanation>,
}

/// Where the score of a section and of its skill comes from. Scores are in thousandths: 1000 is what words, forms and pairs
/// are worth in the skill that they fit best.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// Place of the skill among all, from 1.
    pub rank: u64,
    /// Score of the skill: `fields`, `siblings`, `best_section` and `signals` added up.
    pub skill_score: i64,
    /// What words, forms and pairs in the skill's fields are worth.
    pub fields: i64,
    /// What the skills of its plugin are worth.
    pub siblings: i64,
    /// What the skill's best section is worth.
    pub best_section: i64,
    /// What the circumstances are worth.
    pub signals: i64,
    /// The plugin whose skills count as siblings.
    pub siblings_plugin: String,
    /// How many skills that plugin has.
    pub siblings_skills: u64,
    /// Identity of the best section; null where no section holds a word.
    pub best_section_id: Option<String>,
    /// Every summand of the skill's score but the siblings, those with most points first. Words, forms and pairs add up to
    /// `fields`, those of the best section to `best_section`, signals to `signals`.
    pub rows: Vec<ExplanationRow>,
    /// Score of this section by itself, in thousandths of nats. The hit's score is this, times the score of its skill,
    /// divided by that of the best skill.
    pub section_score: i64,
    /// The summands of that score, those with most points first.
    pub section_rows: Vec<ExplanationRow>,
}

/// One summand of a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplanationRow {
    /// What it is about.
    pub kind: ExplanationKind,
    /// The index term: a stem, the form of a word, or the two stems of a pair.
    pub terms: Vec<String>,
    /// For each term the words of the query that led to it.
    pub words: Vec<Vec<String>>,
    /// How many skills hold it; how many sections, where it is about a section; extrapolated for a pair.
    pub holders: u64,
    /// Inverse document frequency, in thousandths of nats.
    pub idf: i64,
    /// How much of the weight is earned, by field and frequency, in thousandths.
    pub gain: i64,
    /// What it adds to the score, in thousandths.
    pub points: i64,
    /// The fields that hold it; their points add up to those of the row.
    pub fields: Vec<ExplanationField>,
}

/// What a summand is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExplanationKind {
    /// A word in any of its forms, in a field of the skill.
    Word,
    /// A word in the form in which it was asked for, in a field of the skill.
    Form,
    /// Two words that stand near each other in a field of the skill.
    Pair,
    /// A word in a section.
    Section,
    /// A word of the circumstances in a field of the skill.
    Signal,
}

/// What one field adds to a summand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplanationField {
    /// `name`, `plugin`, `description`, `tags`, `headings` or `body` of a skill; `heading` or `text` of a section.
    pub field: String,
    /// How often it stands there, times the weight of the field, divided by the field's length relative to the average, in
    /// thousandths.
    pub frequency: i64,
    /// Its share of the points.
    pub points: i64,
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
