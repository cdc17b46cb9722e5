//! Where does a quoted value begin and end, at any depth of escaping?

use super::bytes::{
    at, before, is_alnum, is_base64url, is_blank, is_newline, is_quote, is_space, run_back,
    run_within, starts_ci,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// First byte of the content.
    pub(super) content: usize,
    mark: u8,
    /// Backslashes before the quote: one inside a JSON string, three inside two of them.
    depth: usize,
    triple: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Closing {
    /// One past the content.
    pub(super) content: usize,
    /// One past the closing quote; the same place where the quote is missing.
    pub(super) behind: usize,
}

/// The quote that opens at `i`, behind the prefixes of string literals (`b"…"`, `$'…'`, `@"…"`).
pub(super) fn opening(b: &[u8], i: usize) -> Option<Opening> {
    let prefix = run_within(b, i, 2, |c| {
        matches!(
            c,
            b'b' | b'B' | b'f' | b'F' | b'r' | b'R' | b'u' | b'U' | b'@' | b'$' | b'L'
        )
    });
    let slashes = run_within(b, prefix, 8, |c| c == b'\\');
    let mark = at(b, slashes);
    if !is_quote(mark) {
        return None;
    }
    let depth = slashes - prefix;
    let triple = depth == 0 && at(b, slashes + 1) == mark && at(b, slashes + 2) == mark;
    Some(Opening {
        content: slashes + if triple { 3 } else { 1 },
        mark,
        depth,
        triple,
    })
}

/// A quote in the escapes of HTML, URLs and JSON.
pub(super) fn escaped_quote(b: &[u8], i: usize) -> Option<usize> {
    [
        "&quot;", "&#34;", "&#39;", "%22", "%27", "\\u0022", "\\u0027",
    ]
    .iter()
    .find(|quote| starts_ci(b, i, quote.as_bytes()))
    .map(|quote| i + quote.len())
}

/// The quote that closes `open`. Without one on the same line the value ends with the line, unless it goes
/// on behind a backslash or consists of folded base64 only.
pub(super) fn closing(b: &[u8], open: Opening) -> Closing {
    let mut line_end = None;
    let mut folds = true;
    let mut i = open.content;
    while i < b.len() {
        let c = at(b, i);
        if c == open.mark {
            match close_at(b, open, i) {
                Some(closing) => return closing,
                None => i += usize::from(doubled(b, open, i)),
            }
        } else if is_newline(c) && !open.triple && before(b, i) != b'\\' {
            let first = *line_end.get_or_insert(i);
            if !folds {
                return missing(first);
            }
        }
        folds = folds && folds_on(b, i);
        if let Some(first) = line_end
            && !folds
            && !open.triple
        {
            return missing(first);
        }
        i += 1;
    }
    missing(line_end.unwrap_or(b.len()))
}

fn missing(end: usize) -> Closing {
    Closing {
        content: end,
        behind: end,
    }
}

/// The closing at the quote `i`, unless that quote belongs to the content.
fn close_at(b: &[u8], open: Opening, i: usize) -> Option<Closing> {
    let slashes = i - run_back(b, i, i - open.content, |c| c == b'\\');
    let modulus = 2 * (open.depth + 1).next_power_of_two();
    if slashes % modulus == modulus - 1 {
        return None;
    }
    if open.triple {
        let closes = at(b, i + 1) == open.mark && at(b, i + 2) == open.mark;
        return closes.then_some(Closing {
            content: i,
            behind: i + 3,
        });
    }
    let apostrophe =
        open.mark == b'\'' && is_alnum(before(b, i)) && is_alnum(at(b, i + 1)) && i > open.content;
    if apostrophe || doubled(b, open, i) {
        return None;
    }
    Some(Closing {
        content: i - slashes.min(open.depth),
        behind: i + 1,
    })
}

/// SQL, YAML and CSV write a quote inside quotes twice; in a shell two strings join.
fn doubled(b: &[u8], open: Opening, i: usize) -> bool {
    !open.triple
        && open.depth == 0
        && i > open.content
        && before(b, i) != b'\\'
        && at(b, i + 1) == open.mark
}

/// May the byte at `i` stand in a value folded over lines: base64, line ends and the blanks beside them?
fn folds_on(b: &[u8], i: usize) -> bool {
    let c = at(b, i);
    if is_blank(c) {
        let left = run_back(b, i, 16, is_blank);
        let right = run_within(b, i, 16, is_blank);
        return is_newline(before(b, left)) || is_space(at(b, right)) || is_quote(at(b, right));
    }
    is_base64url(c) || is_newline(c) || matches!(c, b'+' | b'/' | b'=' | b'.' | b'\\')
}
