//! What is in this file or folder, without hanging and within a bound?
//!
//! A name may turn into a FIFO, a device or a growing file between two looks at it. So the file is opened
//! first, without blocking, and everything is asked of the open descriptor. Reading is bounded twice: by
//! the size that the system reports, and by the bytes that really arrive.

use std::ffi::OsString;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::error::{HostError, Result};

/// What tells a changed file from an unchanged one without reading it.
///
/// No inode number: it says nothing that `ctime` does not, and network and overlay file systems invent new
/// ones for old files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileStamp {
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of content, in nanoseconds since 1970; anybody can set it.
    pub mtime_ns: i128,
    /// Time of the last change of content or attributes, in nanoseconds since 1970; set by the kernel alone.
    pub ctime_ns: i128,
}

/// What tells a changed folder listing from an unchanged one without listing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirStamp {
    /// Time of the last change of the list of names, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Time of the last change of the list or of attributes, in nanoseconds since 1970.
    pub ctime_ns: i128,
}

/// What a name in a folder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symlink, whatever it leads to.
    Symlink,
    /// A FIFO, socket or device.
    Other,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// The name alone, not always UTF-8.
    pub name: OsString,
    /// What it stands for.
    pub kind: EntryKind,
}

/// Reads a whole regular file of at most `limit_bytes`. Symlinks are followed.
///
/// # Errors
/// [`HostError::NotRegular`], [`HostError::TooLarge`], or [`HostError::Io`].
pub fn read_regular(path: &Path, limit_bytes: u64) -> Result<Vec<u8>> {
    let (file, found) = open_regular(path, Links::Follow)?;
    read_bounded(path, &file, &found, limit_bytes)
}

/// As [`read_regular`], but the last component must not be a symlink.
///
/// # Errors
/// As [`read_regular`], and [`HostError::Symlink`].
pub fn read_regular_nofollow(path: &Path, limit_bytes: u64) -> Result<Vec<u8>> {
    let (file, found) = open_regular(path, Links::Refuse)?;
    read_bounded(path, &file, &found, limit_bytes)
}

/// As [`read_regular`], with the stamp that the file had when it was opened.
///
/// A writer in the middle of the read leaves bytes newer than the stamp, so the next comparison sees a
/// change; the opposite order would hide it.
///
/// # Errors
/// As [`read_regular`].
pub fn read_stamped(path: &Path, limit_bytes: u64) -> Result<(Vec<u8>, FileStamp)> {
    let (file, found) = open_regular(path, Links::Follow)?;
    let bytes = read_bounded(path, &file, &found, limit_bytes)?;
    Ok((bytes, stamp_of(&found)))
}

/// As [`read_stamped`], but the last component must not be a symlink.
///
/// # Errors
/// As [`read_stamped`], and [`HostError::Symlink`].
pub fn read_stamped_nofollow(path: &Path, limit_bytes: u64) -> Result<(Vec<u8>, FileStamp)> {
    let (file, found) = open_regular(path, Links::Refuse)?;
    let bytes = read_bounded(path, &file, &found, limit_bytes)?;
    Ok((bytes, stamp_of(&found)))
}

/// Hands the bytes of a regular file to `take`, block by block, and returns how many there were; more than `limit_bytes`
/// are not read. The last component must not be a symlink. `buffer` is where a block lies meanwhile: its length is the
/// size of a block, and one buffer serves many files.
///
/// # Errors
/// [`HostError::NotRegular`], [`HostError::TooLarge`], [`HostError::Symlink`], or [`HostError::Io`].
pub fn read_blocks(
    path: &Path,
    limit_bytes: u64,
    buffer: &mut [u8],
    take: &mut dyn FnMut(&[u8]),
) -> Result<u64> {
    let (file, _) = open_regular(path, Links::Refuse)?;
    let mut file = &file;
    let mut arrived = 0_u64;
    loop {
        let read = match file.read(buffer) {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(HostError::io("read", path, cause)),
            Ok(read) => read,
        };
        let Some(block) = buffer.get(..read).filter(|block| !block.is_empty()) else {
            return Ok(arrived);
        };
        arrived = arrived.saturating_add(read as u64);
        if arrived > limit_bytes {
            return Err(HostError::TooLarge {
                path: path.to_path_buf(),
                limit: limit_bytes,
                actual: arrived,
            });
        }
        take(block);
    }
}

