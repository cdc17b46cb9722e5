//! Who may change this folder now?
//!
//! An exclusive `flock(2)` on an open file. The kernel drops it with the process, however that ends, so
//! there is no stale lock: the file stays, its age and content mean nothing, and nobody deletes it.
//!
//! The kernel is asked without blocking, over and over until a deadline. A file system that can not lock
//! (`ENOLCK`) is then an error, and one whose server is away holds us no longer than one call.
//!
//! Every attempt opens the name anew and checks afterwards that the name still is the file it locked:
//! whoever removes the folder while we wait must not leave two owners, each with a file of its own.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use fs2::FileExt;
use rustix::fs::OFlags;

use crate::clock::Stopwatch;
use crate::error::{HostError, Result};
use crate::read::{Links, open_error, open_regular, require_regular};
use crate::write::NEW_FILE_MODE;

/// The first pause between two attempts: most holders are readers of a small file that end within it.
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// The longest pause: twenty attempts a second cost nothing, and nobody notices one pause more.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// An exclusive lock, held until this value is dropped.
#[must_use = "the lock is released as soon as the guard is dropped"]
#[derive(Debug)]
pub struct LockGuard {
    file: File,
    path: PathBuf,
}

impl LockGuard {
    /// The lock file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        // Closing releases the lock too, but not while a child that has not yet called exec shares the
        // open file. Nothing can be done about a failure here, and closing follows.
        let _ = FileExt::unlock(&self.file);
    }
}

/// Takes the lock, waiting at most `wait` for another holder.
///
/// `on_wait` is called once, at the first attempt that finds the lock held, so that a person can be told
/// why nothing happens. The lock file is created where it is missing; its folder is not.
///
/// # Errors
/// [`HostError::LockTimeout`] after `wait`, [`HostError::Symlink`] or [`HostError::NotRegular`] where the
/// name is no plain file, or [`HostError::Io`], also where the file system can not lock.
pub fn acquire(path: &Path, wait: Duration, on_wait: &mut dyn FnMut()) -> Result<LockGuard> {
    acquire_by(try_acquire, path, wait, on_wait)
}

/// Takes the lock of a folder itself, as [`acquire`] does with that of a file: it needs no file that could be deleted.
///
/// # Errors
/// As [`acquire`]; some network file systems can not lock folders.
pub fn acquire_folder(path: &Path, wait: Duration) -> Result<LockGuard> {
    let try_folder = |path: &Path| lock_opened(path, open_folder(path)?);
    acquire_by(try_folder, path, wait, &mut || {})
}

/// Whether somebody holds the lock of a folder.
///
/// # Errors
/// There is no such folder, or it can not be locked.
pub fn is_folder_held(path: &Path) -> Result<bool> {
    is_held_open(path, &open_folder(path)?)
}

fn open_folder(path: &Path) -> Result<File> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
        .map_err(|cause| open_error(path, Links::Refuse, cause))
}

fn acquire_by(
    try_once: impl Fn(&Path) -> Result<Option<LockGuard>>,
    path: &Path,
    wait: Duration,
    on_wait: &mut dyn FnMut(),
) -> Result<LockGuard> {
    let watch = Stopwatch::start();
    let mut pause = FIRST_PAUSE;
    if let Some(guard) = try_once(path)? {
        return Ok(guard);
    }
    on_wait();
    loop {
        let left = wait.saturating_sub(watch.elapsed());
        if left.is_zero() {
            return Err(HostError::LockTimeout {
                path: path.to_path_buf(),
                waited: wait,
            });
        }
        thread::sleep(pause.min(left));
        pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        if let Some(guard) = try_once(path)? {
            return Ok(guard);
        }
    }
}

/// Takes the lock if nobody holds it.
///
/// # Errors
/// As [`acquire`], without the timeout.
pub fn try_acquire(path: &Path) -> Result<Option<LockGuard>> {
    lock_opened(path, open_lock_file(path)?)
}

/// Whether somebody holds the lock at this moment. Creates nothing, and leaves nothing locked.
///
/// Asked by a shared lock, so that two who ask do not meet, on a descriptor for reading: a place that can not be written to
/// can be asked about. A missing lock file is held by nobody.
///
/// # Errors
/// As [`acquire`], without the timeout.
pub fn is_held(path: &Path) -> Result<bool> {
    let file = match open_regular(path, Links::Refuse) {
        Ok((file, _)) => file,
        Err(missing) if missing.is_not_found() => return Ok(false),
        Err(refused) => return Err(refused),
    };
    is_held_open(path, &file)
}

fn is_held_open(path: &Path, file: &File) -> Result<bool> {
    match <File as FileExt>::try_lock_shared(file) {
        // As in the guard: closing alone would not do.
        Ok(()) => FileExt::unlock(file)
            .map(|()| false)
            .map_err(|cause| HostError::io("unlock", path, cause)),
        Err(cause) if is_contended(&cause) => Ok(true),
        Err(cause) => Err(HostError::io("lock", path, cause)),
    }
}

fn lock_opened(path: &Path, file: File) -> Result<Option<LockGuard>> {
    // The standard library has a method of the same name: call the trait's.
    match <File as FileExt>::try_lock_exclusive(&file) {
        Ok(()) => {}
        Err(cause) if is_contended(&cause) => return Ok(None),
        Err(cause) => return Err(HostError::io("lock", path, cause)),
    }
    if names(path, &file)? {
        Ok(Some(LockGuard {
            file,
            path: path.to_path_buf(),
        }))
    } else {
        Ok(None)
    }
}

