//! What gives way when the file is larger than its reader can take?

use super::page::Page;
use vibey_context_contracts::materialize::Cut;

/// The ladder below what the role table gives.
const LADDER: [Cut; 3] = [Cut::FirstSectionToc, Cut::TitleFirstPara, Cut::TitleOnly];

/// Trims until the whole file has at most `ceiling` tokens: one link at a time down the ladder, by role, the longest
/// first. Returns whether it fits in the end.
///
/// # Errors
/// A template fails.
pub(crate) fn enforce(page: &mut Page, ceiling: u64) -> Result<bool, askama::Error> {
    for section in page.trim_order() {
        for cut in LADDER {
            if page.tokens()? <= ceiling {
                return Ok(true);
            }
            page.lower(section, cut)?;
        }
    }
    Ok(page.tokens()? <= ceiling)
}
