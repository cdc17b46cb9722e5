//! What the ledger keeps of one call of the compiler.

use super::super::config::Mode;
use super::super::id::{label, name};
use crate::digest::is_sha256_hex;
use crate::packet::{CorpusOrigin, Fallback, OmissionReason, PacketManifest, Status};
use crate::version::SCHEMA_VERSION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `artifact_type` of every row.
pub const ARTIFACT_TYPE: &str = "vibey_skills_context_packet";
/// The most plugins or skills that a row lists: far above what any budget selects, so that a hostile manifest can not
/// fill the ledger.
pub const LIST_MAX: usize = 256;

/// What became of the call.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactStatus {
    /// A packet was compiled.
    Ok,
    /// No skill explains enough of the request.
    LowConfidence,
    /// Mandatory text does not fit the budget.
    BudgetInsufficient,
    /// There is no trustworthy answer; `error_code` says why.
    Error,
}

impl ArtifactStatus {
    /// The word that stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::LowConfidence => "low_confidence",
            Self::BudgetInsufficient => "budget_insufficient",
            Self::Error => "error",
        }
    }
}

impl From<Status> for ArtifactStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Ok => Self::Ok,
            Status::LowConfidence => Self::LowConfidence,
            Status::BudgetInsufficient => Self::BudgetInsufficient,
        }
    }
}

/// Why there is no trustworthy answer, or why a good packet did not reach the prompt.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// The command could not be started.
    NotStarted,
    /// It was stopped at the timeout.
    TimedOut,
    /// It was stopped because the shim was.
    Cancelled,
    /// A signal ended it.
    Signalled,
    /// It ended with an exit code that stands for no answer.
    CompilerFailed,
    /// The handshake gave no contract report.
    HandshakeFailed,
    /// It speaks another major version of a contract, or too old a minor one.
    IncompatibleCompiler,
    /// The index could not be built.
    IndexFailed,
    /// It ended well and left no manifest, or no packet.
    ManifestMissing,
    /// The manifest is larger than any manifest.
    ManifestTooLarge,
    /// The manifest is not one.
    ManifestInvalid,
    /// The packet file is not the one that the manifest describes.
    PacketMismatch,
    /// The manifest describes another request than the one that was made.
    RequestMismatch,
    /// The packet is from the starter corpus, not from skill roots; it is recorded and not used.
    EmbeddedCorpus,
    /// Files in the worktree could not be written or read.
    ArtifactFailed,
}

/// The compiler was asked for a packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ArtifactProduced {
    /// Version of the contract's major: 1.
    pub schema_version: u32,
    /// Always `vibey_skills_context_packet`.
    pub artifact_type: String,
    /// Mode of the job, after the share was applied.
    pub mode: Mode,
    /// Phase of the job.
    pub phase: String,
    /// Kind of the job.
    pub job_kind: String,
    /// What became of the call.
    pub status: ArtifactStatus,
    /// Whether the packet was appended to the prompt.
    pub appended: bool,
    /// Why there is no trustworthy answer, or why a good packet did not reach the prompt.
    pub error_code: Option<FailureCode>,
    /// Exit code of the compiler, where it exited.
    pub return_code: Option<i32>,
    /// Signal that ended the compiler, where one did.
    pub signal: Option<i32>,
    /// What the compiler advises instead of a packet.
    pub fallback: Option<Fallback>,
    /// Version of the compiler.
    pub compiler_version: Option<String>,
    /// Version of the manifest's contract.
    pub contract_version: Option<String>,
    /// Where the skills came from.
    pub corpus_origin: Option<CorpusOrigin>,
    /// Digest of the canonical request.
    pub query_sha256: Option<String>,
    /// Digest of the corpus.
    pub corpus_sha256: Option<String>,
    /// Name of the index generation, a digest.
    pub index_generation: Option<String>,
    /// Digest of the packet file.
    pub packet_sha256: Option<String>,
    /// Digest of the manifest file.
    pub manifest_sha256: Option<String>,
    /// Name of the token estimate.
    pub tokenizer: Option<String>,
    /// The budget in tokens.
    pub maximum_context_tokens: u64,
    /// The smallest budget that would do, where the budget does not.
    pub required_context_tokens: Option<u64>,
    /// Tokens of the packet.
    pub packet_tokens: u64,
    /// Tokens of the mandatory sections in it.
    pub mandatory_tokens: u64,
    /// Tokens of the other sections in it.
    pub retrieved_tokens: u64,
    /// Confidence in thousandths, where the compiler ranked.
    pub confidence: Option<u32>,
    /// Plugins of the selected skills, sorted.
    pub selected_plugins: Vec<String>,
    /// `plugin/skill` to the tokens of that skill's whole text.
    pub selected_skills: BTreeMap<String, u64>,
    /// Number of sections left out, by reason.
    pub omissions: BTreeMap<OmissionReason, u64>,
    /// Wall-clock milliseconds of the compiler, the building of an index not included.
    pub compile_ms: u64,
}

