//! From the words of a query to their postings in every field.

use super::lengths::{Lengths, SKILLS};
use super::places::{Place, most, places, range_of};
use super::scores::Lookup;
use super::{Query, Term, idf, milli, weights};
use crate::engine::Engine;
use crate::error::IndexError;
use crate::lexicon::{self, Pieces};
use crate::reader::{Reader, Shard};
use crate::schema::SkillField;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tantivy::DocSet as _;
use tantivy::postings::{Postings as _, SegmentPostings};

/// The words that count.
pub(super) struct Postings {
    /// The words: those that the corpus knows, most telling first, then those that it does not.
    pub(super) terms: Vec<Term>,
    /// How the corpus holds each of them.
    pub(super) words: Vec<Held>,
    /// The words' own forms that the corpus knows.
    pub(super) forms: Vec<(Term, Held)>,
    /// The signals that the corpus knows, with their weights.
    pub(super) signals: Vec<(f64, Term, Held)>,
    /// Lengths of the fields.
    pub(super) lengths: Lengths,
    /// What was read of the shards lies here.
    pub(super) engine: Engine,
}

/// How the corpus holds a word.
#[derive(Default)]
pub(super) struct Held {
    /// What the shards that hold it say of it, in their order.
    pub(super) places: Arc<Vec<Place>>,
    /// For each of them its details, where a candidate holds the word.
    pub(super) details: Vec<Option<Pieces>>,
    /// A bit for each skill that holds it.
    holders: Vec<u64>,
    /// How the candidates hold it; by number of the skill.
    candidates: Vec<(usize, Holding)>,
}

impl Held {
    /// Before anything is known of the candidates.
    pub(super) fn new(places: Arc<Vec<Place>>, holders: Vec<u64>) -> Self {
        Self {
            places,
            details: Vec::new(),
            holders,
            candidates: Vec::new(),
        }
    }

    /// How the candidate `at` holds the word.
    pub(super) fn get(&self, at: usize) -> Option<Holding> {
        let found = self.candidates.binary_search_by_key(&at, |row| row.0);
        found.ok().map(|row| self.candidates[row].1)
    }

    /// Number of skills that hold both words.
    pub(super) fn both(&self, other: &Self) -> usize {
        let words = self.holders.iter().zip(&other.holders);
        words
            .map(|(one, other)| (one & other).count_ones() as usize)
            .sum()
    }

    /// Whether a skill holds the word.
    fn holds(&self, at: usize) -> bool {
        let bits = self.holders.get(at / 64);
        bits.is_some_and(|bits| bits & 1 << (at % 64) != 0)
    }

    /// Looks at the candidates, which are in the order of skills.
    fn look_at(
        &mut self,
        reader: &Reader,
        engine: &Engine,
        lengths: &Lengths,
        candidates: &[usize],
    ) -> Result<(), IndexError> {
        let mut held = vec![Holding::default(); candidates.len()];
        for found in self.places.iter() {
            let range = of_shard(&reader.shards[found.shard], candidates);
            let first = reader.shards[found.shard].first;
            let holders: Vec<usize> = range.filter(|&at| self.holds(candidates[at])).collect();
            if holders.is_empty() {
                continue;
            }
            for field in 0..SkillField::ALL.len() {
                let postings = found.postings(engine, field);
                let fault = |error| reader.damaged_in(&reader.shards[found.shard], error);
                let Some(mut postings) = postings.map_err(fault)? else {
                    continue;
                };
                for &place in &holders {
                    let skill = candidates[place] - first;
                    if let Some(frequency) = frequency(&mut postings, skill as u32) {
                        let at = (found.shard, skill);
                        held[place].add(field, lengths.weighted(field, at, frequency));
                    }
                }
            }
        }
        let rows = candidates.iter().copied().zip(held);
        self.candidates = rows.filter(|(_, holding)| holding.fields != 0).collect();
        Ok(())
    }

