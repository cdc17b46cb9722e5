//! What was decided, one line each? Not why, and not what was turned down.

use crate::handoff::artifact::holes::{is_inside, merged};
use crate::handoff::artifact::page::{Page, Section};
use crate::handoff::artifact::rationale::{is_rationale, is_turned_down, rationale};
use crate::handoff::artifact::summary::{is_label, sentences};
use crate::text::markdown::outline;
use crate::text::passages::{Kind, Passage, passages};

/// The lines of a section of decisions.
///
/// Items, rows and paragraphs are decisions as they stand. Below a sub-heading that a paragraph explains, the heading with the
/// first sentence of that paragraph is the decision.
pub(crate) fn decisions(page: &Page, section: &Section) -> Vec<String> {
    let text = page.slice(&section.body);
    let outline = outline(text);
    let hidden = merged(rationale(text));
    let mut told: Vec<Passage> = passages(text);
    told.retain(|passage| !is_inside(&(passage.start..passage.end), &hidden));
    let first = outline.headings.first().map_or(text.len(), |one| one.start);
    let behind = told.partition_point(|passage| passage.start < first);
    let mut found = listed(told.get(..behind).unwrap_or_default());
    for (nth, heading) in outline.headings.iter().enumerate() {
        if is_inside(&(heading.start..heading.end), &hidden) || is_rationale(&heading.text) {
            continue;
        }
        let next = outline.headings.get(nth + 1);
        let end = next.map_or(text.len(), |next| next.start);
        let from = told.partition_point(|passage| passage.start < heading.end);
        let to = told.partition_point(|passage| passage.start < end);
        let own = told.get(from..to).unwrap_or_default();
        let explained = own.iter().find(|passage| !is_label(&passage.text));
        match explained {
            Some(passage) if passage.kind == Kind::Paragraph => {
                let sentence = sentences(&passage.text).into_iter().next();
                found.push(format!(
                    "{}: {}",
                    heading.text.trim_end_matches(':'),
                    sentence.unwrap_or_default()
                ));
            }
            Some(_) => found.extend(listed(own)),
            None if next.is_none_or(|next| next.level <= heading.level) => {
                found.push(heading.text.clone());
            }
            None => {}
        }
    }
    found.retain(|line| !is_turned_down(line));
    found
}

/// Passages as lines: what belongs to an item is no decision of its own, nor is what announces a list.
fn listed(passages: &[Passage]) -> Vec<String> {
    let mut end = 0;
    let mut lines = Vec::new();
    for (nth, passage) in passages.iter().enumerate() {
        let is_items = passage.kind == Kind::Paragraph && passage.start < end;
        let announces = passage.kind == Kind::Paragraph
            && passage.text.ends_with(':')
            && passages
                .get(nth + 1)
                .is_some_and(|next| next.kind != Kind::Paragraph);
        if passage.kind == Kind::Item {
            end = end.max(passage.end);
        }
        if !is_items && !announces {
            lines.push(passage.text.clone());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let page = Page::new("a.md", &format!("## Decisions\n\n{text}\n"));
        let sections = page.sections(&["Decisions".to_owned()]);
        sections
            .iter()
            .flat_map(|section| decisions(&page, section))
            .collect()
    }

    #[test]
    fn what_was_turned_down_is_no_decision() {
        for (text, expected) in [
            (
                "We keep it small.\n\n- Use Rust\n- Use SQLite\n\n  It is enough.\n",
                &["We keep it small.", "Use Rust", "Use SQLite"][..],
            ),
            (
                "### Storage\n\nWe use SQLite. It is enough.\n\n- Postgres\n\n### API\n\nREST.\n",
                &["Storage: We use SQLite.", "API: REST."],
            ),
            (
                "- Use Rust\n\nAlternatives considered:\n\n- Go\n- Zig\n\n- Rejected: C\n- MongoDB (rejected)\n",
                &["Use Rust"],
            ),
            (
                "### ADR-1: Use SQLite\n\n**Status**: accepted\n\nOne file is enough.\n\n#### Alternatives\n\n- Postgres\n",
                &["ADR-1: Use SQLite: One file is enough."],
            ),
            (
                "### Use SQLite\n\n**Rationale**: one file.\n",
                &["Use SQLite"],
            ),
            (
                "### Backend\n\n- Use Rust\n  - Alternative: Go\n- Use axum\n",
                &["Use Rust", "Use axum"],
            ),
            ("We decided:\n\n- Use Rust\n", &["Use Rust"]),
            ("### Rejected alternatives\n\n#### Go\n\nToo large.\n", &[]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
