//! Request contract v1: the work item for which a packet is compiled.
//!
//! [`parse::parse`] is the only way from bytes to a [`Request`]; what it returns is complete (defaults filled in),
//! valid and already redacted.

pub mod parse;

use crate::canonical::{self, CanonicalError};
use crate::digest::sha256_hex;
use crate::redact::redact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The smallest token budget of a packet.
pub const BUDGET_MIN: u64 = 1_000;
/// The largest token budget of a packet.
pub const BUDGET_MAX: u64 = 32_000;
/// The token budget where neither the request nor the command line names one.
pub const BUDGET_DEFAULT: u64 = 6_000;
/// The largest request, in bytes.
pub const REQUEST_MAX_BYTES: u64 = 1024 * 1024;

/// How skills are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankingMode {
    /// Lexical and reproducible; the only mode.
    #[default]
    Deterministic,
}

/// What happens to fields that this version does not know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CompatibilityMode {
    /// They are an error.
    #[default]
    #[serde(rename = "strict")]
    Strict,
    /// They are ignored, and listed as a warning.
    #[serde(rename = "forward-1")]
    Forward1,
}

/// A work item. Every text and list is empty where the request does not name it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, default)]
pub struct Request {
    /// Version of the contract: 1.
    #[schemars(range(min = 1, max = 1), default = "schema_default::version")]
    pub schema_version: u32,
    /// One line that names the work.
    pub title: String,
    /// What is to be achieved.
    pub objective: String,
    /// What the result must do.
    pub requirements: Vec<String>,
    /// How the result is judged.
    pub acceptance_criteria: Vec<String>,
    /// Phase of the pipeline, for example `build`; compared case-folded.
    pub phase: String,
    /// Kind of job, for example `implement`.
    pub job_kind: String,
    /// Programming languages.
    pub languages: Vec<String>,
    /// Libraries and services that the work touches.
    pub dependencies: Vec<String>,
    /// Folders and files that the work touches.
    pub paths: Vec<String>,
    /// Commands that the work runs.
    pub commands: Vec<String>,
    /// Files that the work shall change.
    pub target_files: Vec<String>,
    /// Files that have changed already.
    pub changed_files: Vec<String>,
    /// Class of the failure that led to this work.
    pub prior_failure_class: String,
    /// Summary of that failure.
    pub error_summary: String,
    /// Only skills of these plugins (with `required_skills`: or those skills).
    pub required_plugins: Vec<String>,
    /// No skill of these plugins.
    pub excluded_plugins: Vec<String>,
    /// Only these skills (with `required_plugins`: or skills of those plugins).
    pub required_skills: Vec<String>,
    /// None of these skills.
    pub excluded_skills: Vec<String>,
    /// Token budget of the packet, from 1,000 to 32,000.
    #[schemars(
        with = "u64",
        range(min = 1000, max = 32000),
        default = "schema_default::budget"
    )]
    pub maximum_context_tokens: Option<u64>,
    /// How skills are ranked.
    pub ranking_mode: RankingMode,
    /// What happens to unknown fields.
    pub compatibility_mode: CompatibilityMode,
}

/// What the schema names as defaults; the parser and the command line fill them in.
mod schema_default {
    pub(super) fn version() -> u32 {
        crate::version::SCHEMA_VERSION
    }

    pub(super) fn budget() -> u64 {
        super::BUDGET_DEFAULT
    }
}

impl Request {
    /// The canonical request: without `maximum_context_tokens`, which bounds the packet but does not change what
    /// is asked.
    ///
    /// # Errors
    /// Never in practice: no field is a float.
    pub fn canonical(&self) -> Result<String, CanonicalError> {
        let mut value = serde_json::to_value(self)?;
        if let Some(map) = value.as_object_mut() {
            map.remove("maximum_context_tokens");
        }
        canonical::compact(&value)
    }

    /// Digest of the canonical request, 64 hexadecimal characters.
    ///
    /// # Errors
    /// As [`Request::canonical`].
    pub fn query_sha256(&self) -> Result<String, CanonicalError> {
        Ok(sha256_hex(self.canonical()?.as_bytes()))
    }

    /// Whether plugins or skills are required, which restricts what is eligible and overrides `low_confidence`.
    #[must_use]
    pub fn restricts(&self) -> bool {
        !self.required_plugins.is_empty() || !self.required_skills.is_empty()
    }

    /// Every text of the request, with the name of its field.
    fn texts_mut(&mut self) -> Vec<(&'static str, &mut String)> {
        let mut all: Vec<(&'static str, &mut String)> = vec![
            ("title", &mut self.title),
            ("objective", &mut self.objective),
            ("phase", &mut self.phase),
            ("job_kind", &mut self.job_kind),
            ("prior_failure_class", &mut self.prior_failure_class),
            ("error_summary", &mut self.error_summary),
        ];
        for (name, list) in [
            ("requirements", &mut self.requirements),
            ("acceptance_criteria", &mut self.acceptance_criteria),
            ("languages", &mut self.languages),
            ("dependencies", &mut self.dependencies),
            ("paths", &mut self.paths),
            ("commands", &mut self.commands),
            ("target_files", &mut self.target_files),
            ("changed_files", &mut self.changed_files),
            ("required_plugins", &mut self.required_plugins),
            ("excluded_plugins", &mut self.excluded_plugins),
            ("required_skills", &mut self.required_skills),
            ("excluded_skills", &mut self.excluded_skills),
        ] {
            all.extend(list.iter_mut().map(|text| (name, text)));
        }
        all
    }

    /// Replaces every secret in every text by a mark.
    pub(crate) fn redact(&mut self) {
        for (_, text) in self.texts_mut() {
            if let std::borrow::Cow::Owned(clean) = redact(text) {
                *text = clean;
            }
        }
    }
}
