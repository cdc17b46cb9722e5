//! May an agent read this path, or does a marker on the way to it keep agents out?
//!
//! A marker is an entry named [`MARKER_FILE`] in a folder: it excludes the folder and all below it. Whatever has that name
//! counts, be it a link that leads nowhere, a FIFO, a folder or a file that is no text: who wanted agents out and made a
//! mistake still wants them out.
//!
//! Two ways lead to a path: the one that was given, and the one that is left when every symlink is resolved. A marker on
//! either excludes, so that no link leads around one. Of several the outermost decides.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use vibey_context_host::error::{HostError, Result};
use vibey_context_host::path::resolve;
use vibey_context_host::read::kind_of;

/// The marker that keeps agents, and so everything that we do for them, out of a folder and all below it.
pub const MARKER_FILE: &str = ".agent-no-read.md";

/// The marker that keeps agents from `path`, relative to `root`; `None` where they may read it.
///
/// # Errors
/// As [`markers_over`]. Who can not tell does not read.
pub fn excluded_by(root: &Path, path: &Path) -> Result<Option<PathBuf>> {
    Ok(markers_over(root, path)?.into_iter().next())
}

/// Every marker over `path`, relative to `root`: first the one that decides, then those that are shadowed by it.
///
/// `path` is absolute or starts at `root`, and need not exist. A marker in `path` itself counts where that is a folder, and
/// one in `root` counts; what lies above `root` is not looked at.
///
/// # Errors
/// [`HostError::Outside`] where `path` really lies outside `root`; [`HostError::Io`] where `root` does not exist or a folder
/// can not be looked into.
pub fn markers_over(root: &Path, path: &Path) -> Result<Vec<PathBuf>> {
    let real_root = root.canonicalize().map_err(|cause| HostError::Io {
        operation: "resolve",
        path: root.to_path_buf(),
        cause,
    })?;
    let real = resolve(&real_root.join(path))?;
    let Ok(real) = real.strip_prefix(&real_root) else {
        return Err(HostError::Outside {
            path: path.to_path_buf(),
            root: root.to_path_buf(),
        });
    };
    let given = plain(&root.join(path));
    let given = given
        .strip_prefix(plain(root))
        .or_else(|_| given.strip_prefix(&real_root));
    // A path that is spelled around the root has no given way through it.
    let mut found = match given {
        Ok(given) => markers_along(&real_root, given)?,
        Err(_) => Vec::new(),
    };
    found.extend(markers_along(&real_root, real)?);
    // Stable: of two equally far out the one on the given way comes first.
    found.sort_by_key(|marker| marker.components().count());
    let mut seen = BTreeSet::new();
    let mut distinct = Vec::new();
    for marker in found {
        let folder = resolve(&real_root.join(marker.with_file_name("")))?;
        if seen.insert(folder) {
            distinct.push(marker);
        }
    }
    Ok(distinct)
}

/// Whether a marker stands in `folder`.
///
/// # Errors
/// [`HostError::Io`] where the folder can not be looked into.
pub fn is_marked(folder: &Path) -> Result<bool> {
    Ok(kind_of(&folder.join(MARKER_FILE))?.is_some())
}

/// The markers in `root` and in each folder from there to `path`, relative to `root`.
fn markers_along(root: &Path, path: &Path) -> Result<Vec<PathBuf>> {
    let mut folder = PathBuf::new();
    let mut found = Vec::new();
    let mut rest = path.components();
    loop {
        if is_marked(&root.join(&folder))? {
            found.push(folder.join(MARKER_FILE));
        }
        match rest.next() {
            Some(name) => folder.push(name),
            None => return Ok(found),
        }
    }
}

