//! Is this heading the section that is wanted, however its author has decorated it?

/// A heading for comparison: numbering, emoji and trailing parentheses stripped, case folded, blanks single.
///
/// `## 2. ✅ User Scenarios & Testing *(mandatory)*` is `user scenarios & testing`.
#[must_use]
pub(crate) fn folded(heading: &str) -> String {
    let bare = without_tail(without_lead(heading));
    bare.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// Whether a folded heading starts with a folded phrase at a word boundary: `non-functional requirements` is not
/// `requirements`, and `testing` is not `test`.
#[must_use]
pub(crate) fn starts_with(folded: &str, phrase: &str) -> bool {
    let rest = folded.strip_prefix(phrase);
    !phrase.is_empty()
        && rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The heading without numbering and decoration before its first word.
#[must_use]
pub(crate) fn without_lead(heading: &str) -> &str {
    let mut rest = heading.trim_start();
    loop {
        let next = rest.trim_start_matches(|c: char| c.is_whitespace() || is_decoration(c));
        let next = after_number(next).unwrap_or(next);
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

/// The heading without decoration, colons and parentheses behind its last word.
#[must_use]
fn without_tail(heading: &str) -> &str {
    let mut rest = heading;
    loop {
        let next = undecorated(rest);
        let next = before_parenthesis(next).unwrap_or(next);
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

/// The heading without decoration and colons behind its last word or parenthesis.
#[must_use]
pub(crate) fn undecorated(heading: &str) -> &str {
    heading.trim_end_matches(|c: char| c.is_whitespace() || c == ':' || is_decoration(c))
}

/// Neither letter nor digit, nor what belongs to words, quotes or sentences: emoji, arrows, bullets, `*`, `_`, `#`, dashes.
fn is_decoration(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '*' | '_' | '#' | '~' | '|' | '>' | '-');
    }
    matches!(c, '\u{200d}' | '\u{203c}' | '\u{2049}' | '\u{20e3}' | '\u{2122}' | '\u{2139}' | '\u{3030}' | '\u{303d}' | '\u{2010}'..='\u{2015}' | '\u{2022}' | '\u{2190}'..='\u{2bff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{1f000}'..='\u{1faff}')
}

/// What follows a number at the start: `2.`, `2.1`, `3)`, `(4)`, `IV.`, `A.`; the number of a word (`3D`) is none.
fn after_number(text: &str) -> Option<&str> {
    if let Some(rest) = after_keycap(text) {
        return Some(rest.trim_start_matches(['.', ')', ':']));
    }
    let bare = text.strip_prefix('(').unwrap_or(text);
    let end = bare
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .unwrap_or(bare.len());
    let (word, rest) = bare.split_at_checked(end)?;
    let number = word.trim_end_matches('.');
    let is_marked = word.ends_with('.') || rest.starts_with([')', ':']);
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let letter =
        number.len() == 1 || (!number.is_empty() && number.bytes().all(|b| b"IVX".contains(&b)));
    if !(digits || (letter && is_marked)) {
        return None;
    }
    let rest = rest.trim_start_matches([')', ':']);
    (rest.starts_with(char::is_whitespace)).then_some(rest)
}

/// What follows a digit on a keycap, which an emoji of its own makes of it: `1️⃣`.
fn after_keycap(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(|c: char| c.is_ascii_digit())?;
    let rest = rest.strip_prefix('\u{fe0f}').unwrap_or(rest);
    rest.strip_prefix('\u{20e3}')
}

/// What stands before a parenthesis at the end, if anything does.
fn before_parenthesis(text: &str) -> Option<&str> {
    let (before, _) = text.strip_suffix(')')?.rsplit_once('(')?;
    (!before.trim().is_empty()).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decorations_are_stripped() {
        for (heading, bare) in [
            ("1\u{fe0f}\u{20e3}. Summary", "summary"),
            (
                "2. User Scenarios & Testing *(mandatory)*",
                "user scenarios & testing",
            ),
            ("  User   Stories ", "user stories"),
            ("✅ 2.1 Summary:", "summary"),
            ("3) Requirements (draft) (v2)", "requirements"),
            ("(4) Requirements", "requirements"),
            ("IV. Success Criteria 🚀", "success criteria"),
            ("A. Scope", "scope"),
            ("5 Tests", "tests"),
            ("— Summary —", "summary"),
            ("3D Models", "3d models"),
            ("A Summary", "a summary"),
            ("(all of it)", "(all of it)"),
            ("404", "404"),
            ("1️⃣ Summary", "summary"),
            ("1️⃣0️⃣ Summary", "summary"),
            ("‼️ Summary ‼️", "summary"),
            ("#️⃣ Summary", "summary"),
            ("", ""),
        ] {
            assert_eq!(folded(heading), bare, "{heading:?}");
        }
    }

    #[test]
    fn a_phrase_is_a_start_at_a_word_boundary() {
        for (heading, phrase, is_it) in [
            ("Requirements", "requirements", true),
            ("Requirements: all", "requirements", true),
            ("Non-Functional Requirements", "requirements", false),
            ("Summaryish", "summary", false),
            ("User Stories & more", "user stories", true),
            ("User", "user stories", false),
            ("anything", "", false),
            ("Summary_of_it", "summary", false),
        ] {
            assert_eq!(starts_with(&folded(heading), phrase), is_it, "{heading}");
        }
    }

    proptest! {
        #[test]
        fn folding_is_idempotent_and_total(text in "[ 0-9.()*#A-Za-z:✅—-]{0,24}|.*") {
            let once = folded(&text);
            prop_assert_eq!(folded(&once), once.clone());
        }
    }
}
