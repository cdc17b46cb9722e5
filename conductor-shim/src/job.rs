//! What happens to one job, from its description to the prompt that its engine gets?
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`attempt`] | what became of it: off, skipped, compiled or failed |
//! | [`artifacts`] | what does an engine or a person find in the worktree |
//! | [`record`] | what does the ledger say |
//! | [`prompt`] | which bytes does the engine get |
//! | [`engine`] | how did the engine end |
//!
//! Invariants:
//! - Without a packet that was believed *and* recorded, the prompt stays as it was, byte for byte.
//! - No failure of the compiler fails a job.

pub mod artifacts;
pub mod attempt;
pub mod engine;
pub mod prompt;
pub mod record;
