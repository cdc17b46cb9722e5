//! Which characters of a text does a reader not see, and how are they shown?
//!
//! In packets, in messages and on terminals alike: nothing is dropped, a hidden character becomes `<U+XXXX>`.

use std::borrow::Cow;
use std::fmt::Write as _;

mod hidden;

pub use hidden::{count_hidden, is_ignorable};

/// The text with every hidden character as `<U+XXXX>` (uppercase hexadecimal, at least four digits), and how many
/// there were.
///
/// Hidden are the control characters except newline and tab, U+2028 and U+2029, the interlinear annotation marks,
/// and what Unicode calls default ignorable: bidi controls, tags, zero-width spaces, fillers, variation selectors,
/// and also the soft hyphen (it shows only at the end of a line, and can hide a word from a search). Those with a
/// visible effect stay where they have it: joiners between two emoji or two letters of a script that joins, one
/// variation selector after a character that can take it, the tags of a flag such as that of Scotland.
#[must_use]
pub fn visible(text: &str) -> (Cow<'_, str>, u32) {
    let mut out = String::new();
    let mut copied = 0;
    let mut count: u32 = 0;
    hidden::each(text, |at, c| {
        out.push_str(slice(text, copied, at));
        push_escape(&mut out, c);
        copied = at + c.len_utf8();
        count = count.saturating_add(1);
    });
    if count == 0 {
        return (Cow::Borrowed(text), 0);
    }
    out.push_str(slice(text, copied, text.len()));
    (Cow::Owned(out), count)
}

fn push_escape(out: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "<U+{:04X}>", u32::from(c));
}

/// The text in one line: [`visible`], and newline and tab are shown as the hidden characters are.
#[must_use]
pub fn in_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).0.chars() {
        if matches!(c, '\n' | '\t') {
            push_escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out
}

fn slice(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to)
        .expect("offsets come from walking the same text")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
