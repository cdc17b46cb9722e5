//! What stands where a marker belongs, and may it be written there?

use super::fault::Fault;
use super::guidance::GUIDANCE_MAX_BYTES;
use super::plan::Entry;
use std::path::{Path, PathBuf};
use vibey_context_host::error::HostError;
use vibey_context_host::read::{EntryKind, kind_of};
use vibey_context_host::resolved::read_resolved;

/// How a marker is, compared with its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Missing,
    /// A regular file with another text.
    Outdated,
    Right,
}

/// Looks at a marker, following no symlink below the project.
///
/// # Errors
/// The output directory or a folder above it is a symlink or no folder, or the marker is no regular file; or something can not
/// be looked at.
pub(super) fn look(root: &Path, entry: &Entry) -> Result<Found, Fault> {
    let unreadable = |error: &HostError| {
        Fault::host("the marker cannot be read", error).at(entry.marker.as_str())
    };
    if !folder_exists(root, entry.directory.as_str())? {
        return Ok(Found::Missing);
    }
    let path = entry.marker.below(root);
    match kind_of(&path).map_err(|error| unreadable(&error))? {
        None => return Ok(Found::Missing),
        Some(EntryKind::File) => {}
        Some(kind) => {
            let message = format!(
                "the marker is a {}, not a regular file; remove it",
                word(kind)
            );
            return Err(Fault::new("unsafe_marker", message).at(entry.marker.as_str()));
        }
    }
    match read_resolved(&path, GUIDANCE_MAX_BYTES as u64) {
        Ok(bytes) if bytes == entry.text.as_bytes() => Ok(Found::Right),
        Ok(_) | Err(HostError::TooLarge { .. }) => Ok(Found::Outdated),
        // A generator at work has deleted it since it was looked at.
        Err(error) if error.is_not_found() => Ok(Found::Missing),
        Err(error) => Err(unreadable(&error)),
    }
}

/// Whether the folder is there, every component of it a real folder.
///
/// # Errors
/// A component is a symlink or no folder.
pub(super) fn folder_exists(root: &Path, directory: &str) -> Result<bool, Fault> {
    let mut place = PathBuf::new();
    for name in directory.split('/') {
        place.push(name);
        let shown = place.to_string_lossy();
        let kind = kind_of(&root.join(&place)).map_err(|error| {
            Fault::host("the folder cannot be looked at", &error).at(shown.as_ref())
        })?;
        match kind {
            None => return Ok(false),
            Some(EntryKind::Dir) => {}
            Some(EntryKind::Symlink) => {
                let message = "a symlink stands where a folder belongs; remove it, or name the folder it leads to";
                return Err(Fault::new("symlink", message).at(shown));
            }
            Some(kind) => {
                let message = format!("a {} stands where a folder belongs; remove it", word(kind));
                return Err(Fault::new("not_a_folder", message).at(shown));
            }
        }
    }
    Ok(true)
}

fn word(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File => "file",
        EntryKind::Dir => "folder",
        EntryKind::Symlink => "symlink",
        EntryKind::Other => "special file",
    }
}
