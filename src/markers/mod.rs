//! Keeps the markers that keep agents out of generated folders: from a manifest that a person has written, around a
//! generator that may delete them, and never anywhere else.
//!
//! [`maintain()`] brings markers up to date or says whether they are; [`generate()`] does so around the manifest's generator;
//! [`explain()`] and [`orphans()`] answer questions. None of them prints, reads the environment or catches signals: a host that
//! embeds them passes in what they need. docs/markers.md has the rules.

mod apply;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod bed;
mod explain;
mod fault;
mod generate;
mod guidance;
mod journal;
mod maintain;
mod orphans;
mod place;
mod plan;
mod report;
mod root;
mod session;
mod source;
mod target;

pub use explain::explain;
pub use fault::Fault;
pub use generate::generate;
pub use maintain::{Task, maintain};
pub use orphans::orphans;
