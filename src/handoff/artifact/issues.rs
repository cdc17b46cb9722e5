//! Which issues does an artifact itself know of? The next phase is warned of them in its words.

use crate::handoff::artifact::headings::folded;
use crate::handoff::artifact::holes::is_inside;
use crate::handoff::artifact::items::items;
use crate::handoff::artifact::page::Page;
use crate::handoff::artifact::summary::{SUMMARY_CHARS, shortened};
use crate::handoff::brief::block::in_line;
use std::ops::Range;

/// Sections that tell of them.
const SECTIONS: [&str; 4] = [
    "Known Issues",
    "Open Issues",
    "Limitations",
    "Known Limitations",
];
/// Issues of one artifact that are told, one line each: more of them are a list to be read where it stands.
const TOLD: usize = 5;

/// A warning for each issue that a page knows of, but for those in `excluded`, which are merged.
pub(crate) fn known_issues(page: &Page, excluded: &[Range<usize>]) -> Vec<String> {
    let mut sections = page.sections(&SECTIONS.map(folded));
    sections.retain(|section| !is_inside(&section.whole, excluded));
    let issues = items(page, &sections);
    let line = |text: &str| {
        format!(
            "Known issue of {}: {}",
            page.path,
            in_line(&shortened(text, SUMMARY_CHARS))
        )
    };
    let mut told: Vec<String> = issues
        .iter()
        .take(TOLD)
        .map(|one| line(&one.text))
        .collect();
    if let (Some(first), true) = (sections.first(), issues.len() > TOLD) {
        told.push(format!(
            "{} knows of {} more issues, from line {} on",
            page.path,
            issues.len() - TOLD,
            page.lines(&first.whole).0
        ));
    }
    told
}
