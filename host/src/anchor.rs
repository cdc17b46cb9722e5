//! How does a file get its name in a folder below a root, whatever somebody puts in the way meanwhile?
//!
//! A path is looked up anew in each call, so that a folder which becomes a link between two calls leads out of its root. Here
//! the folder is opened once, component by component and without following a link, and everything else happens in what is
//! open: it may be moved or replaced, but what is written is written there.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fsync, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::error::{HostError, Result};
use crate::path::RelPath;
use crate::write::{Durability, NEW_FILE_MODE, TEMP_PREFIX};

/// Mode of new folders before the umask takes its bits.
const NEW_FOLDER_MODE: u16 = 0o777;

/// Temporary files of one process in one folder. Each is gone when its writer is.
const MOST_TEMPORARIES: u32 = 10_000;

/// A folder below a root, held open.
#[derive(Debug)]
pub struct Anchor {
    folder: OwnedFd,
    /// Where it was, for messages.
    path: PathBuf,
}

impl Anchor {
    /// Opens `folder` below `root`, and creates what is missing of it. `root` itself may be reached by links.
    ///
    /// Durable: every folder that was missing has its name on the disk when the call returns.
    ///
    /// # Errors
    /// [`HostError::Symlink`] where a component below the root is one; [`HostError::Io`], also where it is no folder.
    pub fn create(root: &Path, folder: &RelPath, durability: Durability) -> Result<Self> {
        refuse_endless(&folder.below(root))?;
        let mut path = root.to_path_buf();
        let opened = openat(CWD, root, PASSING, Mode::empty());
        let mut at = opened.map_err(|fault| failed("open", &path, fault))?;
        for name in folder.components() {
            path.push(name);
            at = match passed(&at, name) {
                Err(Errno::NOENT) => made(&at, name, &path, durability)?,
                opened => opened.map_err(|fault| blocked(&path, fault))?,
            };
        }
        let folder = reopened(&at).map_err(|fault| failed("open", &path, fault))?;
        Ok(Self { folder, path })
    }

    /// As [`crate::write::stage`], for a file of this folder.
    ///
    /// # Errors
    /// [`HostError::Io`], with no temporary left.
    pub fn stage(self, name: &str, bytes: &[u8], durability: Durability) -> Result<Anchored> {
        let path = self.path.join(name);
        refuse_endless(&path)?;
        let failed = |cause| HostError::io("replace", &path, cause);
        let (mut file, temporary) = self.temporary().map_err(|fault| failed(fault.into()))?;
        // From here on it removes itself.
        let staged = Anchored {
            anchor: self,
            temporary,
            name: name.to_owned(),
            durability,
            is_published: false,
        };
        file.write_all(bytes).map_err(failed)?;
        if durability == Durability::Durable {
            file.sync_all().map_err(failed)?;
        }
        Ok(staged)
    }

    fn temporary(&self) -> std::result::Result<(File, String), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let process = std::process::id();
        for number in 0..MOST_TEMPORARIES {
            let name = format!("{TEMP_PREFIX}{process:x}-{number}");
            // The mode is given at creation, so that the kernel applies the umask.
            match openat(
                &self.folder,
                &name,
                flags,
                Mode::from_raw_mode(NEW_FILE_MODE.into()),
            ) {
                Err(Errno::EXIST) => {}
                opened => return opened.map(|file| (File::from(file), name)),
            }
        }
        Err(Errno::EXIST)
    }
}

/// For the folder that is written to: it is synchronized, which asks for a folder that may be read.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// For the folders on the way, which need not be readable where the system can say so.
#[cfg(not(target_vendor = "apple"))]
const PASSING: OFlags = FOLDER.union(OFlags::PATH);
#[cfg(target_vendor = "apple")]
const PASSING: OFlags = FOLDER;

fn passed(parent: &OwnedFd, name: &str) -> std::result::Result<OwnedFd, Errno> {
    openat(parent, name, PASSING | OFlags::NOFOLLOW, Mode::empty())
}

fn reopened(folder: &OwnedFd) -> std::result::Result<OwnedFd, Errno> {
    openat(folder, ".", FOLDER, Mode::empty())
}

/// Refuses a path that is longer than the system takes at once: what lies there could be written step by step, and nobody
/// could open it.
fn refuse_endless(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Err(cause) if Errno::from_io_error(&cause) == Some(Errno::NAMETOOLONG) => {
            Err(HostError::io("open", path, cause))
        }
        _ => Ok(()),
    }
}

fn failed(operation: &'static str, path: &Path, fault: Errno) -> HostError {
    HostError::io(operation, path, fault.into())
}

/// A link is told as one. A folder that is none has the same code on some systems, so it is looked at.
fn blocked(path: &Path, fault: Errno) -> HostError {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|found| found.file_type().is_symlink());
    if fault == Errno::LOOP || is_link {
        return HostError::Symlink {
            path: path.to_path_buf(),
        };
    }
    failed("open", path, fault)
}

/// Creates a folder and opens it. Another process may be faster, and what it made is looked at as any other.
fn made(parent: &OwnedFd, name: &str, path: &Path, durability: Durability) -> Result<OwnedFd> {
    match mkdirat(parent, name, Mode::from_raw_mode(NEW_FOLDER_MODE.into())) {
        Ok(()) if durability == Durability::Durable => {
            let parent = reopened(parent).and_then(|parent| synchronized(&parent));
            parent.map_err(|fault| failed("synchronize", path, fault))?;
        }
        Ok(()) | Err(Errno::EXIST) => {}
        Err(fault) => return Err(failed("create", path, fault)),
    }
    passed(parent, name).map_err(|fault| blocked(path, fault))
}

