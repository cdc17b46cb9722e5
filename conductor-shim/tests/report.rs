//! The report, over ledgers that are made up.

mod command;
mod figures;
mod generated;
mod golden;
mod old;
mod page;
mod picture;

use crate::ledger::place::{location, wait};
use crate::stage::Stage;
use vibey_conductor_shim::ledger::Ledger;
use vibey_context_contracts::conductor::config::Mode;
use vibey_context_contracts::conductor::event::{
    ArtifactProduced, ArtifactStatus, NewEvent, Outcome, Payload, SkipReason, Skipped, Verdict,
};
use vibey_context_contracts::conductor::id::{JobId, ProjectId};
use vibey_context_contracts::packet::OmissionReason;

/// A row that is to be appended, with its time.
type Made = (NewEvent, u64);

/// 2026-11-30T08:00:00.000Z.
const BEGIN_MS: u64 = 1_796_025_600_000;

/// Puts rows into the ledger of a stage's project.
fn record(stage: &Stage, events: &[Made]) {
    let location = location(&stage.arg("project/.vibey/ledger.sqlite3"));
    wait(async {
        let ledger = Ledger::open(&location).await.unwrap();
        ledger.append_all(events).await.unwrap();
        ledger.close().await;
    });
}

/// Runs `report` with more words.
fn report(stage: &Stage, more: &[&str]) -> crate::stage::Ran {
    let words: Vec<&str> = ["--project", "project", "report"]
        .iter()
        .chain(more)
        .copied()
        .collect();
    stage.run(&words).expect(0)
}

fn event(project: &str, job: &str, attempt: u32, payload: Payload) -> NewEvent {
    NewEvent {
        project: ProjectId::new(project).unwrap(),
        job: JobId::new(job).unwrap(),
        attempt,
        payload,
    }
}

/// A small ledger, in which everything occurs that a report tells of; `decides` makes it large enough to decide.
fn small(skill: &str, decides: bool) -> Vec<Made> {
    let jobs = if decides { 80 } else { 8 };
    let mut events = Vec::new();
    for number in 0..jobs {
        let inject = number % 2 == 0;
        let mode = if inject { Mode::Inject } else { Mode::Shadow };
        let phase = ["build", "verify"][number / 2 % 2];
        let job = format!("job-{number}");
        let mut artifact = ArtifactProduced::new(mode, phase, "implement", 6_000);
        artifact.compile_ms = 20 + number as u64;
        artifact.query_sha256 = Some(format!("{:064x}", number / 8));
        match number % 8 {
            6 => artifact.status = ArtifactStatus::LowConfidence,
            7 => artifact.status = ArtifactStatus::BudgetInsufficient,
            _ => {
                artifact.status = ArtifactStatus::Ok;
                artifact.appended = inject;
                artifact.packet_tokens = 1_000 + 100 * number as u64;
                artifact.selected_skills =
                    [(skill.to_owned(), 9_000), ("ops/queues".to_owned(), 4_000)]
                        .into_iter()
                        .take(1 + number % 2)
                        .collect();
                artifact.omissions =
                    [(OmissionReason::Budget, 3), (OmissionReason::Duplicate, 1)].into();
            }
        }
        if number % 8 == 6 {
            artifact.confidence = Some(120);
        }
        let produced = Payload::ArtifactProduced(Box::new(artifact));
        let good = if inject {
            number % 10 != 0
        } else {
            number % 10 < 5
        };
        let verdict = if good {
            Verdict::Accepted
        } else {
            Verdict::Rejected
        };
        let outcome = Outcome {
            cost_micro_usd: Some(250_000),
            turns: Some(12),
            retries: Some(number as u64 % 3),
            ..Outcome::new(verdict)
        };
        let at = BEGIN_MS + number as u64 * 60_000;
        events.push((event("shop/web", &job, 1, produced), at));
        events.push((
            event("shop/web", &job, 1, Payload::Outcome(outcome)),
            at + 30_000,
        ));
    }
    let skipped = Skipped {
        schema_version: 1,
        mode: Mode::Inject,
        phase: "repair".to_owned(),
        job_kind: "implement".to_owned(),
        reason: SkipReason::SeedPrompt,
    };
    let rest = [
        Payload::Skipped(skipped),
        Payload::Outcome(Outcome::new(Verdict::Accepted)),
    ];
    for payload in rest {
        events.push((
            event("shop/web", "repair-1", 1, payload),
            BEGIN_MS + 9_000_000,
        ));
    }
    events
}
