//! Which sections of a source are not in the brief? Whoever misses something learns where it stands.

use crate::handoff::artifact::holes::{is_inside, within};
use crate::handoff::artifact::page::{Page, section_end};
use crate::handoff::brief::block::{in_line, in_title};
use std::ops::Range;

/// Sections of one artifact that are named: of a longer list the artifact itself is the better one.
const NAMED: usize = 20;

/// A line that names the outermost sections outside `covered`, which is merged; `None` where there are none.
pub(super) fn rest(page: &Page, covered: &[Range<usize>]) -> Option<String> {
    let mut named = Vec::new();
    let mut count = 0;
    let mut end = 0;
    for (nth, heading) in page.headings.iter().enumerate() {
        let whole = heading.start..section_end(&page.headings, nth, page.text.len());
        if heading.start < end || is_inside(&whole, covered) {
            continue;
        }
        let left = if within(&whole, covered).is_empty() {
            end = whole.end;
            whole
        } else {
            // What stands below the heading itself; its sub-sections are looked at one by one.
            let next = page.headings.get(nth + 1);
            heading.start..next.map_or(whole.end, |next| next.start.min(whole.end))
        };
        let body = heading.end.min(left.end)..left.end;
        if page.slice(&body).trim().is_empty() || !within(&left, covered).is_empty() {
            continue;
        }
        count += 1;
        if count <= NAMED {
            let (first, last) = page.lines(&left);
            let title = in_title(&heading.text);
            named.push(if first == last {
                format!("{title} (line {first})")
            } else {
                format!("{title} (lines {first}-{last})")
            });
        }
    }
    if count > NAMED {
        named.push(format!("and {} more", count - NAMED));
    }
    let path = in_line(&page.path);
    (count > 0).then(|| format!("Not handed over of `{path}`: {}", named.join(", ")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    /// The line about a text of which these parts are covered.
    fn told(text: &str, parts: &[&str]) -> Option<String> {
        let page = Page::new("a.md", text);
        let place = |part: &&str| {
            let at = text.find(part).unwrap();
            at..at + part.len()
        };
        rest(&page, &parts.iter().map(place).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_left_is_named_with_its_lines() {
        let text = "# T\n\nintro\n\n## A\n\na\n\n## B\n\n### B1\n\nb\n\n### B2\n\nb\n\n## Empty\n";
        let line = |rest: &str| Some(format!("Not handed over of `a.md`: {rest}"));
        assert_eq!(told(text, &[]), line("T (lines 1-19)"));
        assert_eq!(
            told(text, &["## A\n\na\n\n"]),
            line("T (lines 1-3), B (lines 9-17)")
        );
        assert_eq!(
            told(text, &["## A\n\na\n\n", "### B1\n\nb\n\n"]),
            line("T (lines 1-3), B2 (lines 15-17)")
        );
        assert_eq!(told(text, &[text]), None);
        assert_eq!(told("no headings", &[]), None);
    }

    #[test]
    fn a_long_list_is_cut() {
        let text: String = (0..30).map(|one| format!("## S{one}\n\nx\n\n")).collect();
        let told = told(&text, &[]).unwrap();
        assert!(told.contains("S19 (lines 77-79), and 10 more"), "{told}");
        assert!(!told.contains("S20"), "{told}");
    }
}
