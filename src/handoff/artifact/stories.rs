//! Which user stories does a specification tell, and which of them does a text refer to?

use crate::handoff::artifact::headings::{undecorated, without_lead};
use crate::text::markdown::Heading;
use std::collections::BTreeSet;
use std::ops::Range;

/// Characters of `Priority: P2)` at most, blanks included.
const PRIORITY_CHARS: usize = 24;

/// A user story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Story {
    /// Its number.
    pub(crate) number: u32,
    /// Its title; empty where it has none.
    pub(crate) title: String,
    /// Its priority, such as `P2`.
    pub(crate) priority: Option<String>,
    /// Its heading, as plain text.
    pub(crate) heading: String,
    /// Where it stands, heading included.
    pub(crate) whole: Range<usize>,
    /// Where its text stands, without the heading.
    pub(crate) body: Range<usize>,
}

impl Story {
    /// The name of the step that implements it.
    pub(crate) fn name(&self) -> String {
        if self.title.is_empty() {
            format!("User Story {}", self.number)
        } else {
            self.title.clone()
        }
    }
}

/// The stories of a text of `len` bytes with these headings, in order. Two may have the same number.
///
/// A story ends at the next heading of its level or higher, or at the next story.
pub(crate) fn stories(headings: &[Heading], len: usize) -> Vec<Story> {
    let mut found = Vec::new();
    for (nth, heading) in headings.iter().enumerate() {
        let Some((number, rest)) = numbered(without_lead(&heading.text)) else {
            continue;
        };
        let is_end = |next: &&Heading| {
            next.level <= heading.level || numbered(without_lead(&next.text)).is_some()
        };
        let end = headings
            .iter()
            .skip(nth + 1)
            .find(is_end)
            .map_or(len, |next| next.start);
        found.push(Story {
            number,
            title: title(rest),
            priority: priority(rest),
            heading: heading.text.clone(),
            whole: heading.start..end,
            body: heading.end..end,
        });
    }
    found
}

/// The number at the start of `user story 3 — …` or `US-3 …`, and what stands behind it.
///
/// A bracket around the short form belongs to it: `[US-1] Log in`. `US-1.1` is a part of a story and none itself.
fn numbered(text: &str) -> Option<(u32, &str)> {
    let (text, bracket) = match (text.strip_prefix('['), text.strip_prefix('(')) {
        (Some(inner), _) => (inner, Some(']')),
        (_, Some(inner)) => (inner, Some(')')),
        _ => (text, None),
    };
    let rest = after_word(text, "user")
        .map(str::trim_start)
        .filter(|rest| text.len() > rest.len() + "user".len())
        .and_then(|rest| after_word(rest, "story"))
        .or_else(|| after_word(text, "us"))?;
    let (number, rest) = number(rest.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '_' | '-' | '#' | '\u{2010}'..='\u{2015}')
    }))?;
    let has_part = rest
        .strip_prefix('.')
        .is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    match bracket {
        _ if has_part => None,
        Some(bracket) => rest.strip_prefix(bracket).map(|rest| (number, rest)),
        None => Some((number, rest)),
    }
}

fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

/// The number at the start of a text, which ends at a word boundary.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let is_end = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    is_end
        .then(|| digits.parse().ok())
        .flatten()
        .map(|number| (number, rest))
}

fn title(rest: &str) -> String {
    let separators =
        |c: char| c.is_whitespace() || matches!(c, ':' | '.' | ')' | '-' | '\u{2010}'..='\u{2015}');
    let rest = rest.trim_start_matches(separators);
    let end = priority_at(rest).map_or(rest.len(), |(at, _)| at);
    undecorated(rest.get(..end).unwrap_or(rest)).to_owned()
}

fn priority(rest: &str) -> Option<String> {
    priority_at(rest).map(|(_, priority)| priority)
}

/// Where `(Priority: P2)` or `(P2)` begins, and which priority it is.
fn priority_at(text: &str) -> Option<(usize, String)> {
    text.match_indices('(').find_map(|(at, _)| {
        // Looked at no further than a priority can reach: a title may be a megabyte of brackets.
        let near: String = text.get(at + 1..)?.chars().take(PRIORITY_CHARS).collect();
        let inner = near.split(')').next()?.trim();
        let value =
            after_word(inner, "priority").map_or(inner, |rest| rest.trim_start_matches([':', ' ']));
        let is_priority = value.len() == 2
            && value.starts_with(['P', 'p'])
            && value.ends_with(|c: char| c.is_ascii_digit());
        is_priority.then(|| (at, value.to_ascii_uppercase()))
    })
}

/// The numbers of the stories that a sentence names, in order, each once: `US-1`, `us_2`, `User Story 3`,
/// `user stories 4, 5 and 6`.
pub(crate) fn mentioned(sentence: &str) -> Vec<u32> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    let mut previous = ' ';
    for (at, c) in sentence.char_indices() {
        if !previous.is_alphanumeric() && matches!(c, 'u' | 'U') {
            let rest = sentence.get(at..).unwrap_or_default();
            let numbers = named_at(rest).into_iter();
            found.extend(numbers.filter(|number| seen.insert(*number)));
        }
        previous = c;
    }
    found
}

