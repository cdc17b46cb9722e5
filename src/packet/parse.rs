//! From a packet back to its sections: what a tool uses that wants them one by one.

use super::render::{MARKER, close_frame};
use crate::text::neutralise::unescape_one_line;
use std::collections::BTreeMap;

/// A section as it stands in a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Framed {
    /// The attributes of the frame: `source`, `lines`, `sha256`, `heading` and others. Sections that share a frame share
    /// all but `lines` and `class`; `sha256` is then the digest of all of them together.
    pub attributes: BTreeMap<String, String>,
    /// The content, without what the frame added behind it. Where `neutralised` is absent among the attributes, these
    /// are the bytes of the file.
    pub content: String,
}

/// The sections of a packet, in its order.
#[must_use]
pub fn sections(packet: &str) -> Vec<Framed> {
    let open = format!("<!-- {MARKER}section ");
    let close = close_frame();
    let mut found = Vec::new();
    let mut current: Option<(BTreeMap<String, String>, String)> = None;
    for line in packet.split_inclusive('\n') {
        if let Some((attributes, content)) = &mut current {
            if line == close {
                let content = without_additions(attributes, std::mem::take(content));
                each(std::mem::take(attributes), content, &mut found);
                current = None;
            } else {
                content.push_str(line);
            }
        } else if let Some(rest) = line.strip_prefix(&open) {
            current = Some((attributes(rest), String::new()));
        }
    }
    found
}

/// Cuts a run into its sections by the lines that its frame names.
fn each(mut attributes: BTreeMap<String, String>, content: String, found: &mut Vec<Framed>) {
    let Some(sections) = attributes.remove("sections") else {
        found.push(Framed {
            attributes,
            content,
        });
        return;
    };
    let mandatory = attributes.remove("mandatory").unwrap_or_default();
    let mut lines = content.split_inclusive('\n');
    for range in sections.split(' ') {
        let (from, to) = range.split_once('-').unwrap_or_default();
        let (from, to): (usize, usize) = (
            from.parse().unwrap_or_default(),
            to.parse().unwrap_or_default(),
        );
        let mut attributes = attributes.clone();
        attributes.insert("lines".to_owned(), range.to_owned());
        if mandatory.split(' ').any(|one| one == range) {
            attributes.insert("class".to_owned(), "mandatory".to_owned());
        }
        let content = lines.by_ref().take((to + 1).saturating_sub(from)).collect();
        found.push(Framed {
            attributes,
            content,
        });
    }
}

fn without_additions(attributes: &BTreeMap<String, String>, mut content: String) -> String {
    if let Some(fence) = attributes.get("closed") {
        let added = format!("{fence}\n");
        if let Some(rest) = content.strip_suffix(&added) {
            content.truncate(rest.len());
        }
    }
    if attributes.contains_key("added") && content.ends_with('\n') {
        content.pop();
    }
    content
}

/// `name="value"` pairs; values hold no quotation mark, since metadata is escaped.
fn attributes(line: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut pieces = line.split('"');
    while let (Some(name), Some(value)) = (pieces.next(), pieces.next()) {
        let name = name.trim().trim_end_matches('=');
        found.insert(name.to_owned(), unescape_one_line(value));
    }
    found
}
