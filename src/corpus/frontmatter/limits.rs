//! How long may the texts of a frontmatter be? Lengths of the Agent Skills specification, in Unicode scalar
//! values of the parsed value (never bytes, never the folded source).

/// Longest `name`.
pub(super) const NAME_CHARS: usize = 64;

/// Longest `description`; also the cut of a first paragraph that stands in for one.
pub(super) const DESCRIPTION_CHARS: usize = 1024;

/// Longest `compatibility`.
pub(super) const COMPATIBILITY_CHARS: usize = 500;
