//! What in a text says why, or what was not chosen, and not what is?

use crate::handoff::artifact::headings::{folded, starts_with};
use crate::handoff::artifact::page::section_end;
use crate::text::markdown::outline;
use crate::text::passages::{Kind, Passage, passages};
use std::ops::Range;

/// Headings, and labels of paragraphs and items, of what says why and not what. Folded.
const RATIONALE: [&str; 18] = [
    "rationale",
    "background",
    "motivation",
    "alternatives",
    "alternative",
    "rejected",
    "discarded",
    "not chosen",
    "options considered",
    "considered options",
    "other options",
    "why",
    "reason",
    "reasons",
    "reasoning",
    "trade-offs",
    "pros",
    "cons",
];
/// Words behind the name of an alternative by which it was not chosen.
const TURNED_DOWN: [&str; 4] = ["rejected", "discarded", "not chosen", "dismissed"];
/// What stands between the name of an alternative and what became of it.
const MARKS: [&str; 5] = [": ", " — ", " – ", " - ", " ("];

/// Where a Markdown text has sections, paragraphs and items of rationale. What is listed below a label is the label's.
pub(crate) fn rationale(text: &str) -> Vec<Range<usize>> {
    let headings = outline(text).headings;
    let sections = headings
        .iter()
        .enumerate()
        .filter(|(_, heading)| is_rationale(&heading.text))
        .map(|(nth, heading)| heading.start..section_end(&headings, nth, text.len()));
    let mut found: Vec<Range<usize>> = sections.collect();
    found.extend(labelled(&passages(text), &headings_at(text), is_rationale));
    found
}

/// Where the headings of a text begin: what a label says ends there.
fn headings_at(text: &str) -> Vec<usize> {
    let headings = outline(text).headings;
    headings.iter().map(|heading| heading.start).collect()
}

/// Where passages stand whose label is one of those that are asked for, with what is listed below a label that ends a
/// paragraph.
fn labelled(
    passages: &[Passage],
    headings: &[usize],
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(passage) = passages.get(at) {
        at += 1;
        let label = passage.text.split_once(':').map(|(label, _)| label);
        if !label.is_some_and(&is_wanted) {
            continue;
        }
        let mut end = passage.end;
        if passage.kind == Kind::Paragraph && passage.text.ends_with(':') {
            let next = headings.partition_point(|start| *start < passage.end);
            let stop = headings.get(next).copied().unwrap_or(usize::MAX);
            while let Some(item) = passages.get(at)
                && item.start < stop
                && (item.kind != Kind::Paragraph || item.start < end)
            {
                end = end.max(item.end);
                at += 1;
            }
        }
        found.push(passage.start..end);
    }
    found
}

/// Whether a heading or label announces rationale.
pub(crate) fn is_rationale(text: &str) -> bool {
    let bare = folded(text);
    RATIONALE.iter().any(|word| starts_with(&bare, word))
}

/// Whether a line tells of an alternative that was turned down: `MongoDB (rejected)`.
pub(crate) fn is_turned_down(text: &str) -> bool {
    let behind = MARKS
        .iter()
        .filter_map(|mark| text.split_once(mark).map(|(_, behind)| behind));
    behind
        .map(folded)
        .any(|behind| TURNED_DOWN.iter().any(|word| starts_with(&behind, word)))
}

/// Where a Markdown text has sections, or labels with what is listed below them, that begin with one of these phrases,
/// which are folded.
pub(crate) fn told_of(text: &str, phrases: &[String]) -> Vec<Range<usize>> {
    let is_wanted = |text: &str| {
        let bare = folded(text);
        phrases.iter().any(|phrase| starts_with(&bare, phrase))
    };
    let headings = outline(text).headings;
    let sections = headings
        .iter()
        .enumerate()
        .filter(|(_, heading)| is_wanted(&heading.text))
        .map(|(nth, heading)| heading.start..section_end(&headings, nth, text.len()));
    let mut found: Vec<Range<usize>> = sections.collect();
    found.extend(labelled(&passages(text), &headings_at(text), is_wanted));
    found
}
