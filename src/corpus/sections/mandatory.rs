//! Which headings do the entries of `mandatory_sections` cover?

use std::collections::BTreeSet;

use vibey_context_contracts::diagnostic::{Code, Finding};
use vibey_context_contracts::visible::visible;

use crate::text::markdown::{self, Heading};

/// What `mandatory_sections` means for the headings of a body.
pub(super) struct Resolved {
    /// For each heading whether an entry names it or one that encloses it.
    pub(super) covered: Vec<bool>,
    /// One finding for each entry that names no heading.
    pub(super) missing: Vec<Finding>,
}

/// Longest quotation of an entry in a message, in characters.
const QUOTED_CHARS: usize = 80;

/// Matches entries by the plain text of headings, without regard to case, whitespace and leading `#`. An entry
/// covers every heading of that text and all deeper ones up to the next of the same or a higher level.
pub(super) fn resolve(headings: &[Heading], entries: &[String], lines: &[u32]) -> Resolved {
    let keys: Vec<String> = headings.iter().map(|heading| key(&heading.text)).collect();
    let known: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    let mut wanted = BTreeSet::new();
    let mut missing = Vec::new();
    for (nth, entry) in entries.iter().enumerate() {
        let named = spellings(entry).into_iter().filter(|key| !key.is_empty());
        let mut found = named.filter(|key| known.contains(key.as_str())).peekable();
        if found.peek().is_none() {
            let line = lines.get(nth).copied().unwrap_or(0);
            let message = format!("no heading has the text `{}`", printable(entry));
            missing.push(Finding::at(Code::MandatoryMissing, line, 0, message));
        }
        wanted.extend(found);
    }
    Resolved {
        covered: cover(headings, &keys, &wanted),
        missing,
    }
}

/// For each heading whether it or one that encloses it is wanted.
fn cover(headings: &[Heading], keys: &[String], wanted: &BTreeSet<String>) -> Vec<bool> {
    // Level of the outermost wanted heading whose subtree goes on.
    let mut root: Option<u8> = None;
    let covers = |(heading, key): (&Heading, &String)| {
        root = root.filter(|root| heading.level > *root);
        if root.is_none() && wanted.contains(key) {
            root = Some(heading.level);
        }
        root.is_some()
    };
    headings.iter().zip(keys).map(covers).collect()
}

/// The keys that an entry may mean: as it is written, and read as the Markdown of a heading.
fn spellings(entry: &str) -> [String; 2] {
    let text = entry.trim().trim_start_matches('#');
    [key(text), key(&markdown::plain_line(text))]
}

fn key(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

/// The entry as it can stand in a message.
fn printable(entry: &str) -> String {
    let words: Vec<&str> = entry.split_whitespace().collect();
    let line = words.join(" ");
    let quoted: String = match line.char_indices().nth(QUOTED_CHARS) {
        Some(_) => line.chars().take(QUOTED_CHARS).chain(['…']).collect(),
        None => line,
    };
    visible(&quoted).0.into_owned()
}
