//! Where does a pipeline stand that nobody has kept the state of? What its phases have produced says so, roughly.

use crate::handoff::artifact::file::{places, read};
use crate::handoff::artifact::shelf::Shelf;
use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::judgement::judge::{Found, faults, found, is_unfinished};
use crate::handoff::pipelines::{Pipelines, Route};
use crate::handoff::state::accumulate::{accumulate, summary_of};
use crate::handoff::state::lifecycle::{begun, enter};
use crate::handoff::state::next::command;
use crate::handoff::state::start::Made;
use std::collections::BTreeSet;
use vibey_context_contracts::handoff::report::Reconstruction;
use vibey_context_contracts::handoff::state::{Confidence, Status};

/// A pipeline that is made of others: what lies on disk fits those as well, so that it is never inferred.
const COMPOSITE: &str = "full-product";

/// What lies in the project of one pipeline: for each phase, its artifacts, and how many it should have.
struct Scan<'a> {
    route: Route<'a>,
    phases: Vec<(Vec<Found>, usize)>,
    /// What is there and is no text, or says itself that its phase is not done.
    unusable: Vec<String>,
    /// What is taken for an artifact and is not good enough, with the place of its phase.
    faulty: Vec<(usize, String)>,
}

/// Infers type and position.
///
/// # Errors
/// [`HandoffError::NothingFound`].
pub(crate) fn infer(desk: &Desk, pipelines: &Pipelines) -> Result<Made, HandoffError> {
    let routes = pipelines.all().filter(|route| route.name != COMPOSITE);
    let mut scans: Vec<Scan<'_>> = routes.map(|route| scan(desk, pipelines, route)).collect();
    scans.retain(|scan| !scan.paths().is_empty());
    // Most artifacts first, then fewest phases; the types are in order of their names already.
    scans.sort_by_key(|scan| (std::cmp::Reverse(scan.paths().len()), scan.phases.len()));
    let Some(chosen) = scans.first() else {
        return Err(HandoffError::NothingFound(desk.project.to_string()));
    };
    let others: Vec<&str> = scans
        .iter()
        .skip(1)
        .filter(|other| !other.paths().is_subset(&chosen.paths()))
        .map(|other| other.route.name)
        .collect();
    let (highest, last) = (chosen.highest(), chosen.phases.len().saturating_sub(1));
    let is_complete = chosen.is_complete(highest);
    let guess = Guess {
        position: if is_complete {
            (highest + 1).min(last)
        } else {
            highest
        },
        is_done: is_complete && highest == last,
        end: highest + 1,
        is_only: others.is_empty(),
    };
    let mut inferred = state_of(desk, pipelines, chosen, &guess);
    if is_complete && highest == last {
        inferred.warnings.push(format!(
            "All phases are complete: `{}` ends the pipeline",
            command(desk, "finish")
        ));
    }
    if !others.is_empty() {
        inferred.warnings.push(format!(
            "Artifacts of other pipelines were found too: {}",
            others.join(", ")
        ));
    }
    Ok(inferred)
}

/// Infers what lies before a phase that is known to be the current one, `index` from 0.
///
/// # Errors
/// [`HandoffError::NothingFound`].
pub(crate) fn infer_at(
    desk: &Desk,
    pipelines: &Pipelines,
    route: Route<'_>,
    index: usize,
) -> Result<Made, HandoffError> {
    let scan = scan(desk, pipelines, route);
    if scan.paths().is_empty() {
        return Err(HandoffError::NothingFound(desk.project.to_string()));
    }
    let guess = Guess {
        position: index,
        is_done: false,
        end: index,
        is_only: true,
    };
    Ok(state_of(desk, pipelines, &scan, &guess))
}

fn scan<'a>(desk: &Desk, pipelines: &Pipelines, route: Route<'a>) -> Scan<'a> {
    let mut scan = Scan {
        route,
        phases: Vec::new(),
        unusable: Vec::new(),
        faulty: Vec::new(),
    };
    for (index, phase) in route.pipeline.phases.iter().enumerate() {
        let mut artifacts = Vec::new();
        for name in &phase.artifacts {
            let mut candidates = Vec::new();
            for path in places(&pipelines.rule(name), desk) {
                let Ok(file) = read(desk, &path) else {
                    continue;
                };
                let rule = pipelines.rule_at(name, &path);
                match found(&file, &rule) {
                    Ok(found) if found.text.trim().is_empty() => {
                        scan.unusable.push(format!("{path} is empty"));
                    }
                    Ok(found) if is_unfinished(&found, &rule) => {
                        scan.unusable.push(format!("{path} has no completed task"));
                    }
                    Ok(found) => candidates.push((faults(&found, &rule), found)),
                    Err(fault) => scan.unusable.push(format!("{path} {fault}")),
                }
            }
            // The first that is good enough, as a transition takes it; else the first.
            candidates.sort_by_key(|(faults, _)| !faults.is_empty());
            if let Some((faults, found)) = candidates.into_iter().next() {
                scan.faulty
                    .extend(faults.into_iter().map(|fault| (index, fault)));
                artifacts.push(found);
            }
        }
        scan.phases.push((artifacts, phase.artifacts.len()));
    }
    scan
}

