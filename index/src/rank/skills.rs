//! First level: which skills hold the words of the query, and how well.

use super::terms::{Held, Postings};
use super::{RankedSection, RankedSkill, Ranking, Term, milli, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::SkillField;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A skill on its way through the ranking.
pub(super) struct Candidate {
    /// Position of the record.
    pub(super) at: usize,
    /// Share of the signals' weight that the skill holds, from 0 to 1.
    pub(super) signals: f64,
    /// BM25F of the best section; set by the second level.
    pub(super) best_section: f64,
    /// The sections in source order; set by the second level.
    pub(super) ranked: Vec<RankedSection>,
}

/// Stems, then the words' own forms, with the weight of each.
pub(super) fn counted(postings: &Postings) -> impl Iterator<Item = (f64, &Term, &Held)> {
    let words = postings.terms.iter().zip(&postings.words);
    let words = words.map(|(term, holders)| (1.0, term, holders));
    let forms = postings.forms.iter();
    words.chain(forms.map(|(term, holders)| (weights::FORMS_WEIGHT, term, holders)))
}

/// The best skills by their fields, in record order.
pub(super) fn candidates(scores: &[f64], eligible: Option<&BTreeSet<usize>>) -> Vec<usize> {
    let allowed = |at: &usize| eligible.is_none_or(|eligible| eligible.contains(at));
    let scored = (0..scores.len())
        .filter(|&at| scores[at] > 0.0)
        .filter(allowed);
    let mut order: Vec<(Reverse<i64>, usize)> =
        scored.map(|at| (Reverse(milli(scores[at])), at)).collect();
    // Only the best ones have to be told from the others.
    if order.len() > weights::CANDIDATES {
        order.select_nth_unstable(weights::CANDIDATES);
        order.truncate(weights::CANDIDATES);
    }
    let mut best: Vec<usize> = order.into_iter().map(|(_, at)| at).collect();
    best.sort_unstable();
    best
}

/// A candidate on its way into the ranking.
pub(super) fn candidate(postings: &Postings, at: usize) -> Candidate {
    Candidate {
        at,
        signals: signals(postings, at),
        best_section: 0.0,
        ranked: Vec::new(),
    }
}

/// Share of the signals' weight that a skill holds: bounded by 1 however many signals there are.
fn signals(postings: &Postings, at: usize) -> f64 {
    let (mut held, mut all) = (0.0, 0.0);
    for (weight, term, holders) in &postings.signals {
        all += weight * term.idf;
        if let Some(holding) = holders.get(at) {
            held += weight * term.idf * holding.gain();
        }
    }
    if all > 0.0 { held / all } else { 0.0 }
}

/// For every skill the mean score of the skills of its plugin; of the best of its plugins, where copies of it stand in
/// several.
fn siblings(reader: &Reader, scores: &[f64]) -> Result<Vec<f64>, IndexError> {
    let plugins = reader.plugins()?;
    let mut sums = vec![(0.0_f64, 0_usize); plugins.count];
    let mut copies = plugins.of_copies.iter().peekable();
    for (at, (&plugin, &score)) in plugins.of_skill.iter().zip(scores).enumerate() {
        let mut add = |plugin: usize| {
            let (sum, members) = &mut sums[plugin];
            *sum += score;
            *members += 1;
        };
        add(plugin);
        while let Some((_, plugin)) = copies.next_if(|(skill, _)| *skill == at) {
            add(*plugin);
        }
    }
    let means: Vec<f64> = sums
        .into_iter()
        .map(|(sum, members)| mean(sum, members))
        .collect();
    let mut best: Vec<f64> = plugins
        .of_skill
        .iter()
        .map(|&plugin| means[plugin])
        .collect();
    for (at, plugin) in plugins.of_copies {
        best[at] = best[at].max(means[plugin]);
    }
    Ok(best)
}

/// Mean score of the skills of a plugin.
pub(super) fn mean(sum: f64, members: usize) -> f64 {
    sum / members.max(weights::SIBLINGS_MIN) as f64
}

/// The best of the candidates: what the others are measured by.
pub(super) fn best(candidates: &[Candidate], of: impl Fn(&Candidate) -> f64) -> f64 {
    candidates.iter().map(of).fold(0.0, f64::max)
}

/// A value relative to the best one.
pub(super) fn share(value: f64, best: f64) -> f64 {
    if best > 0.0 { value / best } else { 0.0 }
}

/// Adds up the levels and sorts.
pub(super) fn ranking(
    reader: &Reader,
    postings: Postings,
    scores: &[f64],
    candidates: Vec<Candidate>,
) -> Result<Ranking, IndexError> {
    let siblings = siblings(reader, scores)?;
    let best_plugin = siblings.iter().copied().fold(0.0, f64::max);
    let best_words = best(&candidates, |candidate| scores[candidate.at]);
    let best_section = best(&candidates, |candidate| candidate.best_section);
    let ranked = candidates.into_iter().map(|candidate| {
        let at = candidate.at;
        let section = share(candidate.best_section, best_section);
        let words = milli(share(scores[at], best_words));
        let siblings = milli(weights::SIBLINGS_WEIGHT * share(siblings[at], best_plugin));
        let sections = milli(weights::SECTIONS_WEIGHT * section);
        let signals = milli(weights::SIGNALS_WEIGHT * candidate.signals);
        let (gains, matched) = explained(&postings, at);
        RankedSkill {
            at,
            score: words + siblings + sections + signals,
            words,
            siblings,
            sections,
            signals,
            explained: gains.iter().sum(),
            matched,
            gains,
            ranked_sections: candidate.ranked,
        }
    });
    let mut skills: Vec<RankedSkill> = ranked.collect();
    skills.sort_by_key(|skill| (Reverse(skill.score), skill.at));
    Ok(Ranking {
        asked: milli(postings.terms.iter().map(|term| term.idf).sum()),
        terms: postings.terms,
        skills,
    })
}

/// How much of each word's weight the skill explains, in thousandths of nats, and the words that it holds.
fn explained(postings: &Postings, at: usize) -> (Vec<i64>, Vec<(usize, Vec<SkillField>)>) {
    let mut gains = Vec::new();
    let mut matched = Vec::new();
    for (position, (term, holders)) in postings.terms.iter().zip(&postings.words).enumerate() {
        if let Some(holding) = holders.get(at) {
            gains.push(milli(term.idf * holding.gain()));
            matched.push((position, holding.fields()));
        }
    }
    (gains, matched)
}
