//! Is the value behind a label a secret, and which bytes is it?

use super::bytes::{
    at, before, is_alnum, is_blank, is_newline, is_quote, is_space, line_end, looks_generated,
    part, run, run_within,
};
use super::label::{Label, Noun, classify};
use super::marker::{LABELLED, Span, inside_marker, is_redacted, skip_markers};
use super::placeholder::{is_no_value, structural_end};
use super::prose;
use super::quote::{closing, opening};
use super::separator::{Join, Separator};
use super::unquoted::{self, Place};

/// Weak joins (`label value`) want a value of this length with letters and digits.
const GENERATED: usize = 6;
/// A word in quotes behind `password` is a password from this length on.
const QUOTED_WORD: usize = 4;
/// Most literals read from one list behind a label.
const MOST_ITEMS: usize = 64;
/// Numbers behind `token` up to this length are counts and places; one-time codes have 6 digits or more.
const MOST_COUNT: usize = 5;
/// A value under weak evidence is measured no further than this.
const MOST_WEAK: usize = 512;

/// Pushes the spans of the value; returns where reading goes on behind them.
pub(super) fn scan(
    b: &[u8],
    label: Label,
    separator: Separator,
    place: Place,
    spans: &mut Vec<Span>,
) -> Option<usize> {
    let start = separator.value;
    let join = separator.join;
    if start >= b.len() || inside_marker(b, start) {
        return None;
    }
    if join == Join::Element {
        return element(b, start, label, spans);
    }
    if at(b, start) == b'['
        && matches!(join, Join::Tight | Join::Equals | Join::Colon)
        && skip_markers(b, start) == start
    {
        return items(b, start + 1, label, spans);
    }
    if matches!(at(b, start), b'|' | b'>') && join == Join::Colon {
        return block(b, start, label, spans);
    }
    if let Some(open) = opening(b, start) {
        return quoted(b, open, label, join, place, spans);
    }
    plain(b, start, label, join, place, spans)
}

fn push(spans: &mut Vec<Span>, start: usize, end: usize) -> Option<usize> {
    if end <= start {
        return None;
    }
    spans.push(Span {
        start,
        end,
        kind: LABELLED,
    });
    Some(end)
}

/// Does a whole value, its quotes taken off, stay?
fn stays(value: &[u8], label: Label) -> bool {
    // One letter is a type or a unit.
    value.len() <= 1
        || is_no_value(value)
        || prose::is_path(value)
        || is_small_number(value, label)
        || (label.least > 0 && !looks_generated(value, label.least))
}

/// `token: 42` counts or points somewhere; a password of digits is one.
fn is_small_number(value: &[u8], label: Label) -> bool {
    label.noun == Noun::Token && value.len() <= MOST_COUNT && value.iter().all(u8::is_ascii_digit)
}

/// Is `value` secret where only a label names it, as under an object key?
pub(super) fn is_secret_under(value: &str, label: Label) -> bool {
    !stays(value.trim().as_bytes(), label)
}

fn quoted(
    b: &[u8],
    open: super::quote::Opening,
    label: Label,
    join: Join,
    place: Place,
    spans: &mut Vec<Span>,
) -> Option<usize> {
    let close = closing(b, open);
    let value = part(b, open.content, close.content);
    let one_word = !value.iter().any(|&c| is_space(c));
    let enough = match join {
        Join::Blank if label.noun == Noun::Passphrase => true,
        Join::Blank if label.noun == Noun::Password => one_word && value.len() >= QUOTED_WORD,
        Join::Blank => one_word && looks_generated(value, GENERATED),
        // `the token is "invalid or expired"` quotes a message.
        Join::Verb => value.len() >= QUOTED_WORD && !prose::starts_commonly(value),
        // A list of names, `"password", "x-api-key2"`, is not one of values.
        Join::Cell | Join::Tuple => {
            looks_generated(value, GENERATED) && classify(value).is_none() && !prose::is_term(value)
        }
        // The next flag of a list of arguments.
        Join::Flag => at(value, 0) != b'-',
        _ => true,
    };
    if !enough || stays(value, label) {
        return None;
    }
    push(spans, open.content, close.content)?;
    let mut behind = close.behind;
    // A shell joins `'abc'def`.
    if close.behind > close.content && is_alnum(at(b, behind)) && is_alnum(before(b, close.content))
    {
        let end = unquoted::end(b, behind, place);
        behind = push(spans, behind, end).unwrap_or(behind);
    }
    while let Some(next) = joined(b, behind).and_then(|i| opening(b, i)) {
        let close = closing(b, next);
        if is_redacted(b, next.content, close.content)
            || push(spans, next.content, close.content).is_none()
        {
            break;
        }
        behind = close.behind;
    }
    Some(behind)
}

/// Where the literal stands that `+`, `.` or a backslash at the line end joins to the one before.
fn joined(b: &[u8], behind: usize) -> Option<usize> {
    let sign = run_within(b, behind, 16, is_space);
    let next = match at(b, sign) {
        b'+' | b'.' => sign + 1,
        b'\\' if is_newline(at(b, sign + 1)) => sign + 1,
        _ => return None,
    };
    let literal = run_within(b, next, 64, is_space);
    matches!(at(b, literal), b'"' | b'\'').then_some(literal)
}

