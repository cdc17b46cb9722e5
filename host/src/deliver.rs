//! How does an output reach the place that a person named on the command line?
//!
//! That place may be a file, a link to one, a FIFO that somebody reads, `/dev/null` or `/dev/stdout`. A file
//! is replaced; everything else is written through, because a rename would put a plain file where the
//! device or FIFO was.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::error::{HostError, Result};
use crate::write::{Durability, remove_file, replace};

/// Links that are followed before they count as a loop: the same number as in Linux's own resolution.
pub(crate) const MOST_LINKS: usize = 40;

/// Writes an output to where it was asked for; see the module's text of [`crate::write`] for crashes.
///
/// A symlink stays and what it leads to is replaced, or created where the link dangles. A FIFO without a
/// reader blocks, as it does for every program.
///
/// # Errors
/// [`HostError::NotRegular`] for a folder, else [`HostError::Io`], also for a loop of links.
pub fn deliver(path: &Path, bytes: &[u8]) -> Result<()> {
    match destination("write", path)? {
        Destination::File(place) => replace(&place, bytes, Durability::Rebuildable),
        Destination::Stream(place) => write_through(&place, bytes),
    }
}

/// Removes what an earlier [`deliver`] left, so that nobody takes it for the output of a run that fails.
///
/// A symlink stays and what it leads to is removed. Devices and FIFOs are left alone, and so is a missing
/// file.
///
/// # Errors
/// [`HostError::NotRegular`] for a folder, else [`HostError::Io`], also for a loop of links.
pub fn retract(path: &Path) -> Result<()> {
    match destination("remove", path)? {
        Destination::File(place) => remove_file(&place).map(drop),
        Destination::Stream(_) => Ok(()),
    }
}

enum Destination {
    /// A regular file, or a name that is free; no symlink.
    File(PathBuf),
    /// Something that takes bytes but is not a file of ours to replace.
    Stream(PathBuf),
}

/// The file or stream that [`deliver`] would write for `path`, all links followed, also where it does not exist yet.
///
/// # Errors
/// A folder, too many links, or what the system says.
pub fn resolved(path: &Path) -> Result<PathBuf> {
    match destination("look at", path)? {
        Destination::File(place) | Destination::Stream(place) => Ok(place),
    }
}

/// Walks the chain of links by hand: the system's own resolution fails where the last link dangles.
fn destination(operation: &'static str, path: &Path) -> Result<Destination> {
    let failed = |cause| HostError::io(operation, path, cause);
    let mut place = path.to_path_buf();
    for _ in 0..=MOST_LINKS {
        let found = match place.symlink_metadata() {
            Ok(found) => found.file_type(),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                return Ok(Destination::File(place));
            }
            Err(cause) => return Err(failed(cause)),
        };
        if found.is_dir() {
            return Err(HostError::NotRegular {
                path: path.to_path_buf(),
                kind: "folder",
            });
        }
        if found.is_file() {
            return Ok(Destination::File(place));
        }
        if !found.is_symlink() || is_descriptor(&place) {
            return Ok(Destination::Stream(place));
        }
        let next = place.read_link().map_err(failed)?;
        // The system resolves a relative link from the folder that holds it, and so does this join.
        place = place
            .parent()
            .map_or_else(|| next.clone(), |up| up.join(&next));
    }
    Err(failed(Errno::LOOP.into()))
}

/// Is this link an open descriptor, such as `/proc/self/fd/1` where `/dev/stdout` leads to?
///
/// The text of such a link is only a description, and the file behind it is open in the caller's shell,
/// which would go on writing to a file that a rename had taken out of the folder.
fn is_descriptor(link: &Path) -> bool {
    let Some(folder) = link.parent() else {
        return false;
    };
    folder == Path::new("/dev/fd") || (folder.starts_with("/proc") && folder.ends_with("fd"))
}

