//! SHA-256 digests as lowercase hexadecimal text.

use sha2::{Digest as _, Sha256};

/// Length of a digest in hexadecimal characters.
pub const HEX_LEN: usize = 64;

/// SHA-256 (FIPS 180-4) of `bytes`, as 64 lowercase hexadecimal characters.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

/// SHA-256 of `bytes`.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Lowercase hexadecimal text of `bytes`.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

/// Whether `text` is a digest as [`sha256_hex`] writes it.
#[must_use]
pub fn is_sha256_hex(text: &str) -> bool {
    text.len() == HEX_LEN
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A SHA-256 over several fields. Each field is preceded by its length in bytes (u64, little endian), so that
/// no two lists of fields run together.
#[derive(Default)]
pub struct FieldDigest(Sha256);

impl FieldDigest {
    /// Adds one field.
    #[must_use]
    pub fn field(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// The digest as 64 hexadecimal characters.
    #[must_use]
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// A SHA-256 over bytes that are never in memory together.
#[derive(Default)]
pub struct StreamDigest(Sha256);

impl StreamDigest {
    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest as 64 hexadecimal characters.
    #[must_use]
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_published_vectors() {
        // FIPS 180-4 example vectors: "" and "abc".
        assert_eq!(
            sha256_hex(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_stream_is_its_bytes() {
        let mut stream = StreamDigest::default();
        stream.update(b"a");
        stream.update(b"bc");
        assert_eq!(stream.finish(), sha256_hex(b"abc"));
    }

    #[test]
    fn fields_do_not_run_together() {
        let one = FieldDigest::default().field(b"ab").field(b"c").finish();
        let two = FieldDigest::default().field(b"a").field(b"bc").finish();
        assert_ne!(one, two);
    }

    #[test]
    fn only_lowercase_hex_of_full_length_is_a_digest() {
        assert!(is_sha256_hex(&sha256_hex(b"x")));
        assert!(!is_sha256_hex(&sha256_hex(b"x").to_uppercase()));
        assert!(!is_sha256_hex("abc"));
    }
}
