//! JSON with one spelling: the form over which digests are taken, and the form in which manifests are written.
//!
//! Keys are sorted by their UTF-8 bytes here, since the order of `serde_json::Map` depends on a feature that any
//! crate of a build can switch on. Escaping: `"` and `\` with a backslash, U+0008 U+0009 U+000A U+000C U+000D as
//! `\b \t \n \f \r`, other characters below U+0020 as `\u00xx` in lowercase, everything else as itself. Floats
//! are refused: their spelling differs between writers (RFC 8785 prescribes one; no contract needs any).

use serde::Serialize;
use serde_json::Value;

/// Why a value has no canonical form.
#[derive(Debug, thiserror::Error)]
pub enum CanonicalError {
    /// The value holds a number that is not an integer.
    #[error("canonical JSON holds integers only, not `{0}`")]
    Float(String),
    /// The type does not serialize to JSON.
    #[error("not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
}

/// The compact form: no blanks, sorted keys. Digests are taken over these bytes.
///
/// # Errors
/// A float, or a type that is not JSON.
pub fn compact<T: Serialize>(value: &T) -> Result<String, CanonicalError> {
    let mut out = String::new();
    write(&serde_json::to_value(value)?, None, &mut out)?;
    Ok(out)
}

/// The form for people: sorted keys, two blanks per level, a line break at the end. Files are written so.
///
/// # Errors
/// A float, or a type that is not JSON.
pub fn pretty<T: Serialize>(value: &T) -> Result<String, CanonicalError> {
    let mut out = String::new();
    write(&serde_json::to_value(value)?, Some(0), &mut out)?;
    out.push('\n');
    Ok(out)
}

/// Appends `value`; `level` is the depth of indentation, `None` for the compact form.
fn write(value: &Value, level: Option<usize>, out: &mut String) -> Result<(), CanonicalError> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) if number.is_f64() => {
            return Err(CanonicalError::Float(number.to_string()));
        }
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            write_items('[', ']', items.iter(), level, out, |item, inner, out| {
                write(item, inner, out)
            })?;
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
            write_items(
                '{',
                '}',
                entries.into_iter(),
                level,
                out,
                |(key, item), inner, out| {
                    write_string(key, out);
                    out.push_str(if inner.is_some() { ": " } else { ":" });
                    write(item, inner, out)
                },
            )?;
        }
    }
    Ok(())
}

fn write_items<T>(
    open: char,
    close: char,
    items: impl ExactSizeIterator<Item = T>,
    level: Option<usize>,
    out: &mut String,
    mut each: impl FnMut(T, Option<usize>, &mut String) -> Result<(), CanonicalError>,
) -> Result<(), CanonicalError> {
    let inner = level.map(|level| level + 1);
    let empty = items.len() == 0;
    out.push(open);
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        break_line(inner, out);
        each(item, inner, out)?;
    }
    if !empty {
        break_line(level, out);
    }
    out.push(close);
    Ok(())
}

fn break_line(level: Option<usize>, out: &mut String) {
    if let Some(level) = level {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    }
}

/// Appends `text` as a JSON string, in its one spelling.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_at_every_level() {
        let value = json!({"b": {"z": 1, "a": [ {"y": null, "x": true} ]}, "a": "t", "B": 2});
        assert_eq!(
            compact(&value).unwrap(),
            r#"{"B":2,"a":"t","b":{"a":[{"x":true,"y":null}],"z":1}}"#
        );
    }

    #[test]
    fn escaping_is_fixed() {
        let text = "\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}é\u{2028}🔥";
        assert_eq!(
            compact(&text).unwrap(),
            "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}é\u{2028}🔥\""
        );
    }

    #[test]
    fn pretty_has_one_shape() {
        let value = json!({"b": [], "a": {"x": [1, -2]}, "c": {}});
        let expected = "{\n  \"a\": {\n    \"x\": [\n      1,\n      -2\n    ]\n  },\n  \"b\": [],\n  \"c\": {}\n}\n";
        assert_eq!(pretty(&value).unwrap(), expected);
    }

    #[test]
    fn floats_are_refused() {
        assert!(matches!(
            compact(&json!({"a": 1.5})),
            Err(CanonicalError::Float(_))
        ));
        assert_eq!(compact(&json!(u64::MAX)).unwrap(), "18446744073709551615");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".*", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn both_forms_read_back_as_the_same_value(value in any_json()) {
            prop_assert_eq!(&serde_json::from_str::<Value>(&compact(&value).unwrap()).unwrap(), &value);
            prop_assert_eq!(&serde_json::from_str::<Value>(&pretty(&value).unwrap()).unwrap(), &value);
        }
    }
}
