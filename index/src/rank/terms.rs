//! From the words of a query to their postings in every field.

use super::{Query, Term, idf, milli, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::SkillField;
use std::collections::BTreeMap;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings as _, SegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, TERMINATED};

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
}

/// How the corpus holds a word.
#[derive(Default)]
pub(super) struct Held {
    /// Where it stands in the engine's dictionaries, in the fields of skills.
    pub(super) places: Vec<Place>,
    /// The same in the fields of sections.
    pub(super) sections: Vec<Place>,
    /// A bit for each skill that holds it.
    holders: Vec<u64>,
    /// How the candidates hold it; by number of the skill.
    candidates: Vec<(usize, Holding)>,
}

impl Held {
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

    /// Looks at the candidates, which are in the order of skills.
    fn look_at(
        &mut self,
        reader: &Reader,
        lengths: &Lengths,
        candidates: &[usize],
    ) -> Result<(), IndexError> {
        let mut held = vec![Holding::default(); candidates.len()];
        for found in &self.places {
            let shard = &reader.shards[found.shard];
            let from = candidates.partition_point(|&at| at < shard.first);
            let to = candidates.partition_point(|&at| at < shard.first + shard.skills);
            if from == to {
                continue;
            }
            let mut postings = postings(reader, found)?;
            for place in from..to {
                let skill = candidates[place] - shard.first;
                let document = skill as u32;
                if postings.doc() < document {
                    postings.seek(document);
                }
                if postings.doc() == document {
                    let at = (found.shard, skill);
                    held[place].add(
                        found.field,
                        lengths.weighted(found.field, at, postings.term_freq()),
                    );
                }
            }
        }
        let rows = candidates.iter().copied().zip(held);
        self.candidates = rows.filter(|(_, holding)| holding.fields != 0).collect();
        Ok(())
    }
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
            held.look_at(reader, &self.lengths, candidates)?;
        }
        Ok(())
    }
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
        self.frequency / (weights::SKILL_K1 + self.frequency)
    }

    /// The fields, in their order.
    pub(super) fn fields(self) -> Vec<SkillField> {
        let held = |(place, _): &(usize, SkillField)| self.in_field(*place);
        let fields = SkillField::ALL.into_iter().enumerate().filter(held);
        fields.map(|(_, field)| field).collect()
    }
}

/// Where a term stands in the engine's dictionaries: which shard's, which field's, and what it says there.
#[derive(Clone)]
pub(super) struct Place {
    /// Place of the shard.
    pub(super) shard: usize,
    /// Place of the field among those of skills, or of sections.
    pub(super) field: usize,
    /// The term's row.
    pub(super) info: TermInfo,
}

/// Where a term stands in the fields of skills, and in those of sections.
type Places = [Vec<Place>; 2];

/// Looks up terms in every field, without any posting. Shard by shard, so that the dictionaries of one at a time are in
/// memory, and field by field, so that one is in the processor's cache while all terms are looked up in it.
fn places<'a>(
    reader: &Reader,
    terms: impl Iterator<Item = &'a String>,
) -> Result<BTreeMap<&'a str, Places>, IndexError> {
    let mut found: BTreeMap<&str, Places> = terms
        .map(|term| (term.as_str(), Places::default()))
        .collect();
    let kinds: [&[Field]; 2] = [&reader.fields.skill, &reader.fields.section];
    for (shard, open) in reader.shards.iter().enumerate() {
        let dictionaries = open.dictionaries()?;
        for (kind, fields) in kinds.iter().enumerate() {
            for (field, &number) in fields.iter().enumerate() {
                let Some(words) = dictionaries.of(number)? else {
                    continue;
                };
                for (term, places) in &mut found {
                    if let Some(info) = words.get(term)? {
                        places[kind].push(Place { shard, field, info });
                    }
                }
            }
        }
    }
    for (term, [skills, _]) in &found {
        reader.remember(term, !skills.is_empty());
    }
    Ok(found)
}

