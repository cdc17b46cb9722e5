//! What does the configuration of a project say?

use super::error::ProjectError;
use super::folder::{owned, prepared, refuse_link};
use super::tracked::refuse_tracked;
use super::{FILE, VIBEY};
use crate::environment::Variables;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::conductor::config::{CONFIG_MAX_BYTES, Change, Config, edited, parse};
use vibey_context_contracts::document::Read;
use vibey_context_host::lock;
use vibey_context_host::resolved::read_resolved;
use vibey_context_host::write::{Durability, replace};

/// Folder in [`VIBEY`] that holds the index, unless the configuration says otherwise, and the lock below.
pub const OURS: &str = "skills-context";
/// Held while the configuration is changed.
const LOCK: &str = "project.lock";
/// A change takes milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// Above the contract's own limit, whose message is the better one.
const READ_MAX_BYTES: u64 = 2 * CONFIG_MAX_BYTES as u64;

/// The configuration of the project in `dir`; the defaults where there is no file.
///
/// # Errors
/// A file that git tracks, that stands behind a symlink, or that is no configuration.
pub fn load(dir: &Path, variables: &Variables) -> Result<Read<Config>, ProjectError> {
    let Some(bytes) = read(dir)? else {
        return Ok(Read::default());
    };
    refuse_tracked(dir, variables)?;
    parsed(dir, &bytes)
}

/// Changes the configuration of the project in `dir`, or writes a first one; returns its path and what it says now.
///
/// # Errors
/// As [`load`], a value out of range, or what the system says.
pub fn change(
    dir: &Path,
    variables: &Variables,
    change: Change,
) -> Result<(PathBuf, Config), ProjectError> {
    refuse_tracked(dir, variables)?;
    let vibey = prepared(dir)?;
    let ours = owned(&vibey, &[OURS], Durability::Durable)?;
    let _held = lock::acquire(&ours.join(LOCK), LOCK_WAIT, &mut || {})?;
    let path = vibey.join(FILE);
    let text = edited(read(dir)?.as_deref(), change).map_err(|fault| ProjectError::Config {
        path: path.clone(),
        fault: Box::new(fault),
    })?;
    replace(&path, text.as_bytes(), Durability::Durable)?;
    let config = parsed(dir, text.as_bytes())?.value;
    Ok((path, config))
}

fn read(dir: &Path) -> Result<Option<Vec<u8>>, ProjectError> {
    let vibey = dir.join(VIBEY);
    refuse_link(&vibey)?;
    match read_resolved(&vibey.join(FILE), READ_MAX_BYTES) {
        Err(error) if error.is_not_found() => Ok(None),
        other => Ok(Some(other?)),
    }
}

fn parsed(dir: &Path, bytes: &[u8]) -> Result<Read<Config>, ProjectError> {
    parse(bytes).map_err(|fault| ProjectError::Config {
        path: dir.join(VIBEY).join(FILE),
        fault: Box::new(fault),
    })
}
