//! The chain: a row's digest covers every column of the row, and by `previous` every row before it.

use crate::canonical::write_string;
use crate::digest::sha256_hex;

/// What stands in `previous` of the first row of a project.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The columns of a row that its digest covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainRow<'a> {
    /// Position in the project's chain, from 1.
    pub sequence: u64,
    /// UUID version 7.
    pub id: &'a str,
    /// Whose chain it is in.
    pub project: &'a str,
    /// The job it is about.
    pub job: &'a str,
    /// The attempt it is about.
    pub attempt: u32,
    /// When it was appended.
    pub at: &'a str,
    /// What it tells of.
    pub kind: &'a str,
    /// Canonical JSON of what it says, as stored.
    pub payload: &'a str,
    /// Digest of the row before.
    pub previous: &'a str,
}

impl ChainRow<'_> {
    /// Digest of the row: SHA-256, as 64 hexadecimal characters, over the canonical JSON object of the columns `at`,
    /// `attempt`, `id`, `job`, `kind`, `payload`, `previous`, `project`, `sequence`.
    ///
    /// That is a line of `ledger export` without its key `digest`. The payload goes in byte for byte, so that another
    /// spelling of the same JSON is another digest. No two rows share a text: a quotation mark within a column is
    /// escaped, so that none can stand for the end of one.
    #[must_use]
    pub fn digest(&self) -> String {
        sha256_hex(self.text(None).as_bytes())
    }

    /// The row with its digest as one line of canonical JSON, without line break.
    #[must_use]
    pub fn line(&self, digest: &str) -> String {
        self.text(Some(digest))
    }

    fn text(&self, digest: Option<&str>) -> String {
        // The names and marks take about 100 bytes, ids and digests 200.
        let mut out = String::with_capacity(self.payload.len() + self.project.len() + 480);
        let key = |name: &str, text: &str, out: &mut String| {
            out.push_str(name);
            write_string(text, out);
        };
        key("{\"at\":", self.at, &mut out);
        out.push_str(&format!(",\"attempt\":{}", self.attempt));
        if let Some(digest) = digest {
            key(",\"digest\":", digest, &mut out);
        }
        key(",\"id\":", self.id, &mut out);
        key(",\"job\":", self.job, &mut out);
        key(",\"kind\":", self.kind, &mut out);
        out.push_str(",\"payload\":");
        out.push_str(self.payload);
        key(",\"previous\":", self.previous, &mut out);
        key(",\"project\":", self.project, &mut out);
        out.push_str(&format!(",\"sequence\":{}}}", self.sequence));
        out
    }
}
