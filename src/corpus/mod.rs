//! From folders of skills to parsed skills: discovery, frontmatter, sections.

pub mod frontmatter;
pub mod sections;
pub mod source;
pub mod plugins;
pub mod discover;
pub mod load;
pub mod embedded;
pub mod survey;
pub mod build;
pub mod roots;