/// The stamp of a regular file, without opening it. Symlinks are followed.
///
/// # Errors
/// [`HostError::NotRegular`] or [`HostError::Io`].
pub fn file_stamp(path: &Path) -> Result<FileStamp> {
    let found = look_at(path)?;
    require_regular(path, &found)?;
    Ok(stamp_of(&found))
}

/// The stamp of a folder. Take it before [`list_dir`], so that a change in between is seen the next time.
///
/// # Errors
/// [`HostError::Io`], also where `path` is no folder.
pub fn dir_stamp(path: &Path) -> Result<DirStamp> {
    let found = look_at(path)?;
    if !found.is_dir() {
        return Err(HostError::io("list", path, Errno::NOTDIR.into()));
    }
    Ok(DirStamp {
        mtime_ns: nanos(found.mtime(), found.mtime_nsec()),
        ctime_ns: nanos(found.ctime(), found.ctime_nsec()),
    })
}

/// The names in a folder, in byte order.
///
/// Kinds come with the listing itself; only a file system that does not report them costs one more call
/// for each name.
///
/// # Errors
/// [`HostError::Io`].
pub fn list_dir(path: &Path) -> Result<Vec<DirEntry>> {
    let failed = |cause| HostError::io("list", path, cause);
    let mut entries = Vec::new();
    for entry in path.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = match entry.file_type() {
            Ok(kind) => entry_kind(kind),
            // Gone between the listing and the extra call.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
            Err(cause) => return Err(HostError::io("look at", &entry.path(), cause)),
        };
        entries.push(DirEntry {
            name: entry.file_name(),
            kind,
        });
    }
    entries.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
    Ok(entries)
}

/// What a path stands for, its last component not followed; `None` where nothing is there.
///
/// Nothing is there either where a file stands in the place of a folder on the way.
///
/// # Errors
/// [`HostError::Io`], also where a folder on the way must not be entered.
pub fn kind_of(path: &Path) -> Result<Option<EntryKind>> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(entry_kind(found.file_type()))),
        Err(cause) if is_absent(&cause) => Ok(None),
        Err(cause) => Err(HostError::io("look at", path, cause)),
    }
}

/// Does this error of a look at a path say that there is nothing?
pub(crate) fn is_absent(cause: &io::Error) -> bool {
    matches!(
        cause.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Refuse,
}

/// Opens a regular file for reading without ever waiting for a peer.
pub(crate) fn open_regular(path: &Path, links: Links) -> Result<(File, Metadata)> {
    // NONBLOCK: opening a FIFO returns at once. NOCTTY: a terminal does not become ours.
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    // The standard library adds CLOEXEC to every open.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let file = opened.map_err(|cause| open_error(path, links, cause))?;
    let found = file
        .metadata()
        .map_err(|cause| HostError::io("look at", path, cause))?;
    require_regular(path, &found)?;
    Ok((file, found))
}

/// Gives the two refusals of `open` that are not failures their own names.
pub(crate) fn open_error(path: &Path, links: Links, cause: io::Error) -> HostError {
    if let Ok(found) = path.symlink_metadata() {
        let kind = found.file_type();
        if links == Links::Refuse && kind.is_symlink() {
            return HostError::Symlink {
                path: path.to_path_buf(),
            };
        }
        // A socket can not be opened at all.
        if kind.is_socket() {
            return not_regular(path, kind);
        }
    }
    HostError::io("open", path, cause)
}

pub(crate) fn require_regular(path: &Path, found: &Metadata) -> Result<()> {
    if found.is_file() {
        Ok(())
    } else {
        Err(not_regular(path, found.file_type()))
    }
}

pub(crate) fn not_regular(path: &Path, kind: FileType) -> HostError {
    HostError::NotRegular {
        path: path.to_path_buf(),
        kind: kind_name(kind),
    }
}

fn kind_name(kind: FileType) -> &'static str {
    match kind {
        _ if kind.is_file() => "regular file",
        _ if kind.is_dir() => "folder",
        _ if kind.is_symlink() => "symlink",
        _ if kind.is_fifo() => "fifo",
        _ if kind.is_socket() => "socket",
        _ if kind.is_char_device() => "character device",
        _ if kind.is_block_device() => "block device",
        _ => "special file",
    }
}

fn entry_kind(kind: FileType) -> EntryKind {
    match kind {
        _ if kind.is_file() => EntryKind::File,
        _ if kind.is_dir() => EntryKind::Dir,
        _ if kind.is_symlink() => EntryKind::Symlink,
        _ => EntryKind::Other,
    }
}

