//! What does a packet do to text that hides something or imitates the packet's frame?
//!
//! Nothing is dropped: a hidden character becomes `<U+XXXX>`, an imitated marker loses its `<`, and both are counted.

use std::borrow::Cow;
use vibey_context_contracts::visible::visible;

fn slice(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to)
        .expect("offsets come from walking the same text")
}

/// The text with every imitation of a frame marker made harmless, and how many there were: the `<!--` that stands
/// before `prefix` becomes `&lt;!--`.
///
/// An imitation is `<!--`, optional whitespace, then `prefix` in any case. It suffices to break the `<!--`, since a
/// parser of the packet looks only for lines that start with the exact marker. Whoever only looks at the text should
/// not be fooled either, therefore the whole is one even where [`visible`] left a `<U+XXXX>` inside; call that first. A text
/// that ends behind `<!--` is half of one: what comes next may begin with `prefix`.
#[must_use]
pub fn frame_safe<'a>(text: &'a str, prefix: &str) -> (Cow<'a, str>, u32) {
    let mut out = String::new();
    let mut copied = 0;
    let mut count: u32 = 0;
    for (at, _) in text.match_indices('<') {
        let rest = slice(text, at, text.len());
        // A `<` that starts an escape cannot start a marker; passing it here keeps long runs of escapes linear.
        if after_escape(rest).is_some() || !imitates(rest, prefix) {
            continue;
        }
        out.push_str(slice(text, copied, at));
        out.push_str("&lt;");
        copied = at + 1;
        count = count.saturating_add(1);
    }
    if count == 0 {
        return (Cow::Borrowed(text), 0);
    }
    out.push_str(slice(text, copied, text.len()));
    (Cow::Owned(out), count)
}

/// Whether `rest` starts with `<!--`, whitespace and `prefix`, whatever escapes lie between their characters.
fn imitates(rest: &str, prefix: &str) -> bool {
    let Some(rest) = expect_chars(rest, "<!--") else {
        return false;
    };
    let mut rest = skip_escapes(rest);
    loop {
        let trimmed = skip_escapes(rest.trim_start());
        if trimmed.len() == rest.len() {
            return rest.is_empty() || expect_chars(rest, prefix).is_some();
        }
        rest = trimmed;
    }
}

/// What follows the characters of `wanted` in any case, with escapes allowed before each; `None` if others stand
/// there.
fn expect_chars<'a>(mut rest: &'a str, wanted: &str) -> Option<&'a str> {
    for want in wanted.chars() {
        let mut chars = skip_escapes(rest).chars();
        if !chars.next()?.eq_ignore_ascii_case(&want) {
            return None;
        }
        rest = chars.as_str();
    }
    Some(rest)
}

fn skip_escapes(mut rest: &str) -> &str {
    while let Some(after) = after_escape(rest) {
        rest = after;
    }
    rest
}

/// What follows a `<U+XXXX>` at the start of `rest`.
fn after_escape(rest: &str) -> Option<&str> {
    // Six hexadecimal digits reach U+10FFFF. The bound also keeps a text of nothing but `<U+` linear.
    const DIGITS: std::ops::RangeInclusive<usize> = 4..=6;
    let hex = rest.strip_prefix("<U+")?;
    let digits = hex.bytes().take(*DIGITS.end() + 1);
    let count = digits.take_while(u8::is_ascii_hexdigit).count();
    let after = hex.get(count..)?.strip_prefix('>')?;
    DIGITS.contains(&count).then_some(after)
}

/// What [`one_line`] escapes everywhere, and the name of its entity.
const ENTITIES: [(char, &str); 4] = [('&', "amp;"), ('<', "lt;"), ('>', "gt;"), ('"', "quot;")];

/// Entity name for a `-` after a `-`: the two together could end an HTML comment.
const HYPHEN: &str = "#45;";

/// A value as it may stand inside an HTML comment: one line, no `--`, no `<`, `>` or `"`.
///
/// Runs of whitespace become one space and vanish at both ends, hidden characters become `<U+XXXX>` as in
/// [`visible`]; then `&`, `<`, `>`, `"` and every `-` that follows a `-` become entities, which
/// [`unescape_one_line`] resolves.
#[must_use]
pub fn one_line(text: &str) -> String {
    let collapsed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (shown, _) = visible(&collapsed);
    let mut out = String::with_capacity(shown.len());
    let mut previous = ' ';
    for c in shown.chars() {
        let entity = match ENTITIES.iter().find(|(plain, _)| *plain == c) {
            Some((_, name)) => Some(*name),
            None => (c == '-' && previous == '-').then_some(HYPHEN),
        };
        match entity {
            Some(name) => {
                out.push('&');
                out.push_str(name);
            }
            None => out.push(c),
        }
        previous = c;
    }
    out
}

/// A value as it may stand in a line of a terminal: whitespace folded, hidden characters made visible.
#[must_use]
pub fn plain_line(text: &str) -> String {
    let collapsed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible(&collapsed).0.into_owned()
}

/// A name as a message shows it: one line of at most `most` characters.
#[must_use]
pub fn excerpt(text: &str, most: usize) -> String {
    let line = plain_line(text);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", slice(&line, 0, end)),
        None => line,
    }
}

/// The text with the entities of [`one_line`] resolved, once each; any other `&` stays as it is.
#[must_use]
pub fn unescape_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let mut names = ENTITIES.iter().copied().chain([('-', HYPHEN)]);
        let found = names.find_map(|(plain, name)| Some((plain, after.strip_prefix(name)?)));
        let (plain, next) = found.unwrap_or(('&', after));
        out.push(plain);
        rest = next;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests;
