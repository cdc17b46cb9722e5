//! What do the rows of a ledger add up to?
//!
//! Rows come by project and position. What a row says by itself is counted at once; what needs the outcome of an attempt
//! waits, a few dozen bytes for each attempt, until the project's last row was read.

use super::interval::{acceptance, compare};
use super::tally::{GroupId, Groups, Key, Tally};
use crate::ledger::read::StoredEvent;
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::conductor::config::Mode;
use vibey_context_contracts::conductor::event::{
    ArtifactProduced, ArtifactStatus, Outcome, Payload, Verdict,
};
use vibey_context_contracts::conductor::report::{
    Comparison, Dimension, LowConfidence, LowConfidenceCase, Report, Rows, Selected, Skills,
};
use vibey_context_contracts::packet::OmissionReason;
use vibey_context_contracts::version::SCHEMA_VERSION;

/// Skills in the list of those selected most often.
pub const MOST_SELECTED: usize = 10;
/// Requests in the list of those that no skill explains: more than a person looks at, and no second ledger.
pub const CASES: usize = 50;

/// What is asked of the report besides the rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Rows from this time on were read, as the ledger writes times.
    pub since: Option<String>,
    /// Groups and comparisons by this alone, and the comparison of all jobs.
    pub by: Option<Dimension>,
    /// Price of a million packet tokens, in micro-dollars.
    pub price_micro_usd_per_mtok: u64,
    /// Skills in the index, where it was read.
    pub indexed: Option<BTreeSet<String>>,
}

/// What was read so far.
#[derive(Default)]
pub struct Gathered {
    rows: Rows,
    first_at: Option<String>,
    last_at: Option<String>,
    groups: Groups,
    omissions: BTreeMap<OmissionReason, u64>,
    cases: BTreeMap<String, LowConfidenceCase>,
    low_confidence: u64,
    /// The project that is being read.
    project: Option<String>,
    /// Its jobs.
    jobs: BTreeMap<String, Job>,
}

/// What waits of a job.
#[derive(Default)]
struct Job {
    /// Groups of all its packets.
    groups: BTreeSet<GroupId>,
    /// Its attempts by number.
    attempts: BTreeMap<i64, Attempt>,
}

/// What waits of an attempt.
#[derive(Default)]
struct Attempt {
    /// Groups of its last packet so far; none where the compiler was not asked.
    groups: Option<Box<[GroupId]>>,
    /// Its last outcome.
    outcome: Option<Ended>,
}

/// An outcome, and what it is the outcome of.
struct Ended {
    outcome: Outcome,
    /// Groups of the last packet before it: what came later had no part in it.
    groups: Option<Box<[GroupId]>>,
}

impl Gathered {
    /// Counts a row. Rows have to come by project and position.
    pub fn read(&mut self, row: &StoredEvent) {
        if self.project.as_deref() != Some(&row.project) {
            self.settle();
            self.project = Some(row.project.clone());
            self.rows.projects += 1;
        }
        self.rows.read += 1;
        if self
            .first_at
            .as_deref()
            .is_none_or(|first| *row.at < *first)
        {
            self.first_at = Some(row.at.clone());
        }
        if self.last_at.as_deref().is_none_or(|last| *row.at > *last) {
            self.last_at = Some(row.at.clone());
        }
        match row.payload() {
            Ok(Payload::ArtifactProduced(artifact)) => self.packet(row, &artifact),
            Ok(Payload::Skipped(skipped)) => {
                *self.rows.skipped.entry(skipped.reason).or_default() += 1;
            }
            Ok(Payload::Outcome(outcome)) => {
                self.rows.outcomes += 1;
                let attempt = self.job(row).attempts.entry(row.attempt).or_default();
                let groups = attempt.groups.clone();
                // The later one corrects the earlier.
                let before = attempt.outcome.replace(Ended { outcome, groups });
                self.rows.outcomes_replaced += u64::from(before.is_some());
            }
            Err(_) => self.rows.unreadable += 1,
        }
    }

