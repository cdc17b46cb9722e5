//! First level: which skills hold the words of the query, and how well.

use super::terms::Postings;
use super::{RankedSection, RankedSkill, Ranking, milli, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::SkillField;
use std::collections::BTreeSet;

/// A skill on its way through the ranking.
pub(super) struct Candidate {
    /// Position of the record.
    pub(super) at: usize,
    /// BM25F over the skill's fields.
    pub(super) words: f64,
    /// Share of the signals' weight that the skill holds, from 0 to 1.
    pub(super) signals: f64,
    /// Mean BM25F of the best sections; set by the second level.
    pub(super) sections: f64,
    /// The sections in source order; set by the second level.
    pub(super) ranked: Vec<RankedSection>,
}

/// The best skills by their fields, in record order.
pub(super) fn candidates(
    reader: &Reader,
    postings: &Postings,
    eligible: Option<&BTreeSet<usize>>,
) -> Result<Vec<Candidate>, IndexError> {
    let mut scores = vec![0.0_f64; reader.skill_count()];
    for (term, holders) in postings.terms.iter().zip(&postings.skills) {
        for (skill, holding) in holders.iter() {
            let gain = holding.frequency / (weights::SKILL_K1 + holding.frequency);
            scores[skill] += term.weight * term.idf * gain;
        }
    }
    let allowed = |at: &usize| eligible.is_none_or(|eligible| eligible.contains(at));
    let mut order: Vec<usize> = (0..scores.len())
        .filter(allowed)
        .filter(|&at| scores[at] > 0.0)
        .collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(milli(scores[at])), at));
    order.truncate(weights::CANDIDATES);
    order.sort_unstable();
    Ok(order
        .into_iter()
        .map(|at| Candidate {
            at,
            words: scores[at],
            signals: signals(postings, at),
            sections: 0.0,
            ranked: Vec::new(),
        })
        .collect())
}

/// Share of the signals' weight that a skill holds: bounded by 1 however many signals there are.
fn signals(postings: &Postings, at: usize) -> f64 {
    let (mut held, mut all) = (0.0, 0.0);
    for (term, holders) in &postings.signals {
        // A signal that the corpus does not know says nothing about any skill.
        if holders.is_empty() {
            continue;
        }
        all += term.weight * term.idf;
        if let Some(holding) = holders.get(at) {
            let gain = holding.frequency / (weights::SKILL_K1 + holding.frequency);
            held += term.weight * term.idf * gain;
        }
    }
    if all > 0.0 { held / all } else { 0.0 }
}

/// Adds up the levels and sorts.
pub(super) fn ranking(postings: Postings, candidates: Vec<Candidate>) -> Ranking {
    let best = |of: fn(&Candidate) -> f64| candidates.iter().map(of).fold(0.0, f64::max);
    let share = |value: f64, best: f64| if best > 0.0 { value / best } else { 0.0 };
    let (best_words, best_sections) = (best(|c| c.words), best(|c| c.sections));
    let mut skills: Vec<RankedSkill> = candidates
        .into_iter()
        .map(|candidate| {
            let words = milli(share(candidate.words, best_words));
            let sections =
                milli(weights::SECTIONS_WEIGHT * share(candidate.sections, best_sections));
            let signals = milli(weights::SIGNALS_WEIGHT * candidate.signals);
            let (held, matched) = held(&postings, candidate.at);
            RankedSkill {
                at: candidate.at,
                score: words + sections + signals,
                words,
                sections,
                signals,
                held,
                matched,
                ranked_sections: candidate.ranked,
            }
        })
        .collect();
    skills.sort_by_key(|skill| (std::cmp::Reverse(skill.score), skill.at));
    Ranking {
        asked: milli(
            postings
                .terms
                .iter()
                .map(|term| term.weight * term.idf)
                .sum(),
        ),
        terms: postings.terms,
        skills,
    }
}

/// Weight of the words that the skill holds, in thousandths of nats, and those words.
fn held(postings: &Postings, at: usize) -> (i64, Vec<(usize, Vec<SkillField>)>) {
    let mut held = 0.0;
    let mut matched = Vec::new();
    for (position, (term, holders)) in postings.terms.iter().zip(&postings.skills).enumerate() {
        if let Some(holding) = holders.get(at) {
            held += term.weight * term.idf;
            matched.push((position, holding.fields()));
        }
    }
    (milli(held), matched)
}