/// The most documents that hold a term in one field.
pub(super) fn most(places: &[Place]) -> u32 {
    let mut holding = [0_u32; SkillField::ALL.len()];
    for place in places {
        holding[place.field] += place.info.doc_freq;
    }
    holding.into_iter().max().unwrap_or_default()
}

/// Postings with frequencies of a skill's field.
fn postings(reader: &Reader, place: &Place) -> Result<SegmentPostings, IndexError> {
    let inverted = reader.shards[place.shard].inverted(reader.fields.skill[place.field])?;
    let option = IndexRecordOption::WithFreqs;
    Ok(inverted.read_postings_from_terminfo(&place.info, option)?)
}

/// Looks up every word and keeps the most telling ones. With them comes BM25F of every skill over its fields: stems, and
/// the words' own forms.
pub(super) fn read(reader: &Reader, query: &Query) -> Result<(Postings, Vec<f64>), IndexError> {
    let signals = query.signals.iter().map(|one| &one.term);
    let all = query.words.iter().chain(&query.forms).chain(signals);
    let found = places(reader, all)?;
    let mut lookup = Lookup::new(reader)?;
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
    };
    Ok((postings, scores))
}

/// A word of the query, looked up.
struct Word<'a> {
    term: &'a str,
    weight: f64,
    places: Places,
}

