//! What a server has sent: the bytes, and what is known about them.

use serde::{Deserialize, Serialize};
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
    /// Whether it may be kept: it is whole, and its server does not forbid that.
    pub(crate) storable: bool,
    /// Who has sent it.
    pub(crate) peer: Peer,
    /// One sentence each.
    pub(crate) warnings: Vec<String>,
}

/// Who has sent a document. An answer that is kept stands for its link only where that one might be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Peer {
    /// Web servers that everybody reaches.
    Public,
    /// A web server of this machine or its network, at the end of the redirects or on the way.
    Private,
    /// An MCP server. Which one is a part of what its answers are kept by.
    Server,
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
