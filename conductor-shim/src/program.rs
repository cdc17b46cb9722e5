//! Which file is meant by the name of a program?
//!
//! Looked up here and not by the system, which would look in the folder that the program is to run in: there an agent
//! writes, and what an agent writes must not choose what we run.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Any of the three bits that let somebody execute a file.
const EXECUTE: u32 = 0o111;

/// The program `name`: with a `/` relative to `base`, else the first executable file in the folders of `path` (relative
/// ones are relative to `base` too), else the first file there. `None` where there is nothing of that name.
#[must_use]
pub fn find(name: &OsStr, path: Option<&OsStr>, base: &Path) -> Option<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return Some(base.join(name));
    }
    if name.is_empty() {
        return None;
    }
    let mut second_best = None;
    for folder in path?.as_bytes().split(|byte| *byte == b':') {
        let candidate = base.join(OsStr::from_bytes(folder)).join(name);
        match candidate.metadata() {
            Ok(found) if found.is_file() && found.permissions().mode() & EXECUTE != 0 => {
                return Some(candidate);
            }
            Ok(found) if found.is_file() => {
                second_best.get_or_insert(candidate);
            }
            _ => {}
        }
    }
    second_best
}

/// The file to start for `name`: what [`find`] found, or the bare name, for the system to refuse.
#[must_use]
pub fn to_start(name: &OsStr, path: Option<&OsStr>, base: &Path) -> OsString {
    // A path that no file has: the system must not go on to look in the folder of the child.
    let missing = || Path::new("/nonexistent").join(name).into_os_string();
    find(name, path, base).map_or_else(missing, PathBuf::into_os_string)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions, write};

    #[test]
    fn the_first_executable_file_in_the_path_is_meant() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path();
        for (folder, mode) in [
            ("a", None),
            ("b", Some(0o644)),
            ("c", Some(0o755)),
            ("d", Some(0o755)),
        ] {
            create_dir(dir.join(folder)).unwrap();
            if let Some(mode) = mode {
                write(dir.join(folder).join("x"), "").unwrap();
                set_permissions(dir.join(folder).join("x"), Permissions::from_mode(mode)).unwrap();
            }
        }
        create_dir(dir.join("a/x")).unwrap();
        let find = |path: &str| find("x".as_ref(), Some(path.as_ref()), dir);
        assert_eq!(find("a:b:c:d"), Some(dir.join("c/x")));
        assert_eq!(find("a:b"), Some(dir.join("b/x")));
        assert_eq!(find("a"), None);
        assert_eq!(
            super::find("./x".as_ref(), None, dir),
            Some(dir.join("./x"))
        );
        assert_eq!(super::find("x".as_ref(), None, dir), None);
        assert_eq!(to_start("x".as_ref(), None, dir), "/nonexistent/x");
    }
}
