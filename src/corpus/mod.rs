//! From folders of skills to parsed skills: discovery, frontmatter, sections.

pub mod build;
pub mod discover;
pub mod embedded;
pub mod findable;
pub mod frontmatter;
pub mod load;
pub mod plugins;
pub mod references;
pub mod roots;
pub mod sections;
mod skill;
pub mod source;
pub mod survey;