    fn job(&mut self, row: &StoredEvent) -> &mut Job {
        self.jobs.entry(row.job.clone()).or_default()
    }

    fn packet(&mut self, row: &StoredEvent, artifact: &ArtifactProduced) {
        self.rows.packets += 1;
        let groups = self.groups.of(artifact);
        for id in &groups {
            self.groups.count(*id, |tally| tally.packet(artifact));
        }
        let job = self.job(row);
        job.groups.extend(&*groups);
        job.attempts.entry(row.attempt).or_default().groups = Some(groups);
        for (reason, sections) in &artifact.omissions {
            let sum = self.omissions.entry(*reason).or_default();
            *sum = sum.saturating_add(*sections);
        }
        if artifact.status == ArtifactStatus::LowConfidence {
            self.low_confidence += 1;
            if let Some(digest) = &artifact.query_sha256 {
                let before = self.cases.get(digest).map_or(0, |case| case.packets);
                let case = LowConfidenceCase {
                    query_sha256: digest.clone(),
                    packets: before + 1,
                    confidence: artifact.confidence,
                    project: row.project.clone(),
                    job: row.job.clone(),
                };
                self.cases.insert(digest.clone(), case);
            }
        }
    }

    /// Joins the attempts of the project that was read with their outcomes.
    fn settle(&mut self) {
        for job in std::mem::take(&mut self.jobs).into_values() {
            let mut accepted = BTreeSet::new();
            let mut is_first = true;
            for attempt in job.attempts.into_values() {
                // What is paid for a job after the first attempt that had a packet is the cost of its retries.
                let is_first = attempt.groups.is_some() && std::mem::take(&mut is_first);
                let Some(Ended { outcome, groups }) = attempt.outcome else {
                    continue;
                };
                let Some(groups) = groups else {
                    self.rows.outcomes_without_packet += 1;
                    continue;
                };
                self.rows.outcomes_without_cost += u64::from(outcome.cost_micro_usd.is_none());
                for id in &groups {
                    self.groups
                        .count(*id, |tally| tally.outcome(&outcome, is_first));
                }
                if outcome.result == Verdict::Accepted {
                    accepted.extend(groups.iter().copied());
                }
            }
            for id in job.groups {
                self.groups.count(id, |tally| tally.jobs += 1);
            }
            for id in accepted {
                self.groups.count(id, |tally| tally.accepted_items += 1);
            }
        }
    }

    /// The report of all rows that were read.
    #[must_use]
    pub fn report(mut self, asked: &Asked) -> Report {
        self.settle();
        let wanted = |by: Dimension| asked.by.is_none_or(|asked| asked == by);
        let groups = self.groups.all().filter(|((by, ..), _)| wanted(*by));
        let price = asked.price_micro_usd_per_mtok;
        Report {
            schema_version: SCHEMA_VERSION,
            since: asked.since.clone(),
            price_micro_usd_per_mtok: price,
            groups: groups.map(|(key, tally)| tally.group(key, price)).collect(),
            comparisons: comparisons(&self.groups, wanted),
            skills: skills(&self.groups, asked.indexed.as_ref()),
            first_at: self.first_at,
            last_at: self.last_at,
            rows: self.rows,
            omissions: self.omissions,
            low_confidence: LowConfidence {
                packets: self.low_confidence,
                requests: self.cases.len() as u64,
                cases: most_frequent(self.cases.into_values(), |case| case.packets, CASES),
            },
        }
    }
}

/// The first `limit` of items in order, most frequent first, else in the order that they come in.
fn most_frequent<T>(
    items: impl Iterator<Item = T>,
    times: impl Fn(&T) -> u64,
    limit: usize,
) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_by_key(|item| std::cmp::Reverse(times(item)));
    items.truncate(limit);
    items
}

/// What compared jobs share: nothing besides their modes, a phase, or a skill.
type Compared<'a> = (Dimension, Option<&'a str>);
/// Accepted outcomes, and all.
type Counts = (u64, u64);

