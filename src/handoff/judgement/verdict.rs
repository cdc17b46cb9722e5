//! What does a review in HTML say to a reader, and is its verdict a negative one?
//!
//! Text alone counts: no attribute, script, style or comment is a verdict. First what stands beside a label such as `Verdict`,
//! then what stands in headings and bold lines.

/// Labels beside which a verdict stands, the surest first.
const LABELS: [&[&str]; 3] = [
    &["verdict"],
    &["decision"],
    &["status", "result", "outcome"],
];
/// Verdicts by which a review is complete and the work is not, longest first where one begins another.
const NEGATIVE: [&str; 30] = [
    "needs revision",
    "need revision",
    "needs revisions",
    "revision needed",
    "revision required",
    "revisions required",
    "revisions needed",
    "rejected",
    "reject",
    "request changes",
    "requested changes",
    "requests changes",
    "changes required",
    "changes requested",
    "not approved",
    "disapproved",
    "unapproved",
    "denied",
    "blocked",
    "failed",
    "fails",
    "fail",
    "non compliant",
    "noncompliant",
    "not compliant",
    "not accepted",
    "needs work",
    "not passed",
    "needs changes",
    "not ready",
];
/// Verdicts by which the work is good.
const POSITIVE: [&str; 9] = [
    "approved",
    "approve",
    "accepted",
    "compliant",
    "passed",
    "passes",
    "pass",
    "lgtm",
    "ready",
];
/// Words before a negative verdict that make it none: `no changes requested`, `0 failed`.
const UNDONE: [&str; 8] = [
    "no", "not", "never", "none", "nothing", "without", "0", "zero",
];
/// Elements whose content is nothing that a reader sees.
const UNSEEN: [&str; 4] = ["script", "style", "template", "noscript"];
/// Elements within a line.
const INLINE: [&str; 16] = [
    "a", "abbr", "b", "cite", "code", "em", "font", "i", "kbd", "mark", "s", "small", "span",
    "strong", "sub", "u",
];
/// Elements that make their text stand out.
const BOLD: [&str; 8] = ["b", "strong", "h1", "h2", "h3", "h4", "h5", "h6"];

/// A line that a reader sees.
#[derive(Debug, Default, PartialEq, Eq)]
struct Line {
    text: String,
    /// Whether all of it is a heading or bold.
    is_bold: bool,
}

/// Whether one of these words or phrases stands in the text that a reader sees, as whole words, in any case.
pub(crate) fn says(html: &str, phrase: &str) -> bool {
    let wanted = words(phrase);
    let lines = lines(html);
    if wanted.is_empty() {
        return lines.iter().any(|line| line.text.contains(phrase));
    }
    lines
        .iter()
        .any(|line| find(&words(&line.text), &wanted).is_some())
}

/// Whether a tag such as `<html` or `<!DOCTYPE html` is there, outside comments, and no other whose name begins so.
pub(crate) fn has_tag(html: &str, tag: &str) -> bool {
    let (html, tag) = (html.to_lowercase(), tag.to_lowercase());
    let is_it = |rest: &str| {
        rest.strip_prefix(tag.as_str()).is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_')
        })
    };
    let mut rest = html.as_str();
    while let Some(at) = rest.find('<') {
        rest = rest.get(at..).unwrap_or_default();
        if is_it(rest) {
            return true;
        }
        rest = match rest.strip_prefix("<!--") {
            Some(comment) => comment.split_once("-->").map_or("", |(_, behind)| behind),
            None => rest.get(1..).unwrap_or_default(),
        };
    }
    false
}

/// The negative verdict of a review, in capitals; `None` where it has none, or a positive one.
pub(crate) fn negative(html: &str) -> Option<String> {
    let lines = lines(html);
    for labels in LABELS {
        let judged: Vec<(bool, &str)> = lines
            .iter()
            .enumerate()
            .filter_map(|(nth, line)| beside(line, lines.get(nth + 1), labels))
            .collect();
        if let Some((_, phrase)) = judged.iter().find(|(is_negative, _)| *is_negative) {
            return Some(phrase.to_uppercase());
        }
        if !judged.is_empty() {
            return None;
        }
    }
    let bold = lines.iter().filter(|line| line.is_bold);
    bold.filter_map(|line| first(&words(&line.text)))
        .find(|(_, is_negative, _)| *is_negative)
        .map(|(_, _, phrase)| phrase.to_uppercase())
}