impl ArtifactProduced {
    /// A call without answer yet: status `error`, no code, no figures.
    #[must_use]
    pub fn new(mode: Mode, phase: &str, job_kind: &str, budget: u64) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            artifact_type: ARTIFACT_TYPE.to_owned(),
            mode,
            phase: label(phase),
            job_kind: label(job_kind),
            status: ArtifactStatus::Error,
            appended: false,
            error_code: None,
            return_code: None,
            signal: None,
            fallback: None,
            compiler_version: None,
            contract_version: None,
            corpus_origin: None,
            query_sha256: None,
            corpus_sha256: None,
            index_generation: None,
            packet_sha256: None,
            manifest_sha256: None,
            tokenizer: None,
            maximum_context_tokens: budget,
            required_context_tokens: None,
            packet_tokens: 0,
            mandatory_tokens: 0,
            retrieved_tokens: 0,
            confidence: None,
            selected_plugins: Vec::new(),
            selected_skills: BTreeMap::new(),
            omissions: BTreeMap::new(),
            compile_ms: 0,
        }
    }

    /// With what the manifest says: status, versions, digests, figures and names.
    #[must_use]
    pub fn with_manifest(self, manifest: &PacketManifest) -> Self {
        let mut omissions = BTreeMap::new();
        for omitted in &manifest.omitted_chunks {
            *omissions.entry(omitted.reason).or_default() += 1;
        }
        Self {
            status: manifest.status.into(),
            fallback: manifest.fallback,
            compiler_version: Some(manifest.compiler.version.clone()),
            contract_version: Some(manifest.contract_version.clone()),
            corpus_origin: Some(manifest.corpus_origin),
            query_sha256: Some(manifest.query_sha256.clone()),
            corpus_sha256: Some(manifest.corpus_sha256.clone()),
            index_generation: Some(manifest.index.generation.clone()),
            packet_sha256: Some(manifest.packet_sha256.clone()),
            tokenizer: Some(manifest.tokenizer.clone()),
            maximum_context_tokens: manifest.maximum_context_tokens,
            required_context_tokens: manifest.required_context_tokens,
            packet_tokens: manifest.packet_token_estimate,
            mandatory_tokens: manifest.mandatory_token_estimate,
            retrieved_tokens: manifest.retrieved_token_estimate,
            confidence: manifest.confidence.as_ref().map(|found| found.score),
            selected_plugins: manifest.selected_plugins.clone(),
            selected_skills: manifest.selected_skill_tokens.clone(),
            omissions,
            ..self
        }
    }

    /// As the ledger may keep it: labels bounded and without secrets, digests that are digests.
    pub(super) fn cleaned(self) -> Self {
        let digest = |text: Option<String>| text.filter(|text| is_sha256_hex(text));
        let plugins = self.selected_plugins.iter().take(LIST_MAX);
        let skills = self.selected_skills.iter().take(LIST_MAX);
        Self {
            artifact_type: ARTIFACT_TYPE.to_owned(),
            phase: label(&self.phase),
            job_kind: label(&self.job_kind),
            compiler_version: version(self.compiler_version),
            contract_version: version(self.contract_version),
            query_sha256: digest(self.query_sha256),
            corpus_sha256: digest(self.corpus_sha256),
            index_generation: digest(self.index_generation),
            packet_sha256: digest(self.packet_sha256),
            manifest_sha256: digest(self.manifest_sha256),
            tokenizer: self.tokenizer.as_deref().map(name),
            selected_plugins: plugins.map(|plugin| name(plugin)).collect(),
            selected_skills: skills
                .map(|(skill, tokens)| (name(skill), *tokens))
                .collect(),
            ..self
        }
    }
}

/// A version, if it is one: build metadata and pre-release parts go, since anything can stand in them.
fn version(text: Option<String>) -> Option<String> {
    let found = semver::Version::parse(&text?).ok()?;
    Some(format!("{}.{}.{}", found.major, found.minor, found.patch))
}
