//! What does a text say in a sentence or two of its own?

use crate::text::passages::passages;

/// Characters of a summary at most: two lines of a brief.
pub(crate) const SUMMARY_CHARS: usize = 240;
/// Sentences of a summary at most.
const SENTENCES: usize = 2;
/// Words behind whose dot a sentence goes on.
const ABBREVIATIONS: [&str; 8] = [
    "e.g.", "i.e.", "etc.", "vs.", "cf.", "no.", "approx.", "resp.",
];
/// Labels of lines that say something about a story or a document, not what it is.
const LABELS: [&str; 19] = [
    "priority",
    "status",
    "estimate",
    "points",
    "owner",
    "id",
    "feature branch",
    "branch",
    "created",
    "updated",
    "last updated",
    "date",
    "version",
    "author",
    "input",
    "spec",
    "why this priority",
    "independent test",
    "depends on",
];

/// The first sentences of a Markdown text, as they stand there, at most [`SUMMARY_CHARS`] characters. Empty where it has
/// none.
pub(crate) fn summary(markdown: &str) -> String {
    let mut chosen: Vec<String> = Vec::new();
    let telling = passages(markdown).into_iter();
    for passage in telling.filter(|passage| !is_label(&passage.text)) {
        // What announces a list says nothing itself, and what is listed there belongs to it.
        let announces = passage.text.ends_with(':');
        if announces && !chosen.is_empty() {
            break;
        }
        let sentences = sentences(&passage.text);
        let all = sentences.len();
        let said = all.saturating_sub(usize::from(announces));
        chosen.extend(sentences.into_iter().take(said));
    }
    let mut text = String::new();
    for sentence in chosen.into_iter().take(SENTENCES) {
        let blank = usize::from(!text.is_empty());
        if blank == 1 && text.chars().count() + blank + sentence.chars().count() > SUMMARY_CHARS {
            break;
        }
        if blank == 1 {
            text.push(' ');
        }
        text.push_str(&sentence);
    }
    shortened(&text, SUMMARY_CHARS)
}

/// The first sentence of a summary.
pub(crate) fn first_sentence(summary: &str) -> String {
    sentences(summary).into_iter().next().unwrap_or_default()
}

/// The sentences of a text in one line. One ends at `.`, `!`, `?` or `…` before a blank and no small letter.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let (Some(sentence), Some(rest)) = (text.get(from..end), text.get(end..)) else {
            continue;
        };
        let goes_on = !rest.starts_with(char::is_whitespace)
            || rest.trim_start().starts_with(char::is_lowercase);
        if matches!(c, '.' | '!' | '?' | '…') && !goes_on && !is_abbreviation(sentence) {
            found.push(sentence.trim().to_owned());
            from = end;
        }
    }
    let rest = text.get(from..).unwrap_or_default().trim();
    if !rest.is_empty() {
        found.push(rest.to_owned());
    }
    found
}

fn is_abbreviation(sentence: &str) -> bool {
    let word = sentence
        .rsplit([' ', '('])
        .next()
        .unwrap_or(sentence)
        .to_lowercase();
    // A letter with a dot is an initial.
    ABBREVIATIONS.contains(&word.as_str())
        || word.chars().count() == 2 && word.starts_with(char::is_alphabetic)
}

/// `Priority: P1` and the like.
pub(crate) fn is_label(passage: &str) -> bool {
    let label = passage
        .split_once(':')
        .map(|(label, _)| label.trim().to_lowercase());
    label.is_some_and(|label| LABELS.contains(&label.as_str()))
}

/// The text, cut between words to `most` characters with an ellipsis where it is longer.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let room = text
        .char_indices()
        .nth(most.saturating_sub(1))
        .map_or(text.len(), |(at, _)| at);
    let (head, rest) = text.split_at_checked(room).unwrap_or((text, ""));
    let is_between = rest.starts_with(' ');
    // Of a very long word a part is better than nothing.
    let before_word = head.rfind(' ').filter(|at| *at > head.len() / 2);
    let cut = before_word
        .filter(|_| !is_between)
        .and_then(|at| head.get(..at))
        .unwrap_or(head);
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_two_sentences_are_a_summary() {
        let story =
            "**Priority**: P1\n\nUsers log in, e.g. by e-mail (v1.2). A token is issued! Third.\n";
        assert_eq!(
            summary(story),
            "Users log in, e.g. by e-mail (v1.2). A token is issued!"
        );
        assert_eq!(
            first_sentence(&summary(story)),
            "Users log in, e.g. by e-mail (v1.2)."
        );
        assert_eq!(summary("## Only a heading\n\n```\ncode.\n```\n"), "");
        assert_eq!(summary("- one item\n- another"), "one item another");
        let story = "As a customer, I log in.\n\n**Why this priority**: first.\n\n**Independent Test**: log in.\n\n\
                     **Acceptance Scenarios**:\n\n1. Given a customer, then a token.\n";
        assert_eq!(summary(story), "As a customer, I log in.");
        let spec = "# Shop\n\n**Feature Branch**: `001-shop`  \n**Created**: 2026-01-01  \n**Status**: Draft\n\nCustomers buy.\n";
        assert_eq!(summary(spec), "Customers buy.");
        assert_eq!(summary("It has parts:\n\n- one\n- two"), "one two");
    }

    #[test]
    fn what_is_too_long_is_cut_between_words() {
        let long = format!("Short. Long {}.", "word ".repeat(80).trim());
        assert_eq!(summary(&long), "Short.");
        let one = "word ".repeat(80);
        assert_eq!(summary(&one).chars().count(), 240);
        assert!(summary(&one).ends_with("word…"));
        assert_eq!(shortened("aaaa", 3), "aa…");
    }

    proptest! {
        #[test]
        fn a_summary_is_bounded_and_one_line(text in ".{0,400}") {
            let summary = summary(&text);
            prop_assert!(summary.chars().count() <= SUMMARY_CHARS && !summary.contains('\n'));
        }

        #[test]
        fn sentences_are_the_whole_text(text in "[a-zA-Z.!? ]{0,40}") {
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(bare(&sentences(&text).concat()), bare(&text));
        }
    }
}
