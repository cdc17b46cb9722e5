//! Which sections does the body of a skill have?
//!
//! A section is a heading of the document with the text up to the next one, or a part of that. The sections of a
//! body follow one another without gap: together they are the body, byte for byte.

use std::ops::Range;

use vibey_context_contracts::diagnostic::{Code, Finding};
use vibey_context_contracts::packet::ContentClass;
use vibey_context_contracts::visible::count_hidden;

use crate::text::markdown::{self, Heading, Outline};
use crate::text::tokens;

mod class;
mod lines;
mod mandatory;
mod split;

pub use split::PART_MAX_BYTES;

/// One section, or one part of a large one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Plain texts of the enclosing headings and its own; the skill's name for text before the first heading.
    pub heading_path: Vec<String>,
    /// Bytes in the whole text.
    pub range: Range<usize>,
    /// First line in the whole text, from 1.
    pub line_start: u32,
    /// Last line, inclusive: the one that its last byte, often a newline, ends or stands in.
    pub line_end: u32,
    /// Which part of the section this is, from 1.
    pub part: u32,
    /// Number of parts of the section.
    pub parts: u32,
    /// What it is to its reader.
    pub class: ContentClass,
    /// Whether there is nothing to offer: a heading without text, and none of its children below it.
    pub bare: bool,
    /// Estimated tokens of the source text, without any frame.
    pub token_estimate: u64,
}

/// The sections of a skill and what is wrong with its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sectioned {
    /// In source order, without gap.
    pub sections: Vec<Section>,
    /// In order of their lines.
    pub findings: Vec<Finding>,
    /// Whether an entry of `mandatory_sections` matches no heading, which rejects the skill.
    pub mandatory_missing: bool,
}

/// Text that stays together before it is split by size. Offsets are of the body.
struct Piece {
    range: Range<usize>,
    heading_path: Vec<String>,
    class: ContentClass,
    bare: bool,
    /// End of its own heading; the start of the range where there is none.
    lead_end: usize,
}

/// Cuts the body of a skill, `text` from the byte `body_start` in line `body_line` on, into sections.
///
/// A heading without text of its own rides with its first child. `mandatory` holds the entries of
/// `mandatory_sections`, `mandatory_lines` the line of each in the file.
#[must_use]
pub fn sections(
    text: &str,
    body_start: usize,
    body_line: u32,
    skill_name: &str,
    mandatory: &[String],
    mandatory_lines: &[u32],
) -> Sectioned {
    let body = text.get(body_start..).unwrap_or_default();
    let outline = markdown::outline(body);
    let mandatory = mandatory::resolve(&outline.headings, mandatory, mandatory_lines);
    let pieces = pieces(body, &outline.headings, skill_name, &mandatory.covered);

    let mandatory_missing = !mandatory.missing.is_empty();
    let mut findings = mandatory.missing;
    findings.extend(hidden_characters(text));
    findings.extend(unclosed_fence(body, body_line, &outline));
    findings.extend(body_empty(&pieces));
    findings.sort();

    Sectioned {
        sections: parts(body, body_start, body_line, pieces, &outline),
        findings,
        mandatory_missing,
    }
}

/// Joins headings with the text that belongs to them.
fn pieces(body: &str, headings: &[Heading], skill_name: &str, covered: &[bool]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    // Start of text that rides with the next piece.
    let mut riding = None;
    let first = headings.first().map_or(body.len(), |first| first.start);
    if first > 0 {
        let bare = !has_text(body.get(..first).unwrap_or_default());
        if bare && !headings.is_empty() {
            riding = Some(0);
        } else {
            pieces.push(Piece {
                range: 0..first,
                heading_path: vec![skill_name.to_owned()],
                class: ContentClass::Procedure,
                bare,
                lead_end: 0,
            });
        }
    }
    let title = class::title(headings);
    let mut open: Vec<usize> = Vec::new();
    for (nth, heading) in headings.iter().enumerate() {
        while open
            .pop_if(|outer| {
                headings
                    .get(*outer)
                    .is_none_or(|h| h.level >= heading.level)
            })
            .is_some()
        {}
        open.push(nth);
        let next = headings.get(nth + 1);
        let end = next.map_or(body.len(), |next| next.start);
        let bare = !has_text(body.get(heading.end..end).unwrap_or_default());
        let start = riding.take().unwrap_or(heading.start);
        if bare && next.is_some_and(|next| next.level > heading.level) {
            riding = Some(start);
            continue;
        }
        let path: Vec<&Heading> = open.iter().filter_map(|at| headings.get(*at)).collect();
        let is_mandatory = covered.get(nth).copied().unwrap_or(false);
        pieces.push(Piece {
            range: start..end,
            class: if is_mandatory {
                ContentClass::Mandatory
            } else {
                class::by_headings(&path, title)
            },
            heading_path: path.iter().map(|heading| shown(heading)).collect(),
            bare,
            lead_end: heading.end,
        });
    }
    pieces
}

