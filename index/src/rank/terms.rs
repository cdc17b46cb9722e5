//! From the words of a query to their postings in every field.

use super::{Query, Term, Word, idf, milli, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::SkillField;
use tantivy::postings::Postings as _;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, TERMINATED};

/// The words that count, with what each contributes to each skill.
pub(super) struct Postings {
    /// The words: those that the corpus knows, most telling first, then those that it does not.
    pub(super) terms: Vec<Term>,
    /// For each word: skill to contribution (without the word's weight and idf) and fields that hold it.
    pub(super) skills: Vec<Holders>,
    /// For each signal: the same.
    pub(super) signals: Vec<(Term, Holders)>,
}

/// The skills that hold a word, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Holders(Vec<(u32, Holding)>);

impl Holders {
    /// How skill `at` holds the word.
    pub(super) fn get(&self, at: usize) -> Option<Holding> {
        let found = self
            .0
            .binary_search_by_key(&(at as u32), |(skill, _)| *skill);
        found.ok().map(|row| self.0[row].1)
    }

    /// Every skill that holds the word.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Holding)> {
        self.0
            .iter()
            .map(|(skill, holding)| (*skill as usize, *holding))
    }

    /// Whether no skill holds the word.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How a skill holds a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Holding {
    /// Weighted, length-normalised term frequency over all fields.
    pub(super) frequency: f64,
    /// The fields that hold it: bit `n` for the field in place `n` of `SkillField::ALL`.
    fields: u8,
}

impl Holding {
    /// The fields, in their order.
    pub(super) fn fields(self) -> Vec<SkillField> {
        let held = |(place, _): &(usize, SkillField)| self.fields & (1 << place) != 0;
        let fields = SkillField::ALL.into_iter().enumerate().filter(held);
        fields.map(|(_, field)| field).collect()
    }
}

/// Looks up every word; keeps the most telling ones.
pub(super) fn read(reader: &Reader, query: &Query) -> Result<Postings, IndexError> {
    let mut lookup = Lookup::new(reader)?;
    let mut postings = Postings {
        terms: Vec::new(),
        skills: Vec::new(),
        signals: Vec::new(),
    };
    for word in telling(reader, &query.words)? {
        let (term, holders) = lookup.word(word)?;
        postings.terms.push(term);
        postings.skills.push(holders);
    }
    for word in telling(reader, &query.signals)? {
        postings.signals.push(lookup.word(word)?);
    }
    Ok(postings)
}

/// The most telling words by weight and idf: so many that the corpus knows, and as many that it does not, which are
/// what it fails to explain.
fn telling<'a>(reader: &Reader, words: &'a [Word]) -> Result<Vec<&'a Word>, IndexError> {
    let count = reader.skill_count() as u32;
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for word in words {
        let holding = holders(reader, &word.term)?;
        let row = (milli(word.weight * idf(count, holding)), word);
        (if holding > 0 {
            &mut known
        } else {
            &mut unknown
        })
        .push(row);
    }
    for rows in [&mut known, &mut unknown] {
        rows.sort_by(|(a, left), (b, right)| b.cmp(a).then_with(|| left.term.cmp(&right.term)));
        rows.truncate(weights::QUERY_WORDS);
    }
    known.append(&mut unknown);
    Ok(known.into_iter().map(|(_, word)| word).collect())
}

/// The most skills that hold a term in one field: a look-up in the term dictionaries, without any posting.
fn holders(reader: &Reader, term: &str) -> Result<u32, IndexError> {
    let mut most = 0;
    for field in reader.fields.skill {
        let term = tantivy::Term::from_field_text(field, term);
        most = most.max(reader.segment.inverted_index(field)?.doc_freq(&term)?);
    }
    Ok(most)
}

struct Lookup<'a> {
    reader: &'a Reader,
    /// Average length of each field, in terms.
    average: [f64; 6],
    /// One place for each skill, all empty between two words.
    scratch: Vec<Holding>,
}

impl<'a> Lookup<'a> {
    fn new(reader: &'a Reader) -> Result<Self, IndexError> {
        let mut average = [0.0; 6];
        for (slot, field) in average.iter_mut().zip(reader.fields.skill) {
            *slot = average_length(reader, field, reader.skill_count())?;
        }
        let scratch = vec![Holding::default(); reader.skill_count()];
        Ok(Self {
            reader,
            average,
            scratch,
        })
    }

    fn word(&mut self, word: &Word) -> Result<(Term, Holders), IndexError> {
        let mut touched: Vec<u32> = Vec::new();
        let mut stray = false;
        for place in 0..SkillField::ALL.len() {
            let (weight, b) = (weights::SKILL_FIELDS[place], weights::SKILL_LENGTHS[place]);
            let average = self.average[place];
            let scratch = &mut self.scratch;
            let field = self.reader.fields.skill[place];
            each(
                self.reader,
                field,
                &word.term,
                |document, frequency, length| {
                    let Some(holding) = scratch.get_mut(document as usize) else {
                        stray = true;
                        return;
                    };
                    if holding.fields == 0 {
                        touched.push(document);
                    }
                    holding.frequency += weight * normalised(frequency, length, average, b);
                    holding.fields |= 1 << place;
                },
            )?;
        }
        if stray {
            return Err(self.reader.corrupt("a skill's word leads to no skill"));
        }
        touched.sort_unstable();
        let rows = touched
            .into_iter()
            .map(|skill| (skill, std::mem::take(&mut self.scratch[skill as usize])));
        let holders = Holders(rows.collect());
        let skills = holders.0.len() as u32;
        let term = Term {
            term: word.term.clone(),
            weight: word.weight,
            skills,
            idf: idf(self.reader.skill_count() as u32, skills),
        };
        Ok((term, holders))
    }
}

/// Term frequency divided by the soft length normalisation of BM25F: `tf / (1 - b + b * length / average)`.
pub(super) fn normalised(frequency: u32, length: u32, average: f64, b: f64) -> f64 {
    let relative = if average > 0.0 {
        f64::from(length) / average
    } else {
        1.0
    };
    f64::from(frequency) / (1.0 - b + b * relative)
}

/// Average number of terms of a field over `documents` documents.
pub(super) fn average_length(
    reader: &Reader,
    field: Field,
    documents: usize,
) -> Result<f64, IndexError> {
    let total = reader.segment.inverted_index(field)?.total_num_tokens();
    Ok(total as f64 / (documents.max(1)) as f64)
}

/// Calls `with` for every document that holds `term` in `field`: document, frequency, field length (as the engine keeps
/// it, in 256 steps).
fn each(
    reader: &Reader,
    field: Field,
    term: &str,
    mut with: impl FnMut(u32, u32, u32),
) -> Result<(), IndexError> {
    let inverted = reader.segment.inverted_index(field)?;
    let term = tantivy::Term::from_field_text(field, term);
    let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::WithFreqs)? else {
        return Ok(());
    };
    let lengths = reader.segment.get_fieldnorms_reader(field)?;
    let mut document = postings.doc();
    while document != TERMINATED {
        with(document, postings.term_freq(), lengths.fieldnorm(document));
        document = postings.advance();
    }
    Ok(())
}
