//! What is said of a call, however it ended?

use super::fault::{Fault, Stop};
use super::journal::{self, Last};
use std::path::Path;
use vibey_context_contracts::markers::VERSION;
use vibey_context_contracts::markers::result::{
    GeneratorState, MarkerState, MarkersResult, Operation, Status,
};

/// How a call ended that was valid.
pub(super) struct Ended {
    pub(super) status: Status,
    pub(super) markers: Vec<MarkerState>,
    pub(super) generator: Option<GeneratorState>,
    /// Whether a journal is there now that nobody is at work for.
    pub(super) is_journal_left: bool,
    pub(super) fault: Option<Fault>,
}

/// The result of a call in the project `root`.
pub(super) fn report(
    root: &Path,
    operation: Operation,
    ended: Result<Ended, Stop>,
) -> MarkersResult {
    let ended = ended.unwrap_or_else(|stop| stopped(root, stop));
    MarkersResult {
        version: VERSION,
        operation: Some(operation),
        status: ended.status,
        markers: ended.markers,
        generator: ended.generator,
        interrupted_generate: ended.is_journal_left,
        error: ended.fault.map(Into::into),
    }
}

fn stopped(root: &Path, stop: Stop) -> Ended {
    let (status, fault) = match stop {
        Stop::Refused(fault) => (Status::Invalid, fault),
        Stop::Failed(fault) => (Status::MaintenanceFailed, fault),
    };
    Ended {
        status,
        markers: Vec::new(),
        generator: None,
        is_journal_left: journal::last(root).is_ok_and(|last| last == Last::Interrupted),
        fault: Some(fault),
    }
}
