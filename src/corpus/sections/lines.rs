//! In which line does an offset lie?

use std::ops::Range;

/// Line numbers of ranges that follow one another: each byte of the text is looked at once.
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
    /// Line that holds the byte `at`.
    line: u32,
}

impl<'a> Lines<'a> {
    /// `first` is the number of the line in which `text` starts.
    pub(super) fn new(text: &'a str, first: u32) -> Self {
        Self {
            text,
            at: 0,
            line: first,
        }
    }

    /// First and last line of a range that starts where the last one ended, and is not empty.
    pub(super) fn of(&mut self, range: &Range<usize>) -> (u32, u32) {
        debug_assert_eq!(range.start, self.at, "ranges follow one another");
        let bytes = self.text.as_bytes().get(range.clone()).unwrap_or_default();
        let start = self.line;
        self.line = start.saturating_add(newlines(bytes));
        self.at = range.end;
        let is_whole = bytes.last() == Some(&b'\n');
        (start, self.line - u32::from(is_whole && self.line > start))
    }
}

/// Line and column, from 1, of the character that follows `before`, a text from its start.
pub(super) fn place(before: &str) -> (u32, u32) {
    let in_line = before.rsplit('\n').next().unwrap_or_default();
    let column = super::count(in_line.chars().count());
    (
        newlines(before.as_bytes()).saturating_add(1),
        column.saturating_add(1),
    )
}

fn newlines(bytes: &[u8]) -> u32 {
    super::count(bytes.iter().filter(|byte| **byte == b'\n').count())
}
