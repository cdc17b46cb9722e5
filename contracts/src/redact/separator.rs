//! What joins a label to its value?

use super::bytes::{
    at, before, is_alnum, is_blank, is_newline, is_quote, is_space, one_of, part, run, run_within,
    starts, starts_ci,
};
use super::quote::escaped_quote;

/// How label and value are joined; the weaker the join, the more the value itself must prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// `label=value`, nothing between.
    Tight,
    /// `label = value`, `label := value`, `'label' => 'value'`.
    Equals,
    /// `label: value`.
    Colon,
    /// `--label value`, also `login … password value` of netrc.
    Flag,
    /// `label value`.
    Blank,
    /// `label is value`.
    Verb,
    /// `| label | value |`.
    Cell,
    /// `("label", "value")`.
    Tuple,
    /// `label:` and the value alone on the next line.
    NextLine,
    /// `<label>value</label>`.
    Element,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Separator {
    pub(super) join: Join,
    /// Where the value starts, its opening quote included.
    pub(super) value: usize,
}

/// Most bytes between a name and its `value` key (`"name": "DB_PASSWORD",\n    "value": …`).
const MOST_PAIR_GAP: usize = 64;
/// Words that may stand between a label and its value in a sentence.
const VERBS: &[&str] = &["is", "was", "to", "as", "equals", "be", "are", "becomes"];
/// Characters without width, plain and as JSON escapes them: soft hyphen, zero-width space, non-joiner and joiner, marks
/// of direction, word joiner, byte order mark.
const INVISIBLE: &[&str] = &[
    "\u{ad}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{200e}", "\u{200f}", "\u{2060}", "\u{feff}",
    "\\u00ad", "\\u200b", "\\u200c", "\\u200d", "\\u200e", "\\u200f", "\\u2060", "\\ufeff",
];
/// Looked back for `login NAME` before `password` in a netrc file.
const NETRC_REACH: usize = 96;

/// The separator behind the label `b[start..end]`; `raw` is where the run starts, its dashes included.
pub(super) fn separator(b: &[u8], raw: usize, start: usize, end: usize) -> Option<Separator> {
    let end = behind_invisible(b, end);
    let (closed, quoted) = closers(b, end);
    let closed = behind_invisible(b, closed);
    if let Some(value) = value_key(b, closed) {
        return Some(Separator {
            join: Join::Equals,
            value,
        });
    }
    let next = behind_invisible(b, run(b, closed, is_blank));
    if let Some((join, behind)) = sign(b, start, closed, next) {
        return behind_sign(b, join, behind);
    }
    match at(b, next) {
        b'>' if next == end && opens_element(b, start) => Some(Separator {
            join: Join::Element,
            value: next + 1,
        }),
        b'|' => Some(Separator {
            join: Join::Cell,
            value: run(b, next + 1, is_blank),
        }),
        b',' if quoted => Some(Separator {
            // A flag in a list of arguments: `["--token", "…"]`.
            join: if raw < start { Join::Flag } else { Join::Tuple },
            value: run(b, next + 1, is_space),
        }),
        // `password("…")`
        b'(' if next == closed && is_quote(at(b, next + 1)) => Some(Separator {
            join: Join::Tuple,
            value: next + 1,
        }),
        _ if next > closed => Some(blank(b, raw, start, next)),
        _ => None,
    }
}

/// Skips characters without width: who pastes from a page does not see them, and the value behind is as secret.
fn behind_invisible(b: &[u8], mut i: usize) -> usize {
    while let Some(mark) = INVISIBLE
        .iter()
        .find(|mark| starts_ci(b, i, mark.as_bytes()))
    {
        i += mark.len();
    }
    i
}

/// Skips what closes the label: quotes, escaped or not, emphasis, and `]` behind a quote. Says whether a
/// quote was among them.
fn closers(b: &[u8], end: usize) -> (usize, bool) {
    if let Some(close) = escaped_quote(b, end) {
        return (close, true);
    }
    // `\\\"` and a `]` have room in 6 bytes.
    let close = run_within(b, end, 6, |c| {
        is_quote(c) || matches!(c, b'\\' | b'*' | b'_')
    });
    let quoted = part(b, end, close).iter().any(|&c| is_quote(c));
    if !quoted && part(b, end, close).contains(&b'\\') {
        return (end, false);
    }
    if quoted && at(b, close) == b']' {
        return (close + 1, true);
    }
    (close, quoted)
}

