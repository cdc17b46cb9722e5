//! What does a skill say about itself? The YAML block at the start of `SKILL.md`, and where its body begins.
//!
//! Strict YAML first. Where that fails, entry by entry, so that one odd key never costs the others; every repair
//! is a finding. Anchors, aliases, tags and merge keys are refused before a value is built from them.

mod fields;
mod keys;
mod limits;
mod lines;
mod lists;
mod paragraph;
mod plain;
mod recover;
mod scalar;
mod tools;
mod yaml;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use vibey_context_contracts::diagnostic::{Code, Finding};

use crate::text::frontmatter::{self as split, Opening};
use crate::text::lines::line_of;
use fields::Reading;
use lines::Line;
use yaml::Place;

/// Bytes of a block that are read as YAML. Real blocks are below 8 KiB; a larger one is data in the wrong place,
/// and the cap keeps the cost of a hostile file flat.
const BLOCK_LIMIT: usize = 64 * 1024;

/// What a skill says about itself. Texts are trimmed, line breaks in them are `\n`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontmatter {
    /// `name` as written; `None` means that the folder's name stands in.
    pub name: Option<String>,
    /// `description`; without frontmatter the first paragraph of the body.
    pub description: Option<String>,
    /// `license`.
    pub license: Option<String>,
    /// `compatibility`.
    pub compatibility: Option<String>,
    /// `allowed-tools`.
    pub allowed_tools: AllowedTools,
    /// `metadata`: scalars by their source text, without nulls.
    pub metadata: BTreeMap<String, String>,
    /// `domains`.
    pub domains: Vec<String>,
    /// `phases`.
    pub phases: Vec<String>,
    /// `languages`.
    pub languages: Vec<String>,
    /// `technologies`.
    pub technologies: Vec<String>,
    /// `mandatory_sections`: headings whose sections belong to every packet with this skill.
    pub mandatory_sections: Vec<String>,
    /// Line in the file, from 1, of each entry of `mandatory_sections`.
    pub mandatory_lines: Vec<u32>,
    /// `metadata.version`, else a key `version` at the top.
    pub version: Option<String>,
}

/// What `allowed-tools` says. A failed parse never widens it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AllowedTools {
    /// The key is not there.
    #[default]
    Absent,
    /// The tools in source order; an empty list means that no tool is allowed.
    Listed(Vec<String>),
    /// The key is there and could not be read. It does not mean that all tools are allowed.
    Unknown,
}

/// The frontmatter of one file, the place of its body, and what was found on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The values.
    pub frontmatter: Frontmatter,
    /// Byte offset of the body: `text[body_start..]` is the body to its last byte.
    pub body_start: usize,
    /// Line of the body's first byte, from 1.
    pub body_line: u32,
    /// Findings, sorted by place.
    pub findings: Vec<Finding>,
    /// The skill asks for a `retrieval_version` that this compiler does not speak.
    pub rejected: bool,
}

/// Reads the frontmatter of `text`, a file of a skill in the folder called `folder`.
///
/// `text` is normalised already: without BOM, lines end in `\n`. Never fails: what can not be read is a finding.
#[must_use]
pub fn parse(text: &str, folder: &str) -> Parsed {
    let Some(opening) = split::opening(text) else {
        return missing(text, None, "the file does not start with a line `---`");
    };
    let Some(closing) = split::closing(text, &opening) else {
        return unterminated(text, folder, &opening, None);
    };
    let block = text
        .get(opening.content_start..closing.block_end)
        .unwrap_or_default();

    let strict = if block.len() > BLOCK_LIMIT {
        Err(None)
    } else {
        yaml::parse(block, opening.content_line).map_err(Some)
    };
    let lines = lines_of(block, &opening);
    let runs_on = lines::body_start(&lines).filter(|start| match &strict {
        // Prose with a colon in it is a key to YAML.
        Ok(document) => document.has_key_in(start.text),
        Err(_) => true,
    });
    if let Some(start) = runs_on {
        return unterminated(text, folder, &opening, Some(start.heading));
    }
    let mut reading = match strict {
        Ok(document) => Reading::of(document),
        Err(None) => too_large(block, &opening),
        Err(Some(fault)) => {
            let reading = recover::block(&lines, &fault);
            if reading.pairs.is_empty() {
                return missing(
                    text,
                    tools::mentioned(lines),
                    "the lines between the first two `---` hold no `key: value` and are read as text",
                );
            }
            reading.guarding_tools(lines)
        }
    };
    if opening.leading {
        reading.findings.push(leading(&opening));
    }
    finish(text, folder, &opening, closing.body_start, reading)
}

