//! Where is an artifact, may it be read, and what is in it?
//!
//! Only regular files inside the project are opened, wherever links lead, and none that a marker keeps agents from.

use crate::handoff::desk::Desk;
use crate::policy::excluded_by;
use crate::text::lines::normalise;
use crate::text::neutralise::plain_line;
use std::io::ErrorKind;
use std::path::Path;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::handoff::config::{Format, PROJECT_NAME, PROJECT_PATH, Rule};
use vibey_context_contracts::time::rfc3339_seconds;
use vibey_context_host::error::HostError;
use vibey_context_host::path::{RelPath, confine};
use vibey_context_host::read::{EntryKind, FileStamp, list_dir};
use vibey_context_host::resolved::read_stamped_resolved;

/// The largest artifact, in bytes: far above any document that people write.
const ARTIFACT_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Artifacts of other projects that are named where one's own is missing.
const OTHERS: usize = 5;
/// Nanoseconds in a millisecond.
const NANOS_PER_MS: i128 = 1_000_000;

/// A file of the project, as it was read.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// Its path, relative to the project.
    pub(crate) path: RelPath,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// When it was last changed.
    pub(crate) modified: String,
    /// SHA-256 of its bytes.
    pub(crate) sha256: String,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
}

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// There is nothing.
    Missing,
    /// A marker keeps agents out; its path, relative to the project.
    Excluded(String),
    /// It lies outside the project, is no regular file, too large, or must not be read.
    Refused(HostError),
}

/// The places where an artifact may lie, best first.
pub(crate) fn places(rule: &Rule, desk: &Desk) -> Vec<String> {
    let place = |path: &String| {
        let path = path.strip_prefix(PROJECT_PATH).unwrap_or(path);
        path.replace(PROJECT_NAME, desk.project.as_str())
    };
    rule.paths.iter().map(place).collect()
}

/// Why an artifact that is not there is looked for at a path, where the project's name is a part of that, and which projects
/// have one; `None` where the name is none.
pub(crate) fn why_there(desk: &Desk, pattern: &str, path: &str) -> Option<String> {
    let pattern = pattern.strip_prefix(PROJECT_PATH).unwrap_or(pattern);
    let (before, behind) = pattern.split_once(PROJECT_NAME)?;
    let mut there = Vec::new();
    for name in names_in(desk, before) {
        let other = format!("{before}{name}{behind}");
        if there.len() < OTHERS && read(desk, &other).is_ok() {
            there.push(plain_line(&other));
        }
    }
    let there = match there.as_slice() {
        [] => String::new(),
        [one] => format!("; there is {one}"),
        more => format!("; there are {}", more.join(", ")),
    };
    Some(format!(
        "{path} is looked for because of `--project {}`{there}",
        desk.project
    ))
}

/// The folders in a folder of the project, in order of their names; none where it can not be read.
fn names_in(desk: &Desk, folder: &str) -> Vec<String> {
    let place = desk.project_path.join(folder);
    let entries = confine(&desk.project_path, &place).and_then(|real| list_dir(&real));
    let mut names: Vec<String> = entries
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::Dir)
        .filter_map(|entry| entry.name.into_string().ok())
        .collect();
    names.sort();
    names
}

/// Reads a file of the project.
pub(crate) fn read(desk: &Desk, path: &str) -> Result<File, Unread> {
    let path = RelPath::new(path).map_err(Unread::Refused)?;
    let place = path.below(&desk.project_path);
    let real = confine(&desk.project_path, &place).map_err(absent)?;
    // Both ways, of which the second is the one that is opened: the first may lead elsewhere by now.
    for way in [Path::new(path.as_str()), &real] {
        let marker = excluded_by(&desk.project_path, way).map_err(Unread::Refused)?;
        if let Some(marker) = marker {
            return Err(Unread::Excluded(marker.to_string_lossy().into_owned()));
        }
    }
    let (bytes, stamp) = read_stamped_resolved(&real, ARTIFACT_MAX_BYTES).map_err(absent)?;
    Ok(File {
        path,
        size: bytes.len() as u64,
        modified: modified(&stamp),
        sha256: sha256_hex(&bytes),
        bytes,
    })
}

/// What is not there is no fault of the system.
fn absent(error: HostError) -> Unread {
    match error.kind() {
        Some(ErrorKind::NotFound | ErrorKind::NotADirectory) => Unread::Missing,
        _ => Unread::Refused(error),
    }
}

/// The time of a file's last change, as it is written.
pub(crate) fn modified(stamp: &FileStamp) -> String {
    rfc3339_seconds(u64::try_from(stamp.mtime_ns / NANOS_PER_MS).unwrap_or(0))
}

impl File {
    /// The text, without byte order mark and with LF at the ends of lines.
    ///
    /// # Errors
    /// What the bytes are, where they are no text.
    pub(crate) fn text(&self) -> Result<String, &'static str> {
        let text = std::str::from_utf8(&self.bytes).map_err(|_| "is not UTF-8")?;
        if text.contains('\0') {
            return Err("holds NUL bytes");
        }
        Ok(normalise(text).into_owned())
    }
}

/// How a file is read: as its rule says, else by its ending.
pub(crate) fn format(rule: &Rule, path: &str) -> Format {
    let by_ending = || match path
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase())
    {
        Some(ending) if matches!(ending.as_str(), "md" | "markdown") => Format::Markdown,
        Some(ending) if matches!(ending.as_str(), "html" | "htm") => Format::Html,
        _ => Format::Text,
    };
    rule.format.unwrap_or_else(by_ending)
}

/// What a file is called in the state: as its rule says, else its name without ending.
pub(crate) fn kind(rule: &Rule, path: &RelPath) -> String {
    let name = path.file_name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    rule.kind.clone().unwrap_or_else(|| stem.to_owned())
}