fn plain(
    b: &[u8],
    start: usize,
    label: Label,
    join: Join,
    place: Place,
    spans: &mut Vec<Span>,
) -> Option<usize> {
    if matches!(join, Join::Blank | Join::Verb | Join::Cell) {
        let end = start
            + prose::generated_word(part(b, start, start.saturating_add(MOST_WEAK)), GENERATED)?;
        return (label.least <= end - start)
            .then(|| push(spans, start, unquoted::end(b, start, place).max(end)))?;
    }
    if join == Join::Tuple || (!place.environment && opens_structure(b, start, join)) {
        return None;
    }
    // A command whose output is the value may go on over several lines.
    let command = at(b, start) == b'$' && at(b, start + 1) == b'(';
    if command || structural_end(b, start).is_some_and(|end| placeholder_ends(b, end)) {
        return None;
    }
    if label.least > 0 {
        let near = run_within(b, start, MOST_WEAK, |c| !is_space(c));
        if !looks_generated(part(b, start, near), label.least) {
            return None;
        }
    }
    if !place.environment
        && (prose::is_code(b, start) || prose::is_public_url(b, start, join == Join::Tight))
    {
        return None;
    }
    let mut end = unquoted::end(b, start, place);
    let value = part(b, start, end);
    if stays(value, label) || (join != Join::Tight && prose::is_common_word(value)) {
        return None;
    }
    let constant = prose::is_metavariable(value);
    if constant && (join == Join::Flag || (!place.environment && classify(value).is_some())) {
        return None;
    }
    if join == Join::NextLine
        && !(looks_generated(value, GENERATED) && is_newline_or_end(b, run(b, end, is_blank)))
    {
        return None;
    }
    if label.noun == Noun::Passphrase && !place.query {
        end = phrase_end(b, end);
    }
    push(spans, start, end)
}

/// A passphrase goes on to the end of its line, or of the string around it.
fn phrase_end(b: &[u8], end: usize) -> usize {
    let stop = run(b, end, |c| {
        !is_newline(c) && !is_quote(c) && !matches!(c, b'\\' | b'#' | b',' | b';' | b'[')
    });
    let trailing = part(b, end, stop)
        .iter()
        .rev()
        .take_while(|&&c| is_blank(c))
        .count();
    stop - trailing
}

fn is_newline_or_end(b: &[u8], i: usize) -> bool {
    i >= b.len() || is_newline(at(b, i))
}

/// Braces, brackets and parentheses open a structure, not a value; a dash opens the next flag.
fn opens_structure(b: &[u8], start: usize, join: Join) -> bool {
    let marked = skip_markers(b, start) > start;
    match at(b, start) {
        b'[' => !marked,
        b'{' | b'(' | b')' | b']' | b'}' | b',' | b';' => true,
        b'-' => join == Join::Flag || is_blank(at(b, start + 1)),
        b'|' | b'>' | b'=' | b'&' => join != Join::Tight,
        b'#' => is_blank(at(b, start + 1)),
        _ => false,
    }
}

/// Is the place behind a placeholder one where a value ends?
fn placeholder_ends(b: &[u8], end: usize) -> bool {
    let c = at(b, end);
    end >= b.len()
        || is_space(c)
        || is_quote(c)
        || matches!(
            c,
            b',' | b';' | b')' | b']' | b'}' | b'&' | b'.' | b'<' | b'\\' | b'|' | b'@' | b':'
        )
}

fn element(b: &[u8], start: usize, label: Label, spans: &mut Vec<Span>) -> Option<usize> {
    let end = run(b, start, |c| c != b'<');
    let value = part(b, start, end);
    if !starts_closing(b, end) || stays(value, label) {
        return None;
    }
    push(spans, start, end)
}

fn starts_closing(b: &[u8], i: usize) -> bool {
    at(b, i) == b'<' && at(b, i + 1) == b'/'
}

/// `"api_keys": ["…", "…"]`
fn items(b: &[u8], start: usize, label: Label, spans: &mut Vec<Span>) -> Option<usize> {
    let mut i = start;
    let mut behind = None;
    for _ in 0..MOST_ITEMS {
        let Some(open) = opening(b, run_within(b, i, MOST_WEAK, is_space)) else {
            break;
        };
        let close = closing(b, open);
        if !stays(part(b, open.content, close.content), label) {
            push(spans, open.content, close.content);
            behind = Some(close.behind);
        }
        let comma = run_within(b, close.behind, MOST_WEAK, is_space);
        if at(b, comma) != b',' {
            break;
        }
        i = comma + 1;
    }
    behind
}

/// A YAML block (`password: |` and deeper lines): all of its text.
fn block(b: &[u8], start: usize, label: Label, spans: &mut Vec<Span>) -> Option<usize> {
    let head = run_within(b, start, 4, |c| {
        matches!(c, b'|' | b'>' | b'+' | b'-') || c.is_ascii_digit()
    });
    let first = run(b, head, is_blank);
    if !is_newline(at(b, first)) {
        return None;
    }
    let line = super::bytes::run_back(b, start, start, |c| !is_newline(c));
    let indent = run(b, line, is_blank) - line;
    let mut text: Option<(usize, usize)> = None;
    let mut i = first;
    while i < b.len() {
        let next = i + if part(b, i, i + 2) == b"\r\n" { 2 } else { 1 };
        let content = run(b, next, is_blank);
        let end = line_end(b, content);
        if end > content {
            if content - next <= indent {
                break;
            }
            text = Some((text.map_or(content, |t| t.0), end));
        }
        if end >= b.len() {
            break;
        }
        i = end;
    }
    let (from, to) = text?;
    (!stays(part(b, from, to), label)).then(|| push(spans, from, to))?
}
