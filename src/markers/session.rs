//! Who may change the markers of a project now, and by which plan?

use super::apply::{Applied, apply, sweep};
use super::fault::{Fault, Stop};
use super::journal::{self, Locks};
use super::plan::{self, Plan};
use super::root::Root;
use std::path::Path;
use vibey_context_contracts::markers::result::Operation;

/// A valid call that holds the lock of its project, until it is dropped.
pub(super) struct Session {
    pub(super) root: Root,
    /// As it is under the lock.
    pub(super) plan: Plan,
    _lock: Locks,
}

impl Session {
    /// Validates, takes the lock, and validates again: the other call, for which this one has waited, may have changed
    /// everything. The first time is what keeps a call that is refused from creating the lock.
    pub(super) fn begin(root: &Path, manifest: &Path, operation: Operation) -> Result<Self, Stop> {
        let root = Root::open(root).map_err(Stop::Refused)?;
        let read = || valid(&root, manifest, operation).map_err(Stop::Refused);
        read()?;
        let lock = journal::lock(root.path())?;
        let plan = read()?;
        if journal::has_leftovers(root.path()).map_err(Stop::Failed)? {
            sweep(root.path(), &plan).map_err(Stop::Failed)?;
            journal::end_staging(root.path());
        }
        Ok(Self {
            root,
            plan,
            _lock: lock,
        })
    }

    /// Brings every marker up to date. A call that is killed meanwhile leaves a note, by which the next one finds what it left.
    pub(super) fn apply(&self) -> Applied {
        let root = self.root.path();
        let applied = apply(root, &self.plan, || journal::begin_staging(root));
        journal::end_staging(root);
        applied
    }
}

fn valid(root: &Root, manifest: &Path, operation: Operation) -> Result<Plan, Fault> {
    let plan = plan::read(root, manifest)?;
    if operation == Operation::Generate {
        plan.generator()?;
    }
    Ok(plan)
}
