//! The one reader of skill text: what every digest, line number and section refers to.

use crate::text::lines::normalise;
use std::borrow::Cow;
use vibey_context_contracts::diagnostic::{Code, Finding};

/// The largest skill, in bytes. The largest of 13,000 public ones has 0.2 MB; a larger file is data.
pub const SKILL_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Bytes shown of what is not text, in the message.
const SHOWN_BYTES: usize = 4;

/// The text of a skill file: one leading byte order mark removed, CRLF and lone CR turned into LF.
///
/// # Errors
/// A finding that names the encoding or the place: not UTF-8, or a NUL byte.
pub fn decode(bytes: Vec<u8>) -> Result<String, Finding> {
    if let Some(encoding) = other_encoding(&bytes) {
        return Err(Finding::whole(
            Code::NotUtf8,
            format!("file is {encoding}, not UTF-8"),
        ));
    }
    let text = String::from_utf8(bytes).map_err(|fault| {
        let at = fault.utf8_error().valid_up_to();
        let bytes = fault.as_bytes();
        let shown: Vec<String> = bytes
            .iter()
            .skip(at)
            .take(SHOWN_BYTES)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let (line, column) = place(&String::from_utf8_lossy(
            bytes.get(..at).unwrap_or_default(),
        ));
        let message = format!("byte offset {at} is not UTF-8: {}", shown.join(" "));
        Finding::at(Code::NotUtf8, line, column, message)
    })?;
    if let Some(at) = text.find('\0') {
        let (line, column) = place(text.get(..at).unwrap_or_default());
        return Err(Finding::at(
            Code::NulByte,
            line,
            column,
            format!("NUL byte at byte offset {at}"),
        ));
    }
    Ok(match normalise(&text) {
        Cow::Borrowed(same) if same.len() == text.len() => text,
        other => other.into_owned(),
    })
}

/// UTF-16 and UTF-32 by their byte order marks.
fn other_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Some("UTF-32 (little endian)"),
        [0, 0, 0xfe, 0xff, ..] => Some("UTF-32 (big endian)"),
        [0xff, 0xfe, ..] => Some("UTF-16 (little endian)"),
        [0xfe, 0xff, ..] => Some("UTF-16 (big endian)"),
        _ => None,
    }
}

/// Line and column, from 1, of the place behind `before`.
fn place(before: &str) -> (u32, u32) {
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    (line as u32, column as u32)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn line_ends_and_one_mark_are_normalised() {
        assert_eq!(
            decode(b"\xEF\xBB\xBFa\r\nb\rc\n".to_vec()).unwrap(),
            "a\nb\nc\n"
        );
        assert_eq!(
            decode("\u{feff}\u{feff}a".into()).unwrap(),
            "\u{feff}a",
            "an inner mark is data"
        );
        assert_eq!(decode(b"plain\n".to_vec()).unwrap(), "plain\n");
    }

    #[test]
    fn what_is_no_text_is_named_with_its_place() {
        let fault = decode(b"---\nab\xA1\xAA".to_vec()).unwrap_err();
        assert_eq!(
            (fault.code, fault.line, fault.column),
            (Code::NotUtf8, 2, 3)
        );
        assert!(
            fault.message.contains("offset 6") && fault.message.contains("a1 aa"),
            "{}",
            fault.message
        );
        assert_eq!(
            decode(b"a\nb\0".to_vec()).unwrap_err(),
            Finding::at(Code::NulByte, 2, 2, "NUL byte at byte offset 3")
        );
        assert!(
            decode(b"\xFF\xFEa\0".to_vec())
                .unwrap_err()
                .message
                .contains("UTF-16")
        );
    }

    proptest! {
        #[test]
        fn crlf_and_lf_twins_are_the_same(text in "[a\n#`é]*") {
            let twin = text.replace('\n', "\r\n");
            prop_assert_eq!(decode(twin.into_bytes()).unwrap(), decode(text.into_bytes()).unwrap());
        }
    }
}
