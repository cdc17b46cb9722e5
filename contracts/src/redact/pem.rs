//! Where does a PEM private key begin and end, whole, folded onto one line or cut off?
//!
//! Armour counts in any dress: real line ends, `\n` escapes inside JSON, blanks, `%20` or `+` between the
//! words. With both lines everything between goes. With one of them gone, the base64 next to the other goes.

use super::bytes::{
    at, before, is_alnum, is_base64, is_blank, is_newline, is_quote, is_space, part, run, run_back,
    run_within, starts,
};
use super::marker::{PRIVATE_KEY, Span};

/// Longest text between `BEGIN` and `PRIVATE KEY` that is still armour: `ENCRYPTED` has 10 bytes with its
/// blank, three words have room in 40.
const MOST_ALGORITHM: usize = 40;
/// Base64 of this length is no English word; lines of PEM have 64 or 76.
const BODY_TOKEN: usize = 24;
/// PEM headers (`Proc-Type: 4,ENCRYPTED`) have short names.
const MOST_HEADER_NAME: usize = 24;

struct Armour {
    start: usize,
    end: usize,
    opens: bool,
}

pub(super) fn scan(text: &str, spans: &mut Vec<Span>) {
    let b = text.as_bytes();
    let lines = armour(text);
    let mut next = 0;
    let mut floor = 0;
    while let Some(line) = lines.get(next) {
        let span = match (line.opens, lines.get(next + 1)) {
            (true, Some(close)) if !close.opens => {
                next += 1;
                (line.start, close.end)
            }
            (true, following) => {
                let limit = following.map_or(b.len(), |f| f.start);
                (line.start, body_after(b, line.end, limit))
            }
            (false, _) => (body_before(b, line.start, floor), line.end),
        };
        next += 1;
        floor = span.1;
        spans.push(Span {
            start: span.0,
            end: span.1,
            kind: PRIVATE_KEY,
        });
    }
}

/// Every `BEGIN … PRIVATE KEY` and `END … PRIVATE KEY` line, in order.
fn armour(text: &str) -> Vec<Armour> {
    let b = text.as_bytes();
    text.match_indices("PRIVATE")
        .filter_map(|(place, word)| {
            let key = gap(b, place + word.len())?;
            if !starts(b, key, b"KEY") {
                return None;
            }
            let algorithm = run_back(b, place, MOST_ALGORITHM, is_algorithm);
            let words = part(b, algorithm, place);
            let find = |word: &[u8]| words.windows(word.len()).rposition(|w| w == word);
            let (offset, opens) = match (find(b"BEGIN"), find(b"END")) {
                (Some(begin), end) if end.is_none_or(|end| end < begin) => (begin, true),
                (_, Some(end)) => (end, false),
                _ => return None,
            };
            let word_at = algorithm + offset;
            // SSH2 armour has a blank between dashes and word.
            let dashes_end = run_back(b, word_at, 1, is_blank);
            let dashes = run_back(b, dashes_end, MOST_ALGORITHM, |c| c == b'-');
            if dashes == dashes_end {
                return None;
            }
            let mut end = key + 3;
            if let Some(block) = gap(b, end).filter(|&i| starts(b, i, b"BLOCK")) {
                end = block + 5;
            }
            let closing = run_within(b, end, 1, is_blank);
            if at(b, closing) == b'-' {
                end = run(b, closing, |c| c == b'-');
            }
            Some(Armour {
                start: dashes,
                end,
                opens,
            })
        })
        .collect()
}

fn is_algorithm(c: u8) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, b' ' | b'+' | b'%' | b'_')
}

/// The position behind one word gap: a blank, `+`, `_` or `%20`.
fn gap(b: &[u8], i: usize) -> Option<usize> {
    match at(b, i) {
        b' ' | b'+' | b'_' => Some(i + 1),
        b'%' if starts(b, i, b"%20") => Some(i + 3),
        _ => None,
    }
}

/// Where the base64 that follows a lone `BEGIN` line ends. Headers may stand before it.
fn body_after(b: &[u8], from: usize, limit: usize) -> usize {
    // Nothing behind the next armour is looked at, so that many lone lines cost no more than one.
    let b = part(b, 0, limit);
    let mut end = from;
    let mut i = from;
    let mut body = false;
    loop {
        i = decoration(b, i);
        let token = run(b, i, is_base64);
        if token > i && at(b, token) != b':' && at(b, token) != b'-' {
            let long = token - i >= BODY_TOKEN;
            let padded = before(b, token) == b'=';
            if !(long || padded || ends_line(b, token)) {
                return end;
            }
            body = true;
            end = token;
            i = token;
        } else if let Some(line) = header(b, i).filter(|_| !body) {
            end = line;
            i = line;
        } else {
            return end;
        }
    }
}

/// Where the base64 before a lone `END` line starts: whole lines or escaped lines, back to `floor`.
fn body_before(b: &[u8], from: usize, floor: usize) -> usize {
    let mut start = from;
    let mut i = from;
    loop {
        while i > floor && is_decoration(b, i - 1) {
            i -= 1;
        }
        let token = run_back(b, i, i - floor, is_base64);
        // The sign between two literals, or the mark of an added line.
        if part(b, token, i) == b"+" {
            i = token;
            continue;
        }
        let escaped = usize::from(
            token > floor && before(b, token) == b'\\' && matches!(at(b, token), b'n' | b'r'),
        );
        let length = i - token - escaped;
        // The last line of a key may be short, every other one is long.
        let fits = length >= BODY_TOKEN || (start == from && length > 0);
        if !fits {
            return start;
        }
        start = token + escaped;
        i = token;
    }
}

/// Skips what folding puts between lines: blanks, line ends, escapes of them, quotes, `+`, list commas
/// and the marks of quotations and diffs.
fn decoration(b: &[u8], mut i: usize) -> usize {
    while i < b.len() {
        if at(b, i) == b'\\' && matches!(at(b, i + 1), b'n' | b'r' | b't') {
            i += 2;
        } else if at(b, i) != b'+' && is_decoration(b, i)
            || at(b, i) == b'+' && !is_base64(at(b, i + 1))
        {
            i += 1;
        } else {
            break;
        }
    }
    i
}

fn is_decoration(b: &[u8], i: usize) -> bool {
    let c = at(b, i);
    let escape = matches!(c, b'n' | b'r') && before(b, i) == b'\\';
    escape || is_space(c) || is_quote(c) || matches!(c, b'\\' | b',' | b'>' | b'|' | b'#' | b'*')
}

fn ends_line(b: &[u8], i: usize) -> bool {
    let c = at(b, i);
    i >= b.len() || is_newline(c) || is_quote(c) || c == b'\\'
}

/// The end of a `Name: value` line of PEM.
fn header(b: &[u8], i: usize) -> Option<usize> {
    let name = run_within(b, i, MOST_HEADER_NAME, |c| is_alnum(c) || c == b'-');
    if !at(b, i).is_ascii_uppercase() || at(b, name) != b':' {
        return None;
    }
    Some(run(b, name, |c| !is_newline(c) && c != b'\\' && c != b'"'))
}
