//! Does this name stay inside that folder?
//!
//! [`RelPath`] answers for names that come from data, before anything is opened; [`confine`] answers for
//! paths that exist, after every symlink on the way is resolved. A folder that somebody else can change
//! at the same moment can still swap a component after the answer: open what [`confine`] returned with
//! [`crate::read::read_regular_nofollow`].

use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use crate::deliver::MOST_LINKS;
use crate::error::{HostError, Result};
use crate::read::is_absent;

/// A relative path with `/` between its components, safe to join to any folder.
///
/// No component is empty, `.` or `..`, holds a backslash, a control character or starts like a drive
/// (`c:`), so the same text is the same place on every platform. The order is that of the UTF-8 bytes of
/// the whole text, whatever the locale.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(String);

impl RelPath {
    /// Checks every component of `text`.
    ///
    /// # Errors
    /// [`HostError::InvalidComponent`] for the first component at fault; an absolute path and an empty text
    /// start with an empty component.
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        for component in text.split('/') {
            check_component(&text, component)?;
        }
        Ok(Self(text))
    }

    /// The same for a [`Path`], with no normalisation.
    ///
    /// # Errors
    /// As [`RelPath::new`], and for a path that is not UTF-8.
    pub fn from_path(path: &Path) -> Result<Self> {
        path.to_str().map_or_else(
            || {
                let lossy = path.to_string_lossy().into_owned();
                Err(invalid(&lossy, &lossy, "is not UTF-8"))
            },
            Self::new,
        )
    }

    /// The whole path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The components from the first folder to the last name; never empty.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0
            .rsplit_once('/')
            .map_or(self.as_str(), |(_, name)| name)
    }

    /// The path without its last component; `None` where there is only one.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (parent, _) = self.0.rsplit_once('/')?;
        Some(Self(parent.to_owned()))
    }

    /// This path with `tail` behind it.
    ///
    /// # Errors
    /// As [`RelPath::new`], for `tail` alone.
    pub fn join(&self, tail: &str) -> Result<Self> {
        let tail = Self::new(tail)?;
        Ok(Self(format!("{}/{}", self.0, tail.0)))
    }

    /// The place below `root`. Lexical: a symlink on the way is for [`confine`] to find.
    #[must_use]
    pub fn below(&self, root: &Path) -> PathBuf {
        root.join(&self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for RelPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> Self {
        path.0
    }
}

impl FromStr for RelPath {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text)
    }
}

fn check_component(path: &str, component: &str) -> Result<()> {
    let reason = match component {
        "" => "is empty",
        "." | ".." => "is a dot name",
        _ if component.contains('\\') => "holds a backslash",
        _ if component.contains(char::is_control) => "holds a control character",
        _ if starts_like_a_drive(component) => "starts like a drive",
        _ => return Ok(()),
    };
    Err(invalid(path, component, reason))
}

/// Windows joins `c:x` by replacing the folder it is joined to.
fn starts_like_a_drive(component: &str) -> bool {
    matches!(component.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn invalid(path: &str, component: &str, reason: &'static str) -> HostError {
    HostError::InvalidComponent {
        path: path.to_owned(),
        component: component.to_owned(),
        reason,
    }
}

/// Resolves every symlink of `candidate` and returns the canonical path if it lies in `root_canonical` or
/// is that folder itself.
///
/// `root_canonical` must be canonical: otherwise everything is refused.
///
/// # Errors
/// [`HostError::Outside`], or [`HostError::Io`] where `candidate` does not exist or can not be resolved.
pub fn confine(root_canonical: &Path, candidate: &Path) -> Result<PathBuf> {
    let resolved = candidate
        .canonicalize()
        .map_err(|cause| HostError::io("resolve", candidate, cause))?;
    // An empty root is a prefix of every path.
    if root_canonical.is_absolute() && resolved.starts_with(root_canonical) {
        Ok(resolved)
    } else {
        Err(HostError::Outside {
            path: candidate.to_path_buf(),
            root: root_canonical.to_path_buf(),
        })
    }
}

/// The place that a path leads to when every symlink is resolved, whether or not something is there.
///
/// What exists is resolved by the system; the names behind it are kept as they are. A link that leads nowhere is followed
/// to where it would lead.
///
/// # Errors
/// [`HostError::Io`]: a loop of links, a folder that must not be entered, or a `..` behind a name that is missing.
pub fn resolve(path: &Path) -> Result<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path.to_path_buf();
    let mut links = 0;
    loop {
        // A relative path of which nothing exists starts in the current folder.
        let place = match existing.as_os_str().is_empty() {
            true => Path::new("."),
            false => &existing,
        };
        let cause = match place.canonicalize() {
            Ok(place) => return Ok(missing.iter().rev().fold(place, |at, name| at.join(name))),
            Err(cause) => cause,
        };
        // A `..` has no name: where it leads is not known when what stands before it is missing.
        let (Some(name), Some(folder), true) =
            (existing.file_name(), existing.parent(), is_absent(&cause))
        else {
            return Err(HostError::io("resolve", path, cause));
        };
        // A link that leads nowhere yet says where it will lead.
        existing = match existing.read_link() {
            Ok(target) if links < MOST_LINKS => {
                links += 1;
                folder.join(target)
            }
            Ok(_) => return Err(HostError::io("resolve", path, cause)),
            Err(_) => {
                missing.push(name.to_owned());
                folder.to_path_buf()
            }
        };
    }
}

/// The way from the folder `base` to `target`, with `/` and leading `..` as needed; `.` where they are equal.
///
/// Lexical, so both must be canonical. `None` where either is not, where no relative path exists, or where
/// the result would not be UTF-8.
#[must_use]
pub fn relative_between(base: &Path, target: &Path) -> Option<String> {
    let plain = |path: &Path| {
        path.is_absolute() && !path.components().any(|part| part == Component::ParentDir)
    };
    if !plain(base) || !plain(target) {
        return None;
    }
    let mut base_rest = base.components().peekable();
    let mut target_rest = target.components().peekable();
    while base_rest.peek().is_some() && base_rest.peek() == target_rest.peek() {
        base_rest.next();
        target_rest.next();
    }
    let mut parts = vec![".."; base_rest.count()];
    for component in target_rest {
        let Component::Normal(name) = component else {
            return None;
        };
        parts.push(name.to_str()?);
    }
    if parts.is_empty() {
        parts.push(".");
    }
    Some(parts.join("/"))
}

/// What tells a folder from another one that has taken its place under the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// The identity of what `path` leads to, links followed.
///
/// # Errors
/// [`HostError::Io`], also where nothing is there.
pub fn identity(path: &Path) -> Result<Identity> {
    let found = path
        .metadata()
        .map_err(|cause| HostError::io("look at", path, cause))?;
    Ok(Identity {
        device: found.dev(),
        inode: found.ino(),
    })
}

/// Is the last component of `path` a symlink? A missing path is none.
///
/// # Errors
/// [`HostError::Io`] where the path can not be looked at.
pub fn is_symlink(path: &Path) -> Result<bool> {
    // The system follows a link that is written `link/` or `link/.`; a rebuilt path ends in the name.
    let bare: PathBuf = path.components().collect();
    match bare.symlink_metadata() {
        Ok(found) => Ok(found.file_type().is_symlink()),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(HostError::io("look at", path, cause)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