impl Scan<'_> {
    fn paths(&self) -> BTreeSet<&str> {
        self.phases
            .iter()
            .flat_map(|(found, _)| found)
            .map(|found| found.artifact.path.as_str())
            .collect()
    }

    fn is_complete(&self, index: usize) -> bool {
        self.phases
            .get(index)
            .is_some_and(|(found, expected)| found.len() == *expected && *expected > 0)
    }

    /// Place of the highest phase with an artifact, from 0.
    fn highest(&self) -> usize {
        self.phases
            .iter()
            .rposition(|(found, _)| !found.is_empty())
            .unwrap_or(0)
    }

    /// How far the phases up to `end` (excluded, from 0) tell where the pipeline stands.
    fn confidence(&self, end: usize, is_only: bool) -> Confidence {
        let before = self.phases.get(..end).unwrap_or_default();
        let expected: usize = before.iter().map(|(_, expected)| expected).sum();
        let found: usize = before.iter().map(|(found, _)| found.len()).sum();
        let missing = expected.saturating_sub(found);
        let is_faulty = self.faulty.iter().any(|(index, _)| *index < end);
        if !is_only || missing * 2 > expected || (is_faulty && missing > 0) {
            Confidence::Low
        } else if missing > 0 || is_faulty || !in_order(before) {
            Confidence::Medium
        } else {
            Confidence::High
        }
    }
}

/// Whether no phase was changed before the one before it. Times are written so that they sort as text.
fn in_order(phases: &[(Vec<Found>, usize)]) -> bool {
    let times: Vec<&String> = phases
        .iter()
        .filter_map(|(found, _)| latest(found))
        .collect();
    times.is_sorted()
}

fn latest(found: &[Found]) -> Option<&String> {
    found
        .iter()
        .map(|found| &found.artifact.last_modified)
        .max()
}

/// Where a pipeline is taken to stand. Places are counted from 0.
struct Guess {
    /// The current phase.
    position: usize,
    /// Whether it is completed: the last phase is, and only somebody's `finish` ends the pipeline.
    is_done: bool,
    /// The phases before this one tell how far the guess can be trusted.
    end: usize,
    /// Whether no other pipeline has left anything.
    is_only: bool,
}

fn state_of(desk: &Desk, pipelines: &Pipelines, scan: &Scan<'_>, guess: &Guess) -> Made {
    let mut state = begun(desk, &scan.route, pipelines.settings(None));
    enter(&mut state, guess.position, &desk.now());
    for (index, (found, _)) in scan.phases.iter().enumerate().take(guess.position + 1) {
        let is_done = if index == guess.position {
            guess.is_done
        } else {
            scan.is_complete(index)
        };
        let Some(phase) = state.phases.get_mut(index) else {
            continue;
        };
        if is_done {
            let shelf = Shelf::new(desk, found, &[]);
            phase.status = Status::Completed;
            phase.artifacts = found.iter().map(|found| found.artifact.clone()).collect();
            phase.summary = summary_of(shelf.source());
            phase.started_at = latest(found).cloned();
            phase.completed_at.clone_from(&phase.started_at);
            let time = phase.started_at.clone().unwrap_or_default();
            accumulate(
                &mut state.accumulated_context,
                phase,
                shelf.source(),
                pipelines,
                &time,
            );
        } else if index < guess.position {
            phase.status = Status::Skipped;
            phase.started_at = None;
        }
    }
    let earliest = state
        .phases
        .iter()
        .filter_map(|phase| phase.started_at.clone())
        .min();
    state.started_at = earliest.unwrap_or_else(|| desk.now());
    state.reconstructed = true;
    let confidence = scan.confidence(guess.end, guess.is_only);
    state.reconstruction_confidence = Some(confidence);
    let completed = state
        .phases
        .iter()
        .filter(|phase| phase.status == Status::Completed);
    let reconstruction = Reconstruction {
        confidence,
        phase_number: state.current_phase.phase_number,
        phase_name: state.current_phase.phase_name.clone(),
        completed_phases: completed.map(|phase| phase.phase_name.clone()).collect(),
        artifacts_found: scan.paths().into_iter().map(str::to_owned).collect(),
        state_path: desk.shown(&desk.state_path()),
    };
    let warnings = scan
        .unusable
        .iter()
        .map(|what| format!("Not taken for an artifact: {what}"))
        .chain(
            scan.faulty
                .iter()
                .map(|(_, fault)| format!("Taken for an artifact and not good enough: {fault}")),
        )
        .collect();
    Made {
        state,
        reconstruction: Some(reconstruction),
        warnings,
    }
}
