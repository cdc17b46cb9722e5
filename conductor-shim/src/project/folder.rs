//! How does git pass over what we write, without a change to git's own files?

use super::config::OURS;
use super::{FILE, VIBEY};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use vibey_context_host::error::{HostError, Result};
use vibey_context_host::path::is_symlink;
use vibey_context_host::resolved::read_resolved;
use vibey_context_host::write::{Durability, create_folder, replace};

/// git's file with the names that it passes over.
const IGNORE: &str = ".gitignore";
/// Our names in [`VIBEY`], the file with them included; the rest of that folder may belong to others.
const LINES: [&str; 3] = ["/project.json", "/ledger.sqlite3*", "/.gitignore"];
/// Folders of the files of jobs, in [`VIBEY`] of their worktree.
pub const ARTIFACTS: [&str; 2] = ["context", "skills"];
/// How the names of the ledger's files begin.
const LEDGER: &str = "ledger.sqlite3";
/// A few names; anything larger is not what it seems.
const IGNORE_MAX_BYTES: u64 = 1024 * 1024;

/// [`VIBEY`] of a project, with our names in its `.gitignore`.
///
/// Two processes may do this at once: both write the same lines.
///
/// # Errors
/// [`HostError::Symlink`] where the folder or the file is one, or what the system says.
pub fn prepared(project: &Path) -> Result<PathBuf> {
    let vibey = project.join(VIBEY);
    refuse_link(&vibey)?;
    create_folder(&vibey, Durability::Durable)?;
    let path = vibey.join(IGNORE);
    let mut text = match read_resolved(&path, IGNORE_MAX_BYTES) {
        Err(error) if error.is_not_found() => Vec::new(),
        other => other?,
    };
    let has = |line: &&str| {
        let mut lines = text.split(|byte| *byte == b'\n');
        lines.any(|found| found.trim_ascii_end() == line.as_bytes())
    };
    let missing: Vec<&str> = LINES.into_iter().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return Ok(vibey);
    }
    if text.last().is_some_and(|byte| *byte != b'\n') {
        text.push(b'\n');
    }
    for line in missing {
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    }
    replace(&path, &text, Durability::Rebuildable)?;
    Ok(vibey)
}

/// The folder `names` below `parent`; each that is missing is created with a `.gitignore` of `*`. The last one is ours
/// and has that file in any case.
///
/// # Errors
/// [`HostError::Symlink`] where any of them is one, or what the system says.
pub fn owned(parent: &Path, names: &[&str], durability: Durability) -> Result<PathBuf> {
    let mut folder = parent.to_owned();
    for (at, name) in names.iter().enumerate() {
        folder.push(name);
        refuse_link(&folder)?;
        let is_new = !folder.is_dir();
        if is_new {
            create_folder(&folder, durability)?;
        }
        let ignore = folder.join(IGNORE);
        if (is_new || at + 1 == names.len()) && ignore.symlink_metadata().is_err() {
            replace(&ignore, b"*\n", Durability::Rebuildable)?;
        }
    }
    Ok(folder)
}

/// Whether a canonical path is that of something which this program or the compiler keeps in a [`VIBEY`] of any project or
/// worktree: nobody's output may take its place.
#[must_use]
pub fn is_ours(path: &Path) -> bool {
    let mut below = path.iter().skip_while(|name| *name != VIBEY).skip(1);
    let (first, second) = (below.next(), below.next());
    let Some(first) = first.map(OsStr::to_string_lossy) else {
        return false;
    };
    match second.and_then(OsStr::to_str) {
        None => first == FILE || first == IGNORE || first.starts_with(LEDGER),
        Some(second) => first == OURS || [&*first, second] == ARTIFACTS,
    }
}

/// Refuses a symlink: it could lead anywhere. A missing path is none.
pub(crate) fn refuse_link(path: &Path) -> Result<()> {
    match is_symlink(path)? {
        true => Err(HostError::Symlink {
            path: path.to_owned(),
        }),
        false => Ok(()),
    }
}
