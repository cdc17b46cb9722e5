//! Deterministic context compiler for coding agents.

pub mod corpus;
pub mod text;
