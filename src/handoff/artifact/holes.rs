//! What is left of a text when pieces are taken out of it, and do pieces overlap?

use std::ops::Range;

/// The text without these ranges, which may overlap, and how many of them did not lie in another.
pub(crate) fn without(text: &str, holes: &[Range<usize>]) -> (String, usize) {
    let mut holes: Vec<&Range<usize>> = holes.iter().filter(|hole| !hole.is_empty()).collect();
    holes.sort_by_key(|hole| (hole.start, hole.end));
    let (mut out, mut from, mut count) = (String::new(), 0, 0);
    for hole in holes {
        if hole.start >= from {
            out.push_str(text.get(from..hole.start).unwrap_or_default());
            count += 1;
        }
        from = from.max(hole.end);
    }
    out.push_str(text.get(from..).unwrap_or_default());
    (out, count)
}

/// The ranges in order, those that overlap as one.
pub(crate) fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Whether a range lies in one of these, which are [`merged`].
pub(crate) fn is_inside(range: &Range<usize>, merged: &[Range<usize>]) -> bool {
    let behind = merged.partition_point(|one| one.start <= range.start);
    let last = behind.checked_sub(1).and_then(|nth| merged.get(nth));
    last.is_some_and(|last| range.end <= last.end)
}

/// What of these ranges, which are [`merged`], lies in a range, counted from its start.
pub(crate) fn within(range: &Range<usize>, merged: &[Range<usize>]) -> Vec<Range<usize>> {
    let from = merged.partition_point(|one| one.end <= range.start);
    let to = merged.partition_point(|one| one.start < range.end);
    let clip = |at: usize| at.clamp(range.start, range.end) - range.start;
    let overlapping = merged.get(from..to).unwrap_or_default().iter();
    overlapping
        .map(|one| clip(one.start)..clip(one.end))
        .collect()
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_holes_are_taken_once() {
        assert_eq!(
            without("abcdef", &[1..3, 2..4, 1..2, 5..5]),
            ("aef".to_owned(), 1)
        );
        assert_eq!(without("abc", &[]), ("abc".to_owned(), 0));
    }

    #[test]
    fn merged_ranges_answer_for_all() {
        let merged = merged(vec![8..9, 0..2, 1..4, 4..5]);
        assert_eq!(merged, [0..5, 8..9]);
        for (range, expected) in [(0..5, true), (3..4, true), (4..6, false), (6..7, false)] {
            assert_eq!(is_inside(&range, &merged), expected, "{range:?}");
        }
        assert_eq!(within(&(0..9), &merged), merged);
        assert_eq!(within(&(4..9), &merged), [0..1, 4..5]);
        assert!(within(&(5..8), &merged).is_empty());
        assert_eq!(within(&(2..3), &merged), [0..1]);
        assert!(!is_inside(&(0..1), &[]));
    }
}
