//! Packet manifest v1: what went into a packet, what did not, and why.
//!
//! Every key is always present; `null` or empty where it does not apply. Nothing in it depends on the clock, the
//! machine, or the folder in which the compiler ran.

use crate::version::{Compiler, PACKET_MANIFEST_PROJECT_FILE};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name of the token estimate, as it stands in manifests.
pub const ESTIMATOR: &str = "utf8-bytes/4";

/// UTF-8 bytes that the estimate counts as one token: the usual rule of thumb for English prose, where a byte is a
/// character.
pub const BYTES_PER_TOKEN: u64 = 4;

/// The estimated tokens of a text of `n` UTF-8 bytes, rounded up.
#[must_use]
pub fn estimate_bytes(n: usize) -> u64 {
    // A `usize` has at most 64 bits on every target of Rust.
    (n as u64).div_ceil(BYTES_PER_TOKEN)
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A packet was compiled.
    Ok,
    /// No skill explains enough of the request; the packet is empty.
    LowConfidence,
    /// Mandatory text does not fit the budget; the packet is empty.
    BudgetInsufficient,
}

/// What the caller should do instead of using the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// Let the agent find skills by its own means.
    ActivateFullNativeSkills,
    /// Compile again with at least `required_context_tokens`.
    RaiseBudget,
}

/// Where the skills came from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CorpusOrigin {
    /// From skill roots on disk.
    Roots,
    /// From the starter corpus inside the binary.
    Embedded,
}

/// What a section is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ContentClass {
    /// Named in `mandatory_sections`: always in a packet that uses the skill.
    Mandatory,
    /// How to do something.
    Procedure,
    /// Facts to look up.
    Reference,
    /// A worked example.
    Example,
    /// Where the facts come from.
    Source,
}

/// Why a section of an activated skill, or a runner-up skill, is not in the packet.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OmissionReason {
    /// It did not fit the budget.
    Budget,
    /// Its text is in the packet already.
    Duplicate,
    /// The packet covers enough skills.
    Diversity,
    /// It does not match the request well enough.
    BelowThreshold,
    /// The skill's mandatory text does not fit the budget.
    MandatoryOverBudget,
}

/// Which index answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct IndexIdentity {
    /// Version of the files inside the index.
    pub format: u32,
    /// Name of the generation: a digest over format, compiler version and corpus, 64 hexadecimal characters.
    pub generation: String,
}

/// How well the best skill explains the request, in thousandths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Confidence {
    /// From 0 to 1,000.
    pub score: u32,
    /// The score from which a packet is compiled.
    pub threshold: u32,
}

/// One section in the packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct IncludedChunk {
    /// Identity of the section: 24 hexadecimal characters.
    pub id: String,
    /// Plugin of the skill.
    pub plugin: String,
    /// Name of the skill.
    pub skill: String,
    /// Version of the skill, or of its plugin; empty where neither names one.
    pub skill_version: String,
    /// Headings from the document's title to the section.
    pub heading_path: Vec<String>,
    /// File of the skill, relative to its root.
    pub source_path: String,
    /// First line in that file, from 1.
    pub line_start: u32,
    /// Last line in that file.
    pub line_end: u32,
    /// Digest of the section's text as it stands in the file.
    pub content_sha256: String,
    /// What the section is for.
    pub content_class: ContentClass,
    /// Part number and number of parts, where the section was too large for one.
    pub part: Option<Part>,
    /// Token estimate of the section's text.
    pub token_estimate: u64,
    /// How well the section matches, in thousandths; `null` where it was not ranked.
    pub score: Option<i64>,
    /// Number of characters that were made visible or harmless in the packet.
    pub neutralised: u32,
    /// Why the section is here.
    pub reasons: Vec<String>,
}

/// Which part of a section too large for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Part {
    /// From 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

/// One section, or one runner-up skill as a whole, that is not in the packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OmittedChunk {
    /// Identity of the section, or `plugin/skill` of the runner-up.
    pub id: String,
    /// Why it is not in the packet.
    pub reason: OmissionReason,
    /// Token estimate of its text.
    pub token_estimate: u64,
}

/// Packet manifest v1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PacketManifest {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Version of this contract, `major.minor.patch`.
    pub contract_version: String,
    /// What compiled the packet.
    pub compiler: Compiler,
    /// Version of the files inside the index.
    pub index_version: u32,
    /// Which index answered.
    pub index: IndexIdentity,
    /// Where the skills came from.
    pub corpus_origin: CorpusOrigin,
    /// Release of the skill collection, as its marketplace names it; else empty.
    pub skills_release: String,
    /// Digest of the corpus: paths, texts, plugin and marketplace values.
    pub corpus_sha256: String,
    /// Digest of the canonical request.
    pub query_sha256: String,
    /// What became of the request.
    pub status: Status,
    /// What to do instead of using the packet.
    pub fallback: Option<Fallback>,
    /// Name of the token estimate.
    pub tokenizer: String,
    /// The budget.
    pub maximum_context_tokens: u64,
    /// The smallest budget that would do, where the budget does not.
    pub required_context_tokens: Option<u64>,
    /// Estimate of the whole packet as written.
    pub packet_token_estimate: u64,
    /// Estimate of the mandatory sections in it.
    pub mandatory_token_estimate: u64,
    /// Estimate of the other sections in it.
    pub retrieved_token_estimate: u64,
    /// How well the best skill explains the request; `null` where nothing was ranked.
    pub confidence: Option<Confidence>,
    /// Field name to the words of that field that stand in the corpus vocabulary.
    pub signals: BTreeMap<String, Vec<String>>,
    /// Plugins of the selected skills, sorted.
    pub selected_plugins: Vec<String>,
    /// `plugin/skill`, sorted.
    pub selected_skills: Vec<String>,
    /// `plugin/skill` to the estimate of that skill's whole text.
    pub selected_skill_tokens: BTreeMap<String, u64>,
    /// The sections in the packet, in its order.
    pub included_chunks: Vec<IncludedChunk>,
    /// What is not in the packet.
    pub omitted_chunks: Vec<OmittedChunk>,
    /// Omission reason to number of rows.
    pub omitted_by_reason: BTreeMap<String, u64>,
    /// One sentence each.
    pub warnings: Vec<String>,
    /// Digest of the packet file's bytes.
    pub packet_sha256: String,
    /// The project file that chose skills or budget. It stands only in the manifest of a packet in which one took part, which
    /// is then of contract version 1.1.0; without one a manifest is what it was in 1.0.0, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_file: Option<ProjectFileUse>,
}

/// A project file that took part in a packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProjectFileUse {
    /// Where it lies, relative to the root of its repository.
    pub path: String,
    /// Digest of its bytes.
    pub sha256: String,
}

impl PacketManifest {
    /// The same manifest of a packet in which a project file took part.
    #[must_use]
    pub fn with_project_file(mut self, file: Option<ProjectFileUse>) -> Self {
        if file.is_some() {
            self.contract_version = PACKET_MANIFEST_PROJECT_FILE.to_string();
        }
        self.project_file = file;
        self
    }
}
