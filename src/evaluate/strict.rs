//! What does a JSON file hold, if no key may stand twice?
//!
//! A repeated key is a slip of the pen: a reader that takes the last one evaluates another case than the one that a person
//! sees.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads a value.
///
/// # Errors
/// What is not JSON, and a key that stands twice in one object, with line and column.
pub(super) fn value(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Strict>(bytes).map(|strict| strict.0)
}

/// A value whose objects hold every key once.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Strict)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom("a key stands twice in one object"));
            }
            let Strict(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_that_stands_twice_is_refused_at_its_place() {
        let error = value(b"[{\"a\": 1},\n {\"b\": {\"a\": 1, \"a\": 2}}]").unwrap_err();
        assert_eq!(error.line(), 2);
        assert!(error.to_string().contains("stands twice"), "{error}");
        assert!(value(br#"[{"a": 1}, {"a": {"a": 2}}]"#).is_ok());
    }

    #[test]
    fn values_are_those_of_serde_json() {
        let text = r#"[null, true, -3, 18446744073709551615, 0.5, "a\u0000\ud83d\ude00", {"b": [], "a": {}}]"#;
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(value(text.as_bytes()).unwrap(), expected);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_value_or_an_error(bytes: Vec<u8>, text in r#"[\[\]{}:,"a0 \\]{0,40}"#) {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                if let Ok(strict) = value(bytes) {
                    prop_assert_eq!(strict, serde_json::from_slice::<Value>(bytes).unwrap());
                }
            }
        }
    }
}
