//! What becomes of the skills under a root: each one read, repaired or rejected, and none lost.

mod encoding;
mod frontmatter;
mod frontmatter_limits;
mod identity;
mod judge;
mod layout;
mod links;
mod marker;
mod references;
mod sections;
mod special_files;
mod swapped;
pub(crate) mod unprivileged;
mod unreadable;
