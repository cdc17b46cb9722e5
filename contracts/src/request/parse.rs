//! From the bytes of a request file to a [`Request`], strictly: what is wrong is named with its field and place.

use super::{BUDGET_MAX, BUDGET_MIN, CompatibilityMode, REQUEST_MAX_BYTES, RankingMode, Request};
use crate::version::SCHEMA_VERSION;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

/// The fields of contract v1, in the order of the documentation.
pub const FIELDS: &[&str] = &[
    "schema_version",
    "title",
    "objective",
    "requirements",
    "acceptance_criteria",
    "phase",
    "job_kind",
    "languages",
    "dependencies",
    "paths",
    "commands",
    "target_files",
    "changed_files",
    "prior_failure_class",
    "error_summary",
    "required_plugins",
    "excluded_plugins",
    "required_skills",
    "excluded_skills",
    "maximum_context_tokens",
    "ranking_mode",
    "compatibility_mode",
];

/// Characters of an unknown field's name that a message shows.
const FIELD_CHARS: usize = 100;

/// A valid request, and what was passed over on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The request, complete and redacted.
    pub request: Request,
    /// One sentence for each thing that was ignored.
    pub warnings: Vec<String>,
}

/// Why bytes are not a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    /// Stable name of the fault, in `snake_case`.
    pub code: &'static str,
    /// What is wrong, as a lowercase fragment.
    pub message: String,
    /// The field at fault, where there is one.
    pub field: Option<String>,
    /// Line from 1; 0 where no place can be named.
    pub line: usize,
    /// Column from 1; 0 where no place can be named.
    pub column: usize,
    /// What to do about it.
    pub help: String,
}

impl RequestError {
    fn new(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
            line: 0,
            column: 0,
            help: help.into(),
        }
    }

    fn field(mut self, field: &str) -> Self {
        self.field = Some(field.to_owned());
        self
    }
}

/// Reads a request.
///
/// # Errors
/// Over 1 MiB, a BOM, invalid UTF-8, invalid JSON, an unknown or repeated field, a wrong type (`null` too), a value
/// outside its range, nothing to search for, or a name both required and excluded.
pub fn parse(bytes: &[u8]) -> Result<Parsed, RequestError> {
    let text = decode(bytes)?;
    let read = read(text, false)?;
    if read.request.compatibility_mode == CompatibilityMode::Strict && !read.unknown.is_empty() {
        // A second reading stops at the first unknown field, which gives its place.
        self::read(text, true)?;
    }
    let mut request = read.request;
    validate(&request)?;
    request.redact();
    let warnings = read.unknown.iter().map(|name| ignored(name)).collect();
    Ok(Parsed { request, warnings })
}

/// The warning about an unknown field. It is redacted as a whole too: a name may open what our own words close.
fn ignored(name: &str) -> String {
    let warning = format!("unknown field `{}` ignored", shown(name));
    crate::redact::redact(&warning).into_owned()
}

/// A field's name as a message shows it: without secrets, and not longer than any name needs to be.
fn shown(name: &str) -> String {
    crate::redact::redact(name)
        .chars()
        .take(FIELD_CHARS)
        .collect()
}

fn decode(bytes: &[u8]) -> Result<&str, RequestError> {
    if bytes.len() as u64 > REQUEST_MAX_BYTES {
        let message = format!(
            "request is {} bytes, more than {REQUEST_MAX_BYTES}",
            bytes.len()
        );
        return Err(RequestError::new(
            "request_too_large",
            message,
            "shorten the texts of the request",
        ));
    }
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        let mut error = RequestError::new(
            "request_bom",
            "request starts with a byte order mark",
            "save it without BOM",
        );
        (error.line, error.column) = (1, 1);
        return Err(error);
    }
    std::str::from_utf8(bytes).map_err(|fault| {
        let (good, rest) = bytes.split_at(fault.valid_up_to());
        let byte = rest.first().copied().unwrap_or_default();
        let message = format!(
            "request is not UTF-8: byte 0x{byte:02x} at offset {}",
            good.len()
        );
        let mut error = RequestError::new("request_not_utf8", message, "save the request as UTF-8");
        let line_start = good
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        error.line = good.iter().filter(|&&b| b == b'\n').count() + 1;
        error.column = String::from_utf8_lossy(&good[line_start..]).chars().count() + 1;
        error
    })
}

