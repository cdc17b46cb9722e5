//! Does a brief fit, and if not, what goes first?

use crate::handoff::artifact::holes::{is_inside, merged, within, without};
use crate::handoff::artifact::rationale::{rationale, told_of};
use crate::handoff::artifact::summary::{first_sentence, shortened};
use crate::handoff::brief::curate::{Block, Piece};
use crate::handoff::brief::template::{Draft, render};
use crate::text::passages::passages;
use crate::text::tokens::Tokenizer;
use std::ops::Range;
use vibey_context_contracts::handoff::report::{Budget, BudgetStatus};
use vibey_context_contracts::handoff::state::Settings;

/// Places of blocks that a line about what was left out names; of more it says how many there are, and each block says
/// itself where its rest stands.
const TOLD_PLACES: usize = 3;

/// A step of the ladder: takes something out, and says what; `None` where there was nothing to take.
type Rung = fn(&mut Draft) -> Option<String>;

/// Characters that a first paragraph is cut to where even that is too long: three lines.
const FIRST_CHARS: usize = 240;

/// The ladder, top first.
const LADDER: [Rung; 8] = [
    without_rest,
    prior_to_one_sentence,
    dependencies_to_titles,
    files_to_counts,
    without_rationale,
    last_key_to_first_paragraph,
    last_key_to_first_words,
    last_key_to_one_pointer,
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
        if tokens > limit {
            draft.warnings.push(format!(
                "Budget: {} tokens over the limit are left; what is left is never cut",
                tokens - limit
            ));
            tokens = count(draft, status);
        }
    }
    let budget = Budget {
        tokenizer: Some(tokenizer.name().to_owned()),
        tokens,
        raw_tokens: raw,
        limit,
        window,
        used_percent: used_percent(tokens, window),
        status,
    };
    (render(draft, status, Some(&budget)), budget)
}

/// Tokens as per cent of a window, to the nearest whole one.
pub(crate) fn used_percent(tokens: u64, window: u64) -> u64 {
    let window = u128::from(window.max(1));
    let percent = (u128::from(tokens) * 100 + window / 2) / window;
    u64::try_from(percent).unwrap_or(u64::MAX)
}

/// Where what was not handed over is to be found helps, and is the first to go.
fn without_rest(draft: &mut Draft) -> Option<String> {
    let lines = std::mem::take(&mut draft.rest);
    (!lines.is_empty()).then(|| "which sections were not handed over".to_owned())
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
    let Draft {
        pieces, protected, ..
    } = draft;
    for piece in pieces.iter_mut().filter_map(compressible) {
        for block in piece.blocks {
            let (text, count) = rationale_cut(&block.text, protected);
            if count > 0 {
                block.text = text;
                cut.push(format!("{count} in {}", piece.title));
            }
        }
    }
    (!cut.is_empty()).then(|| format!("blocks of rationale: {}", cut.join(", ")))
}

/// A piece that may be compressed.
struct Compressible<'a> {
    title: &'a str,
    blocks: &'a mut Vec<Block>,
    pointer: &'a mut String,
}

fn compressible(piece: &mut Piece) -> Option<Compressible<'_>> {
    match piece {
        Piece::Sections {
            title,
            blocks,
            pointer,
            is_protected: false,
            ..
        } => Some(Compressible {
            title,
            blocks,
            pointer,
        }),
        _ => None,
    }
}

/// A Markdown text without sections, paragraphs and items of rationale, and how many there were. What is protected stays,
/// wherever it stands.
fn rationale_cut(text: &str, protected: &[String]) -> (String, usize) {
    let kept = merged(told_of(text, protected));
    let holes: Vec<Range<usize>> = rationale(text)
        .into_iter()
        .filter(|hole| !is_inside(hole, &kept))
        .collect();
    let count = without(text, &holes).1;
    let pieces: Vec<Range<usize>> = holes.iter().flat_map(|hole| minus(hole, &kept)).collect();
    (without(text, &pieces).0, count)
}

/// What of a range does not lie in these, which are [`merged`].
fn minus(range: &Range<usize>, kept: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut pieces, mut from) = (Vec::new(), range.start);
    for inner in within(range, kept) {
        pieces.push(from..range.start + inner.start);
        from = range.start + inner.end;
    }
    pieces.push(from..range.end);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The last key with a block that is still longer than its first paragraph.
fn last_key_to_first_paragraph(draft: &mut Draft) -> Option<String> {
    shorten_last(draft, "all but the first paragraph of", usize::MAX)
}

/// The last key with a block whose first paragraph is too long itself.
fn last_key_to_first_words(draft: &mut Draft) -> Option<String> {
    shorten_last(draft, "all but the first words of", FIRST_CHARS)
}

