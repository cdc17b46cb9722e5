//! From the bytes of a JSON file of somebody else to a typed document: what is wrong is named with field and place.

use crate::redact::redact;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Characters of a field's path that a message shows.
const FIELD_CHARS: usize = 100;

/// Why bytes are not the document that they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DocumentError {
    /// Stable name of the fault, in `snake_case`.
    pub code: &'static str,
    /// What is wrong, as a lowercase fragment.
    pub message: String,
    /// Path of the field at fault, such as `payload.paths[2]`, where there is one.
    pub field: Option<String>,
    /// Line from 1; 0 where no place can be named.
    pub line: usize,
    /// Column in bytes from 1; 0 where no place can be named.
    pub column: usize,
    /// What to do about it.
    pub help: String,
}

impl DocumentError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, help: &str) -> Self {
        Self {
            code,
            message: redact(&message.into()).into_owned(),
            field: None,
            line: 0,
            column: 0,
            help: help.to_owned(),
        }
    }

    pub(crate) fn field(mut self, field: &str) -> Self {
        self.field = Some(field.to_owned());
        self
    }
}

/// A document of somebody else, and what was passed over in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read<T> {
    /// The document.
    pub value: T,
    /// One sentence for each key that nobody reads.
    pub warnings: Vec<String>,
}

/// The codes and words of one kind of document.
pub(crate) struct Words {
    /// What it is called in a message.
    pub(crate) name: &'static str,
    /// Code of bytes that are no JSON, or too many.
    pub(crate) unreadable: &'static str,
    /// Code of JSON of another shape.
    pub(crate) invalid: &'static str,
    /// What to do about another shape.
    pub(crate) help: &'static str,
    /// The largest document, in bytes.
    pub(crate) limit: usize,
}

/// Reads a document, with the paths of the keys that its type does not know.
pub(crate) fn read<T: DeserializeOwned>(
    bytes: &[u8],
    words: &Words,
) -> Result<(T, Vec<String>), DocumentError> {
    let Words { name, limit, .. } = *words;
    let unreadable =
        |message: String, help: &str| DocumentError::new(words.unreadable, message, help);
    if bytes.len() > limit {
        let message = format!("{name} is {} bytes, more than {limit}", bytes.len());
        return Err(unreadable(message, "shorten its texts"));
    }
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        let message = format!("{name} starts with a byte order mark");
        return Err(unreadable(message, "save it without BOM"));
    }
    let text = std::str::from_utf8(bytes).map_err(|fault| {
        let message = format!("{name} is not UTF-8 at offset {}", fault.valid_up_to());
        unreadable(message, "save it as UTF-8")
    })?;
    let mut json = serde_json::Deserializer::from_str(text);
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    // The path counts what may be `null` as a step of its own, `?`.
    let mut note =
        |path: serde_ignored::Path<'_>| unknown.push(shown(&path.to_string().replace(".?.", ".")));
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    let read = Object::<T>::deserialize(serde_ignored::Deserializer::new(tracked, &mut note))
        .and_then(|Object(value)| json.end().map(|()| value));
    match read {
        Ok(value) => Ok((value, unknown)),
        Err(fault) => {
            // The reader calls a value of a wrong type for an enumeration a fault of syntax.
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            Err(told(&fault, is_json, &track.path().to_string(), words))
        }
    }
}

/// A value that is written as an object. The derived readers take a list of the values in order as well, and nobody
/// means that.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

/// As [`Object`], for a field.
pub(crate) fn object<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Object::deserialize(from).map(|Object(value)| value)
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// The fault in our words.
fn told(fault: &serde_json::Error, is_json: bool, path: &str, words: &Words) -> DocumentError {
    let name = words.name;
    let full = fault.to_string();
    let bare = full
        .rsplit_once(" at line ")
        .map_or(full.as_str(), |(bare, _)| bare);
    let bare = match fault.is_data() || !is_json {
        true => in_plain_words(bare),
        false => "a value of another type stands here".to_owned(),
    };
    let mut error = if fault.is_data() || is_json {
        let nowhere = path.is_empty() || path == ".";
        let message = if nowhere {
            format!("{name}: {bare}")
        } else {
            format!("{name}, field `{}`: {bare}", shown(path))
        };
        let mut error = DocumentError::new(words.invalid, message, words.help);
        error.field = (!nowhere).then(|| shown(path));
        error
    } else {
        let message = format!("{name} is not valid JSON: {bare}");
        DocumentError::new(words.unreadable, message, "correct the JSON at this place")
    };
    (error.line, error.column) = (fault.line(), fault.column());
    error
}

/// The fault without the names that Rust has for types.
fn in_plain_words(fault: &str) -> String {
    let Some((found, expected)) = fault.rsplit_once(", expected ") else {
        return fault.to_owned();
    };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "a JSON object",
        other => other,
    };
    let found = match found.split_once(": string ") {
        // The text itself may be the task.
        Some((fault, _)) => format!("{fault}: a text"),
        None => found
            .replace("unknown variant", "unknown value")
            .replace("invalid type: sequence", "invalid type: list")
            .replace("invalid type: map", "invalid type: object"),
    };
    format!("{found}, expected {expected}")
}

/// A field's path as a message shows it: without secrets or control characters, and not longer than a path needs.
pub(crate) fn shown(path: &str) -> String {
    redact(path)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(FIELD_CHARS)
        .collect()
}
