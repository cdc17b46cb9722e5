//! Does a brief fit, and if not, what goes first?

use super::brief::{Draft, render};
use super::curate::{Block, Piece};
use super::headings::{folded, starts_with};
use super::holes::without;
use super::page::section_end;
use super::summary::first_sentence;
use crate::text::markdown::outline;
use crate::text::passages::passages;
use crate::text::tokens::Tokenizer;
use vibey_context_contracts::handoff::report::{Budget, BudgetStatus};
use vibey_context_contracts::handoff::state::Settings;

/// Headings, and first words of paragraphs and items, of what says why and not what. Folded.
const RATIONALE: [&str; 5] = [
    "rationale",
    "background",
    "motivation",
    "alternatives considered",
    "why",
];

/// Places of blocks that a line about what was left out names; of more it says how many there are, and each block says
/// itself where its rest stands.
const TOLD_PLACES: usize = 3;

/// A step of the ladder: takes something out, and says what; `None` where there was nothing to take.
type Rung = fn(&mut Draft) -> Option<String>;

/// The ladder, top first.
const LADDER: [Rung; 5] = [
    prior_to_one_sentence,
    dependencies_to_titles,
    files_to_counts,
    without_rationale,
    last_key_to_first_paragraph,
];

/// Compresses a draft down the ladder until its brief is at the limit. Returns the brief and its size.
pub(crate) fn fit(
    draft: &mut Draft,
    settings: &Settings,
    tokenizer: Tokenizer,
) -> (String, Budget) {
    let count = |draft: &Draft, status| tokenizer.count(&render(draft, status, None));
    let window = settings.context_window;
    let limit = settings.compression_threshold.of(window);
    let raw = count(draft, BudgetStatus::Within);
    let (mut status, mut tokens) = (BudgetStatus::Within, raw);
    if raw > limit {
        status = if raw <= window {
            BudgetStatus::Pressure
        } else {
            BudgetStatus::Over
        };
        draft.warnings.push(format!(
            "Budget: {raw} tokens before compression, more than the limit of {limit}"
        ));
        tokens = count(draft, status);
        for take in LADDER {
            // A rung that has nothing more to take gives way to the next.
            while tokens > limit
                && let Some(what) = take(draft)
            {
                draft
                    .dropped
                    .push(format!("Left out for the budget: {what}"));
                tokens = count(draft, status);
            }
        }
        if tokens > limit && status == BudgetStatus::Pressure {
            status = BudgetStatus::Over;
            tokens = count(draft, status);
        }
    }
    let budget = Budget {
        tokenizer: tokenizer.name().to_owned(),
        tokens,
        raw_tokens: raw,
        limit,
        window,
        used_percent: (u128::from(tokens) * 100).div_ceil(u128::from(window.max(1))) as u64,
        status,
    };
    (render(draft, status, Some(&budget)), budget)
}

fn prior_to_one_sentence(draft: &mut Draft) -> Option<String> {
    let mut cut = 0;
    for piece in &mut draft.pieces {
        let Piece::Prior(stories) = piece else {
            continue;
        };
        for story in stories {
            let first = first_sentence(&story.summary);
            if first.len() < story.summary.len() {
                story.summary = first;
                cut += 1;
            }
        }
    }
    (cut > 0).then(|| format!("the second sentence of {cut} prior stories"))
}

fn dependencies_to_titles(draft: &mut Draft) -> Option<String> {
    let mut cut = 0;
    for piece in &mut draft.pieces {
        let Piece::Dependencies(stories) = piece else {
            continue;
        };
        for story in stories {
            let title = if story.title.is_empty() {
                format!("User Story {}", story.number)
            } else {
                story.title.clone()
            };
            if title.len() < story.sentence.len() {
                story.sentence = title;
                cut += 1;
            }
        }
    }
    (cut > 0).then(|| format!("the sentences of {cut} dependencies"))
}

fn files_to_counts(draft: &mut Draft) -> Option<String> {
    let mut cut = Vec::new();
    for (name, list) in [
        ("artifacts", &mut draft.found.artifacts),
        ("changed files", &mut draft.found.files),
    ] {
        if list.len() > 1 {
            cut.push(format!("the list of {} {name}", list.len()));
            *list = vec![counted(list.len())];
        }
    }
    for piece in &mut draft.pieces {
        let Piece::Sections {
            title,
            blocks,
            is_files: true,
            ..
        } = piece
        else {
            continue;
        };
        for block in blocks {
            let files = passages(&block.text).len();
            if files > 1 {
                cut.push(format!("the list of {files} files in {title}"));
                block.text = counted(files);
            }
        }
    }
    (!cut.is_empty()).then(|| cut.join(", "))
}

