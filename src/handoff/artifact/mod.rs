//! Where is an artifact, what is in it, and what of that may be handed over?

pub(crate) mod decisions;
pub(crate) mod file;
pub(crate) mod front_matter;
pub(crate) mod headings;
pub(crate) mod holes;
pub(crate) mod issues;
pub(crate) mod items;
pub(crate) mod page;
pub(crate) mod rationale;
pub(crate) mod reasoning;
pub(crate) mod shelf;
pub(crate) mod stories;
pub(crate) mod summary;
