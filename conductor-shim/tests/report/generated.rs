//! A large ledger, the same each time.

use super::{BEGIN_MS, Made, event};
use vibey_context_contracts::conductor::config::Mode;
use vibey_context_contracts::conductor::event::{
    ArtifactProduced, ArtifactStatus, FailureCode, Outcome, Payload, SkipReason, Skipped, Verdict,
};
use vibey_context_contracts::packet::OmissionReason;

const SKILLS: u64 = 40;
const PHASES: [&str; 4] = ["plan", "build", "verify", ""];

/// Numbers that look random (the multiplier and the increment are Knuth's for 64 bits).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// So many rows of three projects: packets, repeated ones among them, skipped jobs, outcomes, late corrections of outcomes, and
/// outcomes of jobs that no row tells of.
pub(super) fn events(rows: usize) -> Vec<Made> {
    let mut numbers = Numbers(2026);
    let mut events: Vec<Made> = Vec::with_capacity(rows);
    let mut job = 0;
    while events.len() < rows {
        job += 1;
        let project = ["api", "shop/web", "worker"][numbers.below(3) as usize];
        let name = format!("job-{}", job % 30_000);
        let mode = if numbers.chance(50) {
            Mode::Inject
        } else {
            Mode::Shadow
        };
        let skipped = numbers.chance(5);
        for attempt in 1..=1 + numbers.below(3) as u32 {
            let mut payloads = Vec::new();
            if skipped {
                payloads.push(skip(mode));
            } else if !numbers.chance(1) {
                payloads.push(packet(&mut numbers, mode));
            }
            if numbers.chance(2) {
                payloads.push(packet(&mut numbers, mode));
            }
            let accepted = numbers.chance(if mode == Mode::Inject { 62 } else { 58 });
            if numbers.chance(90) {
                payloads.push(outcome(&mut numbers, accepted));
            }
            if numbers.chance(1) {
                payloads.push(outcome(&mut numbers, !accepted));
            }
            for payload in payloads {
                let at = BEGIN_MS + events.len() as u64 * 1_000;
                events.push((event(project, &name, attempt, payload), at));
            }
            if accepted {
                break;
            }
        }
    }
    events.truncate(rows);
    events
}

fn skip(mode: Mode) -> Payload {
    Payload::Skipped(Skipped {
        schema_version: 1,
        mode,
        phase: "build".to_owned(),
        job_kind: "implement".to_owned(),
        reason: SkipReason::SeedPrompt,
    })
}

fn packet(numbers: &mut Numbers, mode: Mode) -> Payload {
    let phase = PHASES[numbers.below(4) as usize];
    let mut artifact = ArtifactProduced::new(mode, phase, "implement", 6_000);
    artifact.compile_ms = 5 + numbers.below(80);
    artifact.query_sha256 = Some(format!("{:064x}", numbers.below(5_000)));
    artifact.status = match numbers.below(20) {
        0 | 1 => ArtifactStatus::LowConfidence,
        2 => ArtifactStatus::BudgetInsufficient,
        3 => ArtifactStatus::Error,
        _ => ArtifactStatus::Ok,
    };
    match artifact.status {
        ArtifactStatus::Ok => {
            artifact.packet_tokens = 500 + numbers.below(5_500);
            for _ in 0..1 + numbers.below(5) {
                // Some skills are chosen far more often than others.
                let skill = numbers.below(SKILLS).min(numbers.below(SKILLS));
                let whole = 2_000 + 170 * skill;
                artifact
                    .selected_skills
                    .insert(format!("plugin-{}/skill-{skill}", skill % 7), whole);
            }
            artifact.appended = mode == Mode::Inject && !numbers.chance(3);
            artifact.omissions = [
                (OmissionReason::Budget, numbers.below(9)),
                (OmissionReason::MandatoryOverBudget, numbers.below(2)),
                (OmissionReason::Diversity, 1 + numbers.below(4)),
            ]
            .into();
        }
        ArtifactStatus::LowConfidence => artifact.confidence = Some(numbers.below(300) as u32),
        ArtifactStatus::BudgetInsufficient => {
            artifact.omissions = [(OmissionReason::MandatoryOverBudget, 1)].into();
        }
        ArtifactStatus::Error => artifact.error_code = Some(FailureCode::TimedOut),
    }
    Payload::ArtifactProduced(Box::new(artifact))
}

fn outcome(numbers: &mut Numbers, accepted: bool) -> Payload {
    let verdict = if accepted {
        Verdict::Accepted
    } else {
        Verdict::Rejected
    };
    let mut outcome = Outcome::new(verdict);
    if numbers.chance(95) {
        outcome.cost_micro_usd = Some(10_000 + numbers.below(2_000_000));
    }
    if numbers.chance(80) {
        outcome.turns = Some(1 + numbers.below(60));
    }
    if numbers.chance(80) {
        outcome.retries = Some(numbers.below(4));
    }
    Payload::Outcome(outcome)
}
