//! What a server has sent: the bytes, and what is known about them.

use vibey_context_contracts::digest::sha256_hex;

/// A document as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// After decompression.
    pub(crate) bytes: Vec<u8>,
    /// `Content-Type`, or what takes its place.
    pub(crate) content_type: Option<String>,
    /// Where it came from in the end, without user and password.
    pub(crate) source: String,
    /// What tells this version from the next.
    pub(crate) validators: Validators,
    /// When it came, in milliseconds since 1970.
    pub(crate) fetched_ms: u64,
    /// Whether these are all its bytes.
    pub(crate) whole: bool,
    /// One sentence each.
    pub(crate) warnings: Vec<String>,
}

/// What a server gave to ask later whether something has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Validators {
    /// `ETag`.
    pub(crate) etag: Option<String>,
    /// `Last-Modified`.
    pub(crate) last_modified: Option<String>,
}

impl Fetched {
    /// Digest of the bytes.
    pub(crate) fn sha256(&self) -> String {
        sha256_hex(&self.bytes)
    }
}
