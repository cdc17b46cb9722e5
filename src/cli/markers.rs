//! `markers`: keep agents out of generated folders.
//!
//! `apply`, `check` and `generate` print one JSON object on one line whatever happens, usage errors among it; only help and
//! version are text.

mod answers;
mod usage;

pub(super) use answers::failure;
pub(super) use usage::refuse;

use super::args::{MarkersAction, MarkersArgs};
use super::output::{line, note};
use super::surroundings::{Surroundings, variables};
use crate::markers::{Task, generate, maintain};
use serde::Serialize;
use std::time::Duration;
use vibey_context_contracts::markers::result::{MarkersError, MarkersResult, Operation};
use vibey_context_contracts::{canonical, exit};
use vibey_context_host::signals::Signals;

/// Runs the command.
pub(super) fn run(args: &MarkersArgs, surroundings: &Surroundings) -> u8 {
    let root = &surroundings.cwd;
    match &args.action {
        MarkersAction::Apply(args) => guarded(Operation::Apply, |_| {
            maintain(root, &args.manifest, Task::Apply)
        }),
        MarkersAction::Check(args) => print(&maintain(root, &args.manifest, Task::Check)),
        MarkersAction::Generate(args) => guarded(Operation::Generate, |signals| {
            generate(root, &args.manifest, &variables(), signals.cancel())
        }),
        MarkersAction::Explain(args) => answers::explain(args, root),
        MarkersAction::Orphans(args) => answers::orphans(args, root),
    }
}

/// Does something that a signal must not end half-way, and prints what came of it: `generate` is cancelled by one, `apply`
/// takes no longer than its lock.
fn guarded(operation: Operation, work: impl FnOnce(&Signals) -> MarkersResult) -> u8 {
    match Signals::install() {
        Ok(signals) => {
            let result = work(&signals);
            // What is left to do may wait for a reader for ever.
            signals.end_within(Some(Duration::ZERO));
            print(&result)
        }
        Err(error) => print(&MarkersResult::refused(
            Some(operation),
            MarkersError {
                code: "io".to_owned(),
                message: format!("signals cannot be received: {}", error.kind()),
                path: None,
            },
        )),
    }
}

/// Prints a result, and says with which code the process ends.
fn print(result: &MarkersResult) -> u8 {
    json(result, result.exit_code())
}

/// Prints an object on one line, and says with which code the process ends.
fn json<T: Serialize>(value: &T, code: u8) -> u8 {
    let text = canonical::compact(value).map_err(|error| error.to_string());
    sent(
        text.and_then(|text| line(&text).map_err(|error| error.to_string())),
        code,
    )
}

/// The code with which the process ends: what did not arrive is no success, whatever was done.
fn sent(delivered: Result<(), String>, code: u8) -> u8 {
    match delivered {
        Ok(()) => code,
        Err(reason) => {
            note(&format!("error: cannot write to standard output: {reason}"));
            if code == exit::DONE {
                exit::STRUCTURED
            } else {
                code
            }
        }
    }
}
