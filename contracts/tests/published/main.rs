//! What is published as files, against the types that it describes: one binary for all tests of this kind.
//!
//! `VIBEY_BLESS=1 cargo test -p vibey-context-contracts` writes the generated files anew.

#![allow(
    clippy::unwrap_used,
    reason = "a test without its file or value fails, with the place"
)]

mod committed;
mod examples;
mod files;
