//! What an index holds of a skill: everything that a packet shows or a manifest names, except the text itself.

pub(crate) mod pack;

use std::collections::BTreeMap;
use vibey_context_contracts::packet::{ContentClass, Part};

/// One skill, with its sections in source order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRecord {
    /// Ordinal of the root, from 0.
    pub root: u32,
    /// File of the skill, relative to its root, with `/` between components.
    pub source_path: String,
    /// SHA-256 of the file's normalised text.
    pub source_sha256: String,
    /// Plugin of the skill.
    pub plugin: String,
    /// Name of the skill.
    pub skill: String,
    /// Name of the folder that holds it.
    pub folder: String,
    /// Version of the skill, or of its plugin; else empty.
    pub version: String,
    /// Description; else empty.
    pub description: String,
    /// Values of the retrieval keys: `domains`, `phases`, `languages`, `technologies`.
    pub tags: BTreeMap<String, Vec<String>>,
    /// Plugin, name and folder of each byte-identical copy that this skill stands for.
    pub copies: Vec<Copy>,
    /// Token estimate of the whole text.
    pub token_estimate: u64,
    /// The sections, in source order.
    pub sections: Vec<SectionRecord>,
}

/// How a copy of a skill would be addressed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Copy {
    /// Plugin of the copy.
    pub plugin: String,
    /// Name of the copy.
    pub skill: String,
    /// Folder of the copy.
    pub folder: String,
}

/// One section of a skill, or one part of a section too large for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionRecord {
    /// Identity: 24 hexadecimal characters.
    pub id: String,
    /// Headings from the document's title to the section.
    pub heading_path: Vec<String>,
    /// First line in the file, from 1.
    pub line_start: u32,
    /// Last line in the file.
    pub line_end: u32,
    /// Start in the skill's stored text, in bytes.
    pub start: u32,
    /// End in the skill's stored text, in bytes.
    pub end: u32,
    /// SHA-256 of the text.
    pub content_sha256: String,
    /// What the section is for.
    pub class: ContentClass,
    /// Which part, where the section was split.
    pub part: Option<Part>,
    /// Whether it holds headings only, and is therefore not offered.
    pub bare: bool,
    /// Token estimate of the text.
    pub token_estimate: u64,
}

impl SkillRecord {
    /// `plugin/skill`, the form that manifests use.
    #[must_use]
    pub fn qualified(&self) -> String {
        format!("{}/{}", self.plugin, self.skill)
    }

    /// The form that fits this skill alone: its path, behind the ordinal of its root where that is not the first.
    #[must_use]
    pub fn address(&self) -> String {
        if self.root == 0 {
            self.source_path.clone()
        } else {
            format!("{}:{}", self.root, self.source_path)
        }
    }
}

/// A skill with its text, on its way into an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedSkill {
    /// Everything but the text.
    pub record: SkillRecord,
    /// The text that the sections' ranges refer to.
    pub text: String,
}
