//! Section records in, tantivy generations on disk, ranked skills and sections out.
//!
//! This crate knows no Markdown and no requests: it takes [`record::SkillRecord`]s with their text, and ranks
//! against weighted words. Where files lie and in which order they are written is [`publish`]'s business; what is
//! in them is [`segment`]'s.

pub mod analysis;
mod blobs;
mod codec;
mod container;
mod copies;
pub mod corpus;
mod engine;
pub mod error;
mod lexicon;
mod names;
mod plugins;
pub mod publish;
pub mod rank;
pub mod reader;
pub mod record;
mod rewrite;
mod schema;
pub mod segment;
pub mod sources;
pub mod tidy;