fn shorten_last(draft: &mut Draft, what: &str, most: usize) -> Option<String> {
    let Draft {
        pieces, protected, ..
    } = draft;
    pieces
        .iter_mut()
        .rev()
        .filter_map(compressible)
        .find_map(|piece| {
            let mut cut = Vec::new();
            for block in piece.blocks.iter_mut() {
                if let Some(short) = first_paragraph(block, protected, most) {
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
            Some(format!("{what} {}, {told}", piece.title))
        })
}

/// The last key with so many blocks that one line says better where they stand. Blocks with what is protected stay.
fn last_key_to_one_pointer(draft: &mut Draft) -> Option<String> {
    let Draft {
        pieces, protected, ..
    } = draft;
    pieces
        .iter_mut()
        .rev()
        .filter_map(compressible)
        .find_map(|piece| {
            let is_kept = |block: &Block| !told_of(&block.text, protected).is_empty();
            let (kept, gone): (Vec<Block>, Vec<Block>) =
                std::mem::take(piece.blocks).into_iter().partition(is_kept);
            let (Some(first), Some(last)) = (gone.first(), gone.last()) else {
                *piece.blocks = kept;
                return None;
            };
            if gone.len() <= TOLD_PLACES {
                *piece.blocks = kept.into_iter().chain(gone).collect();
                return None;
            }
            *piece.pointer = format!(
                "[… {} sections stand in `{}`, line {}, to `{}`, line {}]",
                gone.len(),
                first.path,
                first.lines.0,
                last.path,
                last.lines.1
            );
            let told = format!("{} blocks of {}", gone.len(), piece.title);
            *piece.blocks = kept;
            Some(told)
        })
}

/// The first paragraph or item of a block, at most so many characters, where the rest stands, and what is protected in it;
/// `None` where that is no shorter.
fn first_paragraph(block: &Block, protected: &[String], most: usize) -> Option<String> {
    let kept = merged(told_of(&block.text, protected));
    let first = passages(&block.text)
        .into_iter()
        .find(|passage| !is_inside(&(passage.start..passage.end), &kept));
    let text = match first {
        Some(first) if first.text.chars().count() > most || most < first.end - first.start => {
            shortened(&first.text, most)
        }
        Some(first) => {
            let text = block.text.get(first.start..first.end);
            text.unwrap_or_default().trim_end().to_owned()
        }
        None => String::new(),
    };
    let (from, to) = block.lines;
    let mut short = format!(
        "{text}\n\n[… the rest stands in `{}`, lines {from}-{to}]",
        block.path
    );
    for range in &kept {
        short.push_str("\n\n");
        short.push_str(block.text.get(range.clone()).unwrap_or_default().trim());
    }
    (short.len() < block.text.trim().len()).then(|| short.trim_start().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rationale_goes_and_the_rest_stays() {
        let text = "Use Rust.\n\n**Rationale**: it is fast.\n\n- SQLite\n- Why: no server\n\n### Background\n\nlong\n\n### Limits\n\nkept\n";
        let (cut, count) = rationale_cut(text, &[]);
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
        block.text = first_paragraph(&block, &[], usize::MAX).unwrap();
        assert_eq!(
            block.text,
            "First.\n\n[… the rest stands in `a.md`, lines 3-90]"
        );
        assert_eq!(first_paragraph(&block, &[], usize::MAX), None);
    }

    #[test]
    fn what_is_protected_stays_wherever_it_stands() {
        let protected = ["acceptance criteria".to_owned(), "deviations".to_owned()];
        let text = "Long words.\n\nMore.\n\n### Background\n\ngone\n\n#### Deviations\n\n- d\n\n### Story\n\ngone later\n\n\
                    **Acceptance Criteria**:\n\n1. one\n2. two\n\nAfter.\n";
        let (cut, count) = rationale_cut(text, &protected);
        assert_eq!(count, 1);
        assert!(
            cut.contains("#### Deviations\n\n- d") && !cut.contains("gone\n\n####"),
            "{cut}"
        );
        let mut block = Block {
            path: "a.md".to_owned(),
            heading: "H".to_owned(),
            lines: (3, 90),
            text: format!("{text}{}", "More and more.\n\n".repeat(20)),
        };
        block.text = first_paragraph(&block, &protected, usize::MAX).unwrap();
        assert_eq!(
            block.text,
            "Long words.\n\n[… the rest stands in `a.md`, lines 3-90]\n\n#### Deviations\n\n- d\n\n\
             **Acceptance Criteria**:\n\n1. one\n2. two"
        );
        assert_eq!(first_paragraph(&block, &protected, usize::MAX), None);
    }

    #[test]
    fn one_endless_passage_comes_down_to_its_first_words() {
        for text in [
            "word ".repeat(9_000),
            format!("- {}", "word ".repeat(9_000)),
            format!("> {}", "word ".repeat(9_000)),
            format!("| a |\n| --- |\n| {} |", "word ".repeat(9_000)),
            "x".repeat(90_000),
            "漢字".repeat(9_000),
        ] {
            let mut block = Block {
                path: "a.md".to_owned(),
                heading: "H".to_owned(),
                lines: (3, 90),
                text,
            };
            block.text = first_paragraph(&block, &[], FIRST_CHARS).unwrap();
            assert!(block.text.chars().count() < 300, "{}", block.text);
            assert!(
                block
                    .text
                    .contains("[… the rest stands in `a.md`, lines 3-90]")
            );
            assert_eq!(first_paragraph(&block, &[], FIRST_CHARS), None);
        }
    }
}
