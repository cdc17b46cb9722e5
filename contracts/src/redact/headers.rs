//! Which parts of `Authorization` and `Cookie` headers are secret?

use super::bytes::{
    at, is_alnum, is_base64, is_blank, is_newline, is_quote, is_space, looks_generated, one_of,
    part, run, run_within, starts_ci,
};
use super::label::classify;
use super::marker::{BASIC, BEARER, COOKIE, LABELLED, Span, skip_markers};
use super::placeholder::{is_no_value, structural_end};
use super::prose;
use super::quote::{closing, opening};
use super::separator::{Join, Separator};
use super::unquoted::{self, Place};

/// Schemes whose one word of credentials follows; the scheme itself stays readable.
const SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "apikey",
    "api-key",
    "key",
    "ntlm",
    "negotiate",
    "sso-key",
    "ssws",
    "dpop",
    "genie-key",
];
/// Schemes with a list of parameters: everything to the end of the line goes.
const PARAMETER_SCHEMES: &[&str] = &[
    "digest",
    "oauth",
    "hawk",
    "signature",
    "aws4-hmac-sha256",
    "sharedkey",
    "aws4-ecdsa-p256-sha256",
];
/// Longest scheme or unknown first word.
const MOST_SCHEME: usize = 32;
/// `Bearer x` outside a header wants this length with letters and digits …
const BARE_BEARER: usize = 8;
/// … or this length of letters alone.
const LONG_BEARER: usize = 24;
/// `Basic x` outside a header and without padding wants this length.
const BARE_BASIC: usize = 12;
/// A second word behind an unknown scheme is a credential from this length on.
const CREDENTIAL: usize = 6;
/// Attributes of `Set-Cookie`; their values are public.
const ATTRIBUTES: &[&str] = &[
    "path",
    "domain",
    "expires",
    "max-age",
    "samesite",
    "priority",
    "version",
    "httponly",
    "secure",
    "partitioned",
    "comment",
];
/// Longest cookie name and attribute value.
const MOST_COOKIE_NAME: usize = 64;

fn push(spans: &mut Vec<Span>, start: usize, end: usize, kind: &'static str) -> Option<usize> {
    if end <= start {
        return None;
    }
    spans.push(Span { start, end, kind });
    Some(end)
}

/// The value of an `Authorization` header, quoted or not.
pub(super) fn authorization(
    b: &[u8],
    separator: Separator,
    spans: &mut Vec<Span>,
) -> Option<usize> {
    if matches!(
        separator.join,
        Join::Blank | Join::Verb | Join::Cell | Join::Element
    ) {
        return None;
    }
    let open = opening(b, separator.value);
    let start = open.map_or(separator.value, |o| o.content);
    let word = run_within(b, start, MOST_SCHEME, |c| is_alnum(c) || c == b'-');
    let scheme = part(b, start, word);
    let credentials = gap(b, word);
    let has_more = credentials > word && !is_newline(at(b, credentials)) && credentials < b.len();
    if has_more
        && one_of(scheme, PARAMETER_SCHEMES)
        && looks_parametric(part(b, credentials, b.len()))
    {
        let end = match open {
            Some(open) => closing(b, open).content,
            None => run(b, credentials, |c| !is_newline(c)),
        };
        return unless_redacted(b, credentials, end, LABELLED, spans);
    }
    if has_more && one_of(scheme, SCHEMES) {
        return credential(b, credentials, kind_of(scheme), spans);
    }
    if word == start && skip_markers(b, start) == start && !is_value_byte(at(b, start)) {
        return None;
    }
    let quoted_end = open.map(|o| closing(b, o).content);
    let named = part(b, start, quoted_end.unwrap_or(start));
    let given = looks_generated(named, BARE_BEARER) && classify(named).is_none();
    if separator.join == Join::Tuple && !given {
        return None;
    }
    unknown_scheme(b, start, quoted_end, spans)
}

fn looks_parametric(rest: &[u8]) -> bool {
    let line = part(rest, 0, 128);
    line.iter()
        .take_while(|c| !is_newline(**c))
        .any(|&c| matches!(c, b'=' | b':'))
}

fn kind_of(scheme: &[u8]) -> &'static str {
    if scheme.eq_ignore_ascii_case(b"bearer") {
        BEARER
    } else if scheme.eq_ignore_ascii_case(b"basic") {
        BASIC
    } else {
        LABELLED
    }
}

fn is_value_byte(c: u8) -> bool {
    is_alnum(c) || matches!(c, b'+' | b'/' | b'_' | b'.' | b'~' | b'=')
}

/// The word of credentials at `start`.
fn credential(b: &[u8], start: usize, kind: &'static str, spans: &mut Vec<Span>) -> Option<usize> {
    if structural_end(b, start).is_some() || prose::is_code(b, start) {
        return None;
    }
    let end = unquoted::end(b, start, Place::default());
    let value = part(b, start, end);
    if is_no_value(value)
        || prose::is_common_word(value)
        || !is_value_byte(at(b, start)) && skip_markers(b, start) == start
    {
        return None;
    }
    push(spans, start, end, kind)
}

