//! What in an artifact is thought, not result? It is never handed over.

use crate::handoff::artifact::headings::folded;
use crate::handoff::artifact::holes::merged;
use crate::handoff::artifact::page::section_end;
use crate::text::lines::Lines;
use crate::text::markdown::outline;
use crate::text::neutralise::plain_line;
use std::ops::Range;

/// Elements that hold reasoning.
const TAGS: [&str; 4] = ["thinking", "think", "reasoning", "scratchpad"];
/// Sections that hold reasoning, by their whole folded heading: `Reasoning model selection` is a section about something.
const SECTIONS: [&str; 6] = [
    "reasoning",
    "thinking",
    "scratchpad",
    "thoughts",
    "thought process",
    "chain of thought",
];
/// Words that may stand before the name of such a section.
const OWNERS: [&str; 2] = ["my ", "the "];

/// Reasoning that was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// What it was: an element or a section.
    pub(crate) what: String,
    /// Its first and last line, from 1.
    pub(crate) lines: (u32, u32),
}

/// The text with reasoning blank, its line breaks kept, and what that was.
pub(crate) fn without_reasoning(text: &str) -> (String, Vec<Dropped>) {
    let mut dropped = Vec::new();
    let mut drop = |lines: &Lines, what: String, range: &Range<usize>| {
        let lines = (
            lines.line_of(range.start),
            lines.line_of(range.end.saturating_sub(1).max(range.start)),
        );
        dropped.push(Dropped { what, lines });
    };
    let elements = elements(text);
    let lines = Lines::new(text);
    for range in &elements {
        drop(&lines, "`<thinking>` block".to_owned(), range);
    }
    let text = blanked(text, &elements);
    let lines = Lines::new(&text);
    let headings = outline(&text).headings;
    let mut sections: Vec<Range<usize>> = Vec::new();
    for (nth, heading) in headings.iter().enumerate() {
        let is_inside = sections
            .last()
            .is_some_and(|outer| heading.start < outer.end);
        let bare = folded(&heading.text);
        if !is_inside && is_reasoning(&bare) {
            let range = heading.start..section_end(&headings, nth, text.len());
            drop(
                &lines,
                format!("section “{}”", plain_line(&heading.text)),
                &range,
            );
            sections.push(range);
        }
    }
    (blanked(&text, &sections), dropped)
}

/// Whether a folded heading is the name of a section of reasoning.
fn is_reasoning(bare: &str) -> bool {
    let owned = OWNERS.iter().find_map(|owner| bare.strip_prefix(owner));
    let name = owned.unwrap_or(bare).replace('-', " ");
    SECTIONS.contains(&name.as_str())
}

/// The elements of reasoning, outermost. One that is not closed goes to the next heading, or to the end.
fn elements(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = Vec::new();
    let (mut behind, mut has_ends) = (0, true);
    for (at, _) in text.match_indices('<') {
        if at < behind {
            continue;
        }
        if text.get(at..).is_some_and(|rest| rest.starts_with("<!--")) {
            // What stands in a comment opens and closes nothing. Without an end once, there is none behind either.
            if has_ends {
                let end = text.get(at..).and_then(|rest| rest.find("-->"));
                has_ends = end.is_some();
                behind = end.map_or(behind, |end| at + end);
            }
            continue;
        }
        match tag(text, at) {
            Some((Tag::Empty, len)) => found.push(at..at + len),
            Some((Tag::Start, _)) => open.push(at),
            Some((Tag::End, len)) => found.extend(open.pop().map(|start| start..at + len)),
            None => {}
        }
    }
    if !open.is_empty() {
        let headings = outline(text).headings;
        found.extend(open.into_iter().map(|start| {
            let next = headings.partition_point(|heading| heading.start <= start);
            start
                ..headings
                    .get(next)
                    .map_or(text.len(), |heading| heading.start)
        }));
    }
    merged(found)
}

/// What a tag does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// It opens an element.
    Start,
    /// It closes one.
    End,
    /// It does both.
    Empty,
}

