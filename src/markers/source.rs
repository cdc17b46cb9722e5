//! Where does a manifest or guidance file really lie, and what is in it?
//!
//! A folder on the way may be a symlink, as long as it leads to a place in the project; the file itself may not.

use super::fault::Fault;
use std::path::{Path, PathBuf};
use vibey_context_host::error::HostError;
use vibey_context_host::path::{RelPath, confine};
use vibey_context_host::resolved::read_resolved;

/// A file that markers are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// What it is, for messages.
    what: &'static str,
    /// Its path as it was given.
    pub(super) given: RelPath,
    /// The same relative to the project, with every folder resolved.
    pub(super) real: PathBuf,
    place: PathBuf,
}

/// Finds the file, without opening it.
///
/// # Errors
/// The folder does not exist, or lies outside the project.
pub(super) fn locate(root: &Path, given: RelPath, what: &'static str) -> Result<Source, Fault> {
    let folder = given.parent();
    let folder = folder.map_or_else(|| root.to_path_buf(), |folder| folder.below(root));
    let folder = confine(root, &folder).map_err(|error| refused(what, &error, &given))?;
    let place = folder.join(given.file_name());
    // Lies inside: `confine` has said so.
    let real = place.strip_prefix(root).unwrap_or(&place).to_path_buf();
    Ok(Source {
        what,
        given,
        real,
        place,
    })
}

impl Source {
    /// What is in the file, at most `limit_bytes`.
    ///
    /// # Errors
    /// It is missing, no regular file, too large, or not readable.
    pub(super) fn read(&self, limit_bytes: u64) -> Result<Vec<u8>, Fault> {
        read_resolved(&self.place, limit_bytes)
            .map_err(|error| refused(self.what, &error, &self.given))
    }
}

fn refused(what: &str, error: &HostError, given: &RelPath) -> Fault {
    let message = match error {
        HostError::Outside { .. } => {
            return Fault::new(
                "outside",
                format!("the {what} lies outside the project; move it inside"),
            )
            .at(given.as_str());
        }
        _ => format!("the {what} cannot be read"),
    };
    Fault::host(&message, error).at(given.as_str())
}

/// A path of the manifest or the command line, checked by its components alone; `field` says where it stands.
///
/// # Errors
/// It is empty or absolute, or a component is empty, a dot name, or holds what some system reads in its own way. The path is
/// not repeated: it may name a place outside the project.
pub(super) fn relative(text: &str, field: &str) -> Result<RelPath, Fault> {
    RelPath::new(text).map_err(|error| {
        let reason = match error {
            _ if text.is_empty() => "is empty".to_owned(),
            _ if text.starts_with('/') => "is absolute".to_owned(),
            HostError::InvalidComponent { reason, .. } => format!("has a component that {reason}"),
            other => other.reason(),
        };
        let message = format!(
            "{field} {reason}; write a path relative to the project, with `/` between names, as `a/b`: no `./`, no `..`, no `/` at the end"
        );
        Fault::new("path_invalid", message)
    })
}
