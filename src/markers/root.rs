//! Which folder is the project, and is it still the same one?

use super::fault::Fault;
use std::path::{Path, PathBuf};
use vibey_context_host::error::HostError;
use vibey_context_host::path::{Identity, identity};

/// The project, as it was when the call began.
#[derive(Debug)]
pub(super) struct Root {
    /// The path that the caller named; it may lead over symlinks.
    given: PathBuf,
    /// Where that led to.
    real: PathBuf,
    identity: Identity,
}

impl Root {
    pub(super) fn open(given: &Path) -> Result<Self, Fault> {
        let refused = |error: &HostError| Fault::host("the project folder cannot be used", error);
        let real = given.canonicalize().map_err(|cause| {
            refused(&HostError::Io {
                operation: "resolve",
                path: given.to_path_buf(),
                cause,
            })
        })?;
        if !real.is_dir() {
            return Err(Fault::new("not_a_folder", "the project is not a folder"));
        }
        let identity = identity(&real).map_err(|error| refused(&error))?;
        Ok(Self {
            given: given.to_path_buf(),
            real,
            identity,
        })
    }

    /// The canonical path.
    pub(super) fn path(&self) -> &Path {
        &self.real
    }

    /// Whether both paths still lead to the folder of the beginning. Where they do not, what is written below them is written
    /// somewhere else.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let is_same = |path| identity(path).is_ok_and(|now| now == self.identity);
        if is_same(&self.given) && is_same(&self.real) {
            return Ok(());
        }
        Err(Fault::new(
            "root_replaced",
            "another folder has taken the project's place; put the project back, then run `apply` and `check`",
        ))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_root_behind_a_link_is_followed_and_a_replaced_one_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let place = |name: &str| dir.path().join(name);
        std::fs::create_dir(place("one")).unwrap();
        std::fs::create_dir(place("two")).unwrap();
        symlink("one", place("link")).unwrap();
        let root = Root::open(&place("link")).unwrap();
        assert_eq!(root.path(), place("one").canonicalize().unwrap());
        assert_eq!(root.check(), Ok(()));
        // The link leads elsewhere, while the folder is where it was.
        std::fs::remove_file(place("link")).unwrap();
        symlink("two", place("link")).unwrap();
        assert_eq!(root.check().unwrap_err().code, "root_replaced");
        // The folder itself is another.
        let root = Root::open(&place("one")).unwrap();
        std::fs::rename(place("one"), place("old")).unwrap();
        assert!(root.check().is_err());
        std::fs::rename(place("two"), place("one")).unwrap();
        assert!(root.check().is_err());
    }

    #[test]
    fn a_file_and_a_missing_folder_are_no_project() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        let code = |name| Root::open(&dir.path().join(name)).unwrap_err().code;
        assert_eq!(code("file"), "not_a_folder");
        assert_eq!(code("none"), "not_found");
    }
}