fn named_at(text: &str) -> Vec<u32> {
    // `us 2` in prose is a pronoun and a number: the short form must hold together.
    let short = after_word(text, "us").map(|rest| rest.trim_start_matches(['-', '_']));
    if let Some((number, _)) = short.and_then(number) {
        return vec![number];
    }
    let Some(rest) = after_word(text, "user").map(str::trim_start) else {
        return Vec::new();
    };
    if let Some(rest) = after_word(rest, "stories") {
        return list(rest);
    }
    let after = after_word(rest, "story").map(|rest| rest.trim_start_matches([' ', '-', '_', '#']));
    after
        .and_then(number)
        .map(|(number, _)| number)
        .into_iter()
        .collect()
}

/// The numbers of `1, 2 and 3`.
fn list(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', ',', '&', '#']);
        rest = after_word(rest, "and ")
            .or_else(|| after_word(rest, "or "))
            .unwrap_or(rest)
            .trim_start();
        let Some((number, after)) = number(rest) else {
            return numbers;
        };
        numbers.push(number);
        rest = after;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;
    use crate::text::markdown::outline;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<Story> {
        stories(&outline(text).headings, text.len())
    }

    #[test]
    fn headings_of_every_form_are_stories() {
        for (heading, number, title, priority) in [
            ("## User Story 1: Log in", 1, "Log in", None),
            (
                "### User Story 3 — Profiles (Priority: P2)",
                3,
                "Profiles",
                Some("P2"),
            ),
            (
                "### User Story 3 - Profiles (Priority: P1) 🎯 MVP",
                3,
                "Profiles",
                Some("P1"),
            ),
            ("### US-10", 10, "", None),
            ("#### us_2 – Two (beta) ✅", 2, "Two (beta)", None),
            ("## 4. User  Story  4. Four (p3)", 4, "Four", Some("P3")),
            ("## US7", 7, "", None),
            ("## ✅ **User Story 8**: *Eight*", 8, "Eight", None),
            ("## [US-1] Log in", 1, "Log in", None),
            ("## (US-1) Log in (P1)", 1, "Log in", Some("P1")),
            ("## US–1: Log in", 1, "Log in", None),
            ("## User Story #1: Log in", 1, "Log in", None),
        ] {
            let found = read(&format!("{heading}\n\ntext\n"));
            assert_eq!(found.len(), 1, "{heading}");
            let story = &found[0];
            assert_eq!(
                (
                    story.number,
                    story.title.as_str(),
                    story.priority.as_deref()
                ),
                (number, title, priority)
            );
        }
        for heading in [
            "## User Stories",
            "## USA 1",
            "## Users 1",
            "## US-1a",
            "## The User Story 1",
            "## User Story one",
            "## userstory 1",
            "## US-1.1: Log in",
            "## [US-1 Log in",
            "## User Story 1.2",
        ] {
            assert_eq!(read(&format!("{heading}\n")), [], "{heading}");
        }
        assert_eq!(read("```\n## US-1\n```\n<!--\n## US-2\n-->\n"), []);
    }

    #[test]
    fn a_story_ends_at_its_level_or_at_the_next_story() {
        let text = "### US-1\none\n#### Inner\nmore\n#### US-2\ntwo\n## Other\nrest\n";
        let bodies: Vec<&str> = read(text)
            .iter()
            .map(|story| &text[story.body.clone()])
            .collect::<Vec<_>>();
        assert_eq!(bodies, ["one\n#### Inner\nmore\n", "two\n"]);
    }

    #[test]
    fn mentions_are_told_from_prose() {
        for (sentence, numbers) in [
            ("needs US-1 and US10, see us_2.", vec![1, 10, 2]),
            ("as in User Story 3, user story #4", vec![3, 4]),
            ("user stories 1, 2 and 5 first", vec![1, 2, 5]),
            ("give us 2 options in the US 3 times", vec![]),
            ("BUS-1, US-1a, US-", vec![]),
            ("US-1 and again US-1", vec![1]),
        ] {
            assert_eq!(mentioned(sentence), numbers, "{sentence}");
        }
    }

    proptest! {
        #[test]
        fn any_headings_are_survived(text in "(#{1,4} (User Story|US|Other)[ -]?[0-9]{0,12}.{0,8}\n|.{0,8}\n){0,8}") {
            let found = read(&text);
            for story in &found {
                prop_assert!(text.get(story.whole.clone()).is_some() && text.get(story.body.clone()).is_some());
            }
            for pair in found.windows(2) {
                prop_assert!(pair[0].whole.end <= pair[1].whole.start);
            }
            let _ = mentioned(&text);
        }
    }
}
