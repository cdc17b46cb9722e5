//! How do folders appear, move and vanish so that a power loss can not undo it?

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::error::{HostError, Result};
use crate::read::{EntryKind, Links, list_dir, open_regular, read_regular};
use crate::write::{Durability, TEMP_PREFIX, folder_of, remove_file, replace};

/// Creates a folder and the missing ones above it; one that exists is fine.
///
/// Durable: every folder that was missing has its name on the disk when the call returns.
///
/// # Errors
/// [`HostError::Io`], also where a file has the name.
pub fn create_folder(path: &Path, durability: Durability) -> Result<()> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
        .collect();
    make_all(path).map_err(|cause| HostError::io("create", path, cause))?;
    if durability == Durability::Durable {
        for folder in missing {
            sync_folder(folder_of(folder))?;
        }
    }
    Ok(())
}

/// Creates one folder that must not exist yet. Returns whether it did: false means that anything has the name already.
///
/// # Errors
/// [`HostError::Io`].
pub fn create_new_folder(path: &Path) -> Result<bool> {
    match make_one(path) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(cause) => Err(HostError::io("create", path, cause)),
    }
}

/// Removes a folder with everything in it. Returns whether there was anything.
///
/// Symlinks in it are removed, not followed; `path` itself may be one, and then only the link goes.
///
/// # Errors
/// [`HostError::Io`]; a part of the tree may be gone.
pub fn remove_tree(path: &Path) -> Result<bool> {
    match unmake_all(path) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(HostError::io("remove", path, cause)),
    }
}

/// Moves a file or folder and puts the change of names on the disk.
///
/// The content is not synchronized: it must be before, with [`sync_tree`] or by the way it was written. An
/// existing file or empty folder at `to` is replaced.
///
/// # Errors
/// [`HostError::Move`], with nothing changed; or [`HostError::Io`], with the move done but perhaps not on
/// the disk.
pub fn rename_durable(from: &Path, to: &Path) -> Result<()> {
    rename(from, to).map_err(|cause| HostError::Move {
        from: from.to_path_buf(),
        to: to.to_path_buf(),
        cause,
    })?;
    let (source, target) = (folder_of(from), folder_of(to));
    // The new name first: a loss in between then leaves two names rather than none.
    sync_folder(target)?;
    if source != target {
        sync_folder(source)?;
    }
    Ok(())
}

/// Moves a file to another name in one step, without waiting for the disk. A file at `to` is replaced.
///
/// # Errors
/// [`HostError::Move`], with nothing changed.
pub fn move_file(from: &Path, to: &Path) -> Result<()> {
    rename(from, to).map_err(|cause| HostError::Move {
        from: from.to_path_buf(),
        to: to.to_path_buf(),
        cause,
    })
}

/// Gives a file that nobody changes any more a second name, in one step and without waiting for the disk; where the file
/// system knows no second names, a copy. A file at `to` is replaced.
///
/// # Errors
/// [`HostError::Io`]; perhaps a temporary beside `to` stays.
pub fn link_or_copy(from: &Path, to: &Path) -> Result<()> {
    let failed = |cause| HostError::io("link", to, cause);
    let mut name = OsString::from(TEMP_PREFIX);
    name.push("link-");
    name.push(to.file_name().unwrap_or_default());
    let temporary = folder_of(to).join(name);
    // Left by a call that was killed.
    remove_file(&temporary)?;
    match std::fs::hard_link(from, &temporary) {
        Ok(()) => {
            rename(&temporary, to).map_err(failed)?;
            // A rename between two names of one file is none.
            remove_file(&temporary)?;
            Ok(())
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(failed(cause)),
        Err(_) => replace(to, &read_regular(from, u64::MAX)?, Durability::Rebuildable),
    }
}

/// Puts the names in a folder on the disk.
///
/// # Errors
/// [`HostError::Io`]. A file system that knows no such call is taken at its word: it has nothing to
/// synchronize.
pub fn sync_folder(path: &Path) -> Result<()> {
    // DIRECTORY: a FIFO under this name is an error at once, not a wait for its writer.
    let folder = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::DIRECTORY.bits().cast_signed())
        .open(path)
        .map_err(|cause| HostError::io("open", path, cause))?;
    match folder.sync_all() {
        Err(cause) if !is_unsupported(&cause) => Err(HostError::io("synchronize", path, cause)),
        _ => Ok(()),
    }
}

/// Puts every regular file below `path`, and every folder with `path` itself, on the disk.
///
/// Symlinks are not followed and special files are left alone.
///
/// # Errors
/// [`HostError::Io`].
pub fn sync_tree(path: &Path) -> Result<()> {
    let mut folders = vec![path.to_path_buf()];
    let mut next = 0;
    while let Some(folder) = folders.get(next).cloned() {
        for entry in list_dir(&folder)? {
            let place = folder.join(&entry.name);
            match entry.kind {
                EntryKind::File => sync_file(&place)?,
                EntryKind::Dir => folders.push(place),
                EntryKind::Symlink | EntryKind::Other => {}
            }
        }
        next += 1;
    }
    // Children follow their parents in the list: backwards, a name is never there before its content.
    folders
        .iter()
        .rev()
        .try_for_each(|folder: &PathBuf| sync_folder(folder))
}

fn sync_file(path: &Path) -> Result<()> {
    let (file, _) = open_regular(path, Links::Refuse)?;
    file.sync_all()
        .map_err(|cause| HostError::io("synchronize", path, cause))
}