/// A header without a known scheme: the whole quoted string, or the word and a credential behind it.
fn unknown_scheme(
    b: &[u8],
    start: usize,
    quoted_end: Option<usize>,
    spans: &mut Vec<Span>,
) -> Option<usize> {
    if let Some(end) = quoted_end {
        let value = part(b, start, end);
        let known = one_of(value.trim_ascii(), SCHEMES);
        return (!is_no_value(value) && !known).then(|| push(spans, start, end, LABELLED))?;
    }
    if structural_end(b, start).is_some() || prose::is_code(b, start) {
        return None;
    }
    let mut end = unquoted::end(b, start, Place::default());
    let word = part(b, start, end);
    if is_no_value(word)
        || prose::is_common_word(word)
        || one_of(word, SCHEMES)
        || one_of(word, PARAMETER_SCHEMES)
    {
        return None;
    }
    let next = run(b, end, is_blank);
    if word.iter().all(|c| c.is_ascii_alphabetic() || *c == b'*') {
        let second = unquoted::end(b, next, Place::default());
        if next > end && looks_generated(part(b, next, second), CREDENTIAL) {
            end = second;
        } else if word.len() < LONG_BEARER {
            // `Authorization: RBAC and beyond` is a headline.
            return None;
        }
    }
    push(spans, start, end, LABELLED)
}

fn unless_redacted(
    b: &[u8],
    start: usize,
    end: usize,
    kind: &'static str,
    spans: &mut Vec<Span>,
) -> Option<usize> {
    if is_no_value(part(b, start, end)) {
        return None;
    }
    push(spans, start, end, kind)
}

/// The gap between scheme and credentials: blanks, `%20` or the `+` of a form.
fn gap(b: &[u8], i: usize) -> usize {
    if starts_ci(b, i, b"%20") {
        i + 3
    } else if at(b, i) == b'+' {
        i + 1
    } else {
        run(b, i, is_blank)
    }
}

/// `Bearer VALUE` anywhere; `end` is the end of the word `bearer`.
pub(super) fn bearer(b: &[u8], end: usize, spans: &mut Vec<Span>) -> Option<usize> {
    let start = gap(b, end);
    if start == end {
        return None;
    }
    let stop = run(b, start, |c| {
        is_alnum(c) || matches!(c, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
    });
    let value = part(b, start, stop);
    let letters = value.len() >= LONG_BEARER && value.iter().all(u8::is_ascii_alphabetic);
    if !letters && !looks_generated(value, BARE_BEARER) {
        return None;
    }
    push(
        spans,
        start,
        unquoted::end(b, start, Place::default()),
        BEARER,
    )
}

/// `Basic VALUE` anywhere: base64 with padding, or with both cases and digits.
pub(super) fn basic(b: &[u8], end: usize, spans: &mut Vec<Span>) -> Option<usize> {
    let start = gap(b, end);
    let stop = run(b, start, is_base64);
    let value = part(b, start, stop);
    let padded = value.ends_with(b"=") && value.len().is_multiple_of(4);
    let mixed = looks_generated(value, BARE_BASIC)
        && value.iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase);
    if start == end || value.len() < BARE_BEARER || !(padded || mixed) {
        return None;
    }
    push(spans, start, stop, BASIC)
}

/// `name=value` pairs of a cookie header: every value but those of attributes.
pub(super) fn cookie(b: &[u8], separator: Separator, spans: &mut Vec<Span>) -> Option<usize> {
    if matches!(
        separator.join,
        Join::Blank | Join::Verb | Join::Cell | Join::Element
    ) {
        return None;
    }
    let mut i = opening(b, separator.value).map_or(separator.value, |o| o.content);
    let mut behind = None;
    loop {
        i = run(b, i, is_blank);
        let name_end = run_within(b, i, MOST_COOKIE_NAME, is_cookie_name);
        let name = part(b, i, name_end);
        if name.is_empty() {
            return behind;
        }
        let attribute = one_of(name, ATTRIBUTES);
        let end = if at(b, name_end) != b'=' {
            if !attribute {
                return behind;
            }
            name_end
        } else if attribute {
            run_within(b, name_end + 1, MOST_COOKIE_NAME, |c| {
                c != b';' && !is_newline(c) && !is_quote(c)
            })
        } else {
            let value = name_end + 1;
            let end = cookie_value_end(b, value);
            if !is_no_value(part(b, value, end)) {
                push(spans, value, end, COOKIE);
            }
            end
        };
        behind = Some(end);
        let next = run(b, end, is_blank);
        if at(b, next) != b';' {
            return behind;
        }
        i = next + 1;
    }
}

fn is_cookie_name(c: u8) -> bool {
    is_alnum(c)
        || matches!(
            c,
            b'_' | b'-' | b'.' | b'%' | b'!' | b'#' | b'$' | b'*' | b'+' | b'^' | b'|' | b'~'
        )
}

/// A cookie value ends at `;`, white space, or the quote around the header; it may itself be quoted.
fn cookie_value_end(b: &[u8], start: usize) -> usize {
    let inner = start + usize::from(at(b, start) == b'"');
    let end = run(b, inner, |c| {
        c != b';' && !is_space(c) && !is_quote(c) && c != b'\\'
    });
    end + usize::from(inner > start && at(b, end) == b'"')
}
