//! How single values of a job are read, and what the schema says about them.

use super::{JobId, ProjectId, default_project, first_attempt};
use crate::document::Object;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::fmt;

/// An id as other programs write it.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum Scalar {
    Text(String),
    Number(u64),
}

/// A list of texts, or one text.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum Texts {
    Many(Vec<String>),
    One(String),
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text or a whole number")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_u64<E>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_unit<E>(self) -> Result<String, E> {
        Ok(String::new())
    }
}

/// A text, or a number as text; `null` is the empty text.
pub(super) fn scalar<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    from.deserialize_any(ScalarVisitor)
}

pub(super) fn job_id<'de, D: Deserializer<'de>>(from: D) -> Result<JobId, D::Error> {
    JobId::new(&scalar(from)?).map_err(D::Error::custom)
}

pub(super) fn project_id<'de, D: Deserializer<'de>>(from: D) -> Result<ProjectId, D::Error> {
    let text = scalar(from)?;
    if text.is_empty() {
        return Ok(default_project());
    }
    ProjectId::new(&text).map_err(D::Error::custom)
}

pub(super) fn attempts<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_else(first_attempt))
}

/// A text; `null` is the empty one.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// An object; `null` is one without keys.
pub(super) fn object<'de, D: Deserializer<'de>, T>(from: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
{
    Ok(Option::deserialize(from)?.map_or_else(T::default, |Object(value)| value))
}

/// Any JSON; `null` is nothing.
pub(super) fn detail<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Option::deserialize(from)
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of texts")
    }

    fn visit_str<E>(self, text: &str) -> Result<Vec<String>, E> {
        Ok(vec![text.to_owned()])
    }

    fn visit_unit<E>(self) -> Result<Vec<String>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<String>, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = seq.next_element()? {
            texts.push(text);
        }
        Ok(texts)
    }
}

/// A list of texts; one text is a list of one, `null` an empty list.
pub(super) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    from.deserialize_any(TextsVisitor)
}
