//! What does the next phase of a pipeline need to know of those before it, and where does the pipeline stand?

mod artifact;
mod brief;
pub mod command;
mod dashboard;
pub mod desk;
pub mod error;
mod judgement;
mod pipelines;
mod state;