    /// Reads the details of the word, which is `term`, in the shards where a candidate holds it.
    fn read_details(
        &mut self,
        reader: &Reader,
        engine: &Engine,
        term: &str,
    ) -> Result<(), IndexError> {
        self.details = vec![None; self.places.len()];
        for (slot, place) in self.details.iter_mut().zip(self.places.iter()) {
            let shard = &reader.shards[place.shard];
            let from = self.candidates.partition_point(|row| row.0 < shard.first);
            let next = self.candidates.get(from);
            if next.is_none_or(|(at, _)| *at >= shard.first + shard.skills) {
                continue;
            }
            let bytes = range_of(&shard.details, &place.row.positions_range);
            let bytes = bytes.map_err(|error| reader.damaged_in(shard, error))?;
            let pieces = lexicon::details(term.as_bytes(), &place.row, &bytes);
            let unfit = || reader.corrupt_in(shard, format_args!("details of `{term}` do not fit"));
            let mut pieces = pieces.ok_or_else(unfit)?;
            let start = engine.add(bytes);
            for piece in pieces.iter_mut().flatten() {
                *piece = piece.start + start..piece.end + start;
            }
            *slot = Some(pieces);
        }
        Ok(())
    }
}

/// Places among the candidates, which are in the order of skills, of those that a shard holds.
fn of_shard(shard: &Shard, candidates: &[usize]) -> Range<usize> {
    let from = candidates.partition_point(|&at| at < shard.first);
    let to = candidates.partition_point(|&at| at < shard.first + shard.skills);
    from..to
}

/// How often a document holds the word, if it does; documents are asked for in their order.
fn frequency(postings: &mut SegmentPostings, document: u32) -> Option<u32> {
    if postings.doc() < document {
        postings.seek(document);
    }
    (postings.doc() == document).then(|| postings.term_freq())
}

impl Postings {
    /// Looks up how the candidates, which are in the order of skills, hold the words.
    pub(super) fn look_at(
        &mut self,
        reader: &Reader,
        candidates: &[usize],
    ) -> Result<(), IndexError> {
        let words = self.words.iter_mut();
        let forms = self.forms.iter_mut().map(|(_, held)| held);
        let signals = self.signals.iter_mut().map(|(_, _, held)| held);
        for held in words.chain(forms).chain(signals) {
            held.look_at(reader, &self.engine, &self.lengths, candidates)?;
        }
        for (term, held) in self.terms.iter().zip(&mut self.words) {
            held.read_details(reader, &self.engine, &term.term)?;
        }
        Ok(())
    }
}

/// BM25's saturation of a frequency, from 0 to 1.
pub(super) fn saturated(frequency: f64) -> f64 {
    frequency / (weights::SKILL_K1 + frequency)
}

/// How a skill holds a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Holding {
    /// Weighted, length-normalised term frequency over all fields.
    frequency: f64,
    /// The fields that hold it: bit `n` for the field in place `n` of `SkillField::ALL`.
    fields: u8,
}

impl Holding {
    /// Adds what one field says; fields come in their order.
    fn add(&mut self, field: usize, frequency: f64) {
        self.frequency += frequency;
        self.fields |= 1 << field;
    }

    /// Whether the field in this place of `SkillField::ALL` holds the word.
    pub(super) fn in_field(self, place: usize) -> bool {
        self.fields & (1 << place) != 0
    }

    /// What the word is worth in this skill, as a share of its weight (from 0 to 1): BM25's saturation.
    pub(super) fn gain(self) -> f64 {
        saturated(self.frequency)
    }

    /// The fields, in their order.
    pub(super) fn fields(self) -> Vec<SkillField> {
        let held = |(place, _): &(usize, SkillField)| self.in_field(*place);
        let fields = SkillField::ALL.into_iter().enumerate().filter(held);
        fields.map(|(_, field)| field).collect()
    }
}

