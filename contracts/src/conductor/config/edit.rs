//! Changing our keys in a `project.json` and no other byte of a value in it.

use super::{CONFIG, Config, DocumentError, Mode, check, document, parse};
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::fmt;

/// What `new` changes; `None` leaves the value as it is, and where there is none writes the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    /// The new mode.
    pub mode: Option<Mode>,
    /// The new budget in tokens.
    pub budget: Option<u64>,
}

/// The text of a `project.json` (none: there is no file yet) with our change in it.
///
/// Other keys keep their order and their values every byte.
///
/// # Errors
/// As [`parse`], for the old text and for the new values.
pub fn edited(old: Option<&[u8]>, change: Change) -> Result<String, DocumentError> {
    let old = old.unwrap_or(b"{}");
    let mut context = parse(old)?.value.skills_context;
    context.mode = change.mode.unwrap_or(context.mode);
    context.budget = change.budget.unwrap_or(context.budget);
    check(&context)?;
    let (mut file, _) = document::read::<Object>(old, &CONFIG)?;
    let mut keys = match file.get("skills_context") {
        Some(raw) => document::read::<Object>(raw.get().as_bytes(), &CONFIG)?.0,
        None => Object::default(),
    };
    keys.set("mode", &context.mode)?;
    keys.set("budget", &context.budget)?;
    file.set("skills_context", &Nested(&keys))?;
    let mut text = file.text(0);
    text.push('\n');
    // What we write is what we would read.
    let read: Config = parse(text.as_bytes())?.value;
    debug_assert_eq!(read.skills_context, context);
    Ok(text)
}

/// A JSON object as it stands in a file: keys in their order, values in their spelling.
#[derive(Default)]
struct Object(Vec<(String, Box<RawValue>)>);

/// An object that stands in another one.
struct Nested<'a>(&'a Object);

impl Serialize for Nested<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text = self.0.text(1);
        RawValue::from_string(text)
            .map_err(serde::ser::Error::custom)?
            .serialize(to)
    }
}

impl Object {
    fn get(&self, key: &str) -> Option<&RawValue> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, raw)| raw.as_ref())
    }

    fn set(&mut self, key: &str, value: &impl Serialize) -> Result<(), DocumentError> {
        let raw = to_raw_value(value).map_err(|fault| {
            DocumentError::new("config_invalid", fault.to_string(), CONFIG.help)
        })?;
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = raw,
            None => self.0.push((key.to_owned(), raw)),
        }
        Ok(())
    }

    /// One key a line, indented below `level`.
    fn text(&self, level: usize) -> String {
        let mut out = String::from("{");
        for (at, (key, value)) in self.0.iter().enumerate() {
            out.push_str(if at > 0 { ",\n" } else { "\n" });
            out.push_str(&"  ".repeat(level + 1));
            crate::canonical::write_string(key, &mut out);
            out.push_str(": ");
            out.push_str(value.get());
        }
        if !self.0.is_empty() {
            out.push('\n');
            out.push_str(&"  ".repeat(level));
        }
        out.push('}');
        out
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut object = Object::default();
        while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
            if object.get(&key).is_some() {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
            object.0.push((key, value));
        }
        Ok(object)
    }
}
