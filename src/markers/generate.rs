//! Runs the generator of a manifest between two looks at the same plan, so that what it deletes is there again when it is done.
//!
//! Order: lock, journal, apply, generator, restore, verify, journal away. The restore runs however the generator ended, and only
//! when nothing of it is left that could delete a marker afterwards.

use super::apply::{Applied, all, restore};
use super::fault::{Fault, Stop};
use super::journal;
use super::plan::Plan;
use super::report::{Ended, report};
use super::root::Root;
use super::session::Session;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::markers::manifest::Generator;
use vibey_context_contracts::markers::result::{
    GeneratorState, GeneratorStatus, MarkerState, MarkerStatus, MarkersResult, Operation, Status,
};
use vibey_context_host::cancel::Cancel;
use vibey_context_host::process::{
    self, Bound, Command, Finished, Input, Leftovers, Outcome, Output,
};

/// Between the request to end and the order: what a build tool takes to remove its temporary files, and no more, since a person
/// who pressed Ctrl-C waits.
const GRACE: Duration = Duration::from_secs(2);

/// What the generator writes is counted and dropped.
const DROPPED: Output = Output::Capture(Bound {
    head_bytes: 0,
    tail_bytes: 0,
});

/// Applies the markers of `manifest`, runs its generator with `environment`, and restores the markers. `root` is the project,
/// `manifest` a path relative to it.
///
/// `cancel` ends the generator; the restore runs all the same. While this runs, the process must start no other programs but by
/// [`process`]: on Linux it adopts orphans, and ends them.
#[must_use]
pub fn generate(
    root: &Path,
    manifest: &Path,
    environment: &[(OsString, OsString)],
    cancel: &Cancel,
) -> MarkersResult {
    let ended = run(root, manifest, environment, cancel);
    report(root, Operation::Generate, ended)
}

fn run(
    root: &Path,
    manifest: &Path,
    environment: &[(OsString, OsString)],
    cancel: &Cancel,
) -> Result<Ended, Stop> {
    let session = Session::begin(root, manifest, Operation::Generate)?;
    let (root, plan) = (&session.root, &session.plan);
    let generator = plan.generator().map_err(Stop::Refused)?;
    let was_interrupted = journal::is_left_over(root.path()).map_err(Stop::Failed)?;
    journal::begin(root.path(), &plan.manifest).map_err(Stop::Failed)?;
    let applied = session.apply();
    if applied.fault.is_some() {
        // No generator has run, so nothing was interrupted but what was before.
        if !was_interrupted {
            let _ = journal::end(root.path());
        }
        return Ok(ended(root, Status::MaintenanceFailed, applied, None));
    }
    let finished = process::run(&command(generator, root.path(), environment, cancel));
    let state = state(&finished.outcome);
    let mut restored = restored(root, plan, applied.markers, finished.is_gone);
    let status = match state.status {
        _ if restored.fault.is_some() => Status::MaintenanceFailed,
        GeneratorStatus::Cancelled => Status::Cancelled,
        // It had just ended: who asked for an end gets no success.
        GeneratorStatus::Ok if cancel.is_cancelled() => Status::Cancelled,
        GeneratorStatus::Ok => Status::Ok,
        _ => Status::GeneratorFailed,
    };
    restored.fault = restored.fault.or_else(|| failure(&finished));
    Ok(ended(root, status, restored, Some(state)))
}

fn ended(
    root: &Root,
    status: Status,
    applied: Applied,
    generator: Option<GeneratorState>,
) -> Ended {
    Ended {
        status,
        markers: applied.markers,
        generator,
        is_journal_left: journal::is_left_over(root.path()).unwrap_or(true),
        fault: applied.fault,
    }
}

fn command(
    generator: &Generator,
    root: &Path,
    environment: &[(OsString, OsString)],
    cancel: &Cancel,
) -> Command {
    Command {
        program: generator.executable.clone().into(),
        args: generator.args.iter().map(OsString::from).collect(),
        directory: root.to_path_buf(),
        environment: environment.to_vec(),
        stdin: Input::Null,
        stdout: DROPPED,
        stderr: DROPPED,
        output_limit_bytes: Some(generator.max_output_bytes),
        timeout: Some(Duration::from_millis(generator.timeout_ms)),
        grace: GRACE,
        cancel: Some(cancel.clone()),
        forward: None,
        leftovers: Leftovers::KillDescendants,
    }
}

/// Restores the markers and removes the journal, if everything is as it must be; else the journal stays, so that `check` fails
/// until somebody has mended it.
fn restored(root: &Root, plan: &Plan, before: Vec<MarkerState>, is_gone: bool) -> Applied {
    let elsewhere = |fault| Applied {
        markers: all(plan, MarkerStatus::Failed),
        fault: Some(fault),
    };
    if let Err(fault) = root.check() {
        // Nothing is written: the path leads to another folder.
        return elsewhere(fault);
    }
    let mut applied = restore(root.path(), plan, before);
    if let Err(fault) = root.check() {
        return elsewhere(fault);
    }
    if !is_gone {
        let message = "a process of the generator could not be ended and may still change markers; end it, then run `apply`";
        let fault = Fault::new("generator_survives", message);
        applied.fault.get_or_insert(fault);
    }
    if applied.fault.is_none() {
        applied.fault = journal::end(root.path()).err();
    }
    applied
}

fn state(outcome: &Outcome) -> GeneratorState {
    let (status, exit_code) = match outcome {
        Outcome::Exited(0) => (GeneratorStatus::Ok, Some(0)),
        Outcome::Exited(code) => (GeneratorStatus::Failed, Some(*code)),
        Outcome::Signalled(_) | Outcome::Lost(_) => (GeneratorStatus::Failed, None),
        Outcome::TimedOut => (GeneratorStatus::TimedOut, None),
        Outcome::Cancelled => (GeneratorStatus::Cancelled, None),
        Outcome::OutputLimit => (GeneratorStatus::OutputLimit, None),
        Outcome::FailedToStart(_) => (GeneratorStatus::SpawnFailed, None),
    };
    GeneratorState { status, exit_code }
}

/// What is to be said of a generator that did not do its work.
fn failure(finished: &Finished) -> Option<Fault> {
    let (code, message) = match &finished.outcome {
        Outcome::Exited(0) => return None,
        Outcome::Exited(code) => (
            "generator_failed",
            format!("the generator ended with {code}; run it by itself to see what it says"),
        ),
        Outcome::Signalled(signal) => (
            "generator_failed",
            format!("signal {signal} ended the generator"),
        ),
        Outcome::Lost(_) => (
            "generator_failed",
            "the system lost sight of the generator, and it was ended".to_owned(),
        ),
        Outcome::TimedOut => (
            "generator_timed_out",
            "the generator took longer than `timeoutMs` and was ended".to_owned(),
        ),
        Outcome::Cancelled => (
            "generator_cancelled",
            "the call was cancelled and the generator ended".to_owned(),
        ),
        Outcome::OutputLimit => (
            "generator_output_limit",
            "the generator wrote more than `maxOutputBytes` and was ended".to_owned(),
        ),
        Outcome::FailedToStart(failure) => (
            "generator_spawn_failed",
            format!(
                "the generator did not start: {failure}; `executable` is one program, in `PATH` or by its path in the project, and its arguments stand in `args`"
            ),
        ),
    };
    Some(Fault::new(code, message))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
