//! Where is a section split that is too large for the smallest budget?

use std::ops::Range;

use crate::text::markdown::{Cut, Outline, Strength};

/// Largest part of a section in bytes, where nothing unbreakable is larger: 700 tokens by estimate, which leave room
/// for the packet's head and the section's frame in the smallest budget, 1,000 tokens.
pub const PART_MAX_BYTES: usize = 2_800;

/// A good place is taken only behind this many bytes, a quarter of a part: rather a worse place than a part that is
/// hardly worth its frame.
const FILL_MIN_BYTES: usize = PART_MAX_BYTES / 4;

/// A last part below this size (50 tokens, less than its frame costs) is avoided where the cut before can move.
const TAIL_MIN_BYTES: usize = 200;

/// Splits a range of the body into parts of at most [`PART_MAX_BYTES`] at the best places, never inside a code block
/// or table and never right behind the heading that ends at `lead_end`. The parts follow one another without gap.
pub(super) fn parts(
    body: &str,
    range: Range<usize>,
    lead_end: usize,
    outline: &Outline,
) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    let floor = lead_end + blank(body, lead_end);
    while range.end - start > PART_MAX_BYTES {
        let at = next(body, start, range.end, floor.max(start), outline);
        if at <= start || at >= range.end {
            break;
        }
        parts.push(start..at);
        start = at;
    }
    parts.push(start..range.end);
    parts
}

/// Number of blank bytes from `at` on, up to the start of the line that is not blank.
fn blank(body: &str, at: usize) -> usize {
    let rest = body.get(at..).unwrap_or_default();
    rest.split_inclusive('\n')
        .take_while(|line| line.trim().is_empty())
        .map(str::len)
        .sum()
}

/// The end of the part that starts at `start`; cuts up to `floor` are not allowed.
fn next(body: &str, start: usize, end: usize, floor: usize, outline: &Outline) -> usize {
    let limit = start + PART_MAX_BYTES;
    let window = between(&outline.cuts, floor, limit);
    let roomy = between(&outline.cuts, floor, limit.min(end - TAIL_MIN_BYTES));
    let best = best(roomy, start).or_else(|| best(window, start));
    if let Some(at) = best.filter(|at| !is_lead(outline, start, *at)) {
        return at;
    }
    if best.is_some() || is_inside(outline, limit) {
        let behind = between(&outline.cuts, limit, end).first();
        let at = behind.map_or(end, |cut| cut.at);
        return if end - at < TAIL_MIN_BYTES { end } else { at };
    }
    let roomy = limit.min(end - TAIL_MIN_BYTES);
    let is_free = !is_inside(outline, roomy);
    in_line(body, start, if is_free { roomy } else { limit }, outline)
}

/// Whether a part up to `at` would be but a line or two that lead to something too large for a part anyway.
fn is_lead(outline: &Outline, start: usize, at: usize) -> bool {
    let nth = outline.atoms.partition_point(|atom| atom.end <= at);
    let is_too_large = |atom: &Range<usize>| atom.start == at && atom.len() > PART_MAX_BYTES;
    at - start < TAIL_MIN_BYTES && outline.atoms.get(nth).is_some_and(is_too_large)
}

/// Whether `at` lies inside a code block or table.
fn is_inside(outline: &Outline, at: usize) -> bool {
    let nth = outline.atoms.partition_point(|atom| atom.end <= at);
    let atom = outline.atoms.get(nth);
    atom.is_some_and(|atom| atom.start < at)
}

/// The cuts behind `after` and up to `until`.
fn between(cuts: &[Cut], after: usize, until: usize) -> &[Cut] {
    let first = cuts.partition_point(|cut| cut.at <= after);
    let last = cuts.partition_point(|cut| cut.at <= until);
    cuts.get(first..last).unwrap_or_default()
}

/// The last of the strongest cuts that fill the part well enough, else the last one: what follows it is unbreakable.
fn best(cuts: &[Cut], start: usize) -> Option<usize> {
    [
        Strength::Block,
        Strength::Item,
        Strength::Inner,
        Strength::Line,
    ]
    .into_iter()
    .find_map(|strength| {
        let filling = |cut: &&Cut| cut.strength == strength && cut.at >= start + FILL_MIN_BYTES;
        cuts.iter().rev().find(filling)
    })
    .or(cuts.last())
    .map(|cut| cut.at)
}

/// A place inside an enormous line: behind the last space of the part's second half, else between two characters.
/// `limit` does not lie inside a code block or table.
fn in_line(body: &str, start: usize, limit: usize, outline: &Outline) -> usize {
    let mut limit = limit;
    while !body.is_char_boundary(limit) {
        limit -= 1;
    }
    let before = outline.atoms.partition_point(|atom| atom.end <= limit);
    let atom = before.checked_sub(1).and_then(|nth| outline.atoms.get(nth));
    let from = (start + PART_MAX_BYTES / 2).max(atom.map_or(0, |atom| atom.end));
    let half = body.as_bytes().get(from..limit).unwrap_or_default();
    half.iter()
        .rposition(u8::is_ascii_whitespace)
        .map_or(limit, |space| from + space + 1)
}
