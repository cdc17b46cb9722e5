//! Which documents does an artifact link to, and what of them does a reader get? One file, bounded, with its
//! provenance.

mod address;
mod artifact;
mod brain;
mod cache;
mod ceiling;
mod charset;
pub mod context;
pub(crate) mod document;
pub mod envelope;
mod excerpt;
mod fetched;
mod gitignore;
mod http;
mod local;
mod mcp;
mod nearby;
mod page;
pub mod plan;
mod private;
mod reason;
pub mod refused;
mod registry;
mod remote;
pub mod report;
mod resolve;
pub mod roles;
pub mod setup;
pub mod stale;
pub mod upkeep;
pub(crate) mod uri;
mod web_page;
mod weight;
mod yaml_file;
pub mod zones;
