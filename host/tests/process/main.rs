//! Child processes through the public interface, with real shells, pipes and signals.
//!
//! Bounds on time are there against hangs only, at ten times what a run takes on a slow machine.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests look at the machine themselves"
)]

mod bed;
#[cfg(feature = "tokio")]
mod converse;
#[cfg(target_os = "linux")]
mod descendants;
mod endings;
mod environment;
#[cfg(feature = "tokio")]
mod future;
mod roles;
mod streams;
mod termination;
