//! Where does a link into a brain, a repository or the file system lead, and what is there?
//!
//! Every target is resolved through all symlinks and must stay inside its root by path components. Private places and
//! folders that a marker keeps agents out of are refused before anything is opened.

use super::private::is_private;
use super::reason::Reason;
use super::registry::{Aliases, Project};
use super::uri::{Form, split_fragment};
use crate::policy::excluded_by;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use vibey_context_host::error::HostError;
use vibey_context_host::path::confine;
use vibey_context_host::read::file_stamp;
use vibey_context_host::resolved::read_resolved;

/// Bytes of a document at most, as for one from the network.
pub(crate) const DOCUMENT_MAX_BYTES: u64 = 10 * 1024 * 1024;

/// Folders that older brains put before their paths.
const OLD_PREFIXES: [&str; 2] = ["project-brain/", "thoughts/"];

/// Name of the file that describes a folder.
const NODE_FILE: &str = "NODE.md";

/// What local links are resolved against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'a> {
    /// Canonical root of the brain.
    pub(crate) brain: &'a Path,
    /// Alias of the artifact's project.
    pub(crate) own: &'a str,
    /// The other projects.
    pub(crate) aliases: &'a Aliases,
    /// Whether private places may be read.
    pub(crate) allow_private: bool,
}

/// A file that a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Canonical path.
    pub(crate) path: PathBuf,
    /// The same for readers: relative to its root, so that it is the same on every machine.
    pub(crate) source: String,
}

/// The file that a local form leads to. A `#fragment` is taken as a part of the name first.
///
/// # Errors
/// Why there is none. Other forms are [`Reason::UnsupportedScheme`].
pub(crate) fn locate(form: &Form<'_>, places: &Places<'_>) -> Result<Found, Reason> {
    match *form {
        Form::Tree(path) | Form::Relative(path) => {
            with_and_without_fragment(path, |path| in_brain(places.brain, path, places))
        }
        Form::Thread { alias, slug } => with_and_without_fragment(slug, |slug| {
            let brain = project(alias, places)?.brain;
            let brain = reachable(brain).ok_or(Reason::AliasRootUnreachable)?;
            let ways = ["threads", "archive"].map(|folder| format!("{folder}/{slug}/thread.md"));
            first_of(&brain, &ways, places)
        })
        .map(|found| found.behind(alias)),
        Form::Alias { alias, path } => {
            with_and_without_fragment(path, |path| in_project(alias, path, places))
                .map(|found| found.behind(alias))
        }
        Form::File(rest) => in_file_system(rest, places),
        Form::Http | Form::Mcp { .. } | Form::Unsupported => Err(Reason::UnsupportedScheme),
    }
}

/// What to do about a link that leads nowhere, where that can be said.
pub(crate) fn hint(form: &Form<'_>, reason: &Reason, places: &Places<'_>) -> Option<String> {
    let (Form::Thread { alias, .. } | Form::Alias { alias, .. }) = form else {
        return None;
    };
    match reason {
        Reason::UnknownAlias => {
            let nearest = places.aliases.nearest(alias)?;
            Some(format!("did you mean `{nearest}`?"))
        }
        Reason::AliasRootUnreachable => {
            let written = places.aliases.get(alias)?.written;
            let folders: Vec<String> = written.iter().map(|path| format!("`{path}`")).collect();
            Some(match folders.as_slice() {
                [] => format!("`{alias}` names no folder"),
                [one] => format!("{one} is no folder that can be listed"),
                several => format!("neither of {} can be listed", several.join(", ")),
            })
        }
        _ => None,
    }
}

/// The bytes of a file that was found.
///
/// # Errors
/// It can not be read.
pub(crate) fn read(found: &Found) -> Result<Vec<u8>, Reason> {
    read_resolved(&found.path, DOCUMENT_MAX_BYTES).map_err(reason)
}

/// The failure of a system call in the words of `## Unresolved refs`.
fn reason(error: HostError) -> Reason {
    match error {
        // A link stands where none was when the path was resolved.
        HostError::Outside { .. } | HostError::Symlink { .. } => Reason::PathEscapesRoot,
        HostError::NotRegular { kind, .. } => Reason::NotAFile(kind),
        HostError::TooLarge { .. } => Reason::TooLarge,
        error if error.kind() == Some(ErrorKind::PermissionDenied) => Reason::Unreadable,
        // A file where the path has a folder, a name that is too long: nothing is there.
        _ => Reason::NotFound,
    }
}

