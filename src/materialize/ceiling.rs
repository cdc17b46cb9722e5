//! What gives way when the file is larger than its reader can take?

use super::page::Page;
use super::roles::trim_order;
use std::cmp::Reverse;
use vibey_context_contracts::materialize::Cut;

/// The ladder below what the role table gives.
const LADDER: [Cut; 3] = [Cut::FirstSectionToc, Cut::TitleFirstPara, Cut::TitleOnly];

/// Trims until the whole file has at most `ceiling` tokens: one link at a time down the ladder, by role, the longest first. Returns whether
/// it fits in the end.
///
/// # Errors
/// A template fails.
pub(crate) fn enforce(page: &mut Page, ceiling: u64) -> Result<bool, askama::Error> {
    for section in order(page) {
        for cut in LADDER {
            if page.tokens()? <= ceiling {
                return Ok(true);
            }
            page.lower(section, cut)?;
        }
    }
    Ok(page.tokens()? <= ceiling)
}

/// The sections in the order in which they give way.
fn order(page: &Page) -> Vec<usize> {
    let mut order: Vec<usize> = (0..page.sections.len()).collect();
    order.sort_by_key(|at| {
        let section = &page.sections[*at];
        (trim_order(section.role), Reverse(section.tokens), *at)
    });
    order
}
