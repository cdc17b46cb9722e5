//! What `materialize` writes and prints: the sidecar `context.json`, the plan of a dry run, and the state passed
//! forward.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Write `context.md`.
    Materialize,
    /// Write which links are broken or have drifted.
    DetectStale,
    /// Print what would be written.
    DryRun,
}

impl Mode {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Materialize, Self::DetectStale, Self::DryRun];

    /// Its name on the command line and in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Materialize => "materialize",
            Self::DetectStale => "detect-stale",
            Self::DryRun => "dry-run",
        }
    }
}

/// Who reads the result: the preset of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Consumer {
    /// Tight.
    Reviewer,
    /// Generous.
    Author,
    /// Summaries only.
    Brief,
    /// Nothing is cut.
    Full,
}

impl Consumer {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Reviewer, Self::Author, Self::Brief, Self::Full];

    /// Its name on the command line and in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Author => "author",
            Self::Brief => "brief",
            Self::Full => "full",
        }
    }

    /// Tokens of the whole file at most; `None` for no ceiling. The presets of the original skill: 8k, 32k, 2k and
    /// none.
    #[must_use]
    pub fn ceiling(self) -> Option<u64> {
        match self {
            Self::Reviewer => Some(8_000),
            Self::Author => Some(32_000),
            Self::Brief => Some(2_000),
            Self::Full => None,
        }
    }
}

/// How much of a linked document stands in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// All of it.
    Full,
    /// Up to the second heading of level 2, and the table of contents.
    FirstSectionToc,
    /// The title and the first paragraph.
    TitleFirstPara,
    /// The beginning.
    Head,
    /// The title and a short excerpt.
    TitleExcerpt,
    /// A long excerpt.
    Excerpt,
    /// The title and the beginning.
    TitleHead,
    /// The title.
    TitleOnly,
}

impl Cut {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Full,
        Self::FirstSectionToc,
        Self::TitleFirstPara,
        Self::Head,
        Self::TitleExcerpt,
        Self::Excerpt,
        Self::TitleHead,
        Self::TitleOnly,
    ];

    /// Its name for people, in the words of the role table.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::FirstSectionToc => "first-section + TOC",
            Self::TitleFirstPara => "title + first-para",
            Self::Head => "head",
            Self::TitleExcerpt => "title + excerpt",
            Self::Excerpt => "excerpt",
            Self::TitleHead => "title + head",
            Self::TitleOnly => "title only",
        }
    }
}

/// What became of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RefStatus {
    /// Its content is there.
    Resolved,
    /// It is not; `reason` says why.
    Unresolved,
}

/// How many links there are, after the filter by roles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// All.
    pub total: u64,
    /// Those whose content is there.
    pub resolved: u64,
    /// The others.
    pub unresolved: u64,
    /// Resolved ones of which only a part stands in the result.
    pub trimmed: u64,
}

/// `context.json`: what stands in `context.md`, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextManifest {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Version of this contract, `major.minor.patch`.
    pub contract_version: String,
    /// The artifact, relative to its brain.
    pub artifact: String,
    /// Name of the artifact.
    pub artifact_id: String,
    /// Alias of its project.
    pub primary_project: String,
    /// RFC 3339, UTC.
    pub generated_at: String,
    /// Preset of the budget.
    pub consumer: Consumer,
    /// The roles that were asked for; empty for all.
    pub roles: Vec<String>,
    /// Tokens of the whole file at most; null for no ceiling.
    pub max_tokens: Option<u64>,
    /// What tokens are counted by.
    pub tokenizer: String,
    /// Tokens of `context.md`, its number fields left empty.
    pub token_estimate: u64,
    /// Links.
    pub refs_total: u64,
    /// Those whose content is there.
    pub refs_resolved: u64,
    /// The others.
    pub refs_unresolved: u64,
    /// Resolved ones of which only a part stands in `context.md`.
    pub refs_trimmed: u64,
    /// Whether the ceiling forced a trim.
    pub ceiling_hit: bool,
    /// Every link, in the order of the artifact.
    pub refs: Vec<ContextRef>,
    /// One sentence each.
    pub warnings: Vec<String>,
}

/// One link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextRef {
    /// The link as the artifact has it; a web link with user and password as the address that is asked for, without them.
    pub uri: String,
    /// Its role as the artifact has it; null for none.
    pub role: Option<String>,
    /// When its bytes were fetched, RFC 3339, UTC; null for an unresolved one.
    pub resolved_at: Option<String>,
    /// Whether its content is there.
    pub status: RefStatus,
    /// Bytes of the whole document.
    pub bytes: u64,
    /// Tokens of what stands in `context.md`.
    pub token_estimate: u64,
    /// What is left of the document; null for all of it.
    pub trim_applied: Option<Cut>,
    /// Where it was found: a path relative to its root, or a URL; null for an unresolved one.
    pub source: Option<String>,
    /// Why it is unresolved; null for a resolved one.
    pub reason: Option<String>,
    /// Imitated markers that were made harmless.
    pub neutralised: u64,
    /// Shapes of secrets in the document.
    pub secrets: u64,
    /// Invisible characters in the document.
    pub hidden_characters: u64,
}

/// One line of the plan that a dry run prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanEntry {
    /// The link as the artifact has it; a web link with user and password as the address that is asked for, without them.
    pub uri: String,
    /// Its role as the artifact has it; null for none.
    pub role: Option<String>,
    /// Where it was found; null for an unresolved one.
    pub target: Option<String>,
    /// What would be left of it; null for an unresolved one.
    pub budget: Option<Cut>,
    /// Tokens of that.
    pub estimated_tokens: u64,
    /// Why it is unresolved; null for a resolved one.
    pub reason: Option<String>,
}

/// A link that is broken or has drifted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaleRef {
    /// The link as the artifact has it; a web link with user and password as the address that is asked for, without them.
    pub uri: String,
    /// Its role as the artifact has it; null for none.
    pub role: Option<String>,
    /// Why it is stale.
    pub reason: String,
}

/// The state that a run passes forward to its caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterializeReport {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// What the run was for.
    pub mode: Mode,
    /// Absolute path of `context.md`; null where none was written.
    pub context_path: Option<String>,
    /// Absolute path of `context.json`; null where none was written.
    pub context_json_path: Option<String>,
    /// Absolute path of `stale-refs.md`; null where none was written.
    pub stale_refs_path: Option<String>,
    /// Links.
    pub refs_total: u64,
    /// Those whose content is there.
    pub refs_resolved: u64,
    /// The others.
    pub refs_unresolved: u64,
    /// Resolved ones of which only a part stands in `context.md`.
    pub refs_trimmed: u64,
    /// Tokens of `context.md`, its number fields left empty.
    pub token_estimate: u64,
    /// Links that failed or have drifted.
    pub stale_refs: Vec<StaleRef>,
    /// Whether the ceiling forced a trim.
    pub ceiling_hit: bool,
    /// One sentence each.
    pub warnings: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_documents() {
        for consumer in Consumer::ALL {
            let written = serde_json::to_value(consumer).expect("an enum is JSON");
            assert_eq!(written, consumer.name());
        }
        for mode in Mode::ALL {
            let written = serde_json::to_value(mode).expect("an enum is JSON");
            assert_eq!(written, mode.name());
        }
    }

    #[test]
    fn every_cut_has_a_name_of_its_own() {
        let mut labels: Vec<_> = Cut::ALL.map(Cut::label).into();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), Cut::ALL.len());
    }
}
