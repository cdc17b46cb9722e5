//! From folders of skills to parsed skills: discovery, frontmatter, sections.

mod account;
mod assemble;
pub mod build;
pub mod discover;
pub mod embedded;
pub mod exclude;
pub mod findable;
pub mod freshness;
pub mod frontmatter;
pub mod load;
mod manifests;
pub mod plugins;
mod read;
pub mod references;
pub mod roots;
pub mod sections;
pub mod shards;
pub(crate) mod skill;
pub mod source;
mod survey;