fn counted(files: usize) -> String {
    format!("{files} files")
}

fn without_rationale(draft: &mut Draft) -> Option<String> {
    let mut cut = Vec::new();
    for (title, block) in compressible(&mut draft.pieces) {
        let (text, count) = rationale_cut(&block.text);
        if count > 0 {
            block.text = text;
            cut.push(format!("{count} in {title}"));
        }
    }
    (!cut.is_empty()).then(|| format!("blocks of rationale: {}", cut.join(", ")))
}

/// The blocks that may be compressed, with the titles of their pieces.
fn compressible(pieces: &mut [Piece]) -> impl Iterator<Item = (&str, &mut Block)> {
    pieces.iter_mut().flat_map(|piece| match piece {
        Piece::Sections {
            title,
            blocks,
            is_protected: false,
            ..
        } => blocks
            .iter_mut()
            .map(|block| (title.as_str(), block))
            .collect::<Vec<_>>(),
        _ => Vec::new(),
    })
}

/// A Markdown text without sections, paragraphs and items of rationale, and how many there were.
fn rationale_cut(text: &str) -> (String, usize) {
    let is_rationale = |text: &str| {
        let bare = folded(text);
        RATIONALE.iter().any(|word| starts_with(&bare, word))
    };
    let headings = outline(text).headings;
    let sections = headings
        .iter()
        .enumerate()
        .filter(|(_, heading)| is_rationale(&heading.text))
        .map(|(nth, heading)| heading.start..section_end(&headings, nth, text.len()));
    let labelled = passages(text).into_iter().filter(|passage| {
        let label = passage.text.split_once(':').map(|(label, _)| label);
        label.is_some_and(is_rationale)
    });
    let holes: Vec<_> = sections
        .chain(labelled.map(|passage| passage.start..passage.end))
        .collect();
    without(text, &holes)
}

/// The last key with a block that is still longer than its first paragraph.
fn last_key_to_first_paragraph(draft: &mut Draft) -> Option<String> {
    draft.pieces.iter_mut().rev().find_map(|piece| {
        let Piece::Sections {
            title,
            blocks,
            is_protected: false,
            ..
        } = piece
        else {
            return None;
        };
        let mut cut = Vec::new();
        for block in blocks {
            if let Some(short) = first_paragraph(block) {
                block.text = short;
                let (first, last) = block.lines;
                cut.push(format!("{} lines {first}-{last}", block.path));
            }
        }
        let told = match cut.as_slice() {
            [] => return None,
            places if places.len() <= TOLD_PLACES => places.join(", "),
            places => format!("{} blocks", places.len()),
        };
        Some(format!("all but the first paragraph of {title}, {told}"))
    })
}

/// The first paragraph or item of a block, and where the rest stands; `None` where that is no shorter.
fn first_paragraph(block: &Block) -> Option<String> {
    let first = passages(&block.text).into_iter().next();
    let text = first
        .and_then(|first| block.text.get(first.start..first.end).map(str::trim_end))
        .unwrap_or_default();
    let (from, to) = block.lines;
    let short = format!(
        "{text}\n\n[… the rest stands in `{}`, lines {from}-{to}]",
        block.path
    );
    (short.len() < block.text.trim().len()).then(|| short.trim_start().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rationale_goes_and_the_rest_stays() {
        let text = "Use Rust.\n\n**Rationale**: it is fast.\n\n- SQLite\n- Why: no server\n\n### Background\n\nlong\n\n### Limits\n\nkept\n";
        let (cut, count) = rationale_cut(text);
        assert_eq!(count, 3);
        assert_eq!(cut, "Use Rust.\n\n\n- SQLite\n### Limits\n\nkept\n");
    }

    #[test]
    fn a_block_comes_down_to_its_first_paragraph_once() {
        let mut block = Block {
            path: "a.md".to_owned(),
            heading: "H".to_owned(),
            lines: (3, 90),
            text: format!("First.\n\n{}", "More and more.\n\n".repeat(20)),
        };
        block.text = first_paragraph(&block).unwrap();
        assert_eq!(
            block.text,
            "First.\n\n[… the rest stands in `a.md`, lines 3-90]"
        );
        assert_eq!(first_paragraph(&block), None);
    }
}
