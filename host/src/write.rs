//! How do bytes reach a name so that nobody ever sees half of them?
//!
//! What each call leaves when the process is killed in the middle, and when the machine loses power during
//! the call or soon after it:
//!
//! | call | after a kill | after power loss |
//! | --- | --- | --- |
//! | [`replace`], [`Durability::Rebuildable`] | old file or new one; perhaps a temporary | old, new, empty or partial: check the digest, build again |
//! | [`replace_private`] | as [`replace`], rebuildable | the same |
//! | [`replace`], [`Durability::Durable`] | old file or new one; perhaps a temporary | old or new, and new once the call has returned |
//! | [`stage`] | the old file; perhaps a temporary | the same |
//! | [`Staged::publish`] | as [`replace`] of the same durability | the same |
//! | [`crate::anchor`], the same two | as [`stage`] and [`Staged::publish`] | the same |
//! | [`deliver`] to a regular file | as [`replace`], rebuildable | the same |
//! | [`deliver`] to a FIFO or device | a part of the bytes | does not apply |
//! | [`write_new_durable`] | no file, or a partial one under its final name | the same, and the whole file once the call has returned |
//! | [`rename_durable`] | old name or new name | the same, and the new name once the call has returned; both names where the file system keeps no journal |
//! | [`move_file`] | old name or new name | old name or new name, and perhaps both |
//! | [`link_or_copy`] | no second name or the whole one; perhaps a temporary | the same, or a partial copy: check the digest |
//! | [`create_folder`] | a part of the chain of folders | durable ones last once the call has returned |
//! | [`remove_tree`] | a part of the tree | the same |
//!
//! [`write_new_durable`] is for folders that nobody reads yet. Temporaries start with [`TEMP_PREFIX`]; the
//! next holder of the folder's lock removes them with [`sweep_temporaries`]. Where a call fails and the
//! process lives, no temporary stays, and the old file is untouched with one exception: if only the last
//! step of a durable call fails, the synchronization of the folder, the new file is in place already.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub use crate::deliver::{deliver, resolved, retract};
use crate::error::{HostError, Result};
pub use crate::folder::{
    create_folder, create_new_folder, link_or_copy, move_file, remove_tree, rename_durable,
    sync_folder, sync_tree,
};
use crate::read::{EntryKind, list_dir};

/// How the name of every temporary file starts; such a file holds nothing that anybody needs.
pub const TEMP_PREFIX: &str = ".vibey-tmp-";

/// Mode of files that nobody else may read.
const PRIVATE_FILE_MODE: u16 = 0o600;

/// Mode of new files before the umask takes its bits: what any program that writes a document asks for. Of 16 bits, as the
/// narrowest of the systems has it.
pub(crate) const NEW_FILE_MODE: u16 = 0o666;

/// Does the content outlive a power loss?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It can be made again from its inputs: not synchronized, which costs more than making it.
    Rebuildable,
    /// It can not: the file and the folder with its name are on the disk before the call returns.
    Durable,
}

/// Puts `bytes` under `path` in one step, whether or not a file is there.
///
/// The new file has mode 0666 without the umask's bits. A symlink at `path` is replaced, not followed.
///
/// # Errors
/// [`HostError::Io`]; see the module's text for what is left.
pub fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<()> {
    stage(path, bytes, durability)?.publish()
}

/// As [`replace`] with [`Durability::Rebuildable`], for the eyes of this user alone: the new file has mode 0600.
///
/// # Errors
/// As [`replace`].
pub fn replace_private(path: &Path, bytes: &[u8]) -> Result<()> {
    stage_with_mode(path, bytes, Durability::Rebuildable, PRIVATE_FILE_MODE)?.publish()
}

/// New content of a file that lies complete beside the name it is for. Dropped, it removes itself.
///
/// So that several files change together as far as a file system allows: all are staged, which is what fails on a full disk or
/// for want of a permission, and only then published.
#[must_use = "it removes itself when it is dropped"]
#[derive(Debug)]
pub struct Staged {
    temp: NamedTempFile,
    path: PathBuf,
    durability: Durability,
}

/// The first half of [`replace`]: everything but the new name.
///
/// # Errors
/// [`HostError::Io`], with no temporary left.
pub fn stage(path: &Path, bytes: &[u8], durability: Durability) -> Result<Staged> {
    stage_with_mode(path, bytes, durability, NEW_FILE_MODE)
}

fn stage_with_mode(path: &Path, bytes: &[u8], durability: Durability, mode: u16) -> Result<Staged> {
    let failed = |cause| HostError::io("replace", path, cause);
    // The mode is given at creation, so that the kernel applies the umask: a later chmod would not.
    let mut temp = tempfile::Builder::new()
        .prefix(TEMP_PREFIX)
        .make_in(folder_of(path), |path| create_new(path, mode))
        .map_err(failed)?;
    // Not through the wrapper, which would put its random name into the error.
    temp.as_file_mut().write_all(bytes).map_err(failed)?;
    if durability == Durability::Durable {
        temp.as_file().sync_all().map_err(failed)?;
    }
    Ok(Staged {
        temp,
        path: path.to_path_buf(),
        durability,
    })
}

