//! Is every chain of a ledger whole?
//!
//! Each row's digest is computed anew and compared, each row has to name the digest of the row before it, and
//! positions have to count up without a gap. What this can not see is a cut tail, since a shorter chain is whole too:
//! for that a digest that was printed once is given, and has to be there still. Nor can it see a chain that was made anew
//! to its end; who did that had to take away the triggers first, so that each that is not as it was is a fault too.

use super::guard::Unguarded;
use super::read::StoredEvent;
use vibey_context_contracts::conductor::event::GENESIS;
use vibey_context_contracts::conductor::verdict::{Fault, FaultKind, Head, Verdict};
use vibey_context_contracts::version::SCHEMA_VERSION;

/// Faults that a verdict lists; a ledger of a million altered rows is told by the first ones and their number.
pub const FAULTS_SHOWN: usize = 100;

/// Reads rows in the order of projects and positions.
pub(super) struct Verification<'a> {
    wanted: Option<&'a str>,
    verdict: Verdict,
}

impl<'a> Verification<'a> {
    /// Starts; `wanted` is a digest that has to be found, `unguarded` are the triggers that are not as they were.
    pub(super) fn new(wanted: Option<&'a str>, unguarded: Vec<Unguarded>) -> Self {
        let mut started = Self {
            wanted,
            verdict: Verdict {
                schema_version: SCHEMA_VERSION,
                whole: true,
                rows: 0,
                faults_total: 0,
                faults: Vec::new(),
                heads: Vec::new(),
            },
        };
        for Unguarded { trigger, reason } in unguarded {
            started.add(Fault {
                kind: FaultKind::GuardMissing,
                project: None,
                sequence: None,
                id: trigger,
                message: format!("{reason}: what it refuses may have happened"),
            });
        }
        started
    }

    /// Reads the next row.
    pub(super) fn read(&mut self, row: &StoredEvent) {
        self.verdict.rows += 1;
        // Such a row is in no chain, and breaks none.
        if row.sequence < 1 {
            let message = "positions start at 1".to_owned();
            return self.fault(FaultKind::Misplaced, row, message);
        }
        if row.project.is_empty() {
            let message = "every row is of a project".to_owned();
            return self.fault(FaultKind::Misplaced, row, message);
        }
        let starts = self
            .verdict
            .heads
            .last()
            .is_none_or(|head| head.project != row.project);
        if starts {
            self.verdict.heads.push(Head {
                project: row.project.clone(),
                sequence: 0,
                digest: GENESIS.to_owned(),
            });
        }
        let Some(last) = self.verdict.heads.last_mut() else {
            return;
        };
        let expected = last.sequence + 1;
        let linked = row.previous == last.digest;
        last.sequence = row.sequence;
        last.digest.clone_from(&row.digest);
        let digest = row.chain_row().map(|row| row.digest());
        if row.sequence > expected {
            let message = match row.sequence - expected {
                1 => format!("row {expected} is missing"),
                _ => format!("rows {expected} to {} are missing", row.sequence - 1),
            };
            self.fault(FaultKind::MissingRows, row, message);
        } else if !linked || row.sequence < expected {
            let message = match expected {
                1 => "the first row does not name 64 zeros as the digest before it".to_owned(),
                _ => format!("it does not name the digest of row {}", expected - 1),
            };
            self.fault(FaultKind::BrokenLink, row, message);
        }
        if digest.as_deref() == Some(row.digest.as_str()) {
            if self.wanted == Some(row.digest.as_str()) {
                self.wanted = None;
            }
        } else {
            let message = "its columns do not have the digest that stands with them".to_owned();
            self.fault(FaultKind::Altered, row, message);
        }
    }

    fn fault(&mut self, kind: FaultKind, row: &StoredEvent, message: String) {
        self.add(Fault {
            kind,
            project: Some(row.project.clone()),
            sequence: Some(row.sequence),
            id: row.id.clone(),
            message,
        });
    }

    fn add(&mut self, fault: Fault) {
        self.verdict.whole = false;
        self.verdict.faults_total += 1;
        if self.verdict.faults.len() < FAULTS_SHOWN {
            self.verdict.faults.push(fault);
        }
    }

    /// The verdict.
    pub(super) fn finish(mut self) -> Verdict {
        if let Some(digest) = self.wanted.take() {
            self.add(Fault {
                kind: FaultKind::HeadNotFound,
                project: None,
                sequence: None,
                id: digest.to_owned(),
                message: "no row has this digest: the tail of a chain was cut, or another ledger is meant".to_owned(),
            });
        }
        self.verdict
    }
}
