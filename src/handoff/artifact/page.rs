//! Which sections does a Markdown artifact have, once what must not be handed over is gone?

use crate::handoff::artifact::front_matter::without_front_matter;
use crate::handoff::artifact::headings::{folded, starts_with};
use crate::handoff::artifact::reasoning::{Dropped, without_reasoning};
use crate::handoff::artifact::stories::{Story, stories};
use crate::text::lines::Lines;
use crate::text::markdown::{Heading, outline};
use std::ops::Range;

/// A Markdown artifact, ready to be cut.
#[derive(Debug)]
pub(crate) struct Page {
    /// Path of the artifact, relative to the project.
    pub(crate) path: String,
    /// Its text. Reasoning is blank, so that lines keep their numbers.
    pub(crate) text: String,
    /// Its headings, in order.
    pub(crate) headings: Vec<Heading>,
    /// Its user stories, in order.
    pub(crate) stories: Vec<Story>,
    /// The reasoning that it held.
    pub(crate) dropped: Vec<Dropped>,
    lines: Lines,
}

/// A section of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// Its heading, as plain text.
    pub(crate) heading: String,
    /// Where it stands, heading included.
    pub(crate) whole: Range<usize>,
    /// Where its text stands, without the heading.
    pub(crate) body: Range<usize>,
}

impl Page {
    /// Prepares the text of an artifact.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let (text, dropped) = without_reasoning(&without_front_matter(text));
        let headings = outline(&text).headings;
        let stories = stories(&headings, text.len());
        Self {
            path: path.to_owned(),
            lines: Lines::new(&text),
            text,
            headings,
            stories,
            dropped,
        }
    }

    /// The outermost sections whose heading starts with one of the phrases, in order.
    pub(crate) fn sections(&self, phrases: &[String]) -> Vec<Section> {
        let phrases: Vec<String> = phrases.iter().map(|phrase| folded(phrase)).collect();
        let mut found: Vec<Section> = Vec::new();
        for (nth, heading) in self.headings.iter().enumerate() {
            let is_inside = found
                .last()
                .is_some_and(|outer| heading.start < outer.whole.end);
            let bare = folded(&heading.text);
            if is_inside || !phrases.iter().any(|phrase| starts_with(&bare, phrase)) {
                continue;
            }
            let end = section_end(&self.headings, nth, self.text.len());
            found.push(Section {
                heading: heading.text.clone(),
                whole: heading.start..end,
                body: heading.end..end,
            });
        }
        found
    }

    /// The bytes of a range of this page.
    pub(crate) fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// First and last line of a range, from 1; blank lines at its end left out.
    pub(crate) fn lines(&self, range: &Range<usize>) -> (u32, u32) {
        let first = self.lines.line_of(range.start);
        let last = range.start + self.slice(range).trim_end().len();
        (first, self.lines.line_of(last).max(first))
    }
}

/// Where the section of the `nth` heading ends: at the next one of its level or higher.
pub(crate) fn section_end(headings: &[Heading], nth: usize, len: usize) -> usize {
    let level = headings.get(nth).map_or(0, |heading| heading.level);
    let next = headings
        .iter()
        .skip(nth + 1)
        .find(|next| next.level <= level);
    next.map_or(len, |next| next.start)
}