fn look_at(path: &Path) -> Result<Metadata> {
    path.metadata()
        .map_err(|cause| HostError::io("look at", path, cause))
}

pub(crate) fn read_bounded(
    path: &Path,
    file: &File,
    found: &Metadata,
    limit: u64,
) -> Result<Vec<u8>> {
    let too_large = |actual| HostError::TooLarge {
        path: path.to_path_buf(),
        limit,
        actual,
    };
    if found.len() > limit {
        return Err(too_large(found.len()));
    }
    let failed = |cause| HostError::io("read", path, cause);
    let mut bytes = Vec::new();
    // A sparse file can claim any size: failing to reserve must be an error, not an abort.
    let expected = usize::try_from(found.len()).unwrap_or(usize::MAX);
    bytes
        .try_reserve_exact(expected)
        .map_err(|_| failed(io::ErrorKind::OutOfMemory.into()))?;
    // One byte over the limit proves that there is more than allowed.
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let arrived = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if arrived > limit {
        return Err(too_large(arrived));
    }
    Ok(bytes)
}

pub(crate) fn stamp_of(found: &Metadata) -> FileStamp {
    FileStamp {
        size: found.len(),
        mtime_ns: nanos(found.mtime(), found.mtime_nsec()),
        ctime_ns: nanos(found.ctime(), found.ctime_nsec()),
    }
}

