//! What is left of a text when pieces are taken out of it?

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

#[cfg(test)]
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
}