/// No block: the folder names the skill, and its first paragraph describes it.
fn missing(text: &str, tools: Option<Place>, why: &str) -> Parsed {
    let mut findings = vec![Finding::at(Code::FmMissing, 1, 0, why)];
    findings.extend(tools.map(tools::unknown));
    Parsed {
        frontmatter: Frontmatter {
            description: paragraph::first(text, limits::DESCRIPTION_CHARS),
            allowed_tools: tools.map_or(AllowedTools::Absent, |_| AllowedTools::Unknown),
            ..Frontmatter::default()
        },
        body_start: 0,
        body_line: 1,
        findings,
        rejected: false,
    }
}

/// An opened block without end. The whole file is the body, so that nothing is lost; the key lines that stand
/// directly below the opening are read all the same.
fn unterminated(text: &str, folder: &str, opening: &Opening, heading: Option<u32>) -> Parsed {
    let rest = text.get(opening.content_start..).unwrap_or_default();
    let lines = lines_of(rest, opening);
    let end = lines::leading_keys_end(&lines);
    let region = rest.get(..end.min(rest.len())).unwrap_or_default();
    if region.is_empty() && opening.leading {
        return missing(
            text,
            None,
            "a line `---` stands in the text, but nothing like frontmatter follows it",
        );
    }

    let reading = if region.len() > BLOCK_LIMIT {
        too_large(rest, opening)
    } else {
        match yaml::parse(region, opening.content_line) {
            Ok(document) => Reading::of(document),
            Err(fault) => recover::block(&lines_of(region, opening), &fault),
        }
    };
    let mut reading = reading.guarding_tools(lines::before_body(&lines).iter().copied());
    let message = match heading {
        Some(line) => format!("the frontmatter is not closed before the heading in line {line}"),
        None => "no line `---` closes the frontmatter".to_owned(),
    };
    reading
        .findings
        .push(Finding::at(Code::FmUnterminated, opening.line, 1, message));
    if opening.leading {
        reading.findings.push(leading(opening));
    }
    finish(text, folder, opening, 0, reading)
}

/// The lines of a block as far as it is looked at: those that start within the limit, and one more.
fn lines_of<'t>(block: &'t str, opening: &Opening) -> Vec<Line<'t>> {
    let mut bytes = 0;
    lines::of(block, opening.content_line)
        .take_while(|line| {
            let within = bytes <= BLOCK_LIMIT;
            bytes += line.text.len() + 1;
            within
        })
        .collect()
}

/// A block over the limit: only plain lines of its first part are looked at.
fn too_large(block: &str, opening: &Opening) -> Reading {
    let message = format!("the frontmatter is larger than {BLOCK_LIMIT} bytes");
    Reading {
        pairs: plain::pairs(block, opening.content_line, BLOCK_LIMIT),
        findings: vec![Finding::at(Code::FmTooLarge, opening.line, 0, message)],
        complete: false,
    }
    .guarding_tools(lines::of(block, opening.content_line))
}

fn leading(opening: &Opening) -> Finding {
    let message = format!(
        "the frontmatter starts in line {}, after blank lines, a comment or a code fence",
        opening.line
    );
    Finding::at(Code::FmLeading, 1, 0, message)
}

fn finish(
    text: &str,
    folder: &str,
    opening: &Opening,
    body_start: usize,
    reading: Reading,
) -> Parsed {
    let fields = fields::read(reading, opening.line, folder);
    let mut findings = fields.findings;
    findings.sort();
    Parsed {
        frontmatter: fields.frontmatter,
        body_start,
        body_line: line_of(text, body_start),
        findings,
        rejected: fields.rejected,
    }
}
