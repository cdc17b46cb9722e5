//! What stands in the place of a secret, and how is it known again?
//!
//! A marker is `[redacted:KIND]`. Only the kinds below are markers: text that merely looks like one
//! protects nothing that stands behind it.

use super::bytes::{at, is_space, part, starts};

pub(super) const ANTHROPIC: &str = "anthropic";
pub(super) const AWS_ACCESS_KEY: &str = "aws-access-key";
pub(super) const AWS_SECRET_KEY: &str = "aws-secret-key";
pub(super) const BASIC: &str = "basic";
pub(super) const BEARER: &str = "bearer";
pub(super) const COOKIE: &str = "cookie";
pub(super) const GITHUB: &str = "github";
pub(super) const GITLAB: &str = "gitlab";
pub(super) const GOOGLE: &str = "google";
pub(super) const JWT: &str = "jwt";
pub(super) const LABELLED: &str = "labelled";
pub(super) const NPM: &str = "npm";
pub(super) const OPENAI: &str = "openai";
pub(super) const PRIVATE_KEY: &str = "private-key";
pub(super) const PROVIDER: &str = "provider";
pub(super) const PYPI: &str = "pypi";
pub(super) const SLACK: &str = "slack";
pub(super) const STRIPE: &str = "stripe";
pub(super) const TEXT: &str = "text";
pub(super) const URL_CREDENTIALS: &str = "url-credentials";
pub(super) const USER_PASSWORD: &str = "user-password";

const KINDS: [&str; 21] = [
    ANTHROPIC,
    AWS_ACCESS_KEY,
    AWS_SECRET_KEY,
    BASIC,
    BEARER,
    COOKIE,
    GITHUB,
    GITLAB,
    GOOGLE,
    JWT,
    LABELLED,
    NPM,
    OPENAI,
    PRIVATE_KEY,
    PROVIDER,
    PYPI,
    SLACK,
    STRIPE,
    TEXT,
    URL_CREDENTIALS,
    USER_PASSWORD,
];

const OPEN: &str = "[redacted:";

/// A stretch of the text that must go, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
}

pub(super) fn push_marker(out: &mut String, kind: &str) {
    out.push_str(OPEN);
    out.push_str(kind);
    out.push(']');
}

/// The end of the marker that starts at `i`.
pub(super) fn marker_end(b: &[u8], i: usize) -> Option<usize> {
    if !starts(b, i, OPEN.as_bytes()) {
        return None;
    }
    let kind_at = i + OPEN.len();
    KINDS
        .iter()
        .find(|kind| starts(b, kind_at, kind.as_bytes()) && at(b, kind_at + kind.len()) == b']')
        .map(|kind| kind_at + kind.len() + 1)
}

/// Is the word at `start` the kind inside a marker? (`private-key` would be a label otherwise.)
pub(super) fn inside_marker(b: &[u8], start: usize) -> bool {
    start
        .checked_sub(OPEN.len())
        .is_some_and(|open| marker_end(b, open).is_some())
}

/// Is `value` nothing but markers, at least one, with blanks between?
pub(super) fn only_markers(value: &[u8]) -> bool {
    let mut i = 0;
    while i < value.len() {
        match marker_end(value, i) {
            Some(end) => i = end,
            None if i > 0 && is_space(at(value, i)) => i += 1,
            None => return false,
        }
    }
    i > 0
}

/// The position behind the markers that start at `i`; `i` where there is none.
pub(super) fn skip_markers(b: &[u8], mut i: usize) -> usize {
    while let Some(end) = marker_end(b, i) {
        i = end;
    }
    i
}

/// Is `b[start..end]` nothing but markers?
pub(super) fn is_redacted(b: &[u8], start: usize, end: usize) -> bool {
    only_markers(part(b, start, end))
}
