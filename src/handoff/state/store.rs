//! How does a state come from the disk and get there, whatever happened to it meanwhile?
//!
//! Whoever writes holds the lock. A state that is torn or none gives way to `.bak`, the state before the last change; where
//! that is none either, it is copied aside and a new one is inferred. A state of a later version is never touched.

use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::handoff::state::{PipelineState, STATE_MAX_BYTES, StateFault, parse};
use vibey_context_host::error::HostError;
use vibey_context_host::lock::{LockGuard, acquire};
use vibey_context_host::read::{EntryKind, kind_of, read_regular_nofollow};
use vibey_context_host::write::{Durability, create_folder, replace, sweep_temporaries};

/// How long a command waits for another one. One takes a tenth of a second; whoever waits longer waits for one that hangs.
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// Characters of a digest in the name of a state that was copied aside: the same bytes have the same name.
const ASIDE_CHARS: usize = 12;

/// A state as it was read.
#[derive(Debug)]
pub(crate) struct Stored {
    /// The state.
    pub(crate) state: PipelineState,
    /// What lay at its place.
    pub(crate) seen: Seen,
    /// What a person should know about how it was read.
    pub(crate) warning: Option<String>,
}

/// What lay at the place of a state when it was read.
#[derive(Debug, Default, Clone)]
pub(crate) struct Seen {
    bytes: Option<Vec<u8>>,
    is_whole: bool,
}

/// What was read of a state.
#[derive(Debug)]
pub(crate) enum Reading {
    /// Nothing is there.
    Missing,
    /// A state, from its place or from `.bak`.
    Found(Box<Stored>),
    /// Something is there that is no state, and no `.bak` that is.
    Lost {
        /// What is wrong with it.
        fault: StateFault,
        /// What lay there.
        seen: Seen,
    },
}

/// Reads the project's state.
///
/// # Errors
/// A state of a later version or of another folder, or a file that can not be read.
pub(crate) fn load(desk: &Desk) -> Result<Reading, HandoffError> {
    let Some(bytes) = bytes_of(&desk.state_path())? else {
        recovered(desk)?;
        return Ok(Reading::Missing);
    };
    let (state, fault) = match state_of(desk, &bytes) {
        Ok(state) => (state, None),
        Err(fault @ StateFault::Newer(_)) => {
            let path = desk.shown(&desk.state_path());
            return Err(HandoffError::BadState { fault, path });
        }
        Err(fault) => match recovered(desk)? {
            Some(state) => (state, Some(fault)),
            None => {
                let seen = Seen {
                    bytes: Some(bytes),
                    is_whole: false,
                };
                return Ok(Reading::Lost { fault, seen });
            }
        },
    };
    desk.same_project(&state.project_path)?;
    let seen = Seen {
        bytes: Some(bytes),
        is_whole: fault.is_none(),
    };
    let backup = desk.shown(&desk.backup_path());
    let warning = fault.map(|fault| {
        format!(
            "State was recovered from {backup}, which is one change older, since {} can not be used: {fault}; what lies there goes to {} with the next change",
            desk.shown(&desk.state_path()),
            desk.shown(&aside_path(desk, seen.bytes.as_deref().unwrap_or_default()))
        )
    });
    Ok(Reading::Found(Box::new(Stored {
        state,
        seen,
        warning,
    })))
}

/// The state of a project that has to have one; nothing is inferred.
///
/// # Errors
/// As [`load`], and [`HandoffError::NoState`] or [`HandoffError::BadState`].
pub(crate) fn require(desk: &Desk) -> Result<Stored, HandoffError> {
    let path = desk.shown(&desk.state_path());
    match load(desk)? {
        Reading::Found(stored) => Ok(*stored),
        Reading::Missing => Err(HandoffError::NoState {
            project: desk.project.to_string(),
            path,
        }),
        Reading::Lost { fault, .. } => Err(HandoffError::BadState { fault, path }),
    }
}

/// The right to change the files of a project that has to have a state, and that state. Where there is none, nothing is written.
///
/// # Errors
/// As [`Writer::new`] and [`require`].
pub(crate) fn open(desk: &Desk) -> Result<(Writer<'_>, Stored), HandoffError> {
    let path = desk.state_path();
    if kind_of(&path)?.is_none() {
        return Err(HandoffError::NoState {
            project: desk.project.to_string(),
            path: desk.shown(&path),
        });
    }
    let writer = Writer::new(desk)?;
    Ok((writer, require(desk)?))
}

