//! Words that stand near each other in the request and in a skill: `power automate` says more than `power` and `automate`.
//!
//! The unordered window of Metzler and Croft, "A Markov Random Field Model for Term Dependencies" (2005), scored like a
//! word: saturated frequency times idf. Positions are read for the candidates only; in how many skills a pair stands
//! is extrapolated from them to all skills that hold both words.

use super::lengths::Lengths;
use super::skills::Candidate;
use super::terms::Postings;
use super::{Query, idf, milli, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tantivy::DocSet as _;
use tantivy::postings::Postings as _;

/// Positions of a word: by place of the candidate and place of the field.
type Positions = BTreeMap<(usize, usize), Vec<u32>>;

/// A pair of the query that candidates hold.
pub(super) struct Pair {
    /// The two words, as positions in the list of words.
    pub(super) words: (usize, usize),
    /// Number of skills that hold the pair, extrapolated.
    pub(super) skills: u32,
    /// Inverse document frequency over skills, in nats.
    pub(super) idf: f64,
    /// The candidates that hold it: position of the record, weighted frequency in each field.
    pub(super) holders: Vec<(usize, [f64; 6])>,
}

impl Pair {
    /// What the pair adds to the score of a skill that holds it so often.
    pub(super) fn worth(&self, fields: &[f64; 6]) -> f64 {
        let frequency: f64 = fields.iter().sum();
        weights::PAIRS_WEIGHT * self.idf * frequency / (weights::SKILL_K1 + frequency)
    }
}

/// Adds to the candidates' scores what the pairs of the query are worth in them.
pub(super) fn score(pairs: &[Pair], scores: &mut [f64]) {
    for pair in pairs {
        for (at, fields) in &pair.holders {
            scores[*at] += pair.worth(fields);
        }
    }
}

/// The pairs of the query that candidates hold.
pub(super) fn find(
    reader: &Reader,
    postings: &Postings,
    query: &Query,
    candidates: &[Candidate],
) -> Result<Vec<Pair>, IndexError> {
    let pairs = telling(postings, query);
    let mut all = Vec::new();
    let mut positions: BTreeMap<usize, Positions> = BTreeMap::new();
    for &(left, right) in &pairs {
        for word in [left, right] {
            if let std::collections::btree_map::Entry::Vacant(slot) = positions.entry(word) {
                slot.insert(read(reader, postings, word, candidates)?);
            }
        }
    }
    for (left, right) in pairs {
        let (left_at, right_at) = (&positions[&left], &positions[&right]);
        let holders = frequencies(reader, &postings.lengths, candidates, left_at, right_at)?;
        if holders.is_empty() {
            continue;
        }
        let (left_word, right_word) = (&postings.words[left], &postings.words[right]);
        let both = left_word.both(right_word);
        let holds =
            |one: &&Candidate| left_word.get(one.at).is_some() && right_word.get(one.at).is_some();
        let among = candidates.iter().filter(holds).count();
        let skills = holders.len().max(both * holders.len() / among.max(1)) as u32;
        all.push(Pair {
            words: (left, right),
            skills,
            idf: idf(reader.skill_count() as u32, skills),
            holders,
        });
    }
    Ok(all)
}

/// The pairs with the most telling words, as positions in the list of words.
fn telling(postings: &Postings, query: &Query) -> Vec<(usize, usize)> {
    let places: BTreeMap<&str, usize> = postings
        .terms
        .iter()
        .enumerate()
        .filter(|(_, term)| term.skills > 0)
        .map(|(place, term)| (term.term.as_str(), place))
        .collect();
    let both = |(left, right): &(String, String)| {
        Some((*places.get(left.as_str())?, *places.get(right.as_str())?))
    };
    let mut pairs: Vec<(usize, usize)> = query.pairs.iter().filter_map(both).collect();
    let worth = |place: usize| postings.terms[place].idf;
    let term = |place: usize| postings.terms[place].term.as_str();
    pairs.sort_by_key(|&(left, right)| {
        let worth = milli(worth(left) + worth(right));
        (Reverse(worth), term(left), term(right))
    });
    pairs.truncate(weights::PAIRS);
    pairs
}

/// Where a word stands in the candidates.
fn read(
    reader: &Reader,
    postings: &Postings,
    word: usize,
    candidates: &[Candidate],
) -> Result<Positions, IndexError> {
    let mut positions = Positions::new();
    let held = &postings.words[word];
    for (found, details) in held.places.iter().zip(&held.details) {
        let shard = &reader.shards[found.shard];
        let of_shard = |at: usize| candidates.partition_point(|candidate| candidate.at < at);
        let (from, to) = (of_shard(shard.first), of_shard(shard.first + shard.skills));
        let Some(details) = details else { continue };
        for (field, (own, places)) in found.postings.iter().zip(details).enumerate() {
            let (Some(own), Some(places)) = (own, places) else {
                continue;
            };
            let holds = |place: &usize| {
                let holding = held.get(candidates[*place].at);
                holding.is_some_and(|holding| holding.in_field(field))
            };
            let mut holders = (from..to).filter(holds).peekable();
            if holders.peek().is_none() {
                continue;
            }
            let engine = &postings.engine;
            let postings = engine.positions(found.documents[field], own, places);
            let mut postings = postings.map_err(|error| reader.damaged_in(shard, error.into()))?;
            for place in holders {
                let document = (candidates[place].at - shard.first) as u32;
                if postings.doc() < document {
                    postings.seek(document);
                }
                if postings.doc() == document {
                    let mut all = Vec::new();
                    postings.positions(&mut all);
                    positions.insert((place, field), all);
                }
            }
        }
    }
    Ok(positions)
}

/// Weighted, length-normalised frequency of a pair in each field of the candidates that hold it, by position of the
/// record.
fn frequencies(
    reader: &Reader,
    lengths: &Lengths,
    candidates: &[Candidate],
    left: &Positions,
    right: &Positions,
) -> Result<Vec<(usize, [f64; 6])>, IndexError> {
    let mut found: Vec<(usize, [f64; 6])> = Vec::new();
    for (&(place, field), left) in left {
        let Some(right) = right.get(&(place, field)) else {
            continue;
        };
        let near = near(left, right);
        if near == 0 {
            continue;
        }
        let at = candidates[place].at;
        if found.last().is_none_or(|(last, _)| *last != at) {
            found.push((at, [0.0; 6]));
        }
        if let Some((_, fields)) = found.last_mut() {
            fields[field] = lengths.weighted(field, reader.place(at)?, near);
        }
    }
    Ok(found)
}

/// How many of the places on the left have one of the right near them.
fn near(left: &[u32], right: &[u32]) -> u32 {
    let span = weights::PAIR_SPAN as u32;
    let has = |&&place: &&u32| {
        let first = right.partition_point(|&other| other + span < place);
        right.get(first).is_some_and(|&other| other <= place + span)
    };
    left.iter().filter(has).count() as u32
}