/// The sign at `next`, and the position behind it.
fn sign(b: &[u8], start: usize, closed: usize, next: usize) -> Option<(Join, usize)> {
    let loose = |len: usize| Some((Join::Equals, next + len));
    match at(b, next) {
        b':' if at(b, next + 1) == b':' => None,
        b':' if at(b, next + 1) == b'=' => loose(2),
        // `${NAME:-default}`
        b':' if at(b, next + 1) == b'-' && part(b, start.saturating_sub(2), start) == b"${" => {
            Some((Join::Tight, next + 2))
        }
        b':' => Some((Join::Colon, next + 1)),
        b'=' => {
            let behind = run_within(b, next, 3, |c| matches!(c, b'=' | b'>' | b'~'));
            let tight = next == closed && behind == next + 1 && !is_space(at(b, behind));
            Some((if tight { Join::Tight } else { Join::Equals }, behind))
        }
        b'!' | b'?' | b'+' if at(b, next + 1) == b'=' => {
            Some((Join::Equals, run_within(b, next + 1, 2, |c| c == b'=')))
        }
        b'-' if next > closed && at(b, next + 1) == b'>' => loose(2),
        b'\\' if starts_ci(b, next, b"\\u003d") => Some((Join::Tight, next + 6)),
        b'\\' if starts_ci(b, next, b"\\u003a") => Some((Join::Colon, next + 6)),
        b'%' if starts_ci(b, next, b"%3d") => Some((Join::Tight, next + 3)),
        b'%' if starts_ci(b, next, b"%3a") => Some((Join::Colon, next + 3)),
        // Full-width colon and equals sign of CJK text.
        0xEF if starts(b, next, "：".as_bytes()) || starts(b, next, "＝".as_bytes()) => {
            Some((Join::Colon, next + 3))
        }
        _ => None,
    }
}

/// Skips emphasis and blanks behind the sign, and one line end.
fn behind_sign(b: &[u8], join: Join, behind: usize) -> Option<Separator> {
    let stars = run_within(b, behind, 2, |c| c == b'*');
    let behind = if is_space(at(b, stars)) {
        stars
    } else {
        behind
    };
    let value = run(b, behind, is_blank);
    if !is_newline(at(b, value)) {
        let value = escaped_quote(b, value).unwrap_or(value);
        return Some(Separator { join, value });
    }
    let line = value + if starts(b, value, b"\r\n") { 2 } else { 1 };
    let value = run(b, line, is_blank);
    (value > line).then_some(Separator {
        join: Join::NextLine,
        value,
    })
}

fn opens_element(b: &[u8], start: usize) -> bool {
    before(b, start) == b'<' || (before(b, start) == b':' && is_alnum(before(b, start - 1)))
}

fn blank(b: &[u8], raw: usize, start: usize, next: usize) -> Separator {
    if raw < start || follows_login(b, start) {
        // A flag may be continued on the next line of a shell command.
        let value = if at(b, next) == b'\\' && is_newline(at(b, next + 1)) {
            run(b, next + 1, is_space)
        } else {
            next
        };
        return Separator {
            join: Join::Flag,
            value,
        };
    }
    let word = run_within(b, next, 8, |c| c.is_ascii_alphabetic());
    let verb = part(b, next, word);
    if one_of(verb, VERBS) && matches!(at(b, word), b' ' | b'\t' | b':') {
        let colon = at(b, word) == b':';
        return Separator {
            join: if colon { Join::Colon } else { Join::Verb },
            value: run(b, word + usize::from(colon), is_blank),
        };
    }
    // `password (hunter2)`
    let next = next + usize::from(at(b, next) == b'(');
    if let Some(value) = behind_dash(b, next) {
        return Separator {
            join: Join::Verb,
            value,
        };
    }
    Separator {
        join: Join::Blank,
        value: next,
    }
}

/// `password - hunter2`, with any dash.
fn behind_dash(b: &[u8], next: usize) -> Option<usize> {
    let dash = ["-", "–", "—"]
        .iter()
        .find(|dash| starts(b, next, dash.as_bytes()))?;
    let value = run(b, next + dash.len(), is_blank);
    (value > next + dash.len()).then_some(value)
}

/// `machine HOST login NAME password`, the format of netrc.
fn follows_login(b: &[u8], start: usize) -> bool {
    let near = part(b, start.saturating_sub(NETRC_REACH), start);
    let mut words = near
        .split(|c| is_space(*c))
        .rev()
        .filter(|word| !word.is_empty());
    let _name = words.next();
    let login = words.next() == Some(b"login");
    let head = [words.next(), words.next()];
    login
        && head
            .iter()
            .any(|word| matches!(word, Some(b"machine" | b"default")))
}

/// `"name": "LABEL", "value": …` and `name="LABEL" value=…`: the position of the value.
fn value_key(b: &[u8], closed: usize) -> Option<usize> {
    let key = run_within(b, closed, MOST_PAIR_GAP, |c| {
        is_space(c) || matches!(c, b',' | b';')
    });
    if key == closed {
        return None;
    }
    let key = run_within(b, key, 4, |c| is_quote(c) || matches!(c, b'\\' | b':'));
    if !starts_ci(b, key, b"value") {
        return None;
    }
    let sign = run_within(b, key + 5, 4, |c| is_quote(c) || c == b'\\');
    let sign = run(b, sign, is_blank);
    matches!(at(b, sign), b':' | b'=').then(|| {
        run(
            b,
            run_within(b, sign, 2, |c| matches!(c, b':' | b'=' | b'>')),
            is_blank,
        )
    })
}
