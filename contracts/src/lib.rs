//! The versioned JSON contracts of vibey-context.
//!
//! A leaf crate without input or output: types, JSON Schemas, canonical JSON, digests, redaction, exit codes.

pub mod canonical;
pub mod conductor;
pub mod diagnostic;
pub mod digest;
pub mod document;
pub mod error;
pub mod evaluation;
pub mod exit;
pub mod handoff;
pub mod index;
pub mod markers;
pub mod materialize;
pub mod packet;
pub mod redact;
pub mod report;
pub mod request;
pub mod schema;
pub mod time;
pub mod upkeep;
pub mod version;
pub mod visible;
