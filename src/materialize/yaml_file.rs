//! What does a YAML file say that a run depends on? Whatever is wrong with it refuses the run, by file, line and
//! column.

use super::refused::Refused;
use crate::text::lines::normalise;
use crate::text::yaml::{Fault, Mapping, Node, mapping};
use std::path::Path;
use vibey_context_host::read::read_regular;
use vibey_context_host::resolved::read_resolved;

/// Bytes of a file that are read: an artifact may be long, although its YAML may not.
const FILE_LIMIT_BYTES: u64 = 10 * 1024 * 1024;

/// The text of a file, without byte order mark, its lines ending in a line feed alone.
///
/// # Errors
/// [`Refused::Host`] or [`Refused::NotText`].
pub(crate) fn text(path: &Path) -> Result<String, Refused> {
    decoded(path, read_regular(path, FILE_LIMIT_BYTES)?)
}

/// As [`text`], at a canonical path: what has become a link since is not followed.
///
/// # Errors
/// As [`text`].
pub(crate) fn resolved_text(path: &Path) -> Result<String, Refused> {
    decoded(path, read_resolved(path, FILE_LIMIT_BYTES)?)
}

fn decoded(path: &Path, bytes: Vec<u8>) -> Result<String, Refused> {
    let text = String::from_utf8(bytes).map_err(|_| Refused::NotText {
        path: path.to_path_buf(),
    })?;
    Ok(normalise(&text).into_owned())
}

/// The mapping that a file is; `None` where there is no such file.
///
/// # Errors
/// As [`text`], and [`Refused::Yaml`].
pub(crate) fn read(path: &Path) -> Result<Option<Mapping>, Refused> {
    match text(path) {
        Ok(text) => mapping(&text, 1)
            .map(Some)
            .map_err(|fault| refusal(path, fault)),
        Err(Refused::Host(missing)) if missing.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text of a key that a run depends on; `None` where it is missing, null or empty.
///
/// # Errors
/// [`Refused::Yaml`] for a list or a mapping.
pub(crate) fn needed_text<'m>(
    map: &'m Mapping,
    key: &str,
    path: &Path,
) -> Result<Option<&'m str>, Refused> {
    let Some(node) = map.get(key) else {
        return Ok(None);
    };
    match no_text(key, node) {
        Some(reason) => Err(Refused::Yaml {
            path: path.to_path_buf(),
            line: node.place.line,
            column: node.place.column,
            reason,
        }),
        None => Ok(node.text()),
    }
}

/// What is wrong with the value of a key that is no text.
pub(crate) fn no_text(key: &str, node: &Node) -> Option<String> {
    let what = node.not_a_text()?;
    Some(format!("`{key}` is {what}, and a text is expected"))
}

/// A fault with the file that it is in.
pub(crate) fn refusal(path: &Path, fault: Fault) -> Refused {
    Refused::Yaml {
        path: path.to_path_buf(),
        line: fault.place.line,
        column: fault.place.column,
        reason: fault.reason,
    }
}
