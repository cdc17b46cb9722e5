//! Where may a program or a table of data be cut? It has lines, and blocks between empty ones; what looks like a heading
//! is a comment.

use crate::text::markdown::{Cut, Outline, Strength};
use std::ops::Range;

/// How a program begins that names its own interpreter.
pub(super) const SHEBANG: &str = "#!";

/// How lines of comments begin, in most languages.
const COMMENTS: [&str; 6] = ["#", "//", "/*", "*", "--", ";"];

/// The places to cut: best between blocks at the start of a line without indentation.
pub(super) fn outline(text: &str) -> Outline {
    let mut cuts = Vec::new();
    let mut at = 0;
    let mut behind_blank = true;
    for line in text.split_inclusive('\n') {
        let blank = line.trim().is_empty();
        if !blank {
            let strength = match (behind_blank, line.starts_with([' ', '\t'])) {
                (true, false) => Strength::Block,
                (true, true) => Strength::Item,
                (false, _) => Strength::Line,
            };
            cuts.push(Cut { at, strength });
        }
        behind_blank = blank;
        at += line.len();
    }
    Outline {
        cuts,
        ..Outline::default()
    }
}

/// The first block of lines that are not all comments; else the first one.
pub(super) fn first_block(text: &str) -> Option<Range<usize>> {
    let mut blocks = blocks(text);
    let first = blocks.next()?;
    let is_banner = |block: &Range<usize>| {
        let lines = text.get(block.clone()).unwrap_or_default().lines();
        let mut lines = lines.map(str::trim_start);
        lines.all(|line| COMMENTS.iter().any(|start| line.starts_with(start)))
    };
    let rest = std::iter::once(first.clone()).chain(blocks);
    rest.into_iter()
        .find(|block| !is_banner(block))
        .or(Some(first))
}

/// The stretches between empty lines.
fn blocks(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    std::iter::from_fn(move || {
        let mut block: Option<Range<usize>> = None;
        while let Some(line) = lines.next_if(|line| block.is_none() || !line.trim().is_empty()) {
            let end = at + line.len();
            if !line.trim().is_empty() {
                block = Some(block.map_or(at, |block| block.start)..end);
            }
            at = end;
        }
        block
    })
}
