//! Which URLs carry credentials, and where do these begin and end?
//!
//! Only the part between `://` and `@` goes: scheme and host stay readable.

use super::bytes::{
    at, before, is_alnum, is_blank, is_quote, is_space, looks_generated, part, run, run_within,
    starts_ci,
};
use super::marker::{Span, URL_CREDENTIALS, is_redacted};
use super::placeholder::is_placeholder;

/// A user name of this length with letters and digits is a token (`https://TOKEN@host`).
const TOKEN_USER: usize = 16;
/// How far behind an odd port an `@` is looked for: passwords with an unescaped `/` are shorter.
const MOST_PASSWORD: usize = 256;

pub(super) fn scan(text: &str, spans: &mut Vec<Span>) {
    let b = text.as_bytes();
    for (place, mark) in text.match_indices("://") {
        let start = place + mark.len();
        if is_alnum(before(b, place))
            && let Some(end) = credentials_end(b, start)
        {
            spans.push(Span {
                start,
                end,
                kind: URL_CREDENTIALS,
            });
        }
    }
}

/// The position of the `@` behind credentials that start at `start`.
fn credentials_end(b: &[u8], start: usize) -> Option<usize> {
    let authority = authority_end(b, start);
    let last_at = |end: usize| part(b, start, end).iter().rposition(|&c| c == b'@');
    let end = match last_at(authority) {
        Some(offset) => start + offset,
        None if odd_port(part(b, start, authority)) => {
            let reach = run_within(b, start, MOST_PASSWORD, |c| !is_space(c) && !is_quote(c));
            start + last_at(reach)?
        }
        None => return None,
    };
    if is_redacted(b, start, end) {
        return None;
    }
    let credentials = part(b, start, end);
    match credentials.iter().position(|&c| c == b':') {
        Some(colon) if colon + 1 < credentials.len() => {
            let password = part(credentials, colon + 1, credentials.len());
            (!is_placeholder(password)).then_some(end)
        }
        _ => looks_generated(credentials, TOKEN_USER).then_some(end),
    }
}

/// The authority ends where path, query, fragment or the URL itself does; `<` opens a placeholder.
fn authority_end(b: &[u8], start: usize) -> usize {
    let mut i = start;
    let mut open = false;
    while i < b.len() {
        let c = at(b, i);
        match c {
            b'<' => open = true,
            b'>' if open => open = false,
            b'>' | b'/' | b'?' | b'#' | b'\\' => break,
            _ if is_quote(c) || is_space(c) || c.is_ascii_control() => break,
            _ => {}
        }
        i += 1;
    }
    i
}

/// `user:pa/ss@host` reads as a host with a port that is no number.
fn odd_port(authority: &[u8]) -> bool {
    let Some(colon) = authority.iter().position(|&c| c == b':') else {
        return false;
    };
    let port = part(authority, colon + 1, authority.len());
    let plain = run(port, 0, |c| c.is_ascii_digit());
    let variable = matches!(at(port, 0), b'$' | b'{' | b'<' | b'%' | b'*');
    plain < port.len()
        && !variable
        && at(authority, 0) != b'['
        && !starts_ci(port, 0, b"port")
        && !is_blank(at(port, 0))
}
