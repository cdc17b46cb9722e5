//! Keeps the markers that keep agents out of generated folders: from a manifest that a person has written, around a
//! generator that may delete them, and never anywhere else.
//!
//! [`maintain`] brings markers up to date or says whether they are; [`generate`] does so around the manifest's generator;
//! [`explain`] and [`orphans`] answer questions. None of them prints, reads the environment or catches signals: a host that
//! embeds them passes both in. What they write is told in [`maintain`](mod@maintain), what a kill leaves in [`journal`].

mod apply;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod bed;
mod explain;
mod fault;
mod generate;
mod guidance;
pub mod journal;
pub mod maintain;
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
