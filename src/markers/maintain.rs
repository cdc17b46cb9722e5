//! Are the markers as the manifest says, and how do they become so?
//!
//! `check` writes nothing at all. `apply` first validates everything, then takes the lock and validates again, since the manifest
//! may have changed while it waited; so a call that is refused has created nothing, not even the lock's folder. It writes
//! markers that are not right, folders for them that are missing, and its own state (`src/markers/journal.rs`).

use super::apply::{as_found, survey};
use super::fault::Stop;
use super::journal::{self, Last};
use super::plan;
use super::report::{Ended, report};
use super::root::Root;
use super::session::Session;
use std::path::Path;
use vibey_context_contracts::markers::result::{
    MarkerState, MarkerStatus, MarkersResult, Operation, Status,
};

/// What [`maintain()`] is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Bring markers up to date.
    Apply,
    /// Say whether they are.
    Check,
}

/// Brings the markers of `manifest` up to date, or checks them. `root` is the project, `manifest` a path relative to it.
///
/// Every failure is in the result, and [`MarkersResult::exit_code`] follows from it.
#[must_use]
pub fn maintain(root: &Path, manifest: &Path, task: Task) -> MarkersResult {
    let (operation, ended) = match task {
        Task::Apply => (Operation::Apply, apply_manifest(root, manifest)),
        Task::Check => (Operation::Check, check_manifest(root, manifest)),
    };
    report(root, operation, ended)
}

fn apply_manifest(root: &Path, manifest: &Path) -> Result<Ended, Stop> {
    let session = Session::begin(root, manifest, Operation::Apply)?;
    let root = session.root.path();
    let applied = session.apply();
    let fault = match applied.fault {
        None => journal::end(root).err(),
        failed => failed,
    };
    Ok(Ended {
        status: match fault {
            None => Status::Ok,
            Some(_) => Status::MaintenanceFailed,
        },
        markers: applied.markers,
        generator: None,
        is_journal_left: journal::is_left_over(root).unwrap_or(true),
        fault,
    })
}

fn check_manifest(root: &Path, manifest: &Path) -> Result<Ended, Stop> {
    let root = Root::open(root).map_err(Stop::Refused)?;
    let plan = plan::read(&root, manifest).map_err(Stop::Refused)?;
    let last = journal::last(root.path()).map_err(Stop::Refused)?;
    let fault = match last {
        Last::Running => return Err(Stop::Refused(journal::busy())),
        Last::Interrupted => Some(journal::interrupted()),
        Last::Ended => None,
    };
    let found = survey(root.path(), &plan).map_err(Stop::Failed)?;
    let markers = as_found(&plan, &found);
    let is_right = |marker: &MarkerState| marker.status == MarkerStatus::Unchanged;
    Ok(Ended {
        status: if fault.is_none() && markers.iter().all(is_right) {
            Status::Ok
        } else {
            Status::CheckFailed
        },
        markers,
        generator: None,
        is_journal_left: fault.is_some(),
        fault,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
