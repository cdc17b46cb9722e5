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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::super::bed::Project;
    use super::*;

    fn answer(project: &Project, path: &str) -> Explanation {
        explain(project.path(), Path::new(path)).unwrap()
    }

    #[test]
    fn the_outermost_marker_decides_and_its_size_is_told() {
        let project = Project::new(&[]);
        project.file("a/.agent-no-read.md", "why\n");
        project.file("a/b/.agent-no-read.md", "");
        let found = answer(&project, "a/b/file");
        assert_eq!(found.shadowed, ["a/b/.agent-no-read.md"]);
        assert!(!found.readable);
        let marker = found.marker.unwrap();
        assert_eq!(marker.path, "a/.agent-no-read.md");
        assert_eq!(marker.content, MarkerContent::Guidance);
        let expected = "excluded by `a/.agent-no-read.md`\nwhy\n".len() as u64;
        assert_eq!(
            (marker.shown_bytes, marker.exceeds_limit),
            (expected, false)
        );
        let free = answer(&project, "docs/guide.md");
        assert!(free.readable && free.marker.is_none() && free.shadowed.is_empty());
    }

    #[test]
    fn reason_and_guidance_share_one_kibibyte() {
        let project = Project::new(&[]);
        let around = "excluded by `a/.agent-no-read.md`\n".len();
        for (more, exceeds) in [(0, false), (1, true)] {
            project.file("a/.agent-no-read.md", "x".repeat(1024 - around + more));
            let marker = answer(&project, "a").marker.unwrap();
            assert_eq!(marker.exceeds_limit, exceeds);
        }
    }

    #[test]
    fn a_broken_or_empty_marker_excludes_too() {
        let project = Project::new(&[]);
        project.file("a/.agent-no-read.md", b"\xff");
        project.folder("b/.agent-no-read.md");
        project.folder("c");
        project.link("../docs/guide.md", "c/.agent-no-read.md");
        project.file("d/.agent-no-read.md", "");
        for (path, content) in [
            ("a", MarkerContent::Broken),
            ("b", MarkerContent::Broken),
            ("c", MarkerContent::Broken),
            ("d", MarkerContent::Empty),
        ] {
            let found = answer(&project, path);
            assert_eq!(
                (found.readable, found.marker.unwrap().content),
                (false, content)
            );
        }
    }

    #[test]
    fn what_lies_outside_is_no_question() {
        let project = Project::new(&[]);
        for path in ["..", "/etc/passwd", "docs/../../x"] {
            let fault = explain(project.path(), Path::new(path)).unwrap_err();
            assert_eq!(fault.code, "outside");
            assert!(!fault.message.contains("etc"));
        }
    }
}
