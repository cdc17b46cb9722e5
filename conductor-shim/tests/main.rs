//! The crate over its public interface: one binary for all tests of this kind.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails with its place, and stages what the program may not do"
)]

mod batch;
mod chain;
mod commands;
mod docs;
mod ends;
mod fake;
mod faults;
mod ledger;
mod modes;
mod places;
mod report;
mod secrets;
mod stage;
