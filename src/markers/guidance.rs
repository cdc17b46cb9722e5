//! What does a marker say, given the bytes of its guidance file?

use super::fault::Fault;

/// The longest text of a marker, in bytes.
pub(super) const GUIDANCE_MAX_BYTES: usize = 8 * 1024;

/// The largest guidance file, in bytes: what blanks and line ends may add to the longest text before they are taken away.
/// Generous, since only the text counts, and bounded, since a file is read whole.
pub(super) const FILE_MAX_BYTES: u64 = 1024 * 1024;

/// The text of the marker: line ends are LF, outer blanks are gone, and a text that is not empty ends with one LF. What is
/// between stays as it is; nothing in it is interpreted.
pub(super) fn normalise(bytes: &[u8]) -> Result<String, Fault> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(Fault::new(
            "guidance_not_utf8",
            "guidance is not UTF-8; save it as UTF-8",
        ));
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut text = text.trim_matches(is_blank).to_owned();
    if !text.is_empty() {
        text.push('\n');
    }
    if text.len() > GUIDANCE_MAX_BYTES {
        let message = format!(
            "guidance is {} bytes, more than {GUIDANCE_MAX_BYTES}; shorten it",
            text.len()
        );
        return Err(Fault::new("guidance_too_long", message));
    }
    Ok(text)
}

/// White space and line ends of ECMAScript (ECMA-262, sections 12.2 and 12.3), which is what `trim` takes there. Rust's own
/// set has U+0085 more and U+FEFF less.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> String {
        normalise(text.as_bytes()).unwrap()
    }

    #[test]
    fn line_ends_become_lf_and_outer_blanks_go() {
        for (given, expected) in [
            ("", ""),
            ("a", "a\n"),
            ("a\n", "a\n"),
            ("a\r\nb\rc\n\r", "a\nb\nc\n"),
            ("\r\r\n\na", "a\n"),
            ("\u{feff}# T\r\n", "# T\n"),
            ("\u{a0}\u{2003}a b\u{a0}c\u{3000}\u{2028}", "a b\u{a0}c\n"),
            (" \t\u{b}\u{c}\r\n\u{feff}\u{1680}", ""),
            ("a\n\n\n", "a\n"),
            ("  - a\n    - b", "- a\n    - b\n"),
            // No blanks of that set: they stay.
            ("\u{85}a\u{200b}", "\u{85}a\u{200b}\n"),
            (
                "---\n{{x}} $(rm)\n<!-- c -->",
                "---\n{{x}} $(rm)\n<!-- c -->\n",
            ),
        ] {
            assert_eq!(of(given), expected, "{given:?}");
        }
    }

    #[test]
    fn the_limit_counts_the_text_that_is_left() {
        let longest = "x".repeat(GUIDANCE_MAX_BYTES - 1);
        assert_eq!(of(&longest).len(), GUIDANCE_MAX_BYTES);
        assert_eq!(
            of(&format!("\n\n{longest}\r\n  ")).len(),
            GUIDANCE_MAX_BYTES
        );
        let fault = normalise(format!("{longest}x").as_bytes()).unwrap_err();
        assert_eq!(fault.code, "guidance_too_long");
        assert!(!fault.message.contains("xx"));
        assert_eq!(normalise(b"a\xff").unwrap_err().code, "guidance_not_utf8");
    }

    proptest! {
        #[test]
        fn what_is_normal_stays(text in "[ a\r\n\u{feff}\u{a0}\u{85}-]{0,40}") {
            let once = of(&text);
            prop_assert_eq!(of(&once), once.clone());
            prop_assert!(!once.contains('\r'));
            prop_assert!(once.is_empty() || once.ends_with('\n') && !once.ends_with("\n\n"));
        }
    }
}
