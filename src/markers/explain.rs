//! May an agent read a path, which marker says so, and does what it says fit?

use super::fault::Fault;
use super::guidance::FILE_MAX_BYTES;
use super::root::Root;
use crate::policy::markers_over;
use std::path::Path;
use vibey_context_contracts::markers::VERSION;
use vibey_context_contracts::markers::answer::{
    DecidingMarker, Explanation, MarkerContent, SHOWN_MAX_BYTES,
};
use vibey_context_host::error::HostError;
use vibey_context_host::read::read_regular_nofollow;

/// Says which marker keeps agents from `path`, a path relative to the project `root` or below it.
///
/// # Errors
/// The project is none, the path leads out of it, or a folder on the way can not be looked into.
pub fn explain(root: &Path, path: &Path) -> Result<Explanation, Fault> {
    let root = Root::open(root)?;
    let markers = markers_over(root.path(), path).map_err(|error| refused(&error))?;
    let mut markers = markers
        .into_iter()
        .map(|marker| marker.to_string_lossy().into_owned());
    let marker = markers.next().map(|path| deciding(root.path(), path));
    Ok(Explanation {
        version: VERSION,
        path: path.to_string_lossy().into_owned(),
        readable: marker.is_none(),
        marker,
        shadowed: markers.collect(),
    })
}

fn refused(error: &HostError) -> Fault {
    if matches!(error, HostError::Outside { .. }) {
        let message = "the path leads out of the project; name one inside";
        return Fault::new("outside", message);
    }
    Fault::host("the way to the path cannot be looked at", error)
}

fn deciding(root: &Path, path: String) -> DecidingMarker {
    let reason = format!("excluded by `{path}`");
    let (content, guidance_bytes) = content(&root.join(&path));
    // A line break parts the two.
    let shown_bytes = match guidance_bytes {
        0 => reason.len() as u64,
        bytes => reason.len() as u64 + 1 + bytes,
    };
    DecidingMarker {
        path,
        content,
        reason,
        shown_bytes,
        exceeds_limit: shown_bytes > SHOWN_MAX_BYTES,
    }
}

/// What is in a marker, and how many bytes of it can be shown.
fn content(path: &Path) -> (MarkerContent, u64) {
    match read_regular_nofollow(path, FILE_MAX_BYTES) {
        Ok(bytes) if bytes.is_empty() => (MarkerContent::Empty, 0),
        Ok(bytes) if std::str::from_utf8(&bytes).is_ok() => {
            (MarkerContent::Guidance, bytes.len() as u64)
        }
        Ok(_) | Err(_) => (MarkerContent::Broken, 0),
    }
}