struct Read {
    request: Request,
    unknown: BTreeSet<String>,
}

/// Where the reader stands, for the error message: the field whose value it reads, and what it objects to.
#[derive(Default)]
struct Progress {
    field: Option<String>,
    code: Option<&'static str>,
}

fn read(text: &str, stop_at_unknown: bool) -> Result<Read, RequestError> {
    let progress = RefCell::new(Progress::default());
    let mut json = serde_json::Deserializer::from_str(text);
    let result = RequestSeed {
        progress: &progress,
        stop_at_unknown,
    }
    .deserialize(&mut json)
    .and_then(|read| json.end().map(|()| read));
    result.map_err(|fault| {
        let progress = progress.into_inner();
        let code = progress.code.unwrap_or(if fault.is_data() {
            "request_type"
        } else {
            "request_json"
        });
        let full = fault.to_string();
        let bare = full
            .rsplit_once(" at line ")
            .map_or(full.as_str(), |(bare, _)| bare);
        let (message, help) = match (&progress.field, code) {
            (Some(field), "request_type") => (format!("field `{field}`: {bare}"), expected(field)),
            (Some(field), "request_unknown_field") => (
                format!("unknown field `{}`", shown(field)),
                unknown_help(field),
            ),
            (Some(field), "request_duplicate_field") => (
                format!("field `{}` stands twice", shown(field)),
                "remove one of the two".to_owned(),
            ),
            (_, "request_type") => (
                format!("request: {bare}"),
                "a request is one JSON object".to_owned(),
            ),
            _ => (
                format!("request is not valid JSON: {bare}"),
                "correct the JSON at this place".to_owned(),
            ),
        };
        let message = crate::redact::redact(&message).into_owned();
        RequestError {
            code,
            message,
            field: progress.field,
            line: fault.line().max(1),
            column: fault.column().max(1),
            help,
        }
    })
}

fn expected(field: &str) -> String {
    match field {
        "schema_version" => "write the number 1".to_owned(),
        "maximum_context_tokens" => {
            format!("write a whole number from {BUDGET_MIN} to {BUDGET_MAX}")
        }
        "ranking_mode" => "write \"deterministic\", or leave the field out".to_owned(),
        "compatibility_mode" => {
            "write \"strict\" or \"forward-1\", or leave the field out".to_owned()
        }
        "title" | "objective" | "phase" | "job_kind" | "prior_failure_class" | "error_summary" => {
            "write a text, or leave the field out".to_owned()
        }
        _ => "write a list of texts, or leave the field out".to_owned(),
    }
}

fn unknown_help(field: &str) -> String {
    let forward = "set \"compatibility_mode\": \"forward-1\" to have unknown fields ignored";
    let folded = field.to_lowercase().replace(['-', ' '], "_");
    match FIELDS
        .iter()
        .find(|known| **known == folded || **known == format!("{folded}s"))
    {
        Some(known) => format!("did you mean `{known}`? Or {forward}"),
        None => format!("remove the field, or {forward}"),
    }
}

struct RequestSeed<'a> {
    progress: &'a RefCell<Progress>,
    stop_at_unknown: bool,
}

