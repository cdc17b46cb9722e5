//! A manifest of markers: refused with nothing written, or markers in the project and nothing else.

use super::job::told;
use super::scratch::Scratch;
use crate::markers::{Task, maintain};
use crate::policy::MARKER_FILE;
use std::cell::OnceCell;
use std::path::Path;
use vibey_context_contracts::markers::manifest::{MARKERS_MAX, parse};
use vibey_context_contracts::markers::result::{MarkersResult, Status};

/// Guidance that a manifest may name.
const GUIDANCE: [&str; 2] = ["g.md", "docs/guidance.md"];

thread_local! {
    static PLACE: OnceCell<Scratch> = const { OnceCell::new() };
}

/// Any bytes are refused, or markers stand where the manifest says.
pub(super) fn manifest(data: &[u8]) {
    written(data);
}

/// The same; how many markers were written.
pub(super) fn written(data: &[u8]) -> usize {
    match parse(data) {
        Ok(manifest) => assert!((1..=MARKERS_MAX).contains(&manifest.markers.len())),
        Err(error) => told(&error, data),
    }
    PLACE.with(|place| applied(place.get_or_init(Scratch::new), data))
}

fn applied(scratch: &Scratch, data: &[u8]) -> usize {
    scratch.clear();
    scratch.file("outside.md", b"not of the project\n");
    scratch.file("project/m.json", data);
    for name in GUIDANCE {
        scratch.file(&format!("project/{name}"), b"Generated. Ask its owner.\n");
    }
    let before = scratch.files();
    let project = scratch.at("project");
    let run = |task| maintain(&project, Path::new("m.json"), task);
    let checked = run(Task::Check);
    assert_eq!(scratch.files(), before, "a check has written");
    assert_eq!(checked.markers.is_empty(), checked.error.is_some());
    let done = run(Task::Apply);
    let after: Vec<_> = scratch
        .files()
        .into_iter()
        .filter(|path| !before.contains(path))
        .collect();
    if done.status != Status::Ok {
        let none = done.markers.is_empty();
        assert!(!none || after.is_empty(), "refused, and {after:?} written");
        return 0;
    }
    let own = |path: &Path| path.starts_with("project/.vibey/markers");
    let markers: Vec<_> = after.iter().filter(|path| !own(path)).collect();
    assert_eq!(markers.len(), done.markers.len(), "{after:?}");
    for marker in markers {
        assert!(marker.starts_with("project") && marker.ends_with(MARKER_FILE));
    }
    right(&run(Task::Check));
    right(&run(Task::Apply));
    done.markers.len()
}

fn right(result: &MarkersResult) {
    assert_eq!(result.status, Status::Ok, "{result:?}");
}