/// The most telling words by weight and idf: so many that the corpus knows, and as many that it does not, which are
/// what it fails to explain.
fn telling<'a>(
    reader: &Reader,
    found: &BTreeMap<&str, Places>,
    words: impl Iterator<Item = (f64, &'a String)>,
) -> [Vec<Word<'a>>; 2] {
    let count = reader.skill_count() as u32;
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for (weight, term) in words {
        let places = found.get(term.as_str()).cloned().unwrap_or_default();
        let holding = most(&places[0]);
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

/// Lengths of the fields of skill documents, in terms.
pub(super) struct Lengths {
    /// For each field, for each of the engine's 256 steps of lengths, what a frequency is divided by.
    divisors: Vec<[f64; 256]>,
    /// For each field, for each shard.
    readers: Vec<Vec<FieldNormReader>>,
}

impl Lengths {
    pub(super) fn new(reader: &Reader) -> Result<Self, IndexError> {
        let (mut divisors, mut readers) = (Vec::new(), Vec::new());
        for field in reader.fields.skill {
            let average = average_length(reader, field, reader.skill_count())?;
            divisors.push(std::array::from_fn(|step| {
                let length = FieldNormReader::id_to_fieldnorm(step as u8);
                divisor(length, average, 1.0)
            }));
            let of_shards = reader.shards.iter();
            readers.push(
                of_shards
                    .map(|shard| shard.lengths(field))
                    .collect::<Result<_, _>>()?,
            );
        }
        Ok(Self { divisors, readers })
    }

    /// How often a word stands in a field of a skill, as if the field were of average length, times the field's weight.
    /// The normalisation is full (`b` of BM25F is 1): what counts is the share of the text that is about the word. The
    /// skill is named by its shard and its place there.
    pub(super) fn weighted(
        &self,
        field: usize,
        (shard, place): (usize, usize),
        frequency: u32,
    ) -> f64 {
        let step = self.readers[field][shard].fieldnorm_id(place as u32);
        let divisor = self.divisors[field][usize::from(step)];
        weights::SKILL_FIELDS[field] * (f64::from(frequency) / divisor)
    }
}

/// What [`Holding`] adds up, field by field: weighted frequencies of a word in one skill, in the order of
/// `SkillField::ALL`.
pub(super) fn by_field(
    reader: &Reader,
    lengths: &Lengths,
    held: &Held,
    skill: usize,
) -> Result<[f64; 6], IndexError> {
    let mut frequencies = [0.0; 6];
    let (shard, place) = reader.place(skill)?;
    let document = place as u32;
    for found in held.places.iter().filter(|found| found.shard == shard) {
        let mut postings = postings(reader, found)?;
        if postings.doc() < document {
            postings.seek(document);
        }
        if postings.doc() == document {
            let frequency = postings.term_freq();
            frequencies[found.field] = lengths.weighted(found.field, (shard, place), frequency);
        }
    }
    Ok(frequencies)
}

struct Lookup<'a> {
    reader: &'a Reader,
    lengths: Lengths,
    /// One place for each skill of the largest shard, all empty between two shards.
    scratch: Vec<Holding>,
    /// A bit for each of them that is not empty.
    marks: Vec<u64>,
    /// The skills that hold the word at hand, with what it is worth there.
    gains: Vec<(u32, f64)>,
}

impl<'a> Lookup<'a> {
    fn new(reader: &'a Reader) -> Result<Self, IndexError> {
        let largest = reader.shards.iter().map(|shard| shard.skills).max();
        let largest = largest.unwrap_or_default();
        Ok(Self {
            reader,
            lengths: Lengths::new(reader)?,
            scratch: vec![Holding::default(); largest],
            marks: vec![0; largest.div_ceil(64)],
            gains: Vec::new(),
        })
    }

    /// Reads the postings of a word, and adds what it is worth, times a weight, to the scores where there are any.
    fn word(
        &mut self,
        word: Word<'_>,
        scores: Option<(f64, &mut [f64])>,
    ) -> Result<(Term, Held), IndexError> {
        self.gains.clear();
        let mut holders = vec![0_u64; self.reader.skill_count().div_ceil(64)];
        let [places, sections] = word.places;
        for places in places.chunk_by(|one, other| one.shard == other.shard) {
            for place in places {
                self.add(place)?;
            }
            let first = self.reader.shards[places[0].shard].first;
            for (word, marks) in self.marks.iter_mut().enumerate() {
                let mut bits = std::mem::take(marks);
                while bits != 0 {
                    let skill = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let holding = std::mem::take(&mut self.scratch[skill]);
                    let at = first + skill;
                    holders[at / 64] |= 1 << (at % 64);
                    self.gains.push((at as u32, holding.gain()));
                }
            }
        }
        let skills = self.gains.len() as u32;
        let term = Term {
            term: word.term.to_owned(),
            skills,
            idf: idf(self.reader.skill_count() as u32, skills),
        };
        if let Some((weight, scores)) = scores {
            for &(skill, gain) in &self.gains {
                scores[skill as usize] += weight * term.idf * gain;
            }
        }
        let held = Held {
            places,
            sections,
            holders,
            candidates: Vec::new(),
        };
        Ok((term, held))
    }

    /// Adds up what one field of one shard says.
    fn add(&mut self, place: &Place) -> Result<(), IndexError> {
        let shard = &self.reader.shards[place.shard];
        let mut postings = postings(self.reader, place)?;
        let mut document = postings.doc();
        while document != TERMINATED {
            let skill = document as usize;
            if skill >= shard.skills {
                return Err(self.reader.corrupt("a skill's word leads to no skill"));
            }
            let at = (place.shard, skill);
            let frequency = self.lengths.weighted(place.field, at, postings.term_freq());
            self.scratch[skill].add(place.field, frequency);
            self.marks[skill / 64] |= 1 << (skill % 64);
            document = postings.advance();
        }
        Ok(())
    }
}

/// Term frequency divided by the soft length normalisation of BM25F: `tf / (1 - b + b * length / average)`.
pub(super) fn normalised(frequency: u32, length: u32, average: f64, b: f64) -> f64 {
    f64::from(frequency) / divisor(length, average, b)
}

fn divisor(length: u32, average: f64, b: f64) -> f64 {
    let relative = if average > 0.0 {
        f64::from(length) / average
    } else {
        1.0
    };
    1.0 - b + b * relative
}

/// Average number of terms of a field over `documents` documents.
pub(super) fn average_length(
    reader: &Reader,
    field: Field,
    documents: usize,
) -> Result<f64, IndexError> {
    let mut total = 0;
    for shard in &reader.shards {
        total += shard.inverted(field)?.total_num_tokens();
    }
    Ok(total as f64 / (documents.max(1)) as f64)
}
