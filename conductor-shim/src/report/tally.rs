//! What is counted of the rows that share a mode, a phase or a skill?

use super::interval::acceptance;
use super::spread::{Values, divided, whole};
use std::collections::BTreeMap;
use vibey_context_contracts::conductor::config::Mode;
use vibey_context_contracts::conductor::event::{
    ArtifactProduced, ArtifactStatus, Outcome, Verdict,
};
use vibey_context_contracts::conductor::report::{Dimension, Ended, Group, MILLION};
use vibey_context_contracts::packet::OmissionReason;

/// What a group shares, in the order of the report. The name is empty where the mode says it all.
pub(super) type Key = (Dimension, String, Mode);
/// Number of a group.
pub(super) type GroupId = u32;

/// Every group. Attempts name their groups by number, which is shorter than their names.
#[derive(Default)]
pub(super) struct Groups {
    ids: BTreeMap<Key, GroupId>,
    tallies: Vec<Tally>,
}

impl Groups {
    /// The groups of a packet, each once; they are made where there are none.
    pub(super) fn of(&mut self, artifact: &ArtifactProduced) -> Box<[GroupId]> {
        let mode = artifact.mode;
        let skills = artifact.selected_skills.keys();
        let skills = skills.map(|skill| (Dimension::Skill, skill.clone(), mode));
        [
            (Dimension::Mode, String::new(), mode),
            (Dimension::Phase, artifact.phase.clone(), mode),
        ]
        .into_iter()
        .chain(skills)
        .map(|key| self.id(key))
        .collect()
    }

    fn id(&mut self, key: Key) -> GroupId {
        let next = self.tallies.len();
        let id = *self.ids.entry(key).or_insert(next as GroupId);
        if id as usize == next {
            self.tallies.push(Tally::default());
        }
        id
    }

    /// Counts something in a group.
    pub(super) fn count(&mut self, id: GroupId, count: impl FnOnce(&mut Tally)) {
        if let Some(tally) = self.tallies.get_mut(id as usize) {
            count(tally);
        }
    }

    /// Every group with what was counted, by key.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Key, &Tally)> {
        let tally = |id: &GroupId| self.tallies.get(*id as usize);
        self.ids
            .iter()
            .filter_map(move |(key, id)| Some((key, tally(id)?)))
    }
}

/// What was counted of one group.
#[derive(Default)]
pub(super) struct Tally {
    /// Different jobs.
    pub(super) jobs: u64,
    /// Different jobs with an accepted attempt.
    pub(super) accepted_items: u64,
    /// Tokens of the packets that were appended to prompts.
    pub(super) appended_tokens: u128,
    pub(super) packets: u64,
    pub(super) outcomes: u64,
    pub(super) accepted: u64,
    statuses: BTreeMap<ArtifactStatus, u64>,
    appended: u64,
    packet_tokens: Values,
    whole_skill_tokens: u128,
    saved: i128,
    compile_ms: Values,
    budget_omissions: u64,
    turns: Values,
    retries: Values,
    agent_cost: u128,
    retry_cost: u128,
    without_cost: u64,
}

/// Sections of a packet that did not fit the budget.
fn over_budget(artifact: &ArtifactProduced) -> u64 {
    [OmissionReason::Budget, OmissionReason::MandatoryOverBudget]
        .iter()
        .filter_map(|reason| artifact.omissions.get(reason))
        .fold(0, |sum, sections| sum.saturating_add(*sections))
}

impl Tally {
    /// Counts a packet.
    pub(super) fn packet(&mut self, artifact: &ArtifactProduced) {
        self.packets += 1;
        *self.statuses.entry(artifact.status).or_default() += 1;
        self.compile_ms.add(artifact.compile_ms);
        // A row is anybody's who may write in the database, and so are its figures.
        self.budget_omissions = self.budget_omissions.saturating_add(over_budget(artifact));
        if artifact.status == ArtifactStatus::Ok {
            let skills = artifact.selected_skills.values();
            let skills: u128 = skills.map(|tokens| u128::from(*tokens)).sum();
            self.packet_tokens.add(artifact.packet_tokens);
            self.whole_skill_tokens += skills;
            self.saved += skills.cast_signed() - i128::from(artifact.packet_tokens);
        }
        if artifact.appended {
            self.appended += 1;
            self.appended_tokens += u128::from(artifact.packet_tokens);
        }
    }

    /// Counts an outcome, of the job's first attempt or of a later one.
    pub(super) fn outcome(&mut self, outcome: &Outcome, is_first: bool) {
        self.outcomes += 1;
        self.accepted += u64::from(outcome.result == Verdict::Accepted);
        if let Some(turns) = outcome.turns {
            self.turns.add(turns);
        }
        if let Some(retries) = outcome.retries {
            self.retries.add(retries);
        }
        match outcome.cost_micro_usd.map(u128::from) {
            Some(cost) if is_first => self.agent_cost += cost,
            Some(cost) => self.retry_cost += cost,
            None => self.without_cost += 1,
        }
    }

    /// What the appended packets cost, in micro-dollars.
    fn retrieval_cost(&self, price_micro_usd_per_mtok: u64) -> u128 {
        let price = u128::from(price_micro_usd_per_mtok);
        let cost = self.appended_tokens.saturating_mul(price);
        divided(cost, u128::from(MILLION))
            .unwrap_or_default()
            .into()
    }

    /// The figures of the group.
    pub(super) fn group(&self, (by, name, mode): &Key, price_micro_usd_per_mtok: u64) -> Group {
        let ok = self.statuses.get(&ArtifactStatus::Ok);
        let ok = u128::from(ok.copied().unwrap_or_default()) * u128::from(MILLION);
        let ok_ppm = divided(ok, u128::from(self.packets)).unwrap_or_default();
        Group {
            by: *by,
            name: match by {
                Dimension::Mode => mode.as_str().to_owned(),
                _ => name.clone(),
            },
            mode: *mode,
            jobs: self.jobs,
            packets: self.packets,
            statuses: self.statuses.clone(),
            ok_ppm: u32::try_from(ok_ppm).unwrap_or(MILLION),
            appended: self.appended,
            packet_tokens: self.packet_tokens.spread(),
            whole_skill_tokens: whole(self.whole_skill_tokens),
            tokens_saved: self.saved.clamp(i64::MIN.into(), i64::MAX.into()) as i64,
            compile_ms: self.compile_ms.spread(),
            budget_omissions: self.budget_omissions,
            ended: self.ended(price_micro_usd_per_mtok),
        }
    }

    /// How the group's attempts ended. Cost per accepted work item is
    /// `(agent cost + retrieval cost + retry cost) / accepted work items`, each summed over the attempts of the group.
    fn ended(&self, price_micro_usd_per_mtok: u64) -> Ended {
        let retrieval = self.retrieval_cost(price_micro_usd_per_mtok);
        let all = self.agent_cost + self.retry_cost + retrieval;
        let has_cost = self.without_cost < self.outcomes;
        let per_item = divided(all, u128::from(self.accepted_items));
        Ended {
            acceptance: acceptance(self.accepted, self.outcomes),
            accepted_items: self.accepted_items,
            turns: self.turns.spread(),
            retries: self.retries.spread(),
            agent_cost_micro_usd: whole(self.agent_cost),
            retry_cost_micro_usd: whole(self.retry_cost),
            retrieval_cost_micro_usd: whole(retrieval),
            without_cost: self.without_cost,
            cost_per_accepted_micro_usd: per_item.filter(|_| has_cost),
        }
    }
}