/// The verdict behind a label in a line; where the label ends it, that of the line behind.
fn beside<'a>(line: &Line, next: Option<&Line>, labels: &[&str]) -> Option<(bool, &'a str)> {
    let words_here = words(&line.text);
    let at = words_here
        .iter()
        .position(|word| labels.contains(&word.as_str()))?;
    let behind = words_here.get(at + 1..).unwrap_or_default();
    if !behind.is_empty() {
        return first(behind).map(|(_, is_negative, phrase)| (is_negative, phrase));
    }
    // Prose may tell of rejected tokens: a sentence that begins with its verdict is surer than one that holds one.
    let sentences = next?.text.split(['.', '!', ';']).map(words);
    let found: Vec<_> = sentences.filter_map(|sentence| first(&sentence)).collect();
    let chosen = found.iter().find(|(at, ..)| *at == 0).or(found.first())?;
    Some((chosen.1, chosen.2))
}

/// The first verdict among words: its place, whether it is negative, and its words.
fn first<'a>(words: &[String]) -> Option<(usize, bool, &'a str)> {
    (0..words.len()).find_map(|at| {
        let rest = words.get(at..).unwrap_or_default();
        let starts = |phrase: &&&str| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            rest.len() >= phrase.len()
                && rest
                    .iter()
                    .zip(&phrase)
                    .all(|(word, wanted)| word == wanted)
        };
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let is_undone = before.is_some_and(|word| UNDONE.contains(&word.as_str()));
        if is_undone {
            return None;
        }
        if let Some(phrase) = NEGATIVE.iter().find(starts) {
            return Some((at, true, *phrase));
        }
        POSITIVE
            .iter()
            .find(starts)
            .map(|phrase| (at, false, *phrase))
    })
}

fn find(words: &[String], wanted: &[String]) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    words
        .windows(wanted.len())
        .position(|window| window == wanted)
}

/// The words of a text in small letters; `-` and `_` are between words.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The lines that a reader sees.
fn lines(html: &str) -> Vec<Line> {
    let (mut lines, mut line) = (
        Vec::new(),
        Line {
            text: String::new(),
            is_bold: true,
        },
    );
    let mut bold = 0usize;
    let mut rest = html;
    while !rest.is_empty() {
        let end = rest.find('<').unwrap_or(rest.len());
        let (text, tag) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let text = unescaped(text);
        if !text.trim().is_empty() {
            line.is_bold &= bold > 0;
        }
        line.text.push_str(&text);
        if let Some(comment) = tag.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
            continue;
        }
        let Some(inner) = tag.strip_prefix('<') else {
            break;
        };
        let is_tag =
            inner.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        if !is_tag {
            line.text.push('<');
            rest = inner;
            continue;
        }
        let (inside, behind) = inner.split_once('>').unwrap_or((inner, ""));
        rest = behind;
        let (is_end, name) = match inside.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, inside),
        };
        let name: String = name
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if !is_end && UNSEEN.contains(&name.as_str()) {
            rest = after_end(rest, &name);
            continue;
        }
        if !INLINE.contains(&name.as_str()) {
            close(&mut lines, &mut line);
        }
        if BOLD.contains(&name.as_str()) {
            bold = if is_end {
                bold.saturating_sub(1)
            } else {
                bold + 1
            };
        }
    }
    close(&mut lines, &mut line);
    lines
}

fn close(lines: &mut Vec<Line>, line: &mut Line) {
    let done = std::mem::take(line);
    line.is_bold = true;
    let text = done.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.is_empty() {
        lines.push(Line { text, ..done });
    }
}

/// What stands behind the end tag of an element whose content is no text.
fn after_end<'a>(text: &'a str, name: &str) -> &'a str {
    let is_end = |at: usize| {
        let tag = text.get(at + "</".len()..);
        tag.and_then(|tag| tag.get(..name.len()))
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    text.match_indices("</")
        .map(|(at, _)| at)
        .find(|at| is_end(*at))
        .and_then(|at| text.get(at..))
        .and_then(|tag| tag.split_once('>'))
        .map_or("", |(_, behind)| behind)
}

