//! What the tools take, beside `compile_packet`, which takes a request and nothing else.

use crate::cli::failure::Failure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use vibey_context_contracts::redact::redact;
use vibey_context_contracts::report::SearchHit;
use vibey_context_contracts::request::Request;

/// Sections that `search_skills` returns where the call does not say, as the command does.
const LIMIT_DEFAULT: usize = 10;
/// Sections that it returns at most. A reader of more wants a packet.
const LIMIT_MAX: usize = 100;

/// What `search_skills` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchSkills {
    /// Words to look for
    pub(super) query: String,
    /// Sections to return at most
    #[serde(default = "limit_default", deserialize_with = "limit")]
    #[schemars(with = "usize", range(min = 1, max = 100))]
    pub(super) limit: usize,
    /// Say where each score comes from, by word and field
    #[serde(default)]
    pub(super) explain: bool,
}

/// What `search_skills` answers.
#[derive(Debug, serde::Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Found {
    /// The sections, best first: what `vibey-context search --json` prints
    pub(super) hits: Vec<SearchHit>,
}

/// What `explain_skill` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainSkill {
    /// Name of the skill, or plugin/name
    pub(super) skill: String,
    /// The work item, as compile_packet takes it
    #[schemars(with = "Request")]
    pub(super) request: Map<String, Value>,
}

/// What `may_read` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MayRead {
    /// File or folder, relative to the folder that the server runs in; it need not exist
    #[serde(deserialize_with = "something")]
    #[schemars(length(min = 1))]
    pub(super) path: String,
}

fn limit_default() -> usize {
    LIMIT_DEFAULT
}

fn limit<'de, D: serde::Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let limit = usize::deserialize(from)?;
    if (1..=LIMIT_MAX).contains(&limit) {
        return Ok(limit);
    }
    let message = format!("{limit} is not between 1 and {LIMIT_MAX}");
    Err(serde::de::Error::custom(message))
}

/// A text that is not empty, as every argument of a command line.
fn something<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() {
        return Err(serde::de::Error::custom("it is empty"));
    }
    Ok(text)
}

/// Reads the arguments of a call.
///
/// # Errors
/// `usage` for an argument that is missing, unknown or of another type.
pub(super) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Failure> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let what = error.inner().to_string();
        let message = match path.as_str() {
            "." => what,
            path => format!("argument `{path}`: {what}"),
        };
        // A mistyped argument may hold anything.
        let message = redact(&message).into_owned();
        Failure::new("usage", message, "call it as its input schema says")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn search(arguments: Value) -> Result<SearchSkills, String> {
        let Value::Object(arguments) = arguments else {
            panic!("no object");
        };
        read(arguments).map_err(|failure| failure.text())
    }

    #[test]
    fn what_is_left_out_is_what_the_command_has() {
        let read = search(json!({"query": "lock"})).unwrap();
        assert_eq!((read.limit, read.explain), (LIMIT_DEFAULT, false));
    }

    #[test]
    fn a_wrong_argument_is_named() {
        for (arguments, said) in [
            (json!({}), "missing field `query`"),
            (json!({"query": 7}), "argument `query`: invalid type"),
            (
                json!({"query": "x", "limit": 101}),
                "argument `limit`: 101 is not between 1 and 100",
            ),
            (json!({"query": "x", "limit": 0}), "0 is not between"),
            (json!({"query": "x", "limit": -1}), "argument `limit`"),
            (json!({"query": "x", "top": 3}), "unknown field `top`"),
        ] {
            let refusal = search(arguments).unwrap_err();
            assert!(refusal.contains(said), "{refusal}");
        }
    }
}