/// The path without `.` and `..`, as it is written: `a/../b` is `b`, whatever `a` is.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            // Above the root of the file system is the root again.
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use vibey_context_host::write::{Durability, create_folder};

    /// A tree with a marker in each of the folders named; an empty name marks the root.
    fn tree(folders: &[&str], marked: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for folder in folders {
            create_folder(&dir.path().join(folder), Durability::Rebuildable).unwrap();
        }
        for folder in marked {
            std::fs::write(dir.path().join(folder).join(MARKER_FILE), "").unwrap();
        }
        dir
    }

    fn over(root: &Path, path: &str) -> Vec<String> {
        let markers = markers_over(root, Path::new(path)).unwrap();
        let folder = |marker: PathBuf| marker.parent().unwrap().to_str().unwrap().to_owned();
        markers.into_iter().map(folder).collect()
    }

    #[test]
    fn the_outermost_marker_decides_and_the_others_are_shadowed() {
        let dir = tree(&["a/b/c", "d"], &["a", "a/b/c"]);
        assert_eq!(over(dir.path(), "a/b/c/file.rs"), ["a", "a/b/c"]);
        assert_eq!(over(dir.path(), "a/b"), ["a"]);
        assert_eq!(over(dir.path(), "a"), ["a"]);
        assert_eq!(over(dir.path(), "d/file.rs"), [""; 0]);
        assert_eq!(over(dir.path(), ""), [""; 0]);
        std::fs::write(dir.path().join(MARKER_FILE), "").unwrap();
        assert_eq!(over(dir.path(), "d"), [""]);
        let decides = excluded_by(dir.path(), Path::new("a/b")).unwrap();
        assert_eq!(decides, Some(PathBuf::from(MARKER_FILE)));
    }

    #[test]
    fn what_does_not_exist_yet_is_decided_by_the_folders_that_do() {
        let dir = tree(&["a"], &["a"]);
        assert_eq!(over(dir.path(), "a/new/file.rs"), ["a"]);
        std::fs::write(dir.path().join("plain"), "").unwrap();
        assert_eq!(over(dir.path(), "plain"), [""; 0]);
        assert_eq!(over(dir.path(), "plain/below"), [""; 0]);
    }

    #[test]
    fn both_the_given_and_the_real_way_count() {
        let dir = tree(&["deep/real/x", "marked"], &["deep/real", "marked"]);
        symlink("deep/real/x", dir.path().join("link")).unwrap();
        symlink("../deep", dir.path().join("marked/way")).unwrap();
        assert_eq!(over(dir.path(), "link/file"), ["deep/real"]);
        assert_eq!(over(dir.path(), "marked/way/file"), ["marked"]);
        assert_eq!(
            over(dir.path(), "marked/way/real/x"),
            ["marked", "deep/real"]
        );
        // Spelled through a sibling, and with the root's own name.
        assert_eq!(over(dir.path(), "link/../file"), ["deep/real"]);
        let absolute = dir.path().join("deep/../marked/./way");
        assert_eq!(over(dir.path(), absolute.to_str().unwrap()), ["marked"]);
    }

    #[test]
    fn one_marker_that_is_reached_on_both_ways_is_one() {
        let dir = tree(&["real"], &["real"]);
        symlink("real", dir.path().join("link")).unwrap();
        assert_eq!(over(dir.path(), "link/file"), ["link"]);
    }

    #[test]
    fn a_root_that_is_reached_by_a_link_is_the_same_root() {
        let dir = tree(&["project/a"], &["project/a", ""]);
        let link = dir.path().join("elsewhere");
        symlink("project", &link).unwrap();
        assert_eq!(over(&link, "a/file"), ["a"]);
        let real = dir.path().join("project/a/file");
        assert_eq!(over(&link, real.to_str().unwrap()), ["a"]);
        let given = link.join("a/file");
        assert_eq!(
            over(&dir.path().join("project"), given.to_str().unwrap()),
            ["a"]
        );
    }

    #[test]
    fn a_broken_marker_excludes_too() {
        let dir = tree(&["link", "folder/.agent-no-read.md", "binary"], &[]);
        symlink("nowhere", dir.path().join("link").join(MARKER_FILE)).unwrap();
        std::fs::write(dir.path().join("binary").join(MARKER_FILE), b"\xff\0").unwrap();
        for folder in ["link", "folder", "binary"] {
            assert_eq!(over(dir.path(), folder), [folder]);
        }
    }

    #[test]
    fn what_leads_out_of_the_root_is_an_error() {
        let dir = tree(&["project", "project-2"], &[]);
        let root = dir.path().join("project");
        symlink("../project-2", root.join("out")).unwrap();
        for path in ["..", "../project-2/x", "out", "out/new", "/"] {
            let refused = markers_over(&root, Path::new(path)).unwrap_err();
            assert!(matches!(refused, HostError::Outside { .. }), "{path}");
        }
        assert!(markers_over(&dir.path().join("none"), Path::new("x")).is_err());
    }

    #[test]
    fn a_circle_of_links_is_an_error_not_a_yes() {
        let dir = tree(&[], &[]);
        symlink("circle", dir.path().join("circle")).unwrap();
        assert!(markers_over(dir.path(), Path::new("circle/x")).is_err());
    }
}