/// Opens what exists, never creates. Appending is what an inherited descriptor of a plain file needs, and
/// nothing else notices.
fn write_through(path: &Path, bytes: &[u8]) -> Result<()> {
    OpenOptions::new()
        .append(true)
        .custom_flags(OFlags::NOCTTY.bits().cast_signed())
        .open(path)
        .and_then(|mut stream| stream.write_all(bytes))
        .map_err(|cause| HostError::io("write", path, cause))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::write::TEMP_PREFIX;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_replaced_and_taken_back() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("out");
        retract(&path).unwrap();
        deliver(&path, b"first, longer").unwrap();
        deliver(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        retract(&path).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn links_stay_and_their_last_target_is_replaced() {
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str| scratch.path().join(name);
        std::fs::create_dir_all(place("deep/real")).unwrap();
        // Relative to the folder of each link, through a folder that is itself a link.
        symlink("deep/real", place("folder")).unwrap();
        symlink("folder/middle", place("out")).unwrap();
        symlink("../target", place("deep/real/middle")).unwrap();
        let target = place("deep/target");
        for bytes in [&b"created"[..], b"replaced"] {
            deliver(&place("out"), bytes).unwrap();
            assert_eq!(std::fs::read(&target).unwrap(), bytes);
        }
        retract(&place("out")).unwrap();
        assert!(!target.exists());
        retract(&place("out")).unwrap();
        for link in ["out", "deep/real/middle"] {
            assert!(place(link).symlink_metadata().unwrap().is_symlink());
        }
    }

    #[test]
    fn folders_and_loops_are_errors() {
        let scratch = tempfile::tempdir().unwrap();
        let to_folder = scratch.path().join("to-folder");
        symlink(scratch.path(), &to_folder).unwrap();
        for folder in [scratch.path(), &to_folder] {
            for refused in [deliver(folder, b"x"), retract(folder)] {
                let refused = refused.unwrap_err();
                assert!(matches!(refused, HostError::NotRegular { .. }), "{refused}");
            }
        }
        let circle = scratch.path().join("circle");
        symlink("circle", &circle).unwrap();
        for refused in [deliver(&circle, b"x"), retract(&circle)] {
            let Err(HostError::Io { cause, .. }) = refused else {
                panic!("a loop has an end");
            };
            assert_eq!(Errno::from_io_error(&cause), Some(Errno::LOOP));
        }
    }

    #[test]
    fn the_null_device_stays_a_device() {
        let scratch = tempfile::tempdir().unwrap();
        let link = scratch.path().join("null");
        symlink("/dev/null", &link).unwrap();
        for path in [Path::new("/dev/null"), &link] {
            retract(path).unwrap();
            deliver(path, b"nobody reads this").unwrap();
            let found = path.metadata().unwrap();
            assert!(!found.is_file());
        }
        assert!(link.symlink_metadata().unwrap().is_symlink());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_that_is_full_is_an_error() {
        let refused = deliver(Path::new("/dev/full"), b"x").unwrap_err();
        assert_eq!(refused.kind(), Some(io::ErrorKind::StorageFull));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_fifo_is_written_through() {
        use std::os::unix::fs::FileTypeExt;
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("fifo");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
        retract(&path).unwrap();
        // More than a pipe holds, so that writer and reader have to meet.
        let bytes = vec![b'x'; 200_000];
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| std::fs::read(&path).unwrap());
            deliver(&path, &bytes).unwrap();
            reader.join().unwrap()
        });
        assert!(read == bytes);
        assert!(path.symlink_metadata().unwrap().file_type().is_fifo());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_inherited_descriptor_of_a_file_is_written_through() {
        use std::os::fd::AsRawFd;
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("log");
        std::fs::write(&path, "before;").unwrap();
        let held = std::fs::File::open(&path).unwrap();
        let number = held.as_raw_fd();
        let link = scratch.path().join("stdout");
        symlink(format!("/proc/self/fd/{number}"), &link).unwrap();
        retract(&link).unwrap();
        deliver(&link, b"one;").unwrap();
        deliver(Path::new(&format!("/dev/fd/{number}")), b"two").unwrap();
        let text = std::io::read_to_string(held).unwrap();
        assert_eq!(text, "before;one;two");
        let left = crate::read::list_dir(scratch.path()).unwrap();
        assert!(
            left.iter()
                .all(|entry| !entry.name.to_string_lossy().starts_with(TEMP_PREFIX))
        );
    }

    #[test]
    fn only_descriptors_pass_for_descriptors() {
        for (path, expected) in [
            ("/proc/self/fd/1", true),
            ("/proc/12/task/12/fd/1", true),
            ("/dev/fd/63", true),
            ("/proc/self/cwd/out", false),
            ("/dev/shm/out", false),
            ("/home/fd/1", false),
            ("/", false),
        ] {
            assert_eq!(is_descriptor(Path::new(path)), expected, "{path}");
        }
    }
}
