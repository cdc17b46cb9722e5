//! What is odd about an artifact that is good enough? None of it keeps its phase from being left.

use crate::handoff::judgement::judge::{COMPLETED, Found};
use crate::handoff::judgement::verdict::negative;
use crate::text::lines::line_of;
use crate::text::passages::{Kind, passages};
use vibey_context_contracts::handoff::config::Format;

/// What a template holds until somebody fills it in.
const UNFILLED: [&str; 2] = ["[FEATURE NAME]", "[NEEDS CLARIFICATION"];
/// How a task or a criterion that is not done is marked at the start of a list item.
const UNCHECKED: &str = "[ ]";

/// A sentence for each oddity.
pub(crate) fn oddities(found: &Found) -> Vec<String> {
    let mut odd: Vec<String> = UNFILLED
        .iter()
        .filter_map(|mark| unfilled(found, mark))
        .collect();
    odd.extend(unchecked(found));
    odd.extend(negative_verdict(found));
    odd
}

fn unfilled(found: &Found, mark: &str) -> Option<String> {
    let at = found.text.find(mark)?;
    Some(format!(
        "Unfilled template in {}: {} × {mark}{}, first in line {}",
        found.artifact.path,
        found.text.matches(mark).count(),
        if mark.ends_with(']') { "" } else { "…]" },
        line_of(&found.text, at)
    ))
}

fn unchecked(found: &Found) -> Option<String> {
    if found.format == Format::Html {
        return None;
    }
    let passages = passages(&found.text);
    let items = passages.iter().filter(|one| one.kind == Kind::Item);
    let (open, done): (Vec<_>, Vec<_>) = items
        .filter(|item| is_box(&item.text))
        .partition(|item| item.text.starts_with(UNCHECKED));
    let first = open.first()?;
    Some(format!(
        "Unchecked in {}: {} of {} boxes, first in line {}",
        found.artifact.path,
        open.len(),
        open.len() + done.len(),
        line_of(&found.text, first.start)
    ))
}

fn is_box(text: &str) -> bool {
    text.starts_with(UNCHECKED) || COMPLETED.iter().any(|mark| text.starts_with(mark))
}

/// That a review finds the work not good enough: the review is complete, so that its phase can be left.
pub(crate) fn negative_verdict(found: &Found) -> Option<String> {
    if found.format != Format::Html {
        return None;
    }
    let verdict = negative(&found.text)?;
    Some(format!(
        "Negative verdict in {}: {verdict}",
        found.artifact.path
    ))
}
