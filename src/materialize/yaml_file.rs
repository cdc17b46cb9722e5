//! What does a YAML file say that a run depends on? Whatever is wrong with it refuses the run, by file, line and
//! column.

use super::refused::Refused;
use crate::text::lines::normalise;
use crate::text::yaml::{Fault, Mapping, mapping};
use std::path::Path;
use vibey_context_host::read::read_regular;

/// Bytes of a file that are read: an artifact may be long, although its YAML may not.
const FILE_LIMIT_BYTES: u64 = 10 * 1024 * 1024;

/// The text of a file, without byte order mark, its lines ending in a line feed alone.
///
/// # Errors
/// [`Refused::Host`] or [`Refused::NotText`].
pub(crate) fn text(path: &Path) -> Result<String, Refused> {
    let bytes = read_regular(path, FILE_LIMIT_BYTES)?;
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

/// A fault with the file that it is in.
pub(crate) fn refusal(path: &Path, fault: Fault) -> Refused {
    Refused::Yaml {
        path: path.to_path_buf(),
        line: fault.place.line,
        column: fault.place.column,
        reason: fault.reason,
    }
}
