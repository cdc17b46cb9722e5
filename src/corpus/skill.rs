//! One skill, from its text to the record that an index holds: the only way there, for `check`, `index` and the starter
//! corpus alike.

use crate::corpus::frontmatter::{self, Frontmatter};
use crate::corpus::plugins::Plugin;
use crate::corpus::sections::{self, Section};
use crate::text::tokens;
use std::collections::BTreeMap;
use vibey_context_contracts::diagnostic::{Code, Finding};
use vibey_context_contracts::digest::{FieldDigest, sha256_hex};
use vibey_context_contracts::packet::Part;
use vibey_context_index::record::{IndexedSkill, SectionRecord, SkillRecord};

/// Length of a section's id in hexadecimal characters: 96 bits, so that among ten million sections a collision is
/// less likely than one in 10^15 (birthday bound).
const ID_HEX_LEN: usize = 24;

/// Name of a skill that lies directly in its root and does not name itself: the root's own name is not ours to use,
/// since it differs between checkouts.
const ROOT_SKILL: &str = "root";

/// A skill and what was found in it; a finding of severity error rejects it.
pub(crate) struct ParsedSkill {
    pub(crate) skill: IndexedSkill,
    pub(crate) findings: Vec<Finding>,
}

/// Name of the folder that a skill file lies in, by its path below the root.
pub(super) fn folder(source_path: &str) -> &str {
    source_path.rsplit('/').nth(1).unwrap_or(ROOT_SKILL)
}

/// Parses one skill.
pub(crate) fn parse(root: u32, source_path: String, text: &str, plugin: &Plugin) -> ParsedSkill {
    let folder = folder(&source_path).to_owned();
    let parsed = frontmatter::parse(text, &folder);
    let front = parsed.frontmatter;
    let skill = front.name.clone().unwrap_or_else(|| folder.clone());
    let sectioned = sections::sections(
        text,
        parsed.body_start,
        parsed.body_line,
        &skill,
        &front.mandatory_sections,
        &front.mandatory_lines,
    );
    let mut findings = parsed.findings;
    if root_named(&source_path) {
        // The root's name is not part of a skill's identity, so there is nothing to differ from.
        findings.retain(|finding| finding.code != Code::NameDiffers);
    }
    findings.extend(sectioned.findings);
    findings.sort();
    let source_sha256 = sha256_hex(text.as_bytes());
    let body = text.get(parsed.body_start..).unwrap_or_default();
    let sections = sectioned
        .sections
        .into_iter()
        .map(|section| {
            record(
                root,
                &source_path,
                &source_sha256,
                text,
                parsed.body_start,
                section,
            )
        })
        .collect();
    let record = SkillRecord {
        root,
        source_sha256,
        plugin: plugin.name.clone(),
        skill,
        folder,
        version: front
            .version
            .clone()
            .unwrap_or_else(|| plugin.version.clone()),
        description: front.description.clone().unwrap_or_default(),
        tags: tags(&front, plugin),
        copies: Vec::new(),
        token_estimate: tokens::estimate(body),
        sections,
        source_path,
    };
    ParsedSkill {
        skill: IndexedSkill {
            record,
            text: body.to_owned(),
        },
        findings,
    }
}

/// Whether the skill lies directly in its root.
fn root_named(source_path: &str) -> bool {
    !source_path.contains('/')
}

fn tags(front: &Frontmatter, plugin: &Plugin) -> BTreeMap<String, Vec<String>> {
    let category: Vec<String> = std::iter::once(&plugin.category)
        .filter(|text| !text.is_empty())
        .cloned()
        .collect();
    [
        ("category", &category),
        ("domains", &front.domains),
        ("languages", &front.languages),
        ("phases", &front.phases),
        ("technologies", &front.technologies),
    ]
    .into_iter()
    .filter(|(_, values)| !values.is_empty())
    .map(|(key, values)| (key.to_owned(), values.clone()))
    .collect()
}

fn record(
    root: u32,
    path: &str,
    source: &str,
    text: &str,
    body_start: usize,
    section: Section,
) -> SectionRecord {
    let content = text.get(section.range.clone()).unwrap_or_default();
    let headings = section
        .heading_path
        .iter()
        .fold(FieldDigest::default(), |digest, text| {
            digest.field(text.as_bytes())
        });
    let mut id = FieldDigest::default()
        .field(&root.to_le_bytes())
        .field(path.as_bytes())
        .field(source.as_bytes())
        .field(headings.finish().as_bytes())
        .field(&section.line_start.to_le_bytes())
        .field(&section.part.to_le_bytes())
        .finish();
    id.truncate(ID_HEX_LEN);
    SectionRecord {
        id,
        line_start: section.line_start,
        line_end: section.line_end,
        start: (section.range.start - body_start) as u32,
        end: (section.range.end - body_start) as u32,
        content_sha256: sha256_hex(content.as_bytes()),
        class: section.class,
        part: (section.parts > 1).then_some(Part {
            number: section.part,
            of: section.parts,
        }),
        bare: section.bare,
        token_estimate: section.token_estimate,
        heading_path: section.heading_path,
    }
}
