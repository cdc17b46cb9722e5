//! What has piled up in the folder for results and answers, and what of it can go?
//!
//! A run makes a folder for each result, and one for each link with the answer of its server; nobody removes them. Only what
//! has the names that we give and holds nothing else is ours to remove.

use super::zones::{ANSWERS_FOLDER, is_ours};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use vibey_context_contracts::digest::is_sha256_hex;
use vibey_context_host::error::HostError;
use vibey_context_host::lock::{is_held, try_acquire};
use vibey_context_host::path::is_symlink;
use vibey_context_host::read::{DirEntry, EntryKind, list_dir};
use vibey_context_host::tree::{Extent, extent};
use vibey_context_host::write::{is_temporary, remove_file, remove_tree};

/// Files of a result.
const RESULT_FILES: [&str; 3] = ["context.json", "context.md", "stale-refs.md"];

/// Files of an answer. The lock is never removed.
const ANSWER_FILES: [&str; 2] = ["meta.json", "response.bin"];

const LOCK: &str = "lock";

/// What is kept for later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// What a run has gathered.
    Result,
    /// What a server has said of a link.
    Answer,
}

/// A result or an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Which of both.
    pub kind: Kind,
    /// Its folder.
    pub path: PathBuf,
    /// How large and how old it is.
    pub extent: Extent,
    /// The name of something in it that we did not make.
    pub foreign: Option<String>,
}

/// What became of something that was to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is gone.
    Gone,
    /// A run works on it.
    InUse,
}

/// Every result and answer below the folder for both, by path. Links are passed over.
///
/// # Errors
/// What the system says.
pub fn kept(scratch: &Path) -> Result<Vec<Kept>, HostError> {
    let mut found = Vec::new();
    for project in folders(scratch)? {
        let path = scratch.join(&project);
        if project == ANSWERS_FOLDER {
            for name in folders(&path)? {
                if is_sha256_hex(&name) {
                    found.extend(answer(path.join(name))?);
                }
            }
            continue;
        }
        for artifact in folders(&path)? {
            let path = path.join(artifact);
            for stamp in folders(&path)? {
                if is_stamp(&stamp) {
                    found.extend(result(path.join(stamp))?);
                }
            }
        }
    }
    found.sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
    Ok(found)
}

fn answer(path: PathBuf) -> Result<Option<Kept>, HostError> {
    let entries = list_dir(&path)?;
    if entries.iter().all(|entry| entry.name == LOCK) {
        return Ok(None);
    }
    let ours = |entry: &DirEntry| {
        entry.kind == EntryKind::File
            && (entry.name == LOCK || is_one_of(&entry.name, &ANSWER_FILES))
    };
    let foreign = foreign(&entries, ours);
    Ok(extent(&path)?.map(|extent| Kept {
        kind: Kind::Answer,
        path,
        extent,
        foreign,
    }))
}

fn result(path: PathBuf) -> Result<Option<Kept>, HostError> {
    let entries = list_dir(&path)?;
    let ours = |entry: &DirEntry| {
        entry.kind == EntryKind::File
            && is_one_of(&entry.name, &RESULT_FILES)
            && (is_temporary(&entry.name) || is_ours(&path.join(&entry.name)))
    };
    let foreign = foreign(&entries, ours);
    Ok(extent(&path)?.map(|extent| Kept {
        kind: Kind::Result,
        path,
        extent,
        foreign,
    }))
}

fn foreign(entries: &[DirEntry], ours: impl Fn(&DirEntry) -> bool) -> Option<String> {
    let entry = entries.iter().find(|entry| !ours(entry))?;
    Some(entry.name.to_string_lossy().into_owned())
}

fn is_one_of(name: &OsStr, names: &[&str]) -> bool {
    is_temporary(name) || names.iter().any(|one| name == *one)
}

/// Whether a name is that of the folder of a result: a time, and perhaps a number behind it.
fn is_stamp(name: &str) -> bool {
    let (time, number) = match name.split_once('-') {
        Some((time, number)) => (time, Some(number)),
        None => (name, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = time.strip_suffix('Z').is_some_and(|time| {
        time.split_once('T').is_some_and(|(date, clock)| {
            date.len() == 8 && clock.len() == 6 && digits(date) && digits(clock)
        })
    });
    is_time && number.is_none_or(digits)
}

/// Names of the folders directly in a folder; a link is none.
fn folders(path: &Path) -> Result<Vec<String>, HostError> {
    // The root may be reached by a link: the person has named it.
    let entries = match list_dir(path) {
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        listed => listed?,
    };
    let names = entries.into_iter().filter_map(|entry| {
        let is_folder = entry.kind == EntryKind::Dir;
        entry.name.into_string().ok().filter(|_| is_folder)
    });
    Ok(names.collect())
}

/// Whether a run works on an answer. Results are made in one go, and are nobody's afterwards. Creates nothing.
///
/// # Errors
/// The file system can not lock.
pub fn is_in_use(kept: &Kept) -> Result<bool, HostError> {
    match kept.kind {
        Kind::Result => Ok(false),
        Kind::Answer => is_held(&kept.path.join(LOCK)),
    }
}

/// Removes a result, or an answer but for its lock. The caller has seen that nothing in it is foreign.
///
/// # Errors
/// What the system says; a part may be gone.
pub fn discard(kept: &Kept) -> Result<Fate, HostError> {
    if is_symlink(&kept.path)? {
        return Err(HostError::Symlink {
            path: kept.path.clone(),
        });
    }
    match kept.kind {
        Kind::Result => remove_tree(&kept.path).map(|_| Fate::Gone),
        Kind::Answer => {
            let Some(_lock) = try_acquire(&kept.path.join(LOCK))? else {
                return Ok(Fate::InUse);
            };
            // `meta.json` first: without it there is no answer.
            for name in ANSWER_FILES {
                remove_file(&kept.path.join(name))?;
            }
            for entry in list_dir(&kept.path)? {
                if entry.kind == EntryKind::File && is_temporary(&entry.name) {
                    remove_file(&kept.path.join(&entry.name))?;
                }
            }
            Ok(Fate::Gone)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_we_give_are_those_of_results() {
        for name in [
            "20261201T053013Z",
            "20261201T053013Z-2",
            "20261201T053013Z-1000",
        ] {
            assert!(is_stamp(name), "{name}");
        }
        for name in [
            "",
            "Z",
            "20261201T053013",
            "2026-12-01T05:30:13Z",
            "20261201T053013Z-",
            "20261201T053013Z-x",
            "20261201T0530130Z",
            "2026120aT053013Z",
            "20261201T053013Z-1-2",
            "..",
        ] {
            assert!(!is_stamp(name), "{name}");
        }
    }
}
