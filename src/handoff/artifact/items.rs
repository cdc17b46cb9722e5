//! What do the lists of an artifact say, item by item, and which files do they name?

use crate::handoff::artifact::page::{Page, Section};
use crate::text::passages::{Kind, Passage, passages};

/// Items by which a list says that it is empty, in small letters and without the dot at their end.
const NOTHING: [&str; 8] = [
    "none",
    "n/a",
    "na",
    "-",
    "–",
    "—",
    "nothing",
    "not applicable",
];
/// What a list may say that there is none of.
const OF_WHAT: [&str; 12] = [
    "deviations",
    "deviation",
    "decisions",
    "files",
    "tests",
    "changes",
    "known issues",
    "open issues",
    "issues",
    "limitations",
    "known limitations",
    "blockers",
];
/// Words behind which `no deviations` tells of one after all.
const EXCEPTIONS: [&str; 6] = ["except", "but", "besides", "apart", "other", "however"];

/// The items and rows of sections; where a section has none, its paragraphs.
pub(crate) fn items(page: &Page, sections: &[Section]) -> Vec<Passage> {
    let mut found = Vec::new();
    for section in sections {
        let mut passages = passages(page.slice(&section.body));
        if passages
            .iter()
            .any(|passage| passage.kind != Kind::Paragraph)
        {
            passages.retain(|passage| passage.kind != Kind::Paragraph);
        }
        passages.retain(|passage| !is_nothing(&passage.text));
        found.extend(passages);
    }
    found
}

/// Whether an item says that there is nothing to list: `None`, `N/A.`, `No deviations from the plan.`
pub(crate) fn is_nothing(text: &str) -> bool {
    let text = text.trim_end_matches(['.', '!']).to_lowercase();
    let Some(rest) = text.strip_prefix("no ") else {
        return NOTHING.contains(&text.as_str());
    };
    let is_of = |what: &&str| {
        rest.strip_prefix(*what)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let mut words = rest.split(|c: char| !c.is_alphanumeric());
    OF_WHAT.iter().any(is_of) && !words.any(|word| EXCEPTIONS.contains(&word))
}

/// Words before a colon by which a line says what became of its files, in small letters.
const LABELS: [&str; 13] = [
    "added", "changed", "created", "deleted", "edited", "file", "files", "modified", "moved",
    "new", "removed", "renamed", "updated",
];
/// What stands between the files of an item and a remark about them.
const REMARKS: [&str; 5] = [" — ", " – ", " - ", ": ", " ("];
/// What stands between two files.
const BETWEEN: [&str; 6] = [", ", "; ", " and ", " -> ", " → ", " + "];
/// Letters by which git says what became of a file.
const GIT_LETTERS: &str = "MADRCTU?";

/// The files that an item is about: what is code before its remark, else the paths that stand there, else all of that.
pub(crate) fn files(item: &Passage) -> Vec<String> {
    let rest = behind_label(&item.text);
    let ends = REMARKS.iter().filter_map(|mark| rest.find(mark));
    let end = ends.min().unwrap_or(rest.len());
    let bare = rest.get(..end).unwrap_or(rest).trim();
    let named = item
        .codes
        .iter()
        .filter(|code| bare.contains(code.as_str()));
    // The first is a file whatever it is called; code behind it may be anything.
    let named: Vec<String> = named
        .enumerate()
        .filter(|(nth, code)| *nth == 0 || is_path(code))
        .map(|(_, code)| code.clone())
        .collect();
    if !named.is_empty() {
        return named;
    }
    if let Some(code) = item.codes.first().filter(|code| is_path(code)) {
        return vec![code.clone()];
    }
    let mut parts = vec![bare];
    for mark in BETWEEN {
        parts = parts
            .into_iter()
            .flat_map(|part| part.split(mark))
            .collect();
    }
    let parts: Vec<&str> = parts
        .into_iter()
        .map(|part| part.trim_matches([' ', ',', ';']))
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() > 1 && parts.iter().all(|part| is_path(part)) {
        return parts.into_iter().map(str::to_owned).collect();
    }
    vec![bare.to_owned()]
}

/// An item without the label or the letters of git before its files.
fn behind_label(text: &str) -> &str {
    let label = REMARKS
        .iter()
        .filter_map(|mark| text.split_once(mark))
        .find(|(label, _)| LABELS.contains(&label.to_lowercase().as_str()) || is_git_status(label));
    if let Some((_, rest)) = label {
        return rest;
    }
    match text.split_once(' ') {
        Some((letters, rest))
            if is_git_status(letters) && rest.split(' ').next().is_some_and(is_path) =>
        {
            rest.trim_start()
        }
        _ => text,
    }
}

/// `M`, `??`, `R100`.
fn is_git_status(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(letters.len(), 1 | 2) && letters.chars().all(|c| GIT_LETTERS.contains(c))
}

/// Whether a word is written as a path is: without blanks, with a folder or an ending.
fn is_path(text: &str) -> bool {
    let is_ending = |ending: &str| {
        !ending.is_empty()
            && ending
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    !text.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ':'))
        && (text.contains('/')
            || text
                .rsplit_once('.')
                .is_some_and(|(_, ending)| is_ending(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        passages(text).iter().flat_map(files).collect()
    }

    #[test]
    fn files_are_told_from_remarks_and_labels() {
        for text in [
            "- `src/a.rs`: new",
            "- src/a.rs — new",
            "- src/a.rs (new)",
            "* src/a.rs: new",
            "- src/a.rs",
            "- Modified: `src/a.rs`",
            "- **Created**: src/a.rs",
            "- M src/a.rs",
            "- ?? src/a.rs",
            "- The parser: `src/a.rs`",
            "- `src/a.rs`: calls `b.c` and `d.rs` now",
            "| File | Why |\n| --- | --- |\n| src/a.rs | new |\n",
            "| Change | File |\n| --- | --- |\n| M | src/a.rs |\n",
        ] {
            assert_eq!(named(text), ["src/a.rs"], "{text}");
        }
        for text in [
            "- `src/a.rs`, `src/b.rs`: new",
            "- src/a.rs, src/b.rs",
            "- Modified: src/a.rs and src/b.rs (both small)",
            "- R100 src/a.rs -> src/b.rs",
        ] {
            assert_eq!(named(text), ["src/a.rs", "src/b.rs"], "{text}");
        }
        assert_eq!(named("- Makefile"), ["Makefile"]);
        assert_eq!(
            named("- A new parser, and a lexer"),
            ["A new parser, and a lexer"]
        );
    }

    #[test]
    fn nothing_is_told_from_something() {
        for text in [
            "None",
            "N/A.",
            "n/a",
            "—",
            "Nothing.",
            "No deviations.",
            "No deviations from the specification.",
            "Not applicable",
        ] {
            assert!(is_nothing(text), "{text}");
        }
        for text in [
            "No deviations except the login",
            "No rate limit yet",
            "Nothing is cached",
            "No",
        ] {
            assert!(!is_nothing(text), "{text}");
        }
    }
}