impl Staged {
    /// The second half of [`replace`]: the content gets its name.
    ///
    /// # Errors
    /// [`HostError::Io`]; see the module's text for what is left.
    pub fn publish(self) -> Result<()> {
        let path = &self.path;
        self.temp
            .persist(path)
            .map_err(|refused| HostError::io("replace", path, refused.error))?;
        match self.durability {
            Durability::Rebuildable => Ok(()),
            Durability::Durable => sync_folder(folder_of(path)),
        }
    }
}

/// Writes a file that must not exist yet and synchronizes it and its folder.
///
/// Cheaper than a durable [`replace`] by one rename, but a kill leaves a partial file under the final name.
///
/// # Errors
/// [`HostError::Io`], with `AlreadyExists` where anything has the name, be it a dangling symlink. No new
/// file is left behind.
pub fn write_new_durable(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file =
        create_new(path, NEW_FILE_MODE).map_err(|cause| HostError::io("create", path, cause))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(cause) = written {
        // The write's failure is the one to report.
        let _ = unlink(path);
        return Err(HostError::io("write", path, cause));
    }
    sync_folder(folder_of(path))
}

/// Removes a file or symlink. Returns whether there was one.
///
/// # Errors
/// [`HostError::Io`], also for a folder.
pub fn remove_file(path: &Path) -> Result<bool> {
    match unlink(path) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(HostError::io("remove", path, cause)),
    }
}

/// Is this the name of one of our temporary files?
#[must_use]
pub fn is_temporary(name: &OsStr) -> bool {
    name.as_bytes().starts_with(TEMP_PREFIX.as_bytes())
}

/// Removes the temporary files directly in `folder` that killed processes left, and returns how many.
///
/// The caller holds the lock that every writer of this folder takes: without it, this would remove the
/// temporary of a living writer. A missing folder holds none.
///
/// # Errors
/// [`HostError::Io`].
pub fn sweep_temporaries(folder: &Path) -> Result<usize> {
    let entries = match list_dir(folder) {
        Err(missing) if missing.is_not_found() => return Ok(0),
        listed => listed?,
    };
    let mut removed = 0;
    for entry in entries {
        if entry.kind == EntryKind::File
            && is_temporary(&entry.name)
            && remove_file(&folder.join(&entry.name))?
        {
            removed += 1;
        }
    }
    Ok(removed)
}

/// The folder that holds the name; the current one for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => path,
    }
}