/// New content of a file that lies complete beside the name it is for. Dropped, it removes itself.
#[must_use = "it removes itself when it is dropped"]
#[derive(Debug)]
pub struct Anchored {
    anchor: Anchor,
    temporary: String,
    name: String,
    durability: Durability,
    is_published: bool,
}

impl Anchored {
    /// The content gets its name. A symlink at the name is replaced, not followed.
    ///
    /// # Errors
    /// [`HostError::Io`]: the old file is there, or where only the synchronization of the folder fails, the new one.
    pub fn publish(mut self) -> Result<()> {
        let path = self.anchor.path.join(&self.name);
        let folder = &self.anchor.folder;
        renameat(folder, &self.temporary, folder, &self.name)
            .map_err(|fault| failed("replace", &path, fault))?;
        self.is_published = true;
        match self.durability {
            Durability::Rebuildable => Ok(()),
            Durability::Durable => {
                synchronized(folder).map_err(|fault| failed("synchronize", &path, fault))
            }
        }
    }
}

impl Drop for Anchored {
    fn drop(&mut self) {
        if !self.is_published {
            // Nothing can be done where that fails; the next sweep of the folder takes it.
            let _ = unlinkat(&self.anchor.folder, &self.temporary, AtFlags::empty());
        }
    }
}

/// As [`crate::write::sync_folder`]: a file system that knows no such call is taken at its word.
fn synchronized(folder: &OwnedFd) -> std::result::Result<(), Errno> {
    match fsync(folder) {
        Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
        done => done,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::read::list_dir;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn rel(path: &str) -> RelPath {
        RelPath::new(path).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = list_dir(folder).unwrap().into_iter();
        entries
            .map(|entry| entry.name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn what_is_written_is_there_and_nothing_else_is() {
        let scratch = tempfile::tempdir().unwrap();
        for durability in [Durability::Durable, Durability::Rebuildable] {
            for text in ["one", "two"] {
                let anchor = Anchor::create(scratch.path(), &rel("a/b"), durability).unwrap();
                anchor
                    .stage("f", text.as_bytes(), durability)
                    .unwrap()
                    .publish()
                    .unwrap();
                assert_eq!(
                    std::fs::read_to_string(scratch.path().join("a/b/f")).unwrap(),
                    text
                );
                assert_eq!(names(&scratch.path().join("a/b")), ["f"]);
            }
        }
        let plain = scratch.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&scratch.path().join("a/b/f")), mode(&plain));
    }

    #[test]
    fn no_component_is_a_link_and_none_is_a_file() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(scratch.path().join("outside")).unwrap();
        std::fs::create_dir_all(scratch.path().join("root/a")).unwrap();
        symlink("../outside", scratch.path().join("root/link")).unwrap();
        symlink("root", scratch.path().join("way")).unwrap();
        std::fs::write(scratch.path().join("root/file"), "").unwrap();
        let root = scratch.path().join("way");
        for folder in ["link", "link/b", "file", "file/b"] {
            let refused = Anchor::create(&root, &rel(folder), Durability::Rebuildable).unwrap_err();
            let is_link = matches!(refused, HostError::Symlink { .. });
            assert_eq!(is_link, folder.starts_with("link"), "{refused:?}");
        }
        assert!(names(&scratch.path().join("outside")).is_empty());
        Anchor::create(&root, &rel("a/new"), Durability::Durable).unwrap();
        assert_eq!(names(&scratch.path().join("root/a")), ["new"]);
    }

    #[test]
    fn a_folder_that_becomes_a_link_keeps_what_is_written_to_it() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(scratch.path().join("outside")).unwrap();
        let at = |name: &str| scratch.path().join(name);
        let anchor = Anchor::create(scratch.path(), &rel("out"), Durability::Rebuildable).unwrap();
        std::fs::rename(at("out"), at("moved")).unwrap();
        symlink("outside", at("out")).unwrap();
        let staged = anchor.stage("f", b"x", Durability::Durable).unwrap();
        assert_eq!(names(&at("moved")).len(), 1);
        staged.publish().unwrap();
        assert_eq!(names(&at("moved")), ["f"]);
        assert!(names(&at("outside")).is_empty());
    }

    #[test]
    fn what_is_dropped_or_fails_leaves_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let anchor = || Anchor::create(scratch.path(), &rel("a"), Durability::Rebuildable).unwrap();
        drop(anchor().stage("f", b"x", Durability::Rebuildable).unwrap());
        assert!(names(&scratch.path().join("a")).is_empty());
        // A folder has the name.
        std::fs::create_dir_all(scratch.path().join("a/g/h")).unwrap();
        let staged = anchor().stage("g", b"x", Durability::Rebuildable).unwrap();
        assert!(staged.publish().is_err());
        assert_eq!(names(&scratch.path().join("a")), ["g"]);
    }

    #[test]
    fn a_path_that_nobody_could_open_is_refused_and_nothing_is_made() {
        let scratch = tempfile::tempdir().unwrap();
        let long = vec!["x".repeat(200); 30].join("/");
        let refused = Anchor::create(scratch.path(), &rel(&long), Durability::Rebuildable);
        assert!(refused.unwrap_err().io_error().is_some());
        assert!(names(scratch.path()).is_empty());
    }

    #[test]
    fn several_at_once_do_not_meet() {
        let scratch = tempfile::tempdir().unwrap();
        let staged = ["f", "g"].map(|name| {
            let anchor =
                Anchor::create(scratch.path(), &rel("a"), Durability::Rebuildable).unwrap();
            anchor
                .stage(name, name.as_bytes(), Durability::Rebuildable)
                .unwrap()
        });
        for one in staged {
            one.publish().unwrap();
        }
        for name in ["f", "g"] {
            assert_eq!(
                std::fs::read_to_string(scratch.path().join("a").join(name)).unwrap(),
                name
            );
        }
    }
}
