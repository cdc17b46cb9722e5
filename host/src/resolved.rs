//! What is in the file at a path that was resolved before, if nobody has moved it since?
//!
//! An answer of [`crate::path::confine`] holds for the moment that it was given in: a folder on the way can become a link
//! before the file is opened. So the whole way is gone again, and no link on it is followed: a canonical path has none, and
//! one that is there now is an error, never a way out.

use std::fs::{File, Metadata};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use crate::error::{HostError, Result};
use crate::read::{FileStamp, read_bounded, require_regular, stamp_of};

/// Reads a whole regular file of at most `limit_bytes` at a canonical path.
///
/// # Errors
/// [`HostError::Symlink`] where any component of the path is a link; else as [`crate::read::read_regular`].
pub fn read_resolved(path: &Path, limit_bytes: u64) -> Result<Vec<u8>> {
    read_stamped_resolved(path, limit_bytes).map(|(bytes, _)| bytes)
}

/// As [`read_resolved`], with the stamp that the file had when it was opened.
///
/// # Errors
/// As [`read_resolved`].
pub fn read_stamped_resolved(path: &Path, limit_bytes: u64) -> Result<(Vec<u8>, FileStamp)> {
    let (file, found) = open(path)?;
    let bytes = read_bounded(path, &file, &found, limit_bytes)?;
    Ok((bytes, stamp_of(&found)))
}

fn open(path: &Path) -> Result<(File, Metadata)> {
    let file = File::from(unlinked(path).map_err(|fault| refused(path, fault))?);
    let found = file
        .metadata()
        .map_err(|cause| HostError::io("look at", path, cause))?;
    require_regular(path, &found)?;
    Ok((file, found))
}

/// A link is a refusal of ours; a socket can not be opened at all, and is no regular file.
fn refused(path: &Path, fault: Errno) -> HostError {
    if fault == Errno::LOOP {
        return HostError::Symlink {
            path: path.to_path_buf(),
        };
    }
    crate::read::open_error(path, crate::read::Links::Refuse, fault.into())
}

/// NONBLOCK: opening a FIFO returns at once. NOCTTY: a terminal does not become ours.
const READING: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

#[cfg(target_os = "linux")]
fn unlinked(path: &Path) -> rustix::io::Result<rustix::fd::OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    match openat2(CWD, path, READING, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // A kernel before 5.6, or a sandbox that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => walked(path),
        opened => opened,
    }
}

#[cfg(target_vendor = "apple")]
fn unlinked(path: &Path) -> rustix::io::Result<rustix::fd::OwnedFd> {
    openat(CWD, path, READING | OFlags::NOFOLLOW_ANY, Mode::empty())
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn unlinked(path: &Path) -> rustix::io::Result<rustix::fd::OwnedFd> {
    walked(path)
}

/// The same, component by component: each is opened in the folder before it, and looked at once it is open.
#[cfg(not(target_vendor = "apple"))]
fn walked(path: &Path) -> rustix::io::Result<rustix::fd::OwnedFd> {
    use rustix::fs::{FileType, fstat};
    let folder = path.parent().unwrap_or(path);
    let name = path.file_name().ok_or(Errno::ISDIR)?;
    let passing = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = openat(CWD, ".", passing, Mode::empty())?;
    for part in folder.components() {
        let next = openat(&at, part.as_os_str(), passing, Mode::empty())?;
        if FileType::from_raw_mode(fstat(&next)?.st_mode) == FileType::Symlink {
            return Err(Errno::LOOP);
        }
        at = next;
    }
    openat(&at, name, READING | OFlags::NOFOLLOW, Mode::empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::path::confine;
    use crate::read::read_regular_nofollow;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    const ANY: u64 = 1 << 20;

    /// `inside/a/f` and `outside/f`, and the canonical folder of both.
    fn bed() -> (tempfile::TempDir, PathBuf) {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        for (folder, text) in [("inside/a", "ours"), ("outside", "theirs")] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
            std::fs::write(top.join(folder).join("f"), text).unwrap();
        }
        (scratch, top)
    }

    /// What both ways of opening say, which is the same.
    #[track_caller]
    fn read(path: &Path) -> Result<Vec<u8>> {
        let one = read_resolved(path, ANY);
        #[cfg(not(target_vendor = "apple"))]
        {
            let other = walked(path).map(|_| ());
            let link = |error: &HostError| matches!(error, HostError::Symlink { .. });
            let one = one.as_ref().map(|_| ()).map_err(link);
            // Whether it is a regular file is asked later.
            if !matches!(
                read_resolved(path, ANY),
                Err(HostError::NotRegular { .. } | HostError::TooLarge { .. })
            ) {
                assert_eq!(one, other.map_err(|fault| fault == Errno::LOOP));
            }
        }
        one
    }

    #[test]
    fn a_folder_that_becomes_a_link_after_the_answer_is_no_way_out() {
        let (_scratch, top) = bed();
        let found = confine(&top.join("inside"), &top.join("inside/a/f")).unwrap();
        assert_eq!(read(&found).unwrap(), b"ours");
        std::fs::rename(top.join("inside/a"), top.join("inside/b")).unwrap();
        symlink("../outside", top.join("inside/a")).unwrap();
        // The fault is real: the last component alone is not enough.
        assert_eq!(read_regular_nofollow(&found, ANY).unwrap(), b"theirs");
        assert!(matches!(read(&found), Err(HostError::Symlink { .. })));
    }

    #[test]
    fn no_component_is_a_link() {
        let (_scratch, top) = bed();
        symlink("f", top.join("outside/link")).unwrap();
        symlink("inside", top.join("way")).unwrap();
        for path in ["outside/link", "way/a/f"] {
            let read = read(&top.join(path));
            assert!(matches!(read, Err(HostError::Symlink { .. })), "{path}");
        }
        assert!(read(&top.join("inside/none")).unwrap_err().is_not_found());
        assert!(matches!(
            read(&top.join("inside")),
            Err(HostError::NotRegular { .. })
        ));
    }

    #[test]
    fn the_bound_and_the_stamp_are_those_of_other_reads() {
        let (_scratch, top) = bed();
        let path = top.join("outside/f");
        let (bytes, stamp) = read_stamped_resolved(&path, ANY).unwrap();
        assert_eq!(bytes, b"theirs");
        assert_eq!(stamp, crate::read::file_stamp(&path).unwrap());
        assert!(matches!(
            read_resolved(&path, 2),
            Err(HostError::TooLarge { .. })
        ));
    }

    #[test]
    fn a_folder_that_may_be_passed_and_not_listed_is_passed() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_scratch, top) = bed();
        let folder = top.join("inside");
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o111)).unwrap();
        let text = read(&folder.join("a/f"));
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(text.unwrap(), b"ours");
    }
}
