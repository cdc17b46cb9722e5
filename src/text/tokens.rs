//! How many tokens does a text cost?
//!
//! The estimate needs no vocabulary, so it is the same on every machine and for every model. It counts bytes,
//! not characters: a CJK character is three bytes and about one token, so that counting characters would
//! underrate such text several times over.

/// The estimator's name, as it stands in manifests.
pub const ESTIMATOR: &str = "utf8-bytes/4";

/// UTF-8 bytes that count as one token: the usual rule of thumb for English prose, where a byte is a character.
pub const BYTES_PER_TOKEN: u64 = 4;

/// The estimated tokens of a text, rounded up: zero for the empty text only.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    estimate_bytes(text.len())
}

/// The estimated tokens of a text of `n` UTF-8 bytes, rounded up.
#[must_use]
pub fn estimate_bytes(n: usize) -> u64 {
    // A `usize` has at most 64 bits on every target of Rust.
    (n as u64).div_ceil(BYTES_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_up() {
        let got: Vec<u64> = (0..=9).map(estimate_bytes).collect();
        assert_eq!(got, [0, 1, 1, 1, 1, 2, 2, 2, 2, 3]);
    }

    #[test]
    fn does_not_overflow() {
        assert_eq!(estimate_bytes(usize::MAX), u64::MAX / 4 + 1);
    }

    #[test]
    fn counts_bytes_rather_than_characters() {
        assert_eq!(estimate(&"你好世界".repeat(100)), 300);
        assert_eq!(estimate(&"🔥".repeat(50)), 50);
    }

    #[test]
    fn special_tokens_are_plain_text() {
        assert_eq!(estimate("text <|endoftext|> text"), 6);
    }
}
