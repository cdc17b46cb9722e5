//! Which bytes of a text are secrets, and what stands in their place?
//!
//! [`redact`] is one pure function that everything passes through before it is hashed, stored or logged.
//! A secret becomes `[redacted:KIND]`; what is no secret stays byte for byte.
//!
//! Two kinds of evidence count. *Shapes* (`shapes`, `pem`, `url`) are secret wherever they stand. *Labels*
//! (`label`, `separator`, `value`, `headers`, `flags`) announce that a value is secret:
//!
//! - A label is secret by its last word: `db_password`, `apiKey`, `X-Auth-Token`; not `token_count`,
//!   `password_policy`, `tokenizer`. Plurals and `auth` are weak: their value must look generated.
//! - Behind `=`, `:`, `=>`, an XML tag or a `--flag` any value goes, except placeholders *by form* (`<…>`,
//!   `${…}`, `$NAME`, `{{ … }}`, masks), literals and types (`null`, `true`, `string`), the bare names of
//!   secrets (`token: token`), paths, calls and fields in code, and, without quotes, common English words.
//! - Behind a blank or `is` only a value goes that looks generated (6 bytes or more, letters and digits) or
//!   stands in quotes: `the access token when the password policy changes` stays.
//! - A made-up value (`…EXAMPLE…`, `changeme`) goes: when in doubt, redact. Up to five digits behind
//!   `token` stay: they count or point somewhere.
//!
//! Everything is a byte scanner written by hand. Measured in release mode: 30 to 70 µs for 2 KiB of prose
//! about tokens and passwords, the first call included, since nothing is set up; regular expressions for
//! the same shapes would have to be compiled by every short-lived process. Every look-ahead is bounded
//! or consumed, so that time stays linear on hostile text.
//!
//! Idempotence holds by construction: passes repeat until one finds nothing. Text that is still not
//! stable after `MOST_PASSES` is hostile and goes whole.

mod bytes;
mod flags;
mod headers;
mod json;
mod label;
mod labelled;
mod marker;
mod pem;
mod placeholder;
mod prose;
mod quote;
mod separator;
mod shapes;
mod unquoted;
mod url;
mod value;

#[cfg(test)]
mod fakes;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod shape_tests;
#[cfg(test)]
mod stay_tests;
#[cfg(test)]
mod value_tests;

use std::borrow::Cow;
use std::cmp::Reverse;

use marker::{LABELLED, Span, TEXT, push_marker};

pub use json::redact_json;

/// Passes over one text. Two are the rule where there is a secret: one that finds, one that finds no more.
const MOST_PASSES: usize = 6;

/// Replaces every secret in `text` by `[redacted:KIND]`.
///
/// Pure, deterministic, linear and idempotent: `redact(redact(x)) == redact(x)`. Borrows `text` where it
/// holds no secret. Apply it to whole texts, before any cut: half a secret may have no shape.
///
/// ```
/// use vibey_context_contracts::redact::redact;
///
/// assert_eq!(redact("password=hunter2 token_count=42"), "password=[redacted:labelled] token_count=42");
/// ```
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(mut clean) = pass(text) else {
        return Cow::Borrowed(text);
    };
    for _ in 1..MOST_PASSES {
        match pass(&clean) {
            Some(cleaner) => clean = cleaner,
            None => return Cow::Owned(clean),
        }
    }
    let mut whole = String::new();
    push_marker(&mut whole, TEXT);
    Cow::Owned(whole)
}

/// The text without the marks that [`redact`] has left: they are our words, not those of whoever wrote the text.
#[must_use]
pub fn without_marks(text: &str) -> Cow<'_, str> {
    const OPEN: &str = "[redacted:";
    if !text.contains(OPEN) {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split(OPEN);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let kind = |part: &str| {
            part.bytes()
                .all(|byte| byte == b'-' || byte.is_ascii_lowercase())
        };
        out.push(' ');
        match piece.split_once(']') {
            Some((between, rest)) if kind(between) => out.push_str(rest),
            _ => out.push_str(piece),
        }
    }
    Cow::Owned(out)
}

/// Does `text` hold anything that [`redact`] would replace?
#[must_use]
pub fn contains_secret(text: &str) -> bool {
    !spans(text).is_empty()
}

/// The kind of each secret in `text`, in order, as [`redact`] would name it.
#[must_use]
pub fn secret_kinds(text: &str) -> Vec<&'static str> {
    spans(text).into_iter().map(|span| span.kind).collect()
}

/// One pass; nothing where it finds no secret.
fn pass(text: &str) -> Option<String> {
    let spans = spans(text);
    if spans.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        out.push_str(text.get(from..span.start).unwrap_or_default());
        push_marker(&mut out, span.kind);
        from = span.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Some(out)
}

/// The secrets of `text`: sorted, disjoint, on character boundaries, none of them a marker already.
fn spans(text: &str) -> Vec<Span> {
    let b = text.as_bytes();
    let mut found = Vec::new();
    shapes::scan(b, &mut found);
    pem::scan(text, &mut found);
    url::scan(text, &mut found);
    labelled::scan(b, &mut found);
    found.retain(|span| span.start < span.end && !marker::is_redacted(b, span.start, span.end));
    for span in &mut found {
        widen(text, span);
    }
    // Of two that start together the more telling kind names the union.
    found.sort_by_key(|span| (span.start, span.kind == LABELLED, Reverse(span.end)));
    let mut merged: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// No scanner stops inside a character; should one ever, the whole character goes.
fn widen(text: &str, span: &mut Span) {
    while !text.is_char_boundary(span.start) {
        span.start -= 1;
    }
    while !text.is_char_boundary(span.end) {
        span.end += 1;
    }
}
