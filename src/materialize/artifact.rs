//! Which file is the artifact, and what does it say about itself?

use super::local::relative_text;
use super::nearby::nearby;
use super::refused::Refused;
use super::yaml_file::{self, needed_text, no_text};
use crate::policy::excluded_by;
use crate::text::frontmatter;
use crate::text::markdown::outline;
use crate::text::neutralise::plain_line;
use crate::text::yaml::{Mapping, Node, Value, mapping};
use std::path::{Path, PathBuf};
use vibey_context_host::error::HostError;
use vibey_context_host::path::{RelPath, confine};
use vibey_context_host::read::{EntryKind, list_dir};

/// Bytes of a name that becomes a folder: half of what file systems allow, so that something may be appended.
const NAME_MAX_BYTES: usize = 128;

/// Names of files that say nothing; what such a file is called by is its folder.
pub(crate) const FIXED_NAMES: [&str; 3] = ["thread.md", "NODE.md", "impl-spec.md"];

/// The artifact whose links are walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Artifact {
    /// Canonical path.
    pub(crate) path: PathBuf,
    /// The same relative to the brain, with `/`.
    pub(crate) relative: String,
    /// One safe path component.
    pub(crate) id: String,
    /// One safe path component; `None` where the artifact names none.
    pub(crate) primary_project: Option<String>,
    /// What it calls itself, else its id.
    pub(crate) title: String,
    /// Its links in their order.
    pub(crate) links: Vec<Link>,
    /// Whether it is of a kind that has links.
    pub(crate) accepted: bool,
    /// One sentence each.
    pub(crate) warnings: Vec<String>,
}

/// One entry of `soft_links`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// As it is written; `None` where the entry has none.
    pub(crate) uri: Option<String>,
    /// As it is written.
    pub(crate) role: Option<String>,
    /// What is wrong with the entry, a sentence each.
    pub(crate) warnings: Vec<String>,
}

/// The canonical path of the artifact: the named one, or the one file of `cwd` that can be one.
///
/// # Errors
/// It does not exist, lies outside the brain, or is not clear.
pub(crate) fn locate(named: Option<&Path>, cwd: &Path, brain: &Path) -> Result<PathBuf, Refused> {
    let path = named.map_or_else(|| cwd.to_path_buf(), |path| cwd.join(path));
    let found = match confine(brain, &path) {
        Ok(found) => found,
        // Nobody said that the working directory were an artifact.
        Err(_) if named.is_none() => {
            return Err(Refused::ArtifactUnclear {
                folder: path,
                names: Vec::new(),
            });
        }
        Err(HostError::Outside { .. }) => {
            let canonical = path.canonicalize().unwrap_or(path);
            return Err(Refused::ArtifactEscapes { canonical });
        }
        Err(_) => {
            // From elsewhere only what was typed can look like a path of the brain.
            let typed = named.filter(|_| !path.starts_with(brain));
            let nearby = nearby(brain, typed.unwrap_or(&path), cwd);
            return Err(Refused::ArtifactMissing { path, nearby });
        }
    };
    // Both ways, of which the second is the one that is opened: the first may lead elsewhere by now.
    for way in [&path, &found] {
        if let Some(marker) = excluded_by(Path::new("/"), way)? {
            return Err(Refused::ArtifactExcluded {
                path: found.clone(),
                marker: Path::new("/").join(marker),
            });
        }
    }
    if found.is_dir() {
        only_file(&found, brain)
    } else {
        Ok(found)
    }
}

/// The one file in a folder that can be an artifact.
fn only_file(folder: &Path, brain: &Path) -> Result<PathBuf, Refused> {
    let mut fitting: Vec<PathBuf> = list_dir(folder)?
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::File)
        .map(|entry| folder.join(entry.name))
        .filter(|path| path.strip_prefix(brain).is_ok_and(is_accepted))
        .collect();
    match (fitting.pop(), fitting.is_empty()) {
        (Some(path), true) => Ok(path),
        (last, _) => Err(Refused::ArtifactUnclear {
            folder: folder.to_path_buf(),
            names: fitting
                .iter()
                .chain(&last)
                .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
                .collect(),
        }),
    }
}

/// Whether a path relative to the brain is a thread, a leaf, a NODE.md, an impl-spec, or a leaf that a thread has
/// staged for the tree (below `threads/SLUG/`, in a folder whose name holds `stag`).
fn is_accepted(relative: &Path) -> bool {
    let text = relative_text(relative);
    let parts: Vec<&str> = text.split('/').collect();
    match parts.as_slice() {
        [.., "NODE.md" | "impl-spec.md"] => true,
        ["threads" | "archive", _, "thread.md"] => true,
        ["tree", .., name] => name.ends_with(".md"),
        ["threads", _, staging, .., name] => staging.contains("stag") && name.ends_with(".md"),
        _ => false,
    }
}

