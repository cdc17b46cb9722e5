//! Is a `generate` under way, or has one been interrupted? And who may change markers now?
//!
//! Nothing that is killed can restore what its generator has deleted. So `generate` writes a journal before it changes anything
//! and removes it when all markers are verified to be right. What is in the journal is for people; that it exists is what
//! counts:
//!
//! | journal | lock | what it means |
//! | --- | --- | --- |
//! | none | free | nothing is under way |
//! | none | held | `apply` is at work, or `generate` is about to begin or has just ended |
//! | there | held | `generate` is at work: `busy` |
//! | there | free | a `generate` was killed, or could not restore: `check` fails until `apply` or `generate` succeeds |
//!
//! The kernel drops the lock with its process, so a dead one is told from a living one without asking for process numbers. Both
//! lie in `.vibey/markers` of the project, with a `.gitignore` that covers the folder.

use super::fault::{Fault, Stop};
use super::place;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::canonical;
use vibey_context_contracts::markers::VERSION;
use vibey_context_host::error::HostError;
use vibey_context_host::lock::{self, LockGuard};
use vibey_context_host::path::RelPath;
use vibey_context_host::read::kind_of;
use vibey_context_host::write::{
    Durability, create_folder, remove_file, replace, sweep_temporaries, sync_folder,
};

/// The folder of our state, relative to the project.
pub(super) const FOLDER: &str = ".vibey/markers";
/// The journal, relative to the project.
const JOURNAL: &str = ".vibey/markers/journal.json";
/// The lock, relative to the project. It is never deleted.
const LOCK: &str = ".vibey/markers/lock";
/// There while markers are written beside their names, relative to the project.
const STAGING: &str = ".vibey/markers/staging";
/// Keeps git from our state, relative to the project.
const IGNORE: &str = ".vibey/markers/.gitignore";

/// How long a call waits for another one. Long enough for any `apply`; a `generate` takes longer than anybody wants to wait
/// without a word.
const BUSY_WAIT: Duration = Duration::from_secs(2);

/// What the journal says of the last `generate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// It came to its end, or there was none.
    Ended,
    /// It is at work.
    Running,
    /// It was interrupted.
    Interrupted,
}

/// Refuses a folder of ours that is a symlink or no folder: what we write must not land elsewhere.
///
/// # Errors
/// It is one.
pub(super) fn check_place(root: &Path) -> Result<(), Fault> {
    place::folder_exists(root, FOLDER).map(drop)
}

/// What became of the last `generate`. Creates nothing and holds nothing; without a journal the lock is not looked at.
///
/// # Errors
/// The lock can not be asked.
pub(super) fn last(root: &Path) -> Result<Last, Fault> {
    if !is_left_over(root)? {
        return Ok(Last::Ended);
    }
    match lock::is_held(&root.join(LOCK)) {
        Ok(true) => Ok(Last::Running),
        // A generator may have deleted the lock's file.
        Ok(false) if lock::is_folder_held(root).unwrap_or(false) => Ok(Last::Running),
        // It may have come to its end between the two looks: the journal goes before the lock.
        Ok(false) if !is_left_over(root)? => Ok(Last::Ended),
        Ok(false) => Ok(Last::Interrupted),
        Err(error) => Err(Fault::host("the lock cannot be asked", &error).at(LOCK)),
    }
}

/// Whether there is a journal.
///
/// # Errors
/// Its folder can not be looked into.
pub(super) fn is_left_over(root: &Path) -> Result<bool, Fault> {
    let kind = kind_of(&root.join(JOURNAL));
    kind.map(|kind| kind.is_some())
        .map_err(|error| Fault::host("the journal cannot be looked at", &error).at(JOURNAL))
}

/// That a `generate` was interrupted, and what to do about it.
pub(super) fn interrupted() -> Fault {
    let message = "a `generate` did not come to its end, and what it left is not known to be right; see that nothing of its generator is running, run `apply`, then `check`";
    Fault::new("interrupted_generate", message).at(JOURNAL)
}

/// That another call is at work.
pub(super) fn busy() -> Fault {
    let message =
        "another `apply` or `generate` is at work in this project; try again when it has ended";
    Fault::new("busy", message).at(LOCK)
}