pub(crate) fn nanos(seconds: i64, nanoseconds: i64) -> i128 {
    const NANOS_PER_SECOND: i128 = 1_000_000_000;
    i128::from(seconds)
        .saturating_mul(NANOS_PER_SECOND)
        .saturating_add(i128::from(nanoseconds))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode};
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::time::{Duration, UNIX_EPOCH};

    const ANY: u64 = 1 << 20;

    fn refused_as(result: Result<Vec<u8>>) -> &'static str {
        match result {
            Err(HostError::NotRegular { kind, .. }) => kind,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn limits_are_inclusive() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_regular(&path, 5).unwrap(), b"12345");
        assert!(matches!(
            read_regular(&path, 4),
            Err(HostError::TooLarge {
                limit: 4,
                actual: 5,
                ..
            })
        ));
        std::fs::write(&path, "").unwrap();
        assert_eq!(read_regular(&path, 0).unwrap(), b"");
        assert_eq!(read_regular(&path, u64::MAX).unwrap(), b"");
    }

    #[test]
    fn blocks_are_the_file() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        std::fs::write(&path, "12345").unwrap();
        let mut all = Vec::new();
        let mut take = |block: &[u8]| all.extend_from_slice(block);
        let read = read_blocks(&path, 5, &mut [0; 2], &mut take);
        assert_eq!((read.unwrap(), all.as_slice()), (5, b"12345".as_slice()));
        let short = read_blocks(&path, 4, &mut [0; 2], &mut |_| {});
        assert!(matches!(short, Err(HostError::TooLarge { limit: 4, .. })));
    }

    #[test]
    fn a_file_that_grows_after_the_look_is_refused_by_its_bytes() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        std::fs::write(&path, "1").unwrap();
        let (file, found) = open_regular(&path, Links::Follow).unwrap();
        std::fs::write(&path, "123456789").unwrap();
        assert!(matches!(
            read_bounded(&path, &file, &found, 4),
            Err(HostError::TooLarge { actual: 5, .. })
        ));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_claims_no_size_is_bounded_too() {
        let path = Path::new("/proc/self/status");
        assert_eq!(file_stamp(path).unwrap().size, 0);
        assert!(!read_regular(path, ANY).unwrap().is_empty());
        assert!(matches!(
            read_regular(path, 10),
            Err(HostError::TooLarge { actual: 11, .. })
        ));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_fifo_is_refused_and_does_not_hang() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("fifo");
        rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        assert_eq!(refused_as(read_regular(&path, ANY)), "fifo");
        assert_eq!(refused_as(read_regular_nofollow(&path, ANY)), "fifo");
        let link = scratch.path().join("link");
        symlink("fifo", &link).unwrap();
        assert_eq!(refused_as(read_regular(&link, ANY)), "fifo");
    }

    #[test]
    fn everything_else_that_is_no_file_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let socket = scratch.path().join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        assert_eq!(refused_as(read_regular(&socket, ANY)), "socket");
        assert_eq!(refused_as(read_regular(scratch.path(), ANY)), "folder");
        assert_eq!(
            refused_as(read_regular(Path::new("/dev/zero"), ANY)),
            "character device"
        );
        let missing = read_regular(&scratch.path().join("none"), ANY);
        assert!(missing.unwrap_err().is_not_found());
    }

    #[test]
    fn a_symlink_is_followed_or_refused_as_asked() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("f"), "x").unwrap();
        let link = scratch.path().join("link");
        symlink("f", &link).unwrap();
        assert_eq!(read_regular(&link, ANY).unwrap(), b"x");
        assert!(matches!(
            read_regular_nofollow(&link, ANY),
            Err(HostError::Symlink { .. })
        ));
        let plain = read_regular_nofollow(&scratch.path().join("f"), ANY);
        assert_eq!(plain.unwrap(), b"x");
    }

    #[test]
    fn stamps_are_in_nanoseconds_on_both_sides_of_1970() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("f");
        std::fs::write(&path, "123").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        for (time, expected) in [
            (
                UNIX_EPOCH + Duration::new(4_070_908_800, 5),
                4_070_908_800_000_000_005,
            ),
            (UNIX_EPOCH - Duration::from_secs(2), -2_000_000_000),
        ] {
            file.set_modified(time).unwrap();
            let (bytes, stamp) = read_stamped(&path, ANY).unwrap();
            assert_eq!(bytes, b"123");
            assert_eq!((stamp.size, stamp.mtime_ns), (3, expected));
            assert!(stamp.ctime_ns > 1_000_000_000_000_000_000);
            assert_eq!(file_stamp(&path).unwrap(), stamp);
        }
        assert_eq!(
            nanos(i64::MAX, i64::MAX),
            i128::from(i64::MAX) * 1_000_000_001
        );
    }

    #[test]
    fn a_folder_has_a_stamp_and_a_file_has_no_folder_stamp() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("f");
        std::fs::write(&file, "").unwrap();
        let folder = File::open(scratch.path()).unwrap();
        folder
            .set_modified(UNIX_EPOCH + Duration::from_secs(9))
            .unwrap();
        let stamp = dir_stamp(scratch.path()).unwrap();
        assert_eq!(stamp.mtime_ns, 9_000_000_000);
        let refused = dir_stamp(&file).unwrap_err();
        assert_eq!(refused.kind(), Some(io::ErrorKind::NotADirectory));
        assert!(matches!(
            file_stamp(scratch.path()),
            Err(HostError::NotRegular { kind: "folder", .. })
        ));
    }

    #[test]
    fn a_listing_is_in_byte_order_with_kinds() {
        let scratch = tempfile::tempdir().unwrap();
        for name in ["a_b", "aB", "a-b", "A", "é"] {
            std::fs::write(scratch.path().join(name), "").unwrap();
        }
        std::fs::create_dir(scratch.path().join("a.d")).unwrap();
        symlink("nowhere", scratch.path().join("a~")).unwrap();
        let _listener = UnixListener::bind(scratch.path().join("s")).unwrap();
        let found: Vec<(String, EntryKind)> = list_dir(scratch.path())
            .unwrap()
            .into_iter()
            .map(|entry| (entry.name.into_string().unwrap(), entry.kind))
            .collect();
        let expected = [
            ("A", EntryKind::File),
            ("a-b", EntryKind::File),
            ("a.d", EntryKind::Dir),
            ("aB", EntryKind::File),
            ("a_b", EntryKind::File),
            ("a~", EntryKind::Symlink),
            ("s", EntryKind::Other),
            ("é", EntryKind::File),
        ];
        let expected = expected.map(|(name, kind)| (name.to_owned(), kind));
        assert_eq!(found, expected);
        assert!(
            list_dir(&scratch.path().join("none"))
                .unwrap_err()
                .is_not_found()
        );
    }

    #[test]
    fn the_kind_of_a_name_is_told_without_following_it() {
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str| scratch.path().join(name);
        std::fs::write(place("file"), "").unwrap();
        std::fs::create_dir(place("folder")).unwrap();
        std::os::unix::fs::symlink("nowhere", place("link")).unwrap();
        let kind = |name| kind_of(&place(name)).unwrap();
        assert_eq!(kind("file"), Some(EntryKind::File));
        assert_eq!(kind("folder"), Some(EntryKind::Dir));
        assert_eq!(kind("link"), Some(EntryKind::Symlink));
        assert_eq!(kind("none/x"), None);
        assert_eq!(kind("file/x"), None);
        assert_eq!(
            kind_of(Path::new("/dev/null")).unwrap(),
            Some(EntryKind::Other)
        );
    }
}