/// The tag of reasoning at `at`, with any blanks, and its length. One in backticks is a word about it.
fn tag(text: &str, at: usize) -> Option<(Tag, usize)> {
    if text.get(..at)?.ends_with('`') {
        return None;
    }
    let rest = text.get(at + 1..)?;
    let name = rest.trim_start();
    let (is_end, name) = match name.strip_prefix('/') {
        Some(name) => (true, name.trim_start()),
        None => (false, name),
    };
    let word = name
        .find(|c: char| !c.is_ascii_alphabetic())
        .and_then(|end| name.get(..end))?;
    if !TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(word)) {
        return None;
    }
    // One that lacks its `>` ends where the next begins.
    let end = rest.find(['>', '<'])?;
    let close = usize::from(rest.get(end..)?.starts_with('>'));
    let is_empty = close == 1 && rest.get(..end)?.trim_end().ends_with('/');
    let tag = match (is_end, is_empty) {
        (true, _) => Tag::End,
        (false, true) => Tag::Empty,
        (false, false) => Tag::Start,
    };
    Some((tag, "<".len() + end + close))
}

/// The text without the bytes of the ranges, line breaks excepted.
fn blanked(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        out.push_str(text.get(from..range.start).unwrap_or_default());
        let breaks = text.get(range.clone()).unwrap_or_default().matches('\n');
        out.extend(breaks);
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reasoning_goes_and_lines_stay() {
        let text = "# A\n<Thinking mode=\"x\">secret\n<thinking>in</thinking>\nsecret</thinking>after\n\n\
                    ## 3. Reasoning (private)\nsecret\n### Deeper\nsecret\n## Next\nkept, see `<thinking>` there\n";
        let (clean, dropped) = without_reasoning(text);
        assert_eq!(
            clean,
            "# A\n\n\nafter\n\n\n\n\n\n## Next\nkept, see `<thinking>` there\n"
        );
        assert_eq!(
            dropped.iter().map(|one| one.lines).collect::<Vec<_>>(),
            [(2, 4), (6, 9)]
        );
        assert_eq!(dropped[1].what, "section “3. Reasoning (private)”");
    }

    #[test]
    fn what_is_not_closed_goes_to_the_next_heading() {
        let (clean, dropped) = without_reasoning("a <think>b\nc\n\n# Next\nd\n");
        assert_eq!(clean, "a \n\n\n# Next\nd\n");
        assert_eq!(dropped.len(), 1);
        assert_eq!(without_reasoning("a <thinking>b").0, "a ");
        assert_eq!(without_reasoning("<thinking a</thinking <b> c").0, "<b> c");
        assert_eq!(
            without_reasoning("</thinking> a <thinker> b").0,
            "</thinking> a <thinker> b"
        );
    }

    #[test]
    fn tags_come_in_many_forms_and_names_are_whole() {
        for (text, clean) in [
            ("< thinking >s</ thinking >k", "k"),
            ("<Reasoning a=\"1\">s</reasoning>k", "k"),
            ("<scratchpad>s</scratchpad>k", "k"),
            ("<thinking/>k", "k"),
            ("<thinking />k</thinking>", "k</thinking>"),
            ("<!-- <thinking> -->k", "<!-- <thinking> -->k"),
            ("<thinking>s<!-- </thinking> -->s</thinking>k", "k"),
            ("#### My Reasoning\ns\n# A\nk", "\n\n# A\nk"),
            ("## The thought process\ns", "\n"),
            ("## Chain-of-Thought\ns", "\n"),
            (
                "#### Reasoning model selection\nk",
                "#### Reasoning model selection\nk",
            ),
            ("## Thinking ahead\nk", "## Thinking ahead\nk"),
        ] {
            assert_eq!(without_reasoning(text).0, clean, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_closed_element_survives_and_lines_stay(text in "(<thinking>|</thinking>|# A\n|# Thinking\n|x|\n){0,16}") {
            let (clean, _) = without_reasoning(&text);
            prop_assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
            prop_assert!(!clean.contains("<thinking>"));
        }
    }
}
