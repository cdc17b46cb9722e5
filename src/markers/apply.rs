//! How do markers become what the plan says?
//!
//! All new texts are written beside their names first, which is what fails on a full disk or for want of a permission; only then
//! are they renamed. A rename that fails in the middle leaves those before it done: a batch is no transaction. What is right
//! already is not touched.

use super::fault::Fault;
use super::place::{Found, folder_exists, look};
use super::plan::{Entry, Plan};
use crate::policy::MARKER_FILE;
use std::path::Path;
use vibey_context_contracts::markers::result::{MarkerState, MarkerStatus};
use vibey_context_host::anchor::{Anchor, Anchored};
use vibey_context_host::write::{Durability, sweep_temporaries};

/// What became of each marker, and the first thing that went wrong.
#[derive(Debug)]
pub(super) struct Applied {
    pub(super) markers: Vec<MarkerState>,
    pub(super) fault: Option<Fault>,
}

/// How each marker is. Nothing is changed.
///
/// # Errors
/// One can not be looked at.
pub(super) fn survey(root: &Path, plan: &Plan) -> Result<Vec<Found>, Fault> {
    plan.entries.iter().map(|entry| look(root, entry)).collect()
}

/// The states that `check` reports.
pub(super) fn as_found(plan: &Plan, found: &[Found]) -> Vec<MarkerState> {
    let found = plan.entries.iter().zip(found);
    found
        .map(|(entry, found)| {
            let status = match found {
                Found::Missing => MarkerStatus::Missing,
                Found::Outdated => MarkerStatus::Outdated,
                Found::Right => MarkerStatus::Unchanged,
            };
            state(entry, status)
        })
        .collect()
}

/// Writes every marker that is not right; `begin` is called before the first write, if there is any.
pub(super) fn apply(
    root: &Path,
    plan: &Plan,
    begin: impl FnOnce() -> Result<(), Fault>,
) -> Applied {
    let found = match survey(root, plan) {
        Ok(found) => found,
        Err(fault) => {
            return Applied {
                markers: Vec::new(),
                fault: Some(fault),
            };
        }
    };
    let mut markers = as_found(plan, &found);
    let is_right = found.iter().all(|found| *found == Found::Right);
    let fault = match is_right {
        true => None,
        false => begin()
            .and_then(|()| write(root, plan, &found, &mut markers))
            .err(),
    };
    Applied { markers, fault }
}

fn write(
    root: &Path,
    plan: &Plan,
    found: &[Found],
    markers: &mut [MarkerState],
) -> Result<(), Fault> {
    let mut staged = Vec::new();
    for ((entry, found), marker) in plan.entries.iter().zip(found).zip(markers) {
        let written = match found {
            Found::Missing => MarkerStatus::Created,
            Found::Outdated => MarkerStatus::Updated,
            Found::Right => continue,
        };
        match stage_marker(root, entry) {
            Ok(text) => staged.push((entry, marker, text, written)),
            Err(fault) => return Err(failed(marker, fault)),
        }
    }
    for (entry, marker, text, written) in staged {
        publish(text, entry).map_err(|fault| failed(marker, fault))?;
        marker.status = written;
    }
    Ok(())
}

/// Brings back every marker that a generator has removed or changed, each for itself: one that can not be restored keeps no other
/// from it. Then looks at all of them once more. `before` is what became of them before the generator ran.
pub(super) fn restore(root: &Path, plan: &Plan, before: Vec<MarkerState>) -> Applied {
    let mut applied = Applied {
        markers: before,
        fault: None,
    };
    for (entry, marker) in plan.entries.iter().zip(&mut applied.markers) {
        match restore_one(root, entry) {
            Ok(true) => marker.status = MarkerStatus::Restored,
            Ok(false) => {}
            Err(fault) => {
                applied.fault.get_or_insert(failed(marker, fault));
            }
        }
    }
    for (entry, marker) in plan.entries.iter().zip(&mut applied.markers) {
        if let Err(fault) = verify(root, entry) {
            applied.fault.get_or_insert(failed(marker, fault));
        }
    }
    applied
}

/// Says whether there was anything to restore.
fn restore_one(root: &Path, entry: &Entry) -> Result<bool, Fault> {
    if look(root, entry)? == Found::Right {
        return Ok(false);
    }
    publish(stage_marker(root, entry)?, entry)?;
    Ok(true)
}

fn verify(root: &Path, entry: &Entry) -> Result<(), Fault> {
    match look(root, entry)? {
        Found::Right => Ok(()),
        Found::Missing | Found::Outdated => {
            let message = "the marker was written and is not right; something else changes it";
            Err(Fault::new("not_restored", message).at(entry.marker.as_str()))
        }
    }
}

/// Removes what calls that were killed have left beside markers.
///
/// # Errors
/// A folder can not be looked into, or something in it not be removed.
pub(super) fn sweep(root: &Path, plan: &Plan) -> Result<(), Fault> {
    for entry in &plan.entries {
        let folder = entry.directory.as_str();
        if folder_exists(root, folder)? {
            sweep_temporaries(&entry.directory.below(root)).map_err(|error| {
                Fault::host("a temporary file cannot be removed", &error).at(folder)
            })?;
        }
    }
    Ok(())
}

/// Puts the text beside the marker's name, in a folder that is created where it is missing.
fn stage_marker(root: &Path, entry: &Entry) -> Result<Anchored, Fault> {
    // Not by its path: a folder may have become a link since it was looked at.
    Anchor::create(root, &entry.directory, Durability::Durable)
        .and_then(|folder| folder.stage(MARKER_FILE, entry.text.as_bytes(), Durability::Durable))
        .map_err(|error| {
            Fault::host("the marker cannot be written", &error).at(entry.marker.as_str())
        })
}

fn publish(staged: Anchored, entry: &Entry) -> Result<(), Fault> {
    staged.publish().map_err(|error| {
        Fault::host("the marker cannot be written", &error).at(entry.marker.as_str())
    })
}

/// Every marker in the same state.
pub(super) fn all(plan: &Plan, status: MarkerStatus) -> Vec<MarkerState> {
    let entries = plan.entries.iter();
    entries.map(|entry| state(entry, status)).collect()
}

fn state(entry: &Entry, status: MarkerStatus) -> MarkerState {
    MarkerState {
        directory: entry.directory.as_str().to_owned(),
        path: entry.marker.as_str().to_owned(),
        status,
    }
}

/// Notes in the marker's state that there is a fault, and passes the fault on.
fn failed(marker: &mut MarkerState, fault: Fault) -> Fault {
    marker.status = MarkerStatus::Failed;
    fault
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
