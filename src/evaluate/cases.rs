//! Which requests with known answers does a case file hold?

pub use super::fields::CasesError;

use super::fields::{CODE, Fields, NAME_CHARS};
use super::strict;
use crate::text::neutralise::excerpt;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::redact::redact;
use vibey_context_contracts::request::Request;
use vibey_context_contracts::request::parse::parse;

/// The largest case file, in bytes: thousands of requests as conductors write them.
pub const CASES_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// A request with its known answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its name, alone in the file.
    pub id: String,
    /// The request, complete and redacted.
    pub request: Request,
    /// What was passed over in the request.
    pub warnings: Vec<String>,
    /// Names of the skills that answer it; empty for a negative case.
    pub expected: Vec<String>,
    /// Names of skills that are not wrong beside them.
    pub also_relevant: Vec<String>,
    /// Headings of expected skills that must be in its packet.
    pub mandatory_headings: Vec<String>,
    /// Whether nothing in the corpus answers it.
    pub negative: bool,
    /// The group in which it is counted beside all others.
    pub form: Option<String>,
}

/// The cases of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cases {
    /// At least one, in the order of the file.
    pub cases: Vec<Case>,
    /// One sentence for each thing that was ignored.
    pub warnings: Vec<String>,
}

/// Reads a case file: a list of cases, or an object with a list `cases`. Unknown fields are ignored with a warning.
///
/// # Errors
/// What is not such a file, and the first case that is none.
pub fn read(bytes: &[u8]) -> Result<Cases, CasesError> {
    let value = strict::value(bytes).map_err(|fault| {
        let full = fault.to_string();
        let bare = full
            .rsplit_once(" at line ")
            .map_or(&*full, |(bare, _)| bare);
        CasesError::Json {
            message: bare.to_owned(),
            line: fault.line().max(1),
            column: fault.column().max(1),
        }
    })?;
    let mut unknown = Unknown::default();
    let list = match value {
        Value::Array(list) => list,
        Value::Object(mut map) => match map.remove("cases") {
            Some(Value::Array(list)) => {
                unknown.beside = map.into_iter().map(|(field, _)| field).collect();
                unknown.beside.sort_unstable();
                list
            }
            _ => return Err(CasesError::Shape),
        },
        _ => return Err(CasesError::Shape),
    };
    if list.is_empty() {
        return Err(CasesError::Empty);
    }
    let mut seen = BTreeSet::new();
    let mut cases = Vec::new();
    for (at, value) in list.into_iter().enumerate() {
        let case = case(value, at + 1, &mut unknown)?;
        if !seen.insert(case.id.clone()) {
            let fields = Fields::new(named(&case.id), Map::new());
            return Err(fields.fault("id", "stands twice", "give each case its own"));
        }
        cases.push(case);
    }
    let warnings = unknown.warnings();
    Ok(Cases { cases, warnings })
}

fn case(value: Value, number: usize, unknown: &mut Unknown) -> Result<Case, CasesError> {
    let case = format!("case number {number}");
    let Value::Object(map) = value else {
        return Err(CasesError::Case {
            place: case,
            code: CODE,
            message: "is no JSON object".to_owned(),
            help: "a case has at least an `id`, a `request` and `expected_skills`".to_owned(),
        });
    };
    let mut fields = Fields::new(case, map);
    let Some(id) = fields.name("id")? else {
        return Err(fields.fault("id", "is missing", "name the case"));
    };
    fields.case = named(&id);
    let Some(request) = fields.left.remove("request") else {
        return Err(fields.fault("request", "is missing", "write the request of `packet`"));
    };
    // The request's own reader decides, so that a case is read as `packet` would read it.
    let parsed = parse(request.to_string().as_bytes()).map_err(|error| CasesError::Case {
        place: fields.place("request"),
        code: error.code,
        message: error.message,
        help: error.help,
    })?;
    let case = Case {
        request: parsed.request,
        warnings: parsed.warnings,
        expected: fields.names("expected_skills")?,
        also_relevant: fields.names("also_relevant")?,
        mandatory_headings: fields.names("mandatory_headings")?,
        negative: fields.flag("negative")?,
        form: fields.name("form")?,
        id,
    };
    let field = "expected_skills";
    if case.negative && !case.expected.is_empty() {
        let help = "empty the list, or leave `negative` out";
        return Err(fields.fault(field, "a negative case expects no skill", help));
    }
    if !case.negative && case.expected.is_empty() {
        let help = "name a skill, or write \"negative\": true";
        return Err(fields.fault(field, "a positive case expects at least one skill", help));
    }
    for (field, _) in fields.left {
        *unknown.of_cases.entry(field).or_default() += 1;
    }
    Ok(case)
}

/// How messages call a case.
fn named(id: &str) -> String {
    format!("case `{}`", excerpt(id, NAME_CHARS))
}

/// Names of fields that were ignored; every case of a file may have the same ones.
#[derive(Default)]
struct Unknown {
    beside: Vec<String>,
    /// Name to the number of cases that have it.
    of_cases: BTreeMap<String, usize>,
}

impl Unknown {
    fn warnings(self) -> Vec<String> {
        let shown = |field: &str| excerpt(&redact(field), NAME_CHARS);
        let beside = self.beside.iter();
        let beside =
            beside.map(|field| format!("unknown field `{}` beside `cases` ignored", shown(field)));
        let of_cases = self.of_cases.iter().map(|(field, cases)| {
            let field = shown(field);
            format!("unknown field `{field}` ignored, cases that have it: {cases}")
        });
        beside.chain(of_cases).collect()
    }
}

#[cfg(test)]
mod tests;
