//! The keys that a skill's frontmatter may have.

/// The key of the tools that a skill may use.
pub(super) const TOOLS: &str = "allowed-tools";

/// The keys that are read; anything else in a block is ignored.
pub(super) const KEYS: &[&str] = &[
    "name",
    "description",
    "license",
    "compatibility",
    TOOLS,
    "metadata",
    "domains",
    "phases",
    "languages",
    "technologies",
    "mandatory_sections",
    "retrieval_version",
    "version",
];
