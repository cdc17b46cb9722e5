//! Text as we read and write it: Markdown structure, frontmatter, YAML, token estimates, hostile characters.

pub(crate) mod frontmatter;
pub mod markdown;
pub mod neutralise;
pub mod tokens;
pub(crate) mod yaml;