/// A relative path as text, with `/` between its components.
pub(crate) fn relative_text(path: &Path) -> String {
    let parts: Vec<Cow<'_, str>> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

impl Found {
    /// The same, named by the alias of its project.
    fn behind(self, alias: &str) -> Self {
        Self {
            source: format!("{alias}:{}", self.source),
            ..self
        }
    }
}

/// Tries a path as it is, then without its `#fragment`, which stays in the link.
fn with_and_without_fragment(
    path: &str,
    look: impl Fn(&str) -> Result<Found, Reason>,
) -> Result<Found, Reason> {
    match (look(path), split_fragment(path)) {
        (Err(Reason::NotFound), (before, Some(_))) => look(before),
        (found, _) => found,
    }
}

fn in_brain(brain: &Path, path: &str, places: &Places<'_>) -> Result<Found, Reason> {
    let mut ways = vec![path.to_owned(), format!("tree/{path}")];
    let stripped = OLD_PREFIXES.iter().find_map(|old| path.strip_prefix(old));
    ways.extend(stripped.map(str::to_owned));
    first_of(brain, &ways, places)
}

/// A path of another project: in its brain, else in its repository.
fn in_project(alias: &str, path: &str, places: &Places<'_>) -> Result<Found, Reason> {
    let project = project(alias, places)?;
    let (brain, root) = (reachable(project.brain), reachable(project.root));
    if brain.is_none() && root.is_none() {
        return Err(Reason::AliasRootUnreachable);
    }
    let found = brain.map_or(Err(Reason::NotFound), |brain| {
        in_brain(&brain, path, places)
    });
    match (found, root) {
        (Err(Reason::NotFound), Some(root)) => first_of(&root, &[path.to_owned()], places),
        (found, _) => found,
    }
}

fn project(alias: &str, places: &Places<'_>) -> Result<Project, Reason> {
    places.aliases.get(alias).ok_or(Reason::UnknownAlias)
}

/// The canonical path of a folder that can be listed.
fn reachable(folder: Option<PathBuf>) -> Option<PathBuf> {
    let folder = folder?.canonicalize().ok()?;
    folder.read_dir().is_ok().then_some(folder)
}

/// The first of several ways below `root` at which something is. A way that is refused ends the search: what lies
/// behind it must not decide.
fn first_of(root: &Path, ways: &[String], places: &Places<'_>) -> Result<Found, Reason> {
    for way in ways {
        match below(root, Path::new(way), places) {
            Err(Reason::NotFound) => {}
            found => return found,
        }
    }
    Err(Reason::NotFound)
}

/// The file at `relative` below the canonical `root`; for a folder, the file that describes it.
fn below(root: &Path, relative: &Path, places: &Places<'_>) -> Result<Found, Reason> {
    if leaves(relative) {
        return Err(Reason::PathEscapesRoot);
    }
    let path = resolve(root, relative, places)?;
    if !path.is_dir() {
        return found(root, path);
    }
    let named = path.file_name().map(|name| {
        let mut name = name.to_os_string();
        name.push(".md");
        name
    });
    for name in std::iter::once(NODE_FILE.into()).chain(named) {
        match resolve(root, &path.join(name), places) {
            Err(Reason::NotFound) => {}
            described => return found(root, described?),
        }
    }
    Err(Reason::NotFound)
}

fn found(root: &Path, path: PathBuf) -> Result<Found, Reason> {
    file_stamp(&path).map_err(reason)?;
    let source = relative_text(path.strip_prefix(root).unwrap_or(&path));
    Ok(Found { path, source })
}

/// The canonical path of what stands at `relative` below `root`, which nothing forbids to read.
fn resolve(root: &Path, relative: &Path, places: &Places<'_>) -> Result<PathBuf, Reason> {
    if !places.allow_private && is_private(relative) {
        return Err(Reason::BlockedPrivate);
    }
    let given = root.join(relative);
    let path = confine(root, &given).map_err(reason)?;
    if !places.allow_private && is_private(&path) {
        return Err(Reason::BlockedPrivate);
    }
    // Both ways, of which the second is the one that is opened: the first may lead elsewhere by now.
    for way in [&given, &path] {
        match excluded_by(Path::new("/"), way) {
            Ok(None) => {}
            Ok(Some(_)) => return Err(Reason::ExcludedByMarker),
            Err(error) => return Err(reason(error)),
        }
    }
    Ok(path)
}

/// Whether a relative path leaves its root by its names, whatever exists.
fn leaves(relative: &Path) -> bool {
    let mut depth = 0_usize;
    for part in relative.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return true,
            },
            Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

/// An absolute path behind `file://`, as it is written, then with its percent signs decoded.
fn in_file_system(rest: &str, places: &Places<'_>) -> Result<Found, Reason> {
    let (host, path) = rest.find('/').map_or((rest, ""), |at| {
        rest.split_at_checked(at).unwrap_or((rest, ""))
    });
    if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
        return Err(Reason::UnsupportedScheme);
    }
    let look = |path: &str| {
        let relative = path.trim_start_matches('/');
        below(Path::new("/"), Path::new(relative), places).map(|found| Found {
            source: format!("file:///{}", found.source),
            ..found
        })
    };
    let decoded = percent_decode_str(path).decode_utf8();
    match (with_and_without_fragment(path, look), decoded) {
        (Err(Reason::NotFound), Ok(decoded)) if decoded != path => {
            with_and_without_fragment(&decoded, look)
        }
        (found, _) => found,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