fn is_contended(cause: &io::Error) -> bool {
    cause.raw_os_error() == fs2::lock_contended_error().raw_os_error()
        || cause.kind() == io::ErrorKind::Interrupted
}

/// Writable although nothing is written: NFS grants exclusive locks on no other descriptor.
fn open_lock_file(path: &Path) -> Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(NEW_FILE_MODE.into())
        .custom_flags(flags.bits().cast_signed())
        .open(path)
        .map_err(|cause| open_error(path, Links::Refuse, cause))?;
    let found = file
        .metadata()
        .map_err(|cause| HostError::io("look at", path, cause))?;
    require_regular(path, &found)?;
    Ok(file)
}

/// Does the name still lead to the open file?
fn names(path: &Path, file: &File) -> Result<bool> {
    let failed = |cause| HostError::io("look at", path, cause);
    let ours = file.metadata().map_err(failed)?;
    match path.symlink_metadata() {
        Ok(found) => Ok((found.dev(), found.ino()) == (ours.dev(), ours.ino())),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(failed(cause)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;

    /// Long enough for any machine; a test that needs it all has failed.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn never() {
        panic!("nobody holds the lock");
    }

    #[test]
    fn a_free_lock_is_taken_at_once_and_its_content_is_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        std::fs::write(&path, "pid 1").unwrap();
        let guard = acquire(&path, Duration::ZERO, &mut never).unwrap();
        assert_eq!(guard.path(), path);
        assert!(try_acquire(&path).unwrap().is_none());
        drop(guard);
        assert!(try_acquire(&path).unwrap().is_some());
        assert_eq!(std::fs::read(&path).unwrap(), b"pid 1");
    }

    #[test]
    fn a_held_lock_times_out_and_says_so_once() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        let _guard = acquire(&path, Duration::ZERO, &mut never).unwrap();
        for wait in [Duration::ZERO, Duration::from_millis(5)] {
            let mut told = 0;
            let refused = acquire(&path, wait, &mut || told += 1).unwrap_err();
            assert!(
                matches!(refused, HostError::LockTimeout { waited, .. } if waited == wait),
                "{refused}"
            );
            assert_eq!(told, 1);
        }
    }

    #[test]
    fn a_waiter_gets_the_lock_when_the_holder_lets_go() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        let guard = acquire(&path, Duration::ZERO, &mut never).unwrap();
        let (waiting, waits) = mpsc::channel();
        thread::scope(|scope| {
            let path = &path;
            // Moved, so that a waiter that never has to wait closes the channel instead of leaving it mute.
            let waiter = scope.spawn(move || {
                let mut tell = || waiting.send(()).unwrap();
                acquire(path, PATIENCE, &mut tell).map(drop)
            });
            waits.recv().unwrap();
            drop(guard);
            waiter.join().unwrap().unwrap();
        });
    }

    #[test]
    fn two_threads_never_hold_it_together() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        let inside = AtomicU32::new(0);
        let rounds = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let guard = acquire(&path, PATIENCE, &mut || {}).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        rounds.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(guard);
                    }
                });
            }
        });
        assert_eq!(rounds.into_inner(), 40);
    }

    #[test]
    fn a_file_that_lost_its_name_before_it_was_locked_is_no_lock() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        let [stays, removed, replaced] = [(); 3].map(|()| open_lock_file(&path).unwrap());
        assert!(lock_opened(&path, stays).unwrap().is_some());
        std::fs::remove_file(&path).unwrap();
        assert!(lock_opened(&path, removed).unwrap().is_none());
        std::fs::write(&path, "").unwrap();
        assert!(lock_opened(&path, replaced).unwrap().is_none());
        assert!(try_acquire(&path).unwrap().is_some());
    }

    #[test]
    fn only_a_plain_file_is_a_lock() {
        let scratch = tempfile::tempdir().unwrap();
        let link = scratch.path().join("link");
        symlink("elsewhere", &link).unwrap();
        assert!(matches!(try_acquire(&link), Err(HostError::Symlink { .. })));
        assert!(!scratch.path().join("elsewhere").exists());
        let folder = try_acquire(scratch.path()).unwrap_err();
        assert_eq!(folder.kind(), Some(io::ErrorKind::IsADirectory));
        let missing = try_acquire(&scratch.path().join("none/lock"));
        assert!(missing.unwrap_err().is_not_found());
        #[cfg(target_os = "linux")]
        {
            let fifo = scratch.path().join("fifo");
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, mode).unwrap();
            assert!(matches!(
                try_acquire(&fifo),
                Err(HostError::NotRegular { kind: "fifo", .. })
            ));
        }
    }

    #[test]
    fn only_contention_is_worth_another_try() {
        use rustix::io::Errno;
        assert!(is_contended(&Errno::WOULDBLOCK.into()));
        assert!(is_contended(&Errno::INTR.into()));
        assert!(!is_contended(&Errno::NOLCK.into()));
        assert!(!is_contended(&Errno::OPNOTSUPP.into()));
    }

    #[test]
    fn asking_whether_it_is_held_creates_and_keeps_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lock");
        assert!(!is_held(&path).unwrap());
        assert!(!path.exists());
        let guard = try_acquire(&path).unwrap().unwrap();
        assert!(is_held(&path).unwrap());
        drop(guard);
        assert!(!is_held(&path).unwrap());
        assert!(try_acquire(&path).unwrap().is_some());
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink("lock", &link).unwrap();
        assert!(matches!(is_held(&link), Err(HostError::Symlink { .. })));
        assert!(is_held(scratch.path()).is_err());
    }
}
