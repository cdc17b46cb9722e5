//! What the four templates of the original skill are filled with. They are compiled in, so none can be missing.

use crate::materialize::envelope::NO_ROLE;
use crate::materialize::reason::Reason;
use crate::text::neutralise::one_line;
use askama::Template;
use vibey_context_contracts::canonical::compact;
use vibey_context_contracts::materialize::Counts;

/// The top of `context.md`.
#[derive(Template)]
#[template(path = "context-header.md", escape = "none")]
pub(super) struct ContextHeader {
    pub(super) artifact: String,
    pub(super) artifact_id: String,
    pub(super) primary_project: String,
    pub(super) generated_at: String,
    pub(super) consumer: &'static str,
    pub(super) roles: String,
    pub(super) numbers: Numbers,
    pub(super) ceiling_hit: bool,
    pub(super) title: String,
    pub(super) count_line: String,
    pub(super) trims: Vec<String>,
}

/// The number fields of the frontmatter, by their text; empty while the file is measured.
#[derive(Default)]
pub(super) struct Numbers {
    max_tokens: String,
    token_estimate: String,
    total: String,
    resolved: String,
    unresolved: String,
    trimmed: String,
}

impl Numbers {
    pub(super) fn new(max_tokens: Option<u64>, token_estimate: u64, counts: Counts) -> Self {
        Self {
            max_tokens: max_tokens.map_or_else(|| "null".to_owned(), |most| most.to_string()),
            token_estimate: token_estimate.to_string(),
            total: counts.total.to_string(),
            resolved: counts.resolved.to_string(),
            unresolved: counts.unresolved.to_string(),
            trimmed: counts.trimmed.to_string(),
        }
    }
}

/// A resolved link in `context.md`.
#[derive(Template)]
#[template(path = "ref-section.md", escape = "none")]
pub(super) struct RefSection<'a> {
    pub(super) title: String,
    pub(super) uri: String,
    pub(super) role: String,
    pub(super) status: String,
    pub(super) source: String,
    pub(super) envelope: &'a str,
}

/// The end of `context.md`.
#[derive(Template)]
#[template(path = "unresolved-section.md", escape = "none")]
pub(super) struct UnresolvedSection<'a> {
    pub(super) refs: &'a [Broken],
}

/// A link without content, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    uri: String,
    role: String,
    reason: String,
}

impl Broken {
    /// Everything in one line, since it comes from a document.
    pub(crate) fn new(uri: &str, label: Option<&str>, reason: &Reason) -> Self {
        Self {
            uri: field(&one_line(uri)),
            role: field(&one_line(label.unwrap_or(NO_ROLE))),
            reason: one_line(&reason.to_string()),
        }
    }
}

/// A value between ` | `.
pub(crate) fn field(value: &str) -> String {
    value.replace('|', "\\|")
}

/// `stale-refs.md`.
#[derive(Template)]
#[template(path = "stale-refs.md", escape = "none")]
pub(crate) struct StaleRefs {
    pub(crate) artifact: String,
    pub(crate) generated_at: String,
    pub(crate) title: String,
    pub(crate) total: usize,
    pub(crate) refs: Vec<Broken>,
}

/// A text as a YAML value: as it is where nothing in it means anything to YAML, else in quotes.
pub(crate) fn yaml_text(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let words = ["true", "false", "null", "yes", "no", "on", "off"];
    let is_word = words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(plain) && !is_word {
        return text.to_owned();
    }
    // A JSON string is a YAML one in double quotes; a text always has one.
    compact(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_where_yaml_would_read_more_into_them() {
        for (text, value) in [
            ("threads/a-b/thread.md", "threads/a-b/thread.md"),
            ("true", "\"true\""),
            ("1.5", "\"1.5\""),
            ("a: b", "\"a: b\""),
            ("", "\"\""),
            ("a\"b\n", "\"a\\\"b\\n\""),
        ] {
            assert_eq!(yaml_text(text), value);
        }
    }
}