/// The text with its commonest entities as what they stand for; a verdict needs no others.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, entity)) = rest.split_once('&') {
        out.push_str(before);
        let head: String = entity.chars().take(ENTITY_CHARS).collect();
        match head
            .split_once(';')
            .and_then(|(name, _)| Some((name.len(), meant(name)?)))
        {
            Some((len, meant)) => {
                out.push(meant);
                rest = entity.get(len + 1..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = entity;
            }
        }
    }
    out + rest
}

/// Characters of an entity at most: `#x10ffff;`.
const ENTITY_CHARS: usize = 10;

fn meant(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32);
    }
    match name {
        "nbsp" | "ensp" | "emsp" | "thinsp" => Some(' '),
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "ndash" | "mdash" | "minus" | "hyphen" | "shy" => Some('-'),
        "lowbar" => Some('_'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_verdict_is_told_from_what_is_none() {
        for (html, verdict) in [
            ("<h2>Verdict: APPROVED</h2>", None),
            (
                "<h2>Verdict</h2><p>Invalid tokens are rejected with 401 (US-1 AC 2). APPROVED</p>",
                None,
            ),
            (
                "<style>.rejected{color:red}</style><h2>Verdict: APPROVED</h2>",
                None,
            ),
            (
                "<h2>Verdict: APPROVED</h2><p>No changes requested.</p>",
                None,
            ),
            (
                "<p>Verdict: APPROVED. Legend: APPROVED = ship, NEEDS REVISION = do not.</p>",
                None,
            ),
            ("<p>Verdict: no changes requested</p>", None),
            ("<p>Result: 61 passed, 0 failed</p>", None),
            ("<p><b>Rejected</b> tokens give 401.</p>", None),
            ("<script>var verdict='rejected'</script><h2>Fine</h2>", None),
            (
                "<h2>Verdict: <b>NEEDS</b> <b>REVISION</b></h2>",
                Some("NEEDS REVISION"),
            ),
            (
                "<h2>Verdict: NEEDS&nbsp;REVISION</h2>",
                Some("NEEDS REVISION"),
            ),
            (
                "<h2>Verdict: NEEDS\n   REVISION</h2>",
                Some("NEEDS REVISION"),
            ),
            ("<h2>Verdict: needs-revision</h2>", Some("NEEDS REVISION")),
            ("<h2>Verdict: NEEDS_REVISION</h2>", Some("NEEDS REVISION")),
            ("<h2>Verdict: REJECT</h2>", Some("REJECT")),
            (
                "<table><tr><td>Verdict</td><td>Not compliant</td></tr></table>",
                Some("NOT COMPLIANT"),
            ),
            (
                "<dt>Decision</dt><dd>Request changes</dd>",
                Some("REQUEST CHANGES"),
            ),
            (
                "<p>Status: <em>Non-compliant</em></p>",
                Some("NON COMPLIANT"),
            ),
            ("<h1>Changes required</h1>", Some("CHANGES REQUIRED")),
            ("<p><strong>Unapproved</strong></p>", Some("UNAPPROVED")),
            (
                "<p>Result: 61 passed, 0 failed</p><h2>Verdict</h2><p>Needs work.</p>",
                Some("NEEDS WORK"),
            ),
        ] {
            assert_eq!(negative(html).as_deref(), verdict, "{html}");
        }
    }

    #[test]
    fn only_text_says_something_and_only_tags_are_tags() {
        for html in [
            "<div class='verdict'></div>",
            "<style>.verdict{}</style>",
            "<script>var verdict=0</script>",
            "<!-- verdict -->",
            "<p>verdicts</p>",
        ] {
            assert!(!says(html, "Verdict"), "{html}");
        }
        assert!(!says("<p>unapproved</p>", "APPROVED") && !says("noncompliance", "Compliance"));
        assert!(says("<p>Ver<b>dict</b>: good</p>", "Verdict"));
        assert!(says("needs&#160;revision", "NEEDS REVISION"));
        assert!(has_tag("<HTML lang=en>", "<html") && has_tag("<!doctype html>", "<!DOCTYPE html"));
        for html in ["<htmlx>", "&lt;html>", "<!-- <html> -->"] {
            assert!(!has_tag(html, "<html"), "{html}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(html in "(<[a-z/!]{0,3}|>|&[#x0-9a-z]{0,4};?|<!--|-->|<script>|</script>|verdict|rejected| |é|.){0,20}") {
            let _ = (negative(&html), says(&html, "verdict"), has_tag(&html, "<html"));
        }
    }
}