impl<'de> DeserializeSeed<'de> for RequestSeed<'_> {
    type Value = Read;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Read, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RequestSeed<'_> {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let mut request = Request {
            schema_version: SCHEMA_VERSION,
            ..Request::default()
        };
        let mut unknown = BTreeSet::new();
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            *self.progress.borrow_mut() = Progress {
                field: Some(key.clone()),
                code: None,
            };
            if !seen.insert(key.clone()) {
                self.progress.borrow_mut().code = Some("request_duplicate_field");
                return Err(A::Error::custom("duplicate field"));
            }
            let r = &mut request;
            match key.as_str() {
                "schema_version" => r.schema_version = map.next_value()?,
                "title" => r.title = map.next_value()?,
                "objective" => r.objective = map.next_value()?,
                "requirements" => r.requirements = map.next_value()?,
                "acceptance_criteria" => r.acceptance_criteria = map.next_value()?,
                "phase" => r.phase = map.next_value::<String>()?.to_lowercase(),
                "job_kind" => r.job_kind = map.next_value()?,
                "languages" => r.languages = map.next_value()?,
                "dependencies" => r.dependencies = map.next_value()?,
                "paths" => r.paths = map.next_value()?,
                "commands" => r.commands = map.next_value()?,
                "target_files" => r.target_files = map.next_value()?,
                "changed_files" => r.changed_files = map.next_value()?,
                "prior_failure_class" => r.prior_failure_class = map.next_value()?,
                "error_summary" => r.error_summary = map.next_value()?,
                "required_plugins" => r.required_plugins = map.next_value()?,
                "excluded_plugins" => r.excluded_plugins = map.next_value()?,
                "required_skills" => r.required_skills = map.next_value()?,
                "excluded_skills" => r.excluded_skills = map.next_value()?,
                "maximum_context_tokens" => r.maximum_context_tokens = Some(map.next_value()?),
                "ranking_mode" => r.ranking_mode = map.next_value::<Plain<RankingMode>>()?.0,
                "compatibility_mode" => {
                    r.compatibility_mode = map.next_value::<Plain<CompatibilityMode>>()?.0
                }
                _ if self.stop_at_unknown => {
                    self.progress.borrow_mut().code = Some("request_unknown_field");
                    return Err(A::Error::custom("unknown field"));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    unknown.insert(key);
                }
            }
            *self.progress.borrow_mut() = Progress::default();
        }
        Ok(Read { request, unknown })
    }
}

/// A unit-only enum that accepts a JSON string and nothing else (serde's derive also takes `{"strict": null}`).
struct Plain<T>(T);

impl<'de, T: for<'t> Deserialize<'t>> Deserialize<'de> for Plain<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::deserialize(serde::de::value::StringDeserializer::<D::Error>::new(text)).map(Plain)
    }
}

fn validate(request: &Request) -> Result<(), RequestError> {
    if request.schema_version != SCHEMA_VERSION {
        let message = format!(
            "schema_version is {}, this compiler speaks {SCHEMA_VERSION}",
            request.schema_version
        );
        return Err(
            RequestError::new("request_version", message, "write the number 1")
                .field("schema_version"),
        );
    }
    if let Some(budget) = request.maximum_context_tokens {
        check_budget(budget).map_err(|error| error.field("maximum_context_tokens"))?;
    }
    if request.title.trim().is_empty()
        && request.objective.trim().is_empty()
        && !request.restricts()
    {
        return Err(RequestError::new(
            "request_empty",
            "request has neither title nor objective nor required skills or plugins",
            "say in `objective` what is to be achieved",
        ));
    }
    for (field, list) in [
        ("required_plugins", &request.required_plugins),
        ("excluded_plugins", &request.excluded_plugins),
        ("required_skills", &request.required_skills),
        ("excluded_skills", &request.excluded_skills),
    ] {
        if list.iter().any(|name| name.trim().is_empty()) {
            let message = format!("field `{field}` holds an empty name");
            return Err(
                RequestError::new("request_empty_name", message, "remove the empty name")
                    .field(field),
            );
        }
    }
    for (required, excluded, what) in [
        (
            &request.required_plugins,
            &request.excluded_plugins,
            "plugin",
        ),
        (&request.required_skills, &request.excluded_skills, "skill"),
    ] {
        if let Some(both) = required.iter().find(|name| excluded.contains(name)) {
            let message = format!(
                "{what} `{}` is both required and excluded",
                crate::redact::redact(both)
            );
            return Err(RequestError::new(
                "required_and_excluded",
                message,
                "remove it from one of the two lists",
            ));
        }
    }
    Ok(())
}

/// Whether `budget` is one that a packet can have.
///
/// # Errors
/// A budget below 1,000 or above 32,000 tokens.
pub fn check_budget(budget: u64) -> Result<(), RequestError> {
    if (BUDGET_MIN..=BUDGET_MAX).contains(&budget) {
        return Ok(());
    }
    let message = format!("budget of {budget} tokens is not between {BUDGET_MIN} and {BUDGET_MAX}");
    let help = format!("choose a budget from {BUDGET_MIN} to {BUDGET_MAX} tokens");
    Err(RequestError::new("budget_out_of_range", message, help))
}

#[cfg(test)]
mod tests;