/// Longest text of a heading in a path, in characters. The path is repeated for every section below the heading, so
/// that a longer one would multiply a hostile skill; the headings of real skills stay below.
const PATH_TEXT_MAX_CHARS: usize = 240;

/// The text of a heading as it stands in a path.
fn shown(heading: &Heading) -> String {
    let text = heading.text.as_str();
    match text.char_indices().nth(PATH_TEXT_MAX_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None if text.is_empty() => "(untitled)".to_owned(),
        None => text.to_owned(),
    }
}

/// Splits the pieces by size and numbers their lines.
fn parts(
    body: &str,
    body_start: usize,
    body_line: u32,
    pieces: Vec<Piece>,
    outline: &Outline,
) -> Vec<Section> {
    let mut lines = lines::Lines::new(body, body_line);
    let mut sections = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let ranges = split::parts(body, piece.range, piece.lead_end, outline);
        let parts = count(ranges.len());
        for (nth, range) in ranges.into_iter().enumerate() {
            let (line_start, line_end) = lines.of(&range);
            sections.push(Section {
                heading_path: piece.heading_path.clone(),
                token_estimate: tokens::estimate_bytes(range.len()),
                range: body_start + range.start..body_start + range.end,
                line_start,
                line_end,
                part: count(nth + 1),
                parts,
                class: piece.class,
                bare: piece.bare,
            });
        }
    }
    sections
}

/// Skills are limited to a few MiB, so that no count of theirs reaches the bound.
fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Whether Markdown has text of its own: not only blank lines, thematic breaks and HTML comments.
fn has_text(markdown: &str) -> bool {
    let mut rest = markdown;
    loop {
        let (before, comment) = match rest.split_once("<!--") {
            Some((before, comment)) => (before, Some(comment)),
            None => (rest, None),
        };
        if before
            .lines()
            .any(|line| !line.trim().is_empty() && !is_thematic_break(line))
        {
            return true;
        }
        match comment.and_then(|comment| comment.split_once("-->")) {
            Some((_, after)) => rest = after,
            // No further comment, or one that hides the rest.
            None => return false,
        }
    }
}

/// Three or more of one of `-`, `*`, `_` with nothing else on the line.
fn is_thematic_break(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    let Some(mark @ ('-' | '*' | '_')) = marks.next() else {
        return false;
    };
    let mut others = 0;
    marks.all(|c| {
        others += 1;
        c == mark
    }) && others >= 2
}

fn hidden_characters(text: &str) -> Option<Finding> {
    let (at, count) = count_hidden(text)?;
    let before = text.get(..at)?;
    let (line, column) = lines::place(before);
    let which = u32::from(text.get(at..)?.chars().next()?);
    let message = match count {
        1 => format!("the hidden character U+{which:04X}"),
        _ => format!("{count} hidden characters, the first of them U+{which:04X}"),
    };
    Some(Finding::at(Code::HiddenCharacters, line, column, message))
}

fn unclosed_fence(body: &str, body_line: u32, outline: &Outline) -> Option<Finding> {
    let before = body.get(..outline.unclosed_fence?)?;
    let (line, _) = lines::place(before);
    Some(Finding::at(
        Code::FenceUnclosed,
        line.saturating_add(body_line).saturating_sub(1),
        0,
        "the code fence that opens here is never closed, so that all text below is code",
    ))
}

fn body_empty(pieces: &[Piece]) -> Option<Finding> {
    pieces.iter().all(|piece| piece.bare).then(|| {
        let what = match pieces.iter().any(|piece| piece.lead_end > 0) {
            true => "the skill has headings, but no text below them",
            false => "the skill has no text below its frontmatter",
        };
        Finding::whole(Code::BodyEmpty, what)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests;
