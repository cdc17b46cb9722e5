//! How is a ledger opened, and is an open one still the file that its path names?

use super::connection::{BUSY_TIMEOUT, Connection};
use super::error::LedgerError;
use super::location::Location;
use super::{Result, migrate, now_ms};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use vibey_context_host::error::HostError;
use vibey_context_host::lock;
use vibey_context_host::path::is_symlink;
use vibey_context_host::write::{Durability, create_folder, remove_file, sync_folder};

/// Behind the name of a SQLite file: the lock of its creation.
const LOCK_SUFFIX: &str = ".lock";
/// Behind the name of a SQLite file: its write-ahead log, and the index of that.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// What is to be done about a ledger that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    Create,
    Refuse,
}

/// An open database, and which file it is.
pub(super) struct Open {
    pub(super) connection: Connection,
    file: Option<FileId>,
}

/// Device and number of a file. While it is open nothing else has the same, even if it was deleted.
type FileId = (u64, u64);

impl Open {
    /// Whether the path has become another file, or none: what is written now would not be found there.
    pub(super) fn is_moved(&self, location: &Location) -> bool {
        self.file != file_id(location)
    }

    /// Closes a file that was moved. Before another one is opened: when a process closes a file, it loses the locks that
    /// it has on it by any other handle, and both may share the log's name.
    pub(super) async fn let_go(mut self, location: &Location) {
        // Moved away, and not replaced: its log will be removed, so that it has to be complete without.
        if file_id(location).is_none() {
            self.connection.settle().await;
        }
        self.connection.close().await;
    }
}

/// The file that a path names; `None` for a server.
fn file_id(location: &Location) -> Option<FileId> {
    let Location::Sqlite(path) = location else {
        return None;
    };
    let found = path.symlink_metadata().ok()?;
    Some((found.dev(), found.ino()))
}

/// Connects, and brings the tables to the version that this program knows.
pub(super) async fn open(location: &Location, absent: Absent) -> Result<Open> {
    let create = absent == Absent::Create;
    let missing = || LedgerError::Missing {
        place: location.to_string(),
    };
    // Held until the tables are there: switching to a write-ahead log does not wait for others.
    let mut creation = None;
    if let Location::Sqlite(path) = location {
        if is_symlink(path)? {
            return Err(HostError::Symlink { path: path.clone() }.into());
        }
        if !path.is_file() {
            if !create {
                return Err(missing());
            }
            creation = Some(creation_lock(path)?);
            remove_companions(path)?;
        }
    }
    // Before it is opened, if it is there: one that is exchanged in between is taken for moved, and opened once more.
    let before = file_id(location);
    let mut connection = Connection::open(location, create).await?;
    let file = before.or_else(|| file_id(location));
    let version = migrate::version(&mut connection, location).await?;
    if version == 0 && !create {
        return Err(missing());
    }
    if version < migrate::known() {
        if let (Location::Sqlite(path), None) = (location, &creation) {
            creation = Some(creation_lock(path)?);
        }
        migrate::migrate(&mut connection, location, now_ms()).await?;
        if let Location::Sqlite(path) = location {
            sync_folder(path.parent().unwrap_or(Path::new(".")))?;
        }
    }
    drop(creation);
    Ok(Open { connection, file })
}

/// The lock under which a SQLite file is created or changed in shape; creates its folder.
fn creation_lock(path: &Path) -> Result<lock::LockGuard> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folder(folder, Durability::Durable)?;
    Ok(lock::acquire(
        &beside(path, LOCK_SUFFIX),
        BUSY_TIMEOUT,
        &mut || {},
    )?)
}

/// Removes what a file left behind that was moved away while others have it open: a new one would take their index
/// for its own. SQLite itself removes the log, but not the index.
fn remove_companions(path: &Path) -> Result<()> {
    // Somebody may have been faster.
    if !path.is_file() {
        for suffix in COMPANIONS {
            remove_file(&beside(path, suffix))?;
        }
    }
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
