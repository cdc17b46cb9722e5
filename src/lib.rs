//! Deterministic context compiler for coding agents.

pub mod cli;
pub mod corpus;
pub mod evaluate;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod handoff;
pub mod markers;
pub mod materialize;
pub mod packet;
pub mod policy;
pub mod project;
pub mod text;
