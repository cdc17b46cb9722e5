//! Which file system does a path lie on, and what of it matters to us? Asked without writing anything.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use crate::error::{HostError, Result};
use crate::path::identity;

/// What is known of the file system that a path lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume {
    /// What the system calls it; `None` where it has a name that we do not know, or does not tell.
    pub kind: Option<Kind>,
    /// Whether it is mounted so that nothing can be written.
    pub is_read_only: bool,
}

/// A kind of file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Its usual name.
    pub name: &'static str,
    /// Whether another machine, or the host of a virtual one, has the files: locks and times are then theirs.
    pub is_remote: bool,
    /// Whether a file can have two names.
    pub has_hard_links: bool,
}

/// The file system of what is at `path`, links followed.
///
/// # Errors
/// [`HostError::Io`], also where nothing is there.
pub fn volume(path: &Path) -> Result<Volume> {
    let failed = |fault: rustix::io::Errno| HostError::io("look at", path, fault.into());
    let found = statvfs(path).map_err(failed)?;
    Ok(Volume {
        kind: kind(path)?,
        is_read_only: found.f_flag.contains(StatVfsMountFlags::RDONLY),
    })
}

/// Whether this user may make files in the folder at `path`, as far as permissions say.
#[must_use]
pub fn is_writable(path: &Path) -> bool {
    access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// Whether upper and lower case are the same name where `path` lies; `path` has to be there. `None` where its last name has
/// no ASCII letter to try.
///
/// # Errors
/// [`HostError::Io`], also where nothing is there.
pub fn ignores_case(path: &Path) -> Result<Option<bool>> {
    let ours = identity(path)?;
    let name = path.file_name().unwrap_or_default();
    let mut other = name.as_bytes().to_vec();
    for byte in &mut other {
        *byte ^= if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
    }
    if other == name.as_bytes() {
        return Ok(None);
    }
    // Two names of one file would look the same; nobody gives two that differ by every letter's case.
    let theirs = identity(&path.with_file_name(OsString::from_vec(other)));
    Ok(Some(theirs.is_ok_and(|theirs| theirs == ours)))
}

#[cfg(not(target_os = "linux"))]
fn kind(_path: &Path) -> Result<Option<Kind>> {
    Ok(None)
}

#[cfg(target_os = "linux")]
fn kind(path: &Path) -> Result<Option<Kind>> {
    let found =
        rustix::fs::statfs(path).map_err(|fault| HostError::io("look at", path, fault.into()))?;
    // The type's width and sign differ between architectures; the numbers have 32 bits.
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)]
    let magic = found.f_type as u64 & 0xffff_ffff;
    let row = KINDS.iter().find(|(number, _)| *number == magic);
    Ok(row.map(|(_, kind)| *kind))
}

#[cfg(target_os = "linux")]
const fn local(name: &'static str) -> Kind {
    Kind {
        name,
        is_remote: false,
        has_hard_links: true,
    }
}

#[cfg(target_os = "linux")]
const fn remote(name: &'static str) -> Kind {
    Kind {
        name,
        is_remote: true,
        has_hard_links: true,
    }
}

#[cfg(target_os = "linux")]
const fn without_links(name: &'static str) -> Kind {
    Kind {
        name,
        is_remote: false,
        has_hard_links: false,
    }
}

/// Numbers of statfs(2), from the kernel's `include/uapi/linux/magic.h` and the sources of those that are not in it.
#[cfg(target_os = "linux")]
const KINDS: [(u64, Kind); 22] = [
    (0xef53, local("ext4")),
    (0x9123_683e, local("btrfs")),
    (0x5846_5342, local("xfs")),
    (0x0102_1994, local("tmpfs")),
    (0x794c_7630, local("overlay")),
    (0x2fc1_2fc1, local("zfs")),
    (0xf2f5_2010, local("f2fs")),
    (0xca45_1a4e, local("bcachefs")),
    (0x7371_7368, local("squashfs")),
    (0x9660, local("iso9660")),
    (0x7366_746e, local("ntfs3")),
    (0x6969, remote("nfs")),
    (0xff53_4d42, remote("cifs")),
    (0xfe53_4d42, remote("smb2")),
    (0x517b, remote("smb")),
    (0x0102_1997, remote("9p")),
    (0x6573_5546, remote("fuse")),
    (0x00c3_6400, remote("ceph")),
    (0x5346_414f, remote("afs")),
    (0x786f_4256, remote("vboxsf")),
    (0x4d44, without_links("vfat")),
    (0x2011_bab0, without_links("exfat")),
];

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_ours_is_on_a_volume_and_a_missing_one_is_not() {
        let scratch = tempfile::tempdir().unwrap();
        assert!(!volume(scratch.path()).unwrap().is_read_only);
        assert!(is_writable(scratch.path()));
        let missing = scratch.path().join("none");
        assert!(volume(&missing).unwrap_err().is_not_found());
        assert!(!is_writable(&missing));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_known_by_its_number() {
        let kind = volume(Path::new("/dev/shm")).unwrap().kind.unwrap();
        assert_eq!((kind.name, kind.is_remote), ("tmpfs", false));
        assert!(kind.has_hard_links);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn no_number_stands_twice() {
        let numbers: std::collections::BTreeSet<u64> =
            KINDS.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers.len(), KINDS.len());
    }

    #[test]
    fn case_is_tried_on_a_name_that_is_there() {
        let scratch = tempfile::tempdir().unwrap();
        let name = |name: &str| scratch.path().join(name);
        std::fs::write(name("Ab"), "").unwrap();
        std::fs::write(name("12"), "").unwrap();
        assert_eq!(ignores_case(&name("12")).unwrap(), None);
        // Told by another way: whether the other spelling finds the file.
        let ignored = name("aB").exists();
        assert_eq!(ignores_case(&name("Ab")).unwrap(), Some(ignored));
        if !ignored {
            std::fs::write(name("aB"), "another file").unwrap();
            assert_eq!(ignores_case(&name("Ab")).unwrap(), Some(false));
        }
        assert!(ignores_case(&name("none")).unwrap_err().is_not_found());
    }
}
