//! The `manifest.json` of an index, and what `index` and `index inspect` print with `--json`.

use crate::canonical::{self, CanonicalError};
use crate::digest::sha256_hex;
use crate::packet::CorpusOrigin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many skills were found, and what became of them: `found = ok + degraded + rejected`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillSummary {
    /// Skills found, copies included.
    pub found: u64,
    /// Without any diagnostic.
    pub ok: u64,
    /// In the index, with a warning; copies that another skill stands for included.
    pub degraded: u64,
    /// Not in the index.
    pub rejected: u64,
    /// `SKILL.md` files that are a resource of another skill; not in `found`.
    pub nested: u64,
}

/// A skill root as an index stores it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoredRoot {
    /// `relative` to the index folder, when both lie in one repository; else `absolute`.
    pub kind: RootKind,
    /// The path, with `/` between components.
    pub path: String,
}

/// How the path of a stored root is meant.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RootKind {
    /// Relative to the index folder.
    Relative,
    /// Absolute.
    Absolute,
    /// The starter corpus inside the binary; the path is empty.
    Embedded,
}

/// The `manifest.json` of an index: small, read by every reader first, replaced at every publish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexManifest {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Always `vibey-context-index`: tells our index from any other folder.
    pub kind: String,
    /// Version of the files inside the generation.
    pub index_version: u32,
    /// Version of the compiler that built it.
    pub compiler_version: String,
    /// The current generation, 64 hexadecimal characters.
    pub generation: String,
    /// The generation before, kept for readers that have it open.
    pub previous_generation: Option<String>,
    /// Digest of the corpus.
    pub corpus_sha256: String,
    /// Release of the skill collection, as its marketplace names it; else empty.
    pub skills_release: String,
    /// The roots that were indexed.
    pub roots: Vec<StoredRoot>,
    /// Where the skills came from.
    pub corpus_origin: CorpusOrigin,
    /// Number of skills in the index.
    pub skill_count: u64,
    /// Number of sections in the index.
    pub chunk_count: u64,
    /// What was found.
    pub skills: SkillSummary,
    /// Name of each file of the generation to its size in bytes and CRC-32 (ISO-HDLC).
    pub files: BTreeMap<String, FileSeal>,
    /// Digest of this document with an empty text in this place: a flipped bit is noticed.
    pub manifest_sha256: String,
}

impl IndexManifest {
    /// The value that [`IndexManifest::manifest_sha256`] must have.
    ///
    /// # Errors
    /// Never in practice: no field is a float.
    pub fn digest(&self) -> Result<String, CanonicalError> {
        let mut value = serde_json::to_value(self)?;
        value["manifest_sha256"] = serde_json::Value::from("");
        Ok(sha256_hex(canonical::compact(&value)?.as_bytes()))
    }

    /// The same document with its digest filled in.
    ///
    /// # Errors
    /// As [`IndexManifest::digest`].
    pub fn sealed(mut self) -> Result<Self, CanonicalError> {
        self.manifest_sha256 = self.digest()?;
        Ok(self)
    }
}

/// Size and checksum of one file of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSeal {
    /// Size in bytes.
    pub size: u64,
    /// CRC-32 (ISO-HDLC, as in gzip) of the bytes.
    pub crc32: u32,
}

/// The value of [`IndexManifest::kind`].
pub const INDEX_KIND: &str = "vibey-context-index";

/// What `index build` did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BuildOutcome {
    /// The index was fresh; nothing was written.
    Fresh,
    /// Only times had changed; the table of times was replaced.
    Refreshed,
    /// A new generation was published.
    Built,
}

/// What `index build --json` and `index inspect --json` print.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexReport {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Version of the files inside the index.
    pub index_version: u32,
    /// Version of the compiler that built it.
    pub compiler_version: String,
    /// What was done; `null` from `inspect`.
    pub outcome: Option<BuildOutcome>,
    /// The current generation.
    pub generation: String,
    /// Digest of the corpus.
    pub corpus_sha256: String,
    /// Where the skills came from.
    pub corpus_origin: CorpusOrigin,
    /// Release of the skill collection; else empty.
    pub skills_release: String,
    /// The roots that are indexed.
    pub roots: Vec<StoredRoot>,
    /// Number of skills in the index.
    pub skill_count: u64,
    /// Number of sections in the index.
    pub chunk_count: u64,
    /// What was found.
    pub skills: SkillSummary,
    /// Bytes of the current generation on disk.
    pub size_bytes: u64,
    /// Whether every file was hashed again (`--deep`).
    pub deep: bool,
    /// The skills, where asked for with `--skills-list`.
    pub skills_list: Option<Vec<SkillEntry>>,
}

/// One skill, as `list --json` and `index inspect --skills-list --json` print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillEntry {
    /// Plugin of the skill.
    pub plugin: String,
    /// Name of the skill.
    pub skill: String,
    /// Name of the folder that holds the skill; differs from the name in one of twelve real skills.
    pub folder: String,
    /// Version of the skill, or of its plugin; else empty.
    pub version: String,
    /// Description, or empty.
    pub description: String,
    /// File of the skill, relative to its root.
    pub source_path: String,
    /// Token estimate of the whole skill.
    pub token_estimate: u64,
}
