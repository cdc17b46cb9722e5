//! Which words of a text are labels, and what do they announce?
//!
//! One pass over the runs of letters, digits, `_`, `-` and `.`; each is a flag, a header or a label, or
//! nothing. Reading goes on just before the end of a value that was found, so that a pass stays linear.

use super::bytes::{
    at, before, escape_before, is_alnum, is_blank, is_newline, is_quote, one_of, part, run,
    run_back, starts_ci,
};
use super::label::{self, Label, Noun};
use super::marker::{Span, inside_marker};
use super::separator::{Join, Separator, separator};
use super::unquoted::Place;
use super::{flags, headers, value};

/// Longest line prefix of an environment file: `export `, `ENV `, `- ` and indentation.
const MOST_PREFIX: usize = 24;
/// What may stand before `NAME=value` on a line of an environment file.
const PREFIXES: &[&str] = &["", "export", "ENV", "ARG", "set", "SET", "-", "+"];
/// Bytes of a value that only its place in a query makes a signature or key.
const QUERY_VALUE: usize = 16;
/// Room for a label and its separator, so that one at the end of a value is seen.
const REACH: usize = 64;
/// Keys in capitals that open nothing.
const PUBLIC_KEYS: &[&str] = &[
    "CACHE_KEY",
    "FOREIGN_KEY",
    "IDEMPOTENCY_KEY",
    "PARTITION_KEY",
    "PRIMARY_KEY",
    "PUBLIC_KEY",
    "SORT_KEY",
];
/// Longest word looked back for.
const MOST_WORD: usize = 16;

fn is_label_byte(c: u8) -> bool {
    is_alnum(c) || matches!(c, b'_' | b'-' | b'.')
}

pub(super) fn scan(b: &[u8], spans: &mut Vec<Span>) {
    let mut i = 0;
    while i < b.len() {
        if !is_label_byte(at(b, i)) {
            i += 1;
            continue;
        }
        let end = run(b, i, is_label_byte);
        let behind = word(b, i, end, spans);
        // A value read too far may have swallowed the next label; its last bytes are read again.
        i = behind.map_or(end, |place| place.saturating_sub(REACH).max(end));
    }
}

fn word(b: &[u8], first: usize, run_end: usize, spans: &mut Vec<Span>) -> Option<usize> {
    if inside_marker(b, first) {
        return None;
    }
    let raw = behind_escape(b, first, run_end);
    if let Some(behind) = flags::scan(b, raw, run_end, spans) {
        return Some(behind);
    }
    let start = run(b, raw, |c| matches!(c, b'-' | b'.'));
    let end = trimmed_end(b, start, run_end);
    let name = part(b, start, end);
    if !may_be_label(name) {
        return None;
    }
    if name.eq_ignore_ascii_case(b"bearer")
        && let Some(behind) = headers::bearer(b, end, spans)
    {
        return Some(behind);
    }
    if name.eq_ignore_ascii_case(b"basic")
        && let Some(behind) = headers::basic(b, end, spans)
    {
        return Some(behind);
    }
    // A flag stands apart; `(Pre)-Master-Secret` is a word.
    let flag = at(b, raw) == b'-' && !matches!(before(b, raw), b')' | b']' | b'}' | b'*' | b'>');
    let found = || separator(b, if flag { raw } else { start }, start, end);
    if ends_ci(name, b"authorization") {
        return headers::authorization(b, found()?, spans);
    }
    if ends_ci(name, b"cookie") {
        return headers::cookie(b, cookie_flag(found()?), spans);
    }
    let place = place(b, start, end);
    let (label, separator) = match label::label_at(b, start, end) {
        Some(label) => (label, found()?),
        None => unnamed(b, name, start, place, found()?)?,
    };
    if label.noun == Noun::Token && parser_token(b, start, separator.join) {
        return None;
    }
    let environment = place.environment && separator.join == Join::Tight;
    value::scan(
        b,
        label,
        separator,
        Place {
            environment,
            ..place
        },
        spans,
    )
}

/// Position behind the escape that the run starts in (`\npassword`, `%20token`, `\u0022secret`).
fn behind_escape(b: &[u8], first: usize, run_end: usize) -> usize {
    if !matches!(before(b, first), b'\\' | b'%') {
        return first;
    }
    // Behind its mark an escape has up to 5 bytes.
    (first + 1..=run_end.min(first + 5))
        .find(|&i| escape_before(b, i) == i + 1 - first)
        .unwrap_or(first)
}

