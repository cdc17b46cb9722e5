//! Where does a value without quotes end?
//!
//! At white space; and at a comma, semicolon, bracket, quote or escape unless the value plainly goes on
//! behind it, since passwords hold all of these.

use super::bytes::{
    at, before, is_alnum, is_base64, is_blank, is_newline, is_quote, is_space, is_word, line_end,
    part, run, run_within, starts_ci,
};
use super::marker::marker_end;
use super::quote::escaped_quote;

/// Where the value stands; decides what can end it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// In the query of a URL or in a form body, behind `?` or `&`: `&` ends the value.
    pub(super) query: bool,
    /// A `NAME=value` line of an environment file: only white space ends the value.
    pub(super) environment: bool,
}

/// Longest name looked for behind a comma (`,user=`).
const MOST_NAME: usize = 40;
/// Shortest line that its sender may have folded: MIME folds at 64 or 76, others at 40.
const FOLDED_LINE: usize = 40;
/// Shortest continuation of a folded value.
const FOLDED_REST: usize = 16;

/// One past the value that starts at `start`, without the punctuation of a sentence behind it.
pub(super) fn end(b: &[u8], start: usize, place: Place) -> usize {
    let mut i = start;
    while i < b.len() {
        let c = at(b, i);
        if is_space(c) || c.is_ascii_control() {
            break;
        }
        if let Some(behind) = marker_end(b, i) {
            i = behind;
            continue;
        }
        if c == b'\\' {
            match behind_escape(b, i, place) {
                Some(next) => {
                    i = next;
                    continue;
                }
                None => break,
            }
        }
        if !place.environment && ends_at(b, i, place) {
            break;
        }
        i += 1;
    }
    if !place.environment {
        while i > start && matches!(before(b, i), b'.' | b',' | b';' | b':') {
            i -= 1;
        }
    }
    folded(b, start, i)
}

fn ends_at(b: &[u8], i: usize, place: Place) -> bool {
    let next = at(b, i + 1);
    let over = i + 1 >= b.len() || is_space(next) || is_quote(next) || next == b'\\';
    match at(b, i) {
        b'&' if escaped_quote(b, i).is_some() => true,
        b'%' => escaped_quote(b, i).is_some_and(|behind| closes_in_url(b, behind)),
        b'&' | b'#' => place.query,
        b',' | b';' => over || matches!(next, b'}' | b')' | b']') || assigns(b, i + 1),
        b'|' => over,
        b')' | b']' | b'}' | b'>' => {
            over || matches!(
                next,
                b'.' | b',' | b';' | b':' | b')' | b']' | b'}' | b'<' | b'>' | b'|'
            )
        }
        b'<' => next == b'/' || tag(b, i + 1),
        c if is_quote(c) => !(is_alnum(before(b, i)) && is_alnum(next)),
        _ => false,
    }
}

/// Does the place behind a `%22` end a value: with the text, or with an escaped `,`, `}` or `]`?
fn closes_in_url(b: &[u8], i: usize) -> bool {
    let c = at(b, i);
    let sign = ["%2C", "%7D", "%5D"]
        .iter()
        .any(|sign| starts_ci(b, i, sign.as_bytes()));
    sign || i >= b.len() || is_space(c) || is_quote(c) || matches!(c, b'&' | b',' | b'}')
}

fn tag(b: &[u8], i: usize) -> bool {
    let name = run_within(b, i, 10, |c| c.is_ascii_lowercase());
    name > i && matches!(at(b, name), b'>' | b'/')
}

/// Where the value goes on behind the backslash at `i`; nothing if it ends there.
fn behind_escape(b: &[u8], i: usize, place: Place) -> Option<usize> {
    let slashes = run(b, i, |c| c == b'\\');
    let next = at(b, slashes);
    if slashes >= b.len() || is_blank(next) {
        return None;
    }
    if is_newline(next) {
        let line = run(b, slashes, is_space);
        let other = line >= b.len() || at(b, line) == b'-' || assigns(b, line);
        return (!other && line_end(b, slashes) == slashes && is_word_or_base64(at(b, line)))
            .then_some(line);
    }
    if is_quote(next) {
        return is_alnum(at(b, slashes + 1)).then_some(slashes + 1);
    }
    if matches!(next, b'n' | b'r' | b't') && !place.environment {
        let over =
            slashes + 1 >= b.len() || is_space(at(b, slashes + 1)) || is_quote(at(b, slashes + 1));
        let escape = at(b, slashes + 1) == b'\\';
        return (!over && !escape && !assigns(b, slashes + 1)).then_some(slashes + 1);
    }
    if next == b'u' && part(b, slashes + 1, slashes + 5).eq_ignore_ascii_case(b"0022") {
        return None;
    }
    Some(slashes + 1)
}

fn is_word_or_base64(c: u8) -> bool {
    is_word(c) || is_base64(c)
}

/// Does `name=` or `name:` follow, quoted or not?
fn assigns(b: &[u8], i: usize) -> bool {
    let name = run_within(b, i, 4, |c| is_blank(c) || is_quote(c) || c == b'\\');
    let behind = run_within(b, name, MOST_NAME, |c| {
        is_word(c) || matches!(c, b'-' | b'.')
    });
    if behind == name {
        return false;
    }
    let sign = run_within(b, behind, 4, |c| is_blank(c) || is_quote(c) || c == b'\\');
    // `==` closes base64, it assigns nothing.
    match at(b, sign) {
        b':' => true,
        b'=' => sign + 1 < b.len() && !is_space(at(b, sign + 1)) && at(b, sign + 1) != b'=',
        _ => false,
    }
}

/// A long base64 value that ends its line and goes on alone on the next ones.
fn folded(b: &[u8], start: usize, end: usize) -> usize {
    let first = part(b, start, end);
    if first.len() < FOLDED_LINE
        || !first
            .iter()
            .all(|&c| is_base64(c) || c == b'-' || c == b'_')
    {
        return end;
    }
    let mut end = end;
    loop {
        if !is_newline(at(b, end)) {
            return end;
        }
        let line = run(b, end, is_space);
        let token = run(b, line, |c| is_base64(c) || c == b'-' || c == b'_');
        let alone = token >= b.len() || is_newline(at(b, token));
        if !alone || (token - line < FOLDED_REST && before(b, token) != b'=') || token == line {
            return end;
        }
        end = token;
    }
}