/// Reads an artifact at a canonical path below `brain`.
///
/// # Errors
/// Its frontmatter can not be read, has no list of links, or names a folder that would leave its place.
pub(crate) fn read(path: &Path, brain: &Path) -> Result<Artifact, Refused> {
    let text = yaml_file::resolved_text(path)?;
    let (map, body_start) = frontmatter_of(&text, path)?;
    let relative = path.strip_prefix(brain).unwrap_or(path);
    let id = name(&map, "id", path)?.map_or_else(|| fallback_id(relative, path), Ok)?;
    let body = text.get(body_start..).unwrap_or_default();
    let heading = || {
        let headings = outline(body).headings;
        let first = headings.into_iter().find(|heading| heading.level == 1);
        first.map(|heading| heading.text)
    };
    let title = map.text("title").map(str::to_owned).or_else(heading);
    let no_title = map.get("title").and_then(|node| no_text("title", node));
    Ok(Artifact {
        warnings: no_title.into_iter().collect(),
        relative: relative_text(relative),
        accepted: is_accepted(relative),
        primary_project: name(&map, "primary_project", path)?,
        title: title.unwrap_or_else(|| id.clone()),
        links: links(&map, path)?,
        path: path.to_path_buf(),
        id,
    })
}

fn frontmatter_of(text: &str, path: &Path) -> Result<(Mapping, usize), Refused> {
    let path = || path.to_path_buf();
    let Some(opening) = frontmatter::opening(text) else {
        return Err(Refused::NoSoftLinks { path: path() });
    };
    let Some(closing) = frontmatter::closing(text, &opening) else {
        return Err(Refused::Yaml {
            path: path(),
            line: opening.line,
            column: 1,
            reason: "no line `---` closes the frontmatter".to_owned(),
        });
    };
    let block = text.get(opening.content_start..closing.block_end);
    let map = mapping(block.unwrap_or_default(), opening.content_line)
        .map_err(|fault| yaml_file::refusal(&path(), fault))?;
    Ok((map, closing.body_start))
}

/// The entries of `soft_links`.
fn links(map: &Mapping, path: &Path) -> Result<Vec<Link>, Refused> {
    let Some(node) = map.get("soft_links") else {
        return Err(Refused::NoSoftLinks {
            path: path.to_path_buf(),
        });
    };
    match &node.value {
        Value::Null => Ok(Vec::new()),
        Value::List(items) => {
            let numbered = items.iter().zip(1..);
            Ok(numbered.map(|(item, number)| link(item, number)).collect())
        }
        Value::Text(_) | Value::Map(_) => Err(Refused::Yaml {
            path: path.to_path_buf(),
            line: node.place.line,
            column: node.place.column,
            reason: "`soft_links` is not a list".to_owned(),
        }),
    }
}

fn link(item: &Node, number: usize) -> Link {
    let part = |key| item.map()?.text(key).map(str::to_owned);
    let uri = item.text().map(str::to_owned).or_else(|| part("uri"));
    let entry = format!("entry {number} of `soft_links`");
    let place = format!("(line {})", item.place.line);
    let keys = item.map().into_iter().flat_map(Mapping::iter);
    let mut warnings: Vec<String> = keys
        .filter(|(key, _)| matches!(*key, "uri" | "role"))
        .filter_map(|(key, node)| no_text(key, node))
        .map(|fault| format!("{entry}: {fault} {place}"))
        .collect();
    if uri.is_none() && warnings.is_empty() {
        warnings.push(format!("{entry} has no `uri` {place}"));
    }
    Link {
        uri,
        role: part("role"),
        warnings,
    }
}

/// The value of a key that becomes the name of a folder.
fn name(map: &Mapping, key: &'static str, path: &Path) -> Result<Option<String>, Refused> {
    let text = needed_text(map, key, path)?;
    match map.get(key) {
        Some(node) if node.value != Value::Null => {
            safe_name(key, text.unwrap_or_default(), path).map(Some)
        }
        _ => Ok(None),
    }
}

/// A text that names one folder and nothing outside it.
///
/// # Errors
/// [`Refused::UnsafeName`].
pub(crate) fn safe_name(key: &'static str, text: &str, path: &Path) -> Result<String, Refused> {
    let why = match RelPath::new(text) {
        Err(_) if text.starts_with('/') => "is an absolute path",
        Err(HostError::InvalidComponent { reason, .. }) => reason,
        Err(_) => "is no name",
        Ok(name) if name.parent().is_some() => "holds a slash",
        Ok(_) if text.len() > NAME_MAX_BYTES => "is too long",
        Ok(_) => return Ok(text.to_owned()),
    };
    Err(Refused::UnsafeName {
        path: path.to_path_buf(),
        key,
        value: plain_line(text),
        why,
    })
}

/// The slug of a thread and the folder of other fixed names; else the stem of the file.
fn fallback_id(relative: &Path, path: &Path) -> Result<String, Refused> {
    let named = relative
        .file_name()
        .is_some_and(|name| FIXED_NAMES.iter().any(|fixed| name == *fixed));
    let folder = path.parent().and_then(Path::file_name);
    let name = match folder {
        Some(folder) if named => Some(folder),
        _ => relative.file_stem(),
    };
    let text = name.unwrap_or_default().to_string_lossy();
    safe_name("id", &text, path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
