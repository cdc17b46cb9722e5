//! Do the files that skills link to exist? A service of `check`: a dead link degrades no skill.

use crate::corpus::discover::Root;
use crate::text::markdown::outline;
use std::path::{Path, PathBuf};
use vibey_context_contracts::diagnostic::{Code, Diagnostic, Finding};
use vibey_context_host::path::confine;
use vibey_context_host::read::list_dir;
use vibey_context_index::record::IndexedSkill;

/// A finding for every relative link that leads to no file, to one of another case, or out of the root.
#[must_use]
pub fn check(roots: &[Root], skills: &[IndexedSkill]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for skill in skills {
        let record = &skill.record;
        let Some(root) = roots.get(record.root as usize) else {
            continue;
        };
        let folder = root.path.join(&record.source_path);
        let Some(folder) = folder.parent() else {
            continue;
        };
        let path = record.address();
        let first_line = record
            .sections
            .first()
            .map_or(1, |section| section.line_start);
        let line_starts: Vec<usize> = std::iter::once(0)
            .chain(skill.text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        for link in outline(&skill.text).links {
            let Some(target) = local_target(&link.target) else {
                continue;
            };
            let Some((code, message)) = verdict(root, folder, &target) else {
                continue;
            };
            let below = line_starts.partition_point(|&start| start <= link.start) - 1;
            let before = skill.text.get(line_starts[below]..link.start);
            let line = first_line + below as u32;
            let column = before.unwrap_or_default().chars().count() as u32 + 1;
            found.push(Finding::at(code, line, column, message).in_file(&path));
        }
    }
    found
}

/// The path of a link to a file of the skill; `None` for addresses, anchors, absolute paths and placeholders.
fn local_target(target: &str) -> Option<String> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let placeholder = path.contains(['$', '{', '}', '<', '>', '*']) || path.contains("...");
    let scheme = path
        .split_once(':')
        .is_some_and(|(scheme, _)| !scheme.is_empty() && !scheme.contains('/'));
    if path.is_empty() || path.starts_with('/') || scheme || placeholder {
        return None;
    }
    Some(decoded(path))
}

/// `%20` and the like, decoded once; what is no escape stays.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail
            .get(..2)
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn verdict(root: &Root, folder: &Path, target: &str) -> Option<(Code, String)> {
    let shown = target.escape_debug();
    match confine(&root.path, &folder.join(target)) {
        Ok(_) => None,
        Err(vibey_context_host::error::HostError::Outside { .. }) => Some((
            Code::LinkOutside,
            format!("link to `{shown}` leaves the root"),
        )),
        Err(_) => match other_case(folder, target) {
            Some(actual) => Some((
                Code::LinkCase,
                format!("link to `{shown}`, but the file is `{actual}`"),
            )),
            None => Some((
                Code::LinkMissing,
                format!("link to `{shown}`, which does not exist"),
            )),
        },
    }
}

/// The path as it stands on disk, where only upper and lower case differ.
fn other_case(folder: &Path, target: &str) -> Option<String> {
    let mut here: PathBuf = folder.to_owned();
    let mut actual = Vec::new();
    for part in target
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
    {
        if part == ".." {
            here.push(part);
            actual.push(part.to_owned());
            continue;
        }
        let entries = list_dir(&here).ok()?;
        let exact = entries.iter().find(|entry| entry.name == *part);
        let folded = || {
            entries
                .iter()
                .find(|entry| entry.name.to_string_lossy().to_lowercase() == part.to_lowercase())
        };
        let name = exact.or_else(folded)?.name.to_str()?.to_owned();
        here.push(&name);
        actual.push(name);
    }
    Some(actual.join("/"))
}