fn create_new(path: &Path, mode: u16) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode.into())
        .open(path)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that removes a file"
)]
fn unlink(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::folder::create_folder;
    use rustix::fs::Mode;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    fn names(folder: &Path) -> Vec<String> {
        list_dir(folder)
            .unwrap()
            .into_iter()
            .map(|entry| entry.name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_is_made_and_made_anew() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        for durability in [Durability::Rebuildable, Durability::Durable] {
            for bytes in [&b"a long first text"[..], b"", b"short"] {
                replace(&path, bytes, durability).unwrap();
                assert_eq!(std::fs::read(&path).unwrap(), bytes);
            }
        }
        assert_eq!(names(scratch.path()), ["f"]);
    }

    #[test]
    fn a_private_file_is_for_this_user_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        replace(&path, b"public", Durability::Rebuildable).unwrap();
        replace_private(&path, b"private").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"private");
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_failed_replacement_leaves_no_temporary_and_the_old_state() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("kept"), "x").unwrap();
        for durability in [Durability::Rebuildable, Durability::Durable] {
            let refused = replace(&folder, b"new", durability).unwrap_err();
            assert_eq!(refused.kind(), Some(io::ErrorKind::IsADirectory));
        }
        assert_eq!(names(scratch.path()), ["folder"]);
        assert_eq!(names(&folder), ["kept"]);
        for nowhere in [Path::new("/"), &scratch.path().join("none/f")] {
            assert!(replace(nowhere, b"", Durability::Rebuildable).is_err());
        }
    }

    #[test]
    fn the_error_of_a_failed_replacement_names_the_target_and_no_random_name() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("none/f");
        let refused = replace(&path, b"", Durability::Rebuildable).unwrap_err();
        assert!(refused.is_not_found());
        let text = refused.to_string();
        assert!(text.contains("none/f`"), "{text}");
        assert!(!text.contains(TEMP_PREFIX), "{text}");
    }

    #[test]
    fn what_is_staged_shows_when_it_is_published_and_vanishes_when_it_is_dropped() {
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str| scratch.path().join(name);
        std::fs::write(place("a"), "old").unwrap();
        let staged = |name| stage(&place(name), b"new", Durability::Durable);
        let (first, second) = (staged("a").unwrap(), staged("b").unwrap());
        assert_eq!(std::fs::read(place("a")).unwrap(), b"old");
        assert_eq!(names(scratch.path()).len(), 3);
        first.publish().unwrap();
        assert_eq!(std::fs::read(place("a")).unwrap(), b"new");
        drop(second);
        assert!(staged("none/c").is_err());
        std::fs::create_dir(place("folder")).unwrap();
        assert!(staged("folder").unwrap().publish().is_err());
        assert_eq!(names(scratch.path()), ["a", "folder"]);
    }

    #[test]
    fn a_link_at_the_name_is_replaced_and_its_target_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("target");
        let link = scratch.path().join("link");
        std::fs::write(&target, "kept").unwrap();
        symlink(&target, &link).unwrap();
        replace(&link, b"new", Durability::Durable).unwrap();
        assert!(link.symlink_metadata().unwrap().is_file());
        assert_eq!(std::fs::read(&target).unwrap(), b"kept");
    }

    #[test]
    fn a_reader_sees_one_whole_text_or_the_other() {
        const SIZE: usize = 100_000;
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        replace(&path, &[b'a'; SIZE], Durability::Rebuildable).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for fill in [b'b', b'c'] {
                let (path, done) = (&path, &done);
                scope.spawn(move || {
                    for _ in 0..50 {
                        replace(path, &[fill; SIZE], Durability::Rebuildable).unwrap();
                    }
                    done.store(true, Ordering::SeqCst);
                });
            }
            while !done.load(Ordering::SeqCst) {
                let seen = std::fs::read(&path).unwrap();
                assert_eq!(seen.len(), SIZE);
                assert!(seen.iter().all(|byte| Some(byte) == seen.first()));
            }
        });
        assert_eq!(names(scratch.path()), ["f"]);
    }

    /// The only test that changes the umask, which belongs to the whole process; no other looks at modes.
    #[test]
    fn the_umask_is_respected_by_everything_that_is_created() {
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str| scratch.path().join(name);
        let before = rustix::process::umask(Mode::from_raw_mode(0o027));
        let made = replace(&place("replaced"), b"", Durability::Rebuildable)
            .and_then(|()| write_new_durable(&place("written"), b""))
            .and_then(|()| create_folder(&place("folder"), Durability::Rebuildable))
            .and_then(|()| crate::lock::acquire(&place("lock"), Duration::ZERO, &mut || {}));
        rustix::process::umask(before);
        let _guard = made.unwrap();
        for (name, mode) in [
            ("replaced", 0o640),
            ("written", 0o640),
            ("lock", 0o640),
            ("folder", 0o750),
        ] {
            let found = place(name).metadata().unwrap().permissions().mode();
            assert_eq!(found & 0o7777, mode, "{name}");
        }
    }

    #[test]
    fn a_new_file_does_not_touch_what_is_there() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        write_new_durable(&path, b"first").unwrap();
        let link = scratch.path().join("dangling");
        symlink("nowhere", &link).unwrap();
        for taken in [&path, &link] {
            let refused = write_new_durable(taken, b"second").unwrap_err();
            assert_eq!(refused.kind(), Some(io::ErrorKind::AlreadyExists));
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(names(scratch.path()), ["dangling", "f"]);
    }

    #[test]
    fn removing_says_whether_there_was_a_file() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        std::fs::write(&path, "").unwrap();
        assert!(remove_file(&path).unwrap());
        assert!(!remove_file(&path).unwrap());
        assert!(remove_file(scratch.path()).is_err());
    }

    #[test]
    fn a_sweep_takes_our_temporary_files_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str| scratch.path().join(name);
        std::fs::write(place(".vibey-tmp-a1"), "").unwrap();
        std::fs::write(place(".vibey-tmp-"), "").unwrap();
        std::fs::write(place("x.vibey-tmp-a"), "").unwrap();
        std::fs::write(place(".vibey-tm"), "").unwrap();
        std::fs::create_dir(place(".vibey-tmp-folder")).unwrap();
        std::fs::write(place(".vibey-tmp-folder/.vibey-tmp-b"), "").unwrap();
        symlink("x", place(".vibey-tmp-link")).unwrap();
        assert_eq!(sweep_temporaries(scratch.path()).unwrap(), 2);
        assert_eq!(
            names(scratch.path()),
            [
                ".vibey-tm",
                ".vibey-tmp-folder",
                ".vibey-tmp-link",
                "x.vibey-tmp-a"
            ]
        );
        assert_eq!(names(&place(".vibey-tmp-folder")), [".vibey-tmp-b"]);
        assert_eq!(sweep_temporaries(&place("none")).unwrap(), 0);
    }

    #[test]
    fn what_replace_creates_is_what_a_sweep_takes() {
        let scratch = tempfile::tempdir().unwrap();
        let temp = tempfile::Builder::new()
            .prefix(TEMP_PREFIX)
            .make_in(scratch.path(), |path| create_new(path, NEW_FILE_MODE))
            .unwrap();
        assert!(is_temporary(temp.path().file_name().unwrap()));
    }

    #[test]
    fn a_bare_name_lies_in_the_current_folder() {
        for (path, folder) in [("f", "."), ("a/f", "a"), ("/f", "/"), ("/", "/")] {
            assert_eq!(folder_of(Path::new(path)), Path::new(folder), "{path}");
        }
    }
}