/// Takes the lock of the project, for a call that is valid.
///
/// # Errors
/// Refused where another call holds it for longer than two seconds, or where the lock is no plain file; failed where it can not
/// be created.
pub(super) fn lock(root: &Path) -> Result<Locks, Stop> {
    let failed = |error: &HostError, path: &str| {
        Stop::Failed(Fault::host("the lock cannot be taken", error).at(path))
    };
    create_folder(&root.join(FOLDER), Durability::Durable)
        .map_err(|error| failed(&error, FOLDER))?;
    let ignore = root.join(IGNORE);
    if kind_of(&ignore)
        .map_err(|error| failed(&error, IGNORE))?
        .is_none()
    {
        replace(&ignore, b"*\n", Durability::Rebuildable)
            .map_err(|error| failed(&error, IGNORE))?;
    }
    let file = lock::acquire(&root.join(LOCK), BUSY_WAIT, &mut || {});
    let file = file.map_err(|error| match &error {
        HostError::LockTimeout { .. } => Stop::Refused(busy()),
        HostError::Symlink { .. } | HostError::NotRegular { .. } => {
            Stop::Refused(Fault::host("the lock cannot be taken", &error).at(LOCK))
        }
        _ => failed(&error, LOCK),
    })?;
    let project = match lock::acquire_folder(root, BUSY_WAIT) {
        Ok(guard) => Some(guard),
        Err(HostError::LockTimeout { .. }) => return Err(Stop::Refused(busy())),
        // Some network file systems can not lock folders: the file alone has to do there.
        Err(_) => None,
    };
    // What calls have left that were killed.
    sweep_temporaries(&root.join(FOLDER)).map_err(|error| failed(&error, FOLDER))?;
    Ok(Locks {
        _file: file,
        _project: project,
    })
}

/// Held while markers are changed: the lock's file, and the project folder itself, since a generator may delete the file.
pub(super) struct Locks {
    _file: LockGuard,
    _project: Option<LockGuard>,
}

/// Writes the journal, so that it outlives a power loss.
///
/// # Errors
/// It can not be written; then no generator may run.
pub(super) fn begin(root: &Path, manifest: &RelPath) -> Result<(), Fault> {
    let content = serde_json::json!({
        "manifest": manifest.as_str(),
        "note": "a generate has begun; where none is running, it was interrupted: run apply, then check",
        "version": VERSION,
    });
    let failed = |reason: String| {
        Fault::new("io", format!("the journal cannot be written: {reason}")).at(JOURNAL)
    };
    let text = canonical::pretty(&content).map_err(|error| failed(error.to_string()))?;
    replace(&root.join(JOURNAL), text.as_bytes(), Durability::Durable)
        .map_err(|error| failed(error.reason()))
}

/// Notes that texts are about to be written beside the markers' names.
///
/// # Errors
/// It can not be noted; then nothing may be written that nobody would find.
pub(super) fn begin_staging(root: &Path) -> Result<(), Fault> {
    replace(&root.join(STAGING), b"", Durability::Rebuildable)
        .map_err(|error| Fault::host("the state cannot be written", &error).at(STAGING))
}

/// Nothing stands beside a marker any more. If that can not be noted, the next call looks in vain.
pub(super) fn end_staging(root: &Path) {
    let _ = remove_file(&root.join(STAGING));
}

/// Whether a call was killed while texts stood beside the markers' names.
///
/// # Errors
/// The folder of our state can not be looked into.
pub(super) fn has_leftovers(root: &Path) -> Result<bool, Fault> {
    let staging = kind_of(&root.join(STAGING));
    let staging = staging
        .map_err(|error| Fault::host("the state cannot be looked at", &error).at(STAGING))?;
    Ok(staging.is_some() || is_left_over(root)?)
}

/// Removes the journal, if there is one: all markers are right.
///
/// # Errors
/// It can not be removed, so that `check` would go on failing; or a generator has put something else in the place of our folder,
/// and what would be removed lies elsewhere.
pub(super) fn end(root: &Path) -> Result<(), Fault> {
    check_place(root)?;
    let removed = remove_file(&root.join(JOURNAL)).and_then(|was_there| {
        if was_there {
            sync_folder(&root.join(FOLDER))?;
        }
        Ok(())
    });
    removed.map_err(|error| Fault::host("the journal cannot be removed", &error).at(JOURNAL))
}
