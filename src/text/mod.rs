//! Text as we read and write it: Markdown structure, frontmatter, YAML, token estimates, hostile characters.

pub(crate) mod frontmatter;
pub mod lines;
pub mod markdown;
pub mod nearest;
pub mod neutralise;
pub mod passages;
pub mod tokens;
pub(crate) mod yaml;
