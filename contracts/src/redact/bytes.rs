//! Which bytes make up words, blanks and generated values?
//!
//! Every scanner of the redaction works on bytes and stops at ASCII bytes only, so that no position it
//! reports can lie inside a character.

/// The byte at `i`, or NUL past the end: NUL belongs to no class below.
pub(super) fn at(b: &[u8], i: usize) -> u8 {
    b.get(i).copied().unwrap_or(0)
}

/// The byte before `i`, or NUL at the start.
pub(super) fn before(b: &[u8], i: usize) -> u8 {
    i.checked_sub(1).map_or(0, |p| at(b, p))
}

/// `b[start..end]`, or nothing where the range does not lie in the text.
pub(super) fn part(b: &[u8], start: usize, end: usize) -> &[u8] {
    b.get(start..end.min(b.len())).unwrap_or_default()
}

pub(super) fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

pub(super) fn is_blank(c: u8) -> bool {
    c == b' ' || c == b'\t'
}

pub(super) fn is_newline(c: u8) -> bool {
    c == b'\n' || c == b'\r'
}

pub(super) fn is_space(c: u8) -> bool {
    is_blank(c) || is_newline(c)
}

pub(super) fn is_quote(c: u8) -> bool {
    matches!(c, b'"' | b'\'' | b'`')
}

pub(super) fn is_alnum(c: u8) -> bool {
    c.is_ascii_alphanumeric()
}

pub(super) fn is_hex(c: u8) -> bool {
    c.is_ascii_hexdigit()
}

/// Standard base64 with padding.
pub(super) fn is_base64(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=')
}

/// base64url without padding.
pub(super) fn is_base64url(c: u8) -> bool {
    is_word(c) || c == b'-'
}

/// base64url parts joined by dots.
pub(super) fn is_dotted(c: u8) -> bool {
    is_base64url(c) || c == b'.'
}

/// First position from `i` on that is not in `class`.
pub(super) fn run(b: &[u8], mut i: usize, class: fn(u8) -> bool) -> usize {
    while i < b.len() && class(at(b, i)) {
        i += 1;
    }
    i
}

/// Like [`run`], but never further than `most` bytes: keeps look-ahead linear on hostile text.
pub(super) fn run_within(b: &[u8], i: usize, most: usize, class: fn(u8) -> bool) -> usize {
    i + part(b, i, i.saturating_add(most))
        .iter()
        .take_while(|&&c| class(c))
        .count()
}

/// First position of the run of `class` that ends just before `end`, at most `most` bytes back.
pub(super) fn run_back(b: &[u8], end: usize, most: usize, class: fn(u8) -> bool) -> usize {
    let mut start = end;
    while start > 0 && end - start < most && class(before(b, start)) {
        start -= 1;
    }
    start
}

pub(super) fn starts(b: &[u8], i: usize, literal: &[u8]) -> bool {
    b.get(i..).is_some_and(|rest| rest.starts_with(literal))
}

/// [`starts`] without regard to ASCII case.
pub(super) fn starts_ci(b: &[u8], i: usize, literal: &[u8]) -> bool {
    part(b, i, i.saturating_add(literal.len())).eq_ignore_ascii_case(literal)
}

pub(super) fn line_end(b: &[u8], i: usize) -> usize {
    run(b, i, |c| !is_newline(c))
}

/// How many bytes before `i` spell an escape (`\n`, `\u0022`, `\x22`, `%20`): a letter that ends one
/// is no part of the word that follows it.
pub(super) fn escape_before(b: &[u8], i: usize) -> usize {
    let hex = |len: usize| {
        part(b, i.saturating_sub(len), i)
            .iter()
            .filter(|c| c.is_ascii_hexdigit())
            .count()
            == len
    };
    let opens = |back: usize, mark: &[u8]| i >= back && starts(b, i - back, mark);
    if matches!(before(b, i), b'n' | b'r' | b't') && opens(2, b"\\") {
        2
    } else if opens(3, b"%") && hex(2) {
        3
    } else if opens(4, b"\\x") && hex(2) {
        4
    } else if opens(6, b"\\u") && hex(4) {
        6
    } else {
        0
    }
}

/// Does a word start at `i`?
pub(super) fn word_starts(b: &[u8], i: usize) -> bool {
    !is_word(before(b, i)) || escape_before(b, i) > 0
}

/// Letters without a digit are taken for random from this length on, if their case is mixed; of 20 random
/// letters and digits 3 in 100 hold no digit.
const RANDOM_LETTERS: usize = 20;

/// Does `value` look made by a machine: `least` bytes or more, with letters and digits, or many letters of
/// which at least a quarter is large and a quarter small? (Camel case has fewer capitals.)
pub(super) fn looks_generated(value: &[u8], least: usize) -> bool {
    let count = |class: fn(&u8) -> bool| value.iter().filter(|c| class(c)).count();
    let large = count(u8::is_ascii_uppercase);
    let small = count(u8::is_ascii_lowercase);
    let digits = count(u8::is_ascii_digit) > 0 && large + small > 0;
    let quarter = value.len() / 4;
    let mixed = value.len() >= RANDOM_LETTERS && large > quarter && small > quarter;
    value.len() >= least && (digits || mixed)
}

/// Is `value` one of `words`, without regard to ASCII case?
pub(super) fn one_of(value: &[u8], words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}