/// Shadow against inject for all jobs, and for those of each phase and skill.
fn comparisons(groups: &Groups, wanted: impl Fn(Dimension) -> bool) -> Vec<Comparison> {
    let mut arms: BTreeMap<Compared<'_>, [Counts; 2]> = BTreeMap::new();
    arms.insert((Dimension::Mode, None), Default::default());
    for ((by, name, mode), tally) in groups.all() {
        let name = match by {
            Dimension::Mode => None,
            _ if !wanted(*by) => continue,
            _ => Some(name.as_str()),
        };
        let [shadow, inject] = arms.entry((*by, name)).or_default();
        let arm = match mode {
            Mode::Inject => inject,
            Mode::Shadow => shadow,
            Mode::Off => continue,
        };
        *arm = (tally.accepted, tally.outcomes);
    }
    let compared = arms.into_iter().map(|((by, name), arms)| {
        let [shadow, inject] = arms.map(|(accepted, outcomes)| acceptance(accepted, outcomes));
        let (difference, decision) = compare(&shadow, &inject);
        Comparison {
            by,
            name: name.map(str::to_owned),
            shadow,
            inject,
            difference,
            decision,
        }
    });
    compared.collect()
}

fn skills(groups: &Groups, indexed: Option<&BTreeSet<String>>) -> Skills {
    let of_skill = |((by, name, _), tally): (&'_ Key, &'_ Tally)| {
        (*by == Dimension::Skill).then(|| (name.clone(), tally.packets))
    };
    let mut packets: BTreeMap<String, u64> = BTreeMap::new();
    for (skill, times) in groups.all().filter_map(of_skill) {
        *packets.entry(skill).or_default() += times;
    }
    let never = |indexed: &BTreeSet<String>| {
        let never = indexed.iter().filter(|skill| !packets.contains_key(*skill));
        never.cloned().collect()
    };
    Skills {
        selected: packets.len() as u64,
        indexed: indexed.map(|skills| skills.len() as u64),
        never_selected: indexed.map(never),
        most_selected: most_frequent(
            packets
                .into_iter()
                .map(|(skill, packets)| Selected { skill, packets }),
            |selected| selected.packets,
            MOST_SELECTED,
        ),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A row with the largest figures that a payload can hold.
    fn largest(attempt: i64) -> StoredEvent {
        let mut artifact = ArtifactProduced::new(Mode::Inject, "build", "implement", u64::MAX);
        artifact.status = ArtifactStatus::Ok;
        artifact.appended = true;
        artifact.packet_tokens = u64::MAX;
        artifact.compile_ms = u64::MAX;
        let reasons = [
            OmissionReason::Budget,
            OmissionReason::MandatoryOverBudget,
            OmissionReason::Duplicate,
        ];
        artifact.omissions = reasons.map(|reason| (reason, u64::MAX)).into();
        let payload = Payload::ArtifactProduced(Box::new(artifact));
        StoredEvent {
            sequence: attempt,
            id: String::new(),
            project: "p".to_owned(),
            job: "j".to_owned(),
            attempt,
            at: String::new(),
            kind: payload.kind().as_str().to_owned(),
            payload: payload.canonical().unwrap(),
            previous: String::new(),
            digest: String::new(),
        }
    }

    #[test]
    fn rows_of_anybody_with_any_figures_add_up_to_the_largest() {
        let mut gathered = Gathered::default();
        for attempt in 1..4 {
            gathered.read(&largest(attempt));
        }
        let asked = Asked {
            price_micro_usd_per_mtok: u64::MAX,
            ..Asked::default()
        };
        let report = gathered.report(&asked);
        assert_eq!(report.rows.unreadable, 0);
        assert!(report.omissions.values().all(|sum| *sum == u64::MAX));
        for group in &report.groups {
            assert_eq!(group.budget_omissions, u64::MAX);
            assert_eq!(group.packet_tokens.sum, u64::MAX);
            assert_eq!(group.tokens_saved, i64::MIN, "less than nothing was saved");
        }
    }
}
