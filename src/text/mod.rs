//! Text as a packet sees it: Markdown structure, token estimates, hostile characters.

pub mod lines;
pub mod markdown;
pub mod neutralise;
pub mod passages;
pub mod tokens;