/// Looks up every word and keeps the most telling ones. With them comes BM25F of every skill over its fields: stems, and
/// the words' own forms.
pub(super) fn read(reader: &Reader, query: &Query) -> Result<(Postings, Vec<f64>), IndexError> {
    let signals = query.signals.iter().map(|one| &one.term);
    let all = query.words.iter().chain(&query.forms).chain(signals);
    let engine = Engine::new()?;
    let found = places(reader, &engine, all)?;
    let mut lookup = Lookup::new(reader, &engine)?;
    let mut scores = vec![0.0_f64; reader.skill_count()];
    let (mut terms, mut held) = (Vec::new(), Vec::new());
    let words = query.words.iter().map(|term| (1.0, term));
    let [known, unknown] = telling(reader, &found, words);
    for word in known.into_iter().chain(unknown) {
        let (term, word) = lookup.word(word, Some((1.0, &mut scores)))?;
        terms.push(term);
        held.push(word);
    }
    let mut found_forms = Vec::new();
    let forms = query.forms.iter().map(|term| (1.0, term));
    let [forms, _] = telling(reader, &found, forms);
    for form in forms {
        let score = Some((weights::FORMS_WEIGHT, scores.as_mut_slice()));
        found_forms.push(lookup.word(form, score)?);
    }
    let mut found_signals = Vec::new();
    // A signal that the corpus does not know says nothing about any skill.
    let signals = query.signals.iter().map(|one| (one.weight, &one.term));
    let [signals, _] = telling(reader, &found, signals);
    for signal in signals {
        let weight = signal.weight;
        let (term, held) = lookup.word(signal, None)?;
        found_signals.push((weight, term, held));
    }
    let postings = Postings {
        terms,
        words: held,
        forms: found_forms,
        signals: found_signals,
        lengths: lookup.lengths,
        engine,
    };
    Ok((postings, scores))
}

/// A word of the query, looked up.
pub(super) struct Word<'a> {
    pub(super) term: &'a str,
    weight: f64,
    pub(super) places: Arc<Vec<Place>>,
}

/// The most telling words by weight and idf: so many that the corpus knows, and as many that it does not, which are
/// what it fails to explain.
fn telling<'a>(
    reader: &Reader,
    found: &BTreeMap<&str, Arc<Vec<Place>>>,
    words: impl Iterator<Item = (f64, &'a String)>,
) -> [Vec<Word<'a>>; 2] {
    let count = reader.skill_count() as u32;
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for (weight, term) in words {
        let places = found.get(term.as_str()).cloned().unwrap_or_default();
        let holding = most(&places, 0..SKILLS);
        let word = Word {
            term,
            weight,
            places,
        };
        let row = (milli(weight * idf(count, holding)), word);
        if holding > 0 {
            known.push(row);
        } else {
            unknown.push(row);
        }
    }
    [known, unknown].map(|mut rows| {
        rows.sort_by(|(a, left), (b, right)| b.cmp(a).then_with(|| left.term.cmp(right.term)));
        rows.truncate(weights::QUERY_WORDS);
        rows.into_iter().map(|(_, word)| word).collect()
    })
}

/// What [`Holding`] adds up, field by field: weighted frequencies of a word in one skill, in the order of
/// `SkillField::ALL`.
pub(super) fn by_field(
    reader: &Reader,
    postings: &Postings,
    held: &Held,
    skill: usize,
) -> Result<[f64; SKILLS], IndexError> {
    let mut frequencies = [0.0; SKILLS];
    let (shard, place) = reader.place(skill)?;
    for found in held.places.iter().filter(|found| found.shard == shard) {
        for (field, slot) in frequencies.iter_mut().enumerate() {
            let Some(mut own) = found.postings(&postings.engine, field)? else {
                continue;
            };
            if let Some(frequency) = frequency(&mut own, place as u32) {
                *slot = postings.lengths.weighted(field, (shard, place), frequency);
            }
        }
    }
    Ok(frequencies)
}