fn state_of(desk: &Desk, bytes: &[u8]) -> Result<PipelineState, StateFault> {
    let state = parse(bytes)?;
    if state.project_name != desk.project.as_str() {
        return Err(StateFault::Foreign(format!(
            "its `project_name` is `{}`",
            state.project_name
        )));
    }
    Ok(state)
}

/// The state of `.bak`, where there is one.
///
/// # Errors
/// It is of a later version, or can not be read.
fn recovered(desk: &Desk) -> Result<Option<PipelineState>, HandoffError> {
    let Some(bytes) = bytes_of(&desk.backup_path())? else {
        return Ok(None);
    };
    match state_of(desk, &bytes) {
        Ok(state) => Ok(Some(state)),
        Err(fault @ StateFault::Newer(_)) => {
            let path = desk.shown(&desk.backup_path());
            Err(HandoffError::BadState { fault, path })
        }
        Err(_) => Ok(None),
    }
}

/// A `.bak` beside which no state lies: its bytes, and where they go before a new state is written.
fn orphaned(desk: &Desk) -> Result<Option<(Vec<u8>, PathBuf)>, HandoffError> {
    if recovered(desk)?.is_none() {
        return Ok(None);
    }
    let bytes = bytes_of(&desk.backup_path())?;
    Ok(bytes.map(|bytes| {
        let path = beside(desk, "bak-", &bytes);
        (bytes, path)
    }))
}

/// What a person should know about a `.bak` beside which no state lies.
///
/// # Errors
/// As [`load`].
pub(crate) fn orphan(desk: &Desk) -> Result<Option<String>, HandoffError> {
    let told = |(_, path): (Vec<u8>, PathBuf)| {
        format!(
            "State was missing; its backup was kept as {}, rename that to {} to go on from there",
            desk.shown(&path),
            desk.shown(&desk.state_path())
        )
    };
    Ok(orphaned(desk)?.map(told))
}

