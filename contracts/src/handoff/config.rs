//! How a user describes pipelines: `pipeline-config.json`. What it leaves out is built in; what is wrong in it is an error
//! with its field, never a silent default.

mod check;
mod place;
mod unique;

use crate::document::{self, DocumentError, Words};
use crate::handoff::threshold::Threshold;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The largest configuration, in bytes.
pub const CONFIG_MAX_BYTES: usize = 1024 * 1024;
/// The smallest context window, in tokens: below it not even the frame of a brief has room.
pub const WINDOW_MIN: u64 = 1_000;
/// The largest context window, in tokens: beyond it a mistake is likelier than a model.
pub const WINDOW_MAX: u64 = 100_000_000;
/// Stands in a path for the project's name.
pub const PROJECT_NAME: &str = "{project-name}";
/// Stands at the start of a path for the project's folder; paths without it start there too.
pub const PROJECT_PATH: &str = "{project-path}/";

const CONFIG: Words = Words {
    name: "pipeline-config.json",
    unreadable: "config_json",
    invalid: "config_invalid",
    help: "correct this value of `pipeline-config.json`, or leave it out",
    limit: CONFIG_MAX_BYTES,
};

/// The configuration. Every key may be left out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PipelineConfig {
    /// Version of the format: 1, or a text such as `1.0`.
    #[serde(deserialize_with = "version")]
    #[schemars(with = "Option<VersionField>")]
    pub version: (),
    /// What holds for every pipeline.
    #[serde(deserialize_with = "document::object")]
    #[schemars(with = "Defaults")]
    pub defaults: Defaults,
    /// Pipelines by type. One of a built-in's name replaces it whole.
    #[serde(deserialize_with = "unique::map")]
    #[schemars(with = "BTreeMap<String, Pipeline>")]
    pub pipelines: BTreeMap<String, Pipeline>,
    /// Rules by artifact. One of a built-in's name replaces it whole.
    #[serde(deserialize_with = "unique::map")]
    #[schemars(with = "BTreeMap<String, Rule>")]
    pub validation_rules: BTreeMap<String, Rule>,
    /// Headings of the sections that an include key stands for. A key of a built-in's name replaces it whole.
    #[serde(deserialize_with = "unique::map")]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub sections: BTreeMap<String, Vec<String>>,
}

/// What holds for every pipeline; `None` is the built-in value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Defaults {
    /// Context window of the receiving model, in tokens.
    #[schemars(range(min = 1000, max = 100_000_000))]
    pub context_window: Option<u64>,
    /// Part of the window from which on a brief is compressed.
    pub compression_threshold: Option<Threshold>,
    /// Whether artifacts of completed phases are compared with what they were.
    pub enable_drift_detection: Option<bool>,
    /// Whether a dashboard is written.
    pub enable_dashboard: Option<bool>,
}

/// A pipeline: phases in their order, and what goes from one to another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// The phases, first to last.
    #[schemars(length(min = 1))]
    pub phases: Vec<PhaseConfig>,
    /// What a phase gets of the one before.
    #[serde(default)]
    pub transitions: Vec<Transition>,
}

/// A phase of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseConfig {
    /// Its name on the command line.
    pub name: String,
    /// Its name for people; the name itself where it is left out.
    #[serde(default)]
    pub display_name: Option<String>,
    /// What the phase produces: names of rules, or paths of files that need no more than to exist.
    #[serde(default)]
    pub artifacts: Vec<String>,
    /// What its agent is to do.
    #[serde(default)]
    pub mission: String,
}

impl PhaseConfig {
    /// The name for people.
    #[must_use]
    pub fn display(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.name)
    }
}

/// What a phase gets of the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// The phase that hands over.
    pub from: String,
    /// The phase that takes over.
    pub to: String,
    /// Keys of what is handed over, the most important first.
    #[serde(default)]
    pub include: Vec<String>,
    /// Keys of what is not, also where an included section holds it.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// How it is cut.
    #[serde(default)]
    pub chunking_strategy: Chunking,
}

/// How an artifact is cut for the next phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Chunking {
    /// The included sections, whole.
    #[default]
    Full,
    /// The current user story in full, those before it in short, later ones not at all.
    ByUserStory,
}

/// When an artifact is good enough to be handed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Where it may lie, best first; relative to the project, with `{project-name}` for the project's name.
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
    /// What it is called in the state; the name without its ending where it is left out.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// How it is read; by the ending of its path where it is left out.
    #[serde(default)]
    pub format: Option<Format>,
    /// Fewer bytes are a failure.
    #[serde(default)]
    pub min_bytes: u64,
    /// Groups of headings, of each of which one has to be there.
    #[serde(default)]
    pub required_sections: Vec<Vec<String>>,
    /// Headings and completed markers (`[X]`, `[x]`, `[✓]`), of all of which one has to be there.
    #[serde(default)]
    pub required_any: Vec<String>,
    /// Groups of texts, in any case of letters, of each of which one has to be there.
    #[serde(default)]
    pub required_patterns: Vec<Vec<String>>,
}

/// How an artifact is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// CommonMark: it has sections.
    Markdown,
    /// HTML: it has none.
    Html,
    /// Anything else that is text.
    Text,
}

/// How the version may be written, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "a shape for the schema, never a value")]
enum VersionField {
    /// As a number.
    Number(#[schemars(range(min = 1, max = 1))] u32),
    /// As a text.
    Text(#[schemars(regex(pattern = r"^1(\.[0-9]+)*$"))] String),
}

fn version<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Spelled {
        Number(u64),
        Text(String),
    }
    let spelled = Spelled::deserialize(from)
        .map_err(|_| D::Error::custom("a version is the number 1 or a text such as `1.0`"))?;
    let is_ours = match &spelled {
        Spelled::Number(number) => *number == 1,
        Spelled::Text(text) => text.split('.').next() == Some("1"),
    };
    if is_ours {
        return Ok(());
    }
    Err(D::Error::custom("this program reads version 1"))
}

/// Reads a `pipeline-config.json`.
///
/// # Errors
/// Over 1 MiB, a BOM, invalid UTF-8 or JSON, a wrong type, an unknown or repeated key, a name or path that is none, a
/// transition between phases that the pipeline does not have; each with its field.
pub fn parse(bytes: &[u8]) -> Result<PipelineConfig, DocumentError> {
    let (config, _) = document::read::<PipelineConfig>(bytes, &CONFIG)?;
    check::check(&config).map_err(|(field, message)| {
        let mut error = DocumentError::new("config_invalid", message, CONFIG.help).field(&field);
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        (error.line, error.column) = place::place(text, &field);
        error
    })?;
    Ok(config)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