fn trimmed_end(b: &[u8], start: usize, run_end: usize) -> usize {
    run_back(b, run_end, run_end - start, |c| matches!(c, b'-' | b'.'))
}

/// A cheap gate: does a part of a stem occur at all?
fn may_be_label(name: &[u8]) -> bool {
    if name.len() <= 3 {
        return one_of(name, &["pwd", "key", "id", "by", "sig"]);
    }
    name.windows(3).any(|w| {
        let [x, y, z] = *w else { return false };
        matches!(
            &[x | 0x20, y | 0x20, z | 0x20],
            b"pas"
                | b"pwd"
                | b"pwo"
                | b"sec"
                | b"cre"
                | b"mne"
                | b"phr"
                | b"tok"
                | b"bas"
                | b"bea"
                | b"key"
                | b"aut"
                | b"coo"
                | b"sig"
                | b"amz"
        )
    })
}

fn ends_ci(name: &[u8], word: &[u8]) -> bool {
    name.len() >= word.len() && starts_ci(name, name.len() - word.len(), word)
}

/// `--cookie 'a=b'` of curl is a header in disguise.
fn cookie_flag(separator: Separator) -> Separator {
    match separator.join {
        Join::Flag => Separator {
            join: Join::Tight,
            ..separator
        },
        _ => separator,
    }
}

fn place(b: &[u8], start: usize, end: usize) -> Place {
    let sign = before(b, start);
    let entity = sign == b';' && part(b, start.saturating_sub(5), start) == b"&amp;";
    Place {
        query: matches!(sign, b'?' | b'&') || entity || escaped_ampersand(b, start),
        environment: is_environment(b, start, end),
    }
}

fn escaped_ampersand(b: &[u8], start: usize) -> bool {
    let mark = start.saturating_sub(3);
    start >= 3 && (starts_ci(b, mark, b"%26") || starts_ci(b, mark, b"%3f"))
}

/// Is this the name of a `NAME=value` line, in capitals, at most behind `export`?
fn is_environment(b: &[u8], start: usize, end: usize) -> bool {
    if part(b, start, end)
        .iter()
        .any(|c| c.is_ascii_lowercase() || matches!(c, b'-' | b'.'))
    {
        return false;
    }
    let line = run_back(b, start, MOST_PREFIX, |c| !is_newline(c));
    let prefix = part(b, line, start).trim_ascii();
    (line == 0 || is_newline(before(b, line))) && PREFIXES.iter().any(|p| p.as_bytes() == prefix)
}

/// Names that announce a secret only as they stand: `?sig=…`, `&key=…`, `VENDOR_KEY=…`,
/// `IDENTIFIED BY '…'`.
fn unnamed(
    b: &[u8],
    name: &[u8],
    start: usize,
    place: Place,
    separator: Separator,
) -> Option<(Label, Separator)> {
    let key = |least| Label {
        noun: Noun::Key,
        least,
    };
    if place.query
        && separator.join == Join::Tight
        && (ends_ci(name, b"sig") || ends_ci(name, b"signature") || ends_ci(name, b"key"))
    {
        return Some((key(QUERY_VALUE), separator));
    }
    let constant = name.len() > 4 && !name.iter().any(u8::is_ascii_lowercase);
    let signed = matches!(separator.join, Join::Tight | Join::Equals | Join::Colon);
    if constant && signed && ends_ci(name, b"_key") && !one_of(name, PUBLIC_KEYS) {
        return Some((key(QUERY_VALUE), separator));
    }
    if name.eq_ignore_ascii_case(b"by")
        && previous_word(b, start).eq_ignore_ascii_case(b"identified")
        && is_quote(at(b, separator.value))
    {
        return Some((
            key(0),
            Separator {
                join: Join::Flag,
                ..separator
            },
        ));
    }
    None
}

/// Parsers call a unit of their input a token: `unexpected token: x`.
fn parser_token(b: &[u8], start: usize, join: Join) -> bool {
    let word = previous_word(b, start);
    let parser = one_of(
        word,
        &[
            "unexpected",
            "expected",
            "illegal",
            "unknown",
            "unrecognized",
        ],
    );
    let quoted = one_of(word, &["invalid", "next", "end"]);
    parser && join != Join::Tight || quoted && matches!(join, Join::Blank | Join::Verb)
}

fn previous_word(b: &[u8], start: usize) -> &[u8] {
    let end = run_back(b, start, 2, is_blank);
    if end == start {
        return b"";
    }
    part(b, run_back(b, end, MOST_WORD, is_alnum), end)
}