fn bytes_of(path: &Path) -> Result<Option<Vec<u8>>, HandoffError> {
    // Behind a link lies what a rename would not replace.
    match read_regular_nofollow(path, STATE_MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(missing) if missing.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Where a state that is none is copied to.
fn aside_path(desk: &Desk, bytes: &[u8]) -> PathBuf {
    beside(desk, "corrupt-", bytes)
}

/// A file beside the state that is named by what is in it.
fn beside(desk: &Desk, what: &str, bytes: &[u8]) -> PathBuf {
    let digest: String = sha256_hex(bytes).chars().take(ASIDE_CHARS).collect();
    desk.home.join(format!(
        "pipeline-state-{}.json.{what}{digest}",
        desk.project
    ))
}

/// The right to change the files of a project.
pub(crate) struct Writer<'a> {
    desk: &'a Desk,
    _lock: LockGuard,
}

impl<'a> Writer<'a> {
    /// Takes the lock, and removes what killed writers left.
    ///
    /// # Errors
    /// Another one holds it for too long, or the folders can not be made.
    pub(crate) fn new(desk: &'a Desk) -> Result<Self, HandoffError> {
        create_folder(&desk.home, Durability::Durable)?;
        let lock = acquire(&desk.lock_path(), LOCK_WAIT, &mut || {})?;
        for folder in [&desk.home, &desk.briefs_folder(), &desk.dashboard_folder()] {
            sweep_temporaries(folder)?;
        }
        Ok(Self { desk, _lock: lock })
    }

    /// Writes a brief. It can be made again from what it was made of.
    ///
    /// # Errors
    /// The file can not be written.
    pub(crate) fn brief(&self, path: &Path, text: &str) -> Result<(), HandoffError> {
        create_folder(&self.desk.briefs_folder(), Durability::Rebuildable)?;
        Ok(replace(path, text.as_bytes(), Durability::Rebuildable)?)
    }

    /// Writes the dashboard. It can be made again from the state.
    ///
    /// # Errors
    /// The file can not be written.
    pub(crate) fn dashboard(&self, html: &str) -> Result<(), HandoffError> {
        create_folder(&self.desk.dashboard_folder(), Durability::Rebuildable)?;
        Ok(replace(
            &self.desk.dashboard_path(),
            html.as_bytes(),
            Durability::Rebuildable,
        )?)
    }

    /// Refuses to go on where the state could not be written afterwards: it is not what was read, since an editor knows nothing
    /// of our lock, or `.bak` is a link.
    ///
    /// # Errors
    /// [`HandoffError::StateChanged`], [`HostError::Symlink`].
    pub(crate) fn is_free(&self, seen: &Seen) -> Result<(), HandoffError> {
        if bytes_of(&self.desk.state_path())? != seen.bytes {
            return Err(HandoffError::StateChanged {
                path: self.desk.shown(&self.desk.state_path()),
            });
        }
        let backup = self.desk.backup_path();
        if kind_of(&backup)? == Some(EntryKind::Symlink) {
            return Err(HostError::Symlink { path: backup }.into());
        }
        Ok(())
    }

    /// Writes the state: first the one before to `.bak`, then the new one in its place. Without one before, `.bak` holds the
    /// new one too, so that it never holds that of another pipeline. What was no state is copied aside first.
    ///
    /// # Errors
    /// As [`Writer::is_free`], or the files can not be written.
    pub(crate) fn state(&self, state: &mut PipelineState, seen: &Seen) -> Result<(), HandoffError> {
        self.is_free(seen)?;
        let desk = self.desk;
        state.updated_at = desk.now();
        let text = state
            .pretty()
            .map_err(|error| HandoffError::Render(error.to_string()))?;
        let before = match &seen.bytes {
            Some(bytes) if seen.is_whole => bytes.as_slice(),
            Some(bytes) => {
                replace(&aside_path(desk, bytes), bytes, Durability::Durable)?;
                text.as_bytes()
            }
            None => {
                if let Some((bytes, path)) = orphaned(desk)? {
                    replace(&path, &bytes, Durability::Durable)?;
                }
                text.as_bytes()
            }
        };
        replace(&desk.backup_path(), before, Durability::Durable)?;
        Ok(replace(
            &desk.state_path(),
            text.as_bytes(),
            Durability::Durable,
        )?)
    }
}

/// What a person should know about a state that is none.
pub(crate) fn lost(desk: &Desk, fault: &StateFault, seen: &Seen) -> String {
    let aside = seen
        .bytes
        .as_deref()
        .map(|bytes| desk.shown(&aside_path(desk, bytes)))
        .unwrap_or_default();
    format!("State was not usable ({fault}) and was moved aside to {aside}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::handoff::pipelines::Pipelines;
    use crate::handoff::state::lifecycle::begun;
    use crate::text::tokens::Tokenizer;
    use vibey_context_contracts::handoff::name::ProjectName;

    fn desk(folder: &Path) -> Desk {
        Desk {
            project: ProjectName::new("p").unwrap(),
            project_path: folder.canonicalize().unwrap(),
            user_home: None,
            home: folder.join("home"),
            now_ms: 0,
            new_id: "id".to_owned(),
            tokenizer: Tokenizer::Estimate,
            adopt_path: false,
        }
    }

    #[test]
    fn what_an_editor_has_changed_meanwhile_is_not_written_over() {
        let scratch = tempfile::tempdir().unwrap();
        let desk = desk(scratch.path());
        let pipelines = Pipelines::load(&desk).unwrap();
        let route = pipelines.named("sdd").unwrap();
        let mut state = begun(&desk, &route, pipelines.settings(None));
        let writer = Writer::new(&desk).unwrap();
        writer.state(&mut state, &Seen::default()).unwrap();
        let Reading::Found(stored) = load(&desk).unwrap() else {
            panic!("no state")
        };
        let edited = std::fs::read_to_string(desk.state_path())
            .unwrap()
            .replace("\"id\"", "\"mine\"");
        std::fs::write(desk.state_path(), &edited).unwrap();
        for seen in [&stored.seen, &Seen::default()] {
            let refused = writer.state(&mut state, seen).unwrap_err();
            assert!(
                matches!(refused, HandoffError::StateChanged { .. }),
                "{refused}"
            );
            assert!(writer.is_free(seen).is_err());
        }
        assert_eq!(std::fs::read_to_string(desk.state_path()).unwrap(), edited);
        // A state that has vanished is not brought back either.
        std::fs::remove_file(desk.state_path()).unwrap();
        assert!(writer.state(&mut state, &stored.seen).is_err());
    }

    #[test]
    fn the_first_state_is_its_own_backup() {
        let scratch = tempfile::tempdir().unwrap();
        let desk = desk(scratch.path());
        let pipelines = Pipelines::load(&desk).unwrap();
        let route = pipelines.named("debug").unwrap();
        let mut state = begun(&desk, &route, pipelines.settings(None));
        let writer = Writer::new(&desk).unwrap();
        std::fs::write(desk.backup_path(), "of an older pipeline").unwrap();
        writer.state(&mut state, &Seen::default()).unwrap();
        std::fs::write(desk.state_path(), "").unwrap();
        let Reading::Found(stored) = load(&desk).unwrap() else {
            panic!("no state")
        };
        assert_eq!(stored.state.pipeline_type, "debug");
        assert!(stored.warning.is_some());
    }
}
