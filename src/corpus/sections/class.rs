//! What do its headings say that a section is?

use vibey_context_contracts::packet::ContentClass;

use crate::text::markdown::Heading;

/// What the last or first word of a heading says.
const WORDS: &[(&str, ContentClass)] = &[
    ("example", ContentClass::Example),
    ("examples", ContentClass::Example),
    ("sample", ContentClass::Example),
    ("samples", ContentClass::Example),
    ("demo", ContentClass::Example),
    ("demos", ContentClass::Example),
    ("sources", ContentClass::Source),
    ("bibliography", ContentClass::Source),
    ("citations", ContentClass::Source),
    ("changelog", ContentClass::Source),
    ("credits", ContentClass::Source),
    ("acknowledgements", ContentClass::Source),
    ("reference", ContentClass::Reference),
    ("references", ContentClass::Reference),
    ("glossary", ContentClass::Reference),
    ("cheatsheet", ContentClass::Reference),
    ("appendix", ContentClass::Reference),
    ("appendices", ContentClass::Reference),
    ("lookup", ContentClass::Reference),
];

/// What two words at the start or the end of a heading say; they go before single words.
const PAIRS: &[(&str, &str, ContentClass)] = &[
    ("further", "reading", ContentClass::Source),
    ("cheat", "sheet", ContentClass::Reference),
    ("table", "of", ContentClass::Reference),
    // About sources, and not a list of them.
    ("sources", "of", ContentClass::Procedure),
    ("data", "sources", ContentClass::Procedure),
];

/// Longer headings are sentences that mention such a word, not names of a kind of section.
const MAX_WORDS: usize = 5;

/// The offset of the document's title: the only heading of level 1. It names the subject of the skill (which may well
/// be changelogs), not a kind of section.
pub(super) fn title(headings: &[Heading]) -> Option<usize> {
    let mut titles = headings
        .iter()
        .filter(|heading| heading.level == 1)
        .map(|heading| heading.start);
    match (titles.next(), titles.next()) {
        (Some(start), None) => Some(start),
        _ => None,
    }
}

/// The class by the words of the last heading of a path, else by those of the nearest heading above it.
pub(super) fn by_headings(path: &[&Heading], title: Option<usize>) -> ContentClass {
    path.iter()
        .rev()
        .filter(|heading| Some(heading.start) != title)
        .find_map(|heading| by_words(&heading.text))
        .unwrap_or(ContentClass::Procedure)
}

fn by_words(heading: &str) -> Option<ContentClass> {
    // What follows explains the name.
    let name = heading
        .split([':', '(', '—', '–'])
        .find(|name| name.chars().any(char::is_alphabetic))?
        .to_lowercase();
    let words: Vec<&str> = name
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    if words.len() > MAX_WORDS {
        return None;
    }
    let pair = |pair: Option<&[&str]>| {
        let &[first, second] = pair? else { return None };
        let found = PAIRS.iter().find(|row| (row.0, row.1) == (first, second));
        found.map(|row| row.2)
    };
    let single = |word: Option<&&str>| {
        let found = WORDS.iter().find(|row| Some(&row.0) == word);
        found.map(|row| row.1)
    };
    pair(words.get(..2))
        .or_else(|| pair(words.get(words.len().saturating_sub(2)..)))
        .or_else(|| single(words.last()))
        .or_else(|| single(words.first()))
}