/// `EINVAL` and `ENOTSUP` are how network and user-space file systems decline to synchronize a folder.
fn is_unsupported(cause: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(cause),
        Some(Errno::INVAL | Errno::NOTSUP)
    )
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that creates folders"
)]
fn make_all(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that creates a folder of its own"
)]
fn make_one(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that removes folders"
)]
fn unmake_all(path: &Path) -> io::Result<()> {
    std::fs::remove_dir_all(path)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that moves a file or folder"
)]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn a_second_name_is_the_same_file_and_takes_the_place_of_another() {
        use std::os::unix::fs::MetadataExt as _;
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str| scratch.path().join(name);
        std::fs::write(place("a"), "x").unwrap();
        std::fs::write(place("b"), "y").unwrap();
        for _ in 0..2 {
            // The second time both names are of one file already.
            link_or_copy(&place("a"), &place("b")).unwrap();
            assert_eq!(
                place("a").metadata().unwrap().ino(),
                place("b").metadata().unwrap().ino()
            );
        }
        assert_eq!(list_dir(scratch.path()).unwrap().len(), 2);
        assert!(link_or_copy(&place("none"), &place("b")).is_err());
        move_file(&place("a"), &place("c")).unwrap();
        assert_eq!(list_dir(scratch.path()).unwrap().len(), 2);
        assert!(move_file(&place("a"), &place("c")).is_err());
    }
    use std::os::unix::fs::symlink;

    #[test]
    fn a_new_folder_is_made_once() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        assert!(create_new_folder(&path).unwrap());
        assert!(!create_new_folder(&path).unwrap());
        assert!(create_new_folder(&path.join("a/b")).is_err());
    }

    #[test]
    fn folders_are_created_with_those_above() {
        let scratch = tempfile::tempdir().unwrap();
        for (name, durability) in [
            ("a/b/c", Durability::Durable),
            ("a/b/c", Durability::Durable),
            ("d/e", Durability::Rebuildable),
        ] {
            let path = scratch.path().join(name);
            create_folder(&path, durability).unwrap();
            assert!(path.is_dir());
        }
        std::fs::write(scratch.path().join("file"), "kept").unwrap();
        for blocked in ["file", "file/below"] {
            let path = scratch.path().join(blocked);
            assert!(create_folder(&path, Durability::Durable).is_err());
        }
        let kept = std::fs::read(scratch.path().join("file")).unwrap();
        assert_eq!(kept, b"kept");
    }

    #[test]
    fn removing_a_tree_leaves_what_its_links_lead_to() {
        let scratch = tempfile::tempdir().unwrap();
        let kept = scratch.path().join("kept");
        let tree = scratch.path().join("tree");
        std::fs::create_dir(&kept).unwrap();
        std::fs::write(kept.join("f"), "x").unwrap();
        std::fs::create_dir_all(tree.join("a/b")).unwrap();
        symlink(&kept, tree.join("a/link")).unwrap();
        assert!(remove_tree(&tree).unwrap());
        assert!(!tree.exists());
        assert!(!remove_tree(&tree).unwrap());
        symlink(&kept, &tree).unwrap();
        assert!(remove_tree(&tree).unwrap());
        assert!(tree.symlink_metadata().is_err());
        assert!(kept.join("f").exists());
    }

    #[test]
    fn a_move_between_folders_replaces_a_file_but_no_full_folder() {
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str| scratch.path().join(name);
        std::fs::create_dir_all(place("full/x")).unwrap();
        std::fs::write(place("new"), "new").unwrap();
        std::fs::write(place("full/old"), "old").unwrap();
        rename_durable(&place("new"), &place("full/old")).unwrap();
        assert_eq!(std::fs::read(place("full/old")).unwrap(), b"new");
        assert!(!place("new").exists());

        std::fs::create_dir(place("other")).unwrap();
        let refused = rename_durable(&place("other"), &place("full")).unwrap_err();
        assert!(matches!(refused, HostError::Move { .. }), "{refused}");
        let text = refused.to_string();
        assert!(text.contains("other` to `"), "{text}");
        assert!(place("full/x").exists());
        let missing = rename_durable(&place("none"), &place("full/y"));
        assert!(missing.unwrap_err().is_not_found());
    }

    #[test]
    fn a_tree_with_links_and_special_files_synchronizes() {
        let scratch = tempfile::tempdir().unwrap();
        let tree = scratch.path().join("tree");
        std::fs::create_dir_all(tree.join("a/b")).unwrap();
        std::fs::write(tree.join("a/b/f"), "x").unwrap();
        symlink("/nowhere", tree.join("dead")).unwrap();
        symlink("..", tree.join("a/loop")).unwrap();
        #[cfg(target_os = "linux")]
        {
            let mode = rustix::fs::Mode::RUSR;
            rustix::fs::mkfifoat(rustix::fs::CWD, tree.join("fifo"), mode).unwrap();
            let refused = sync_folder(&tree.join("fifo")).unwrap_err();
            assert_eq!(refused.kind(), Some(io::ErrorKind::NotADirectory));
        }
        sync_tree(&tree).unwrap();
        let missing = sync_tree(&scratch.path().join("none"));
        assert!(missing.unwrap_err().is_not_found());
    }

    #[test]
    fn only_a_declined_call_counts_as_done() {
        assert!(is_unsupported(&Errno::INVAL.into()));
        assert!(is_unsupported(&Errno::NOTSUP.into()));
        assert!(!is_unsupported(&Errno::IO.into()));
        assert!(!is_unsupported(&Errno::NOSPC.into()));
    }
}
