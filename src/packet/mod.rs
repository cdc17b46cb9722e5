//! From a request and an index to a bounded packet and its manifest.

pub mod compile;
mod confidence;
pub mod eligibility;
pub mod explain;
pub mod parse;
mod query;
pub mod render;
pub mod reproduce;
pub(crate) mod select;
pub mod why;

pub use query::{own_words, query};
