//! What in an artifact is thought, not result? It is never handed over.

use super::headings::{folded, starts_with};
use super::holes::merged;
use super::page::section_end;
use crate::text::lines::Lines;
use crate::text::markdown::outline;
use crate::text::neutralise::plain_line;
use std::ops::Range;

/// Elements that hold reasoning.
const TAGS: [&str; 2] = ["thinking", "think"];
/// Sections that hold reasoning, by the start of their folded heading.
const SECTIONS: [&str; 3] = ["reasoning", "thinking", "scratchpad"];

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
        if !is_inside && SECTIONS.iter().any(|name| starts_with(&bare, name)) {
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

/// The elements of reasoning, outermost. One that is not closed goes to the next heading, or to the end.
fn elements(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = Vec::new();
    for (at, _) in text.match_indices('<') {
        match tag(text, at) {
            Some((false, _)) => open.push(at),
            Some((true, len)) => found.extend(open.pop().map(|start| start..at + len)),
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

/// Whether a tag of reasoning stands at `at`: an end tag or not, and its length. One in backticks is a word about it.
fn tag(text: &str, at: usize) -> Option<(bool, usize)> {
    if text.get(..at)?.ends_with('`') {
        return None;
    }
    let rest = text.get(at + 1..)?;
    let (is_end, name) = match rest.strip_prefix('/') {
        Some(name) => (true, name),
        None => (false, rest),
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
    Some((is_end, "<".len() + end + close))
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

    proptest! {
        #[test]
        fn no_closed_element_survives_and_lines_stay(text in "(<thinking>|</thinking>|# A\n|# Thinking\n|x|\n){0,16}") {
            let (clean, _) = without_reasoning(&text);
            prop_assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
            prop_assert!(!clean.contains("<thinking>"));
        }
    }
}
