//! Deterministic context compiler for coding agents.

pub mod cli;
pub mod corpus;
pub mod evaluate;
pub mod handoff;
pub mod markers;
pub mod materialize;
pub mod packet;
pub mod policy;
pub mod text;
