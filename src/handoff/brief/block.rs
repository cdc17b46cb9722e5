//! How does a piece of an artifact stand in a brief without ending its place there?
//!
//! Its headings lie below those of the brief, what it leaves open is closed, nothing in it is hidden or secret.

use crate::handoff::artifact::summary::shortened;
use crate::text::markdown::{open_fence, outline};
use crate::text::neutralise::plain_line;
use vibey_context_contracts::redact::redact;
use vibey_context_contracts::visible::visible;

/// The highest level that a heading of an artifact has in a brief: the brief's own are levels 1 to 3.
const HIGHEST: u8 = 4;
/// The lowest level that Markdown has.
const LOWEST: u8 = 6;
/// Characters of a title that are shown: more than any that is a title.
const TITLE_CHARS: usize = 120;
/// Headings of a brief, which nothing in it may imitate.
const OWN_HEADINGS: [&str; 7] = [
    "# Context Brief",
    "## Context Budget",
    "## Mission",
    "## Curated Context",
    "## Accumulated State",
    "## Warnings & Known Issues",
    "## References",
];

/// A piece of Markdown as it may stand in a brief.
pub(crate) fn framed(text: &str) -> String {
    let text = redact(text.trim_matches('\n'));
    let (text, _) = visible(&text);
    // Closed first: what is shown as text then may hold headings.
    let text = demoted(&closed(text.trim_end()));
    unlike_ours(text.trim_end())
}

/// Foreign text as it may stand within a line of a brief.
pub(crate) fn in_line(text: &str) -> String {
    plain_line(&redact(text))
}

/// A title as it may stand in a line that is looked at: whole where it is kept, short where it is shown.
pub(crate) fn in_title(text: &str) -> String {
    shortened(&in_line(text), TITLE_CHARS)
}

/// The text with its headings, setext ones too, as `#` headings from [`HIGHEST`] on, their order of levels kept.
fn demoted(text: &str) -> String {
    let headings = outline(text).headings;
    let highest = headings
        .iter()
        .map(|heading| heading.level)
        .min()
        .unwrap_or(HIGHEST);
    let shift = HIGHEST.saturating_sub(highest);
    let mut out = String::with_capacity(text.len() + headings.len() * usize::from(LOWEST));
    let mut from = 0;
    for heading in &headings {
        out.push_str(text.get(from..heading.start).unwrap_or_default());
        let level = (heading.level + shift).min(LOWEST);
        let words = text
            .get(heading.start..heading.end)
            .map(words_of)
            .unwrap_or_default();
        out.push_str(&format!("{} {words}\n", "#".repeat(usize::from(level))));
        from = heading.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// The words of a heading in one line, with their emphasis, without `#` and underline.
fn words_of(source: &str) -> String {
    let source = source.trim();
    if source.starts_with('#') {
        let bare = source.trim_start_matches('#').trim();
        // A closing run of `#` is none unless a blank stands before it.
        let open = bare.trim_end_matches('#');
        return if open.is_empty() || open.ends_with([' ', '\t']) {
            open.trim_end().to_owned()
        } else {
            bare.to_owned()
        };
    }
    let mut lines: Vec<&str> = source.lines().map(str::trim).collect();
    lines.pop();
    lines.join(" ")
}

/// The text in which no line, be it code, is a heading of the brief for a reader that knows lines alone.
fn unlike_ours(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let is_ours = OWN_HEADINGS.iter().any(|own| line.starts_with(own));
        if is_ours {
            format!(" {line}")
        } else {
            line.to_owned()
        }
    });
    lines.collect()
}

/// The text with what it leaves open at its end closed: a code fence by its closing line, HTML by being shown as text.
fn closed(text: &str) -> String {
    let text = with_fence_closed(text);
    if ends_in_the_open(&text) {
        text
    } else {
        with_fence_closed(&text.replace('<', "&lt;"))
    }
}

fn with_fence_closed(text: &str) -> String {
    match open_fence(text) {
        Some(fence) => format!("{text}\n{fence}"),
        None => text.to_owned(),
    }
}

/// Whether what follows the text is read as what it is.
fn ends_in_the_open(text: &str) -> bool {
    const PROBE: &str = "\n\n## Probe\n";
    let whole = format!("{text}{PROBE}");
    outline(&whole)
        .headings
        .last()
        .is_some_and(|last| last.start >= text.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn headings_are_demoted_in_their_order() {
        let text = "## Mission\ntext\n### `Inner` #\nmore\n\nSet\next\n===\nend";
        assert_eq!(
            framed(text),
            "##### Mission\ntext\n###### `Inner`\nmore\n\n#### Set ext\nend"
        );
        assert_eq!(framed("###### Deep\n"), "###### Deep");
        assert_eq!(framed("# A\n###### B\n"), "#### A\n###### B");
        assert_eq!(framed("## C#\n"), "#### C#");
    }

    #[test]
    fn nothing_stays_open() {
        assert_eq!(framed("```sh\n# x\n"), "```sh\n# x\n```");
        assert_eq!(
            framed("a\n\n<!-- never closed"),
            "a\n\n&lt;!-- never closed"
        );
        assert_eq!(framed("<script>\nx"), "&lt;script>\nx");
        assert_eq!(framed("<!-- closed -->"), "<!-- closed -->");
    }

    #[test]
    fn code_does_not_look_like_the_brief() {
        assert_eq!(
            framed("```\n## Mission\n## mine\n```"),
            "```\n ## Mission\n## mine\n```"
        );
    }

    #[test]
    fn nothing_is_hidden_or_secret() {
        assert_eq!(
            framed("a\u{202e}b password=hunter2"),
            "a<U+202E>b password=[redacted:labelled]"
        );
        assert_eq!(in_line("a\nb"), "a b");
    }

    proptest! {
        #[test]
        fn a_block_never_reaches_beyond_its_end(
            text in "(#{1,3} Mission\n|```\n|~~~~\n|<!--|-->|<pre>|</pre>|<script>|<x|> |- |    |===\n|---\n|a|\n){0,14}"
        ) {
            let framed = framed(&text);
            let whole = format!("{framed}\n\n## Mission\n\nours\n");
            let headings = outline(&whole).headings;
            let ours: Vec<_> = headings.iter().filter(|heading| heading.level < HIGHEST).collect();
            prop_assert_eq!(ours.len(), 1, "{:?} became {:?}", text, framed);
            prop_assert!(ours[0].start >= framed.len());
            prop_assert_eq!(whole.lines().filter(|line| *line == "## Mission").count(), 1);
        }
    }
}
