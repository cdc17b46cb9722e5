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
    /// Whether a message may repeat a text that stands where none belongs, and a key that is no name.
    pub(crate) quotes: bool,
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
        Err(fault) => Err(told(&fault, &track.path().to_string(), words)),
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
fn told(fault: &serde_json::Error, path: &str, words: &Words) -> DocumentError {
    let name = words.name;
    let full = fault.to_string();
    let bare = full
        .rsplit_once(" at line ")
        .map_or(full.as_str(), |(bare, _)| bare);
    let mut error = if fault.is_data() {
        let nowhere = path.is_empty() || path == "." || !(words.quotes || is_plain(path));
        let bare = if words.quotes {
            bare.to_owned()
        } else {
            unquoted(bare)
        };
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

/// A message of the reader without the text that it quotes (`invalid type: string "…", expected …`), and without a key that
/// is a sentence rather than a name (`unknown field `…`, expected …`).
fn unquoted(message: &str) -> String {
    for (open, close, left, may_stay) in [
        ("string \"", "\", expected ", "string", false),
        ("unknown field `", "`, expected ", "unknown field", true),
    ] {
        let quoted = message.split_once(open).and_then(|(before, rest)| {
            let (text, expected) = rest.rsplit_once(close)?;
            Some((before, text, expected))
        });
        if let Some((before, text, expected)) = quoted
            && !(may_stay && is_plain(text))
        {
            return format!("{before}{left}, expected {expected}");
        }
    }
    message.to_owned()
}

/// Whether a key, or the path of one, is made of what names are made of.
fn is_plain(path: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.[]".contains(c);
    path.len() <= FIELD_CHARS && path.chars().all(is_part)
}

/// A field's path as a message shows it: without secrets or control characters, and not longer than a path needs.
pub(crate) fn shown(path: &str) -> String {
    redact(path)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(FIELD_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_is_left_out_whatever_it_holds() {
        for text in ["x", "a, expected b", "\\\", expected \\\"u32"] {
            let message = format!("invalid type: string \"{text}\", expected u32");
            assert_eq!(unquoted(&message), "invalid type: string, expected u32");
        }
        let key = "unknown field `a key, `, expected b`, expected one of `x`, `y`";
        assert_eq!(unquoted(key), "unknown field, expected one of `x`, `y`");
        for kept in [
            "invalid type: boolean `true`, expected u32",
            "unknown field `guide-file`, expected `x`",
            "missing field `x`",
        ] {
            assert_eq!(unquoted(kept), kept);
        }
    }
}
