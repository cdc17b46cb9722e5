//! From the words of a query to their postings in every field.

use super::{Query, Term, Word, idf, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::SkillField;
use std::collections::BTreeMap;
use tantivy::postings::Postings as _;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, TERMINATED};

/// The words that count, with what each contributes to each skill.
pub(super) struct Postings {
    /// The words, most important first.
    pub(super) terms: Vec<Term>,
    /// For each word: skill to contribution (without the word's weight and idf) and fields that hold it.
    pub(super) skills: Vec<BTreeMap<u32, Holding>>,
    /// For each signal: the same.
    pub(super) signals: Vec<(Term, BTreeMap<u32, Holding>)>,
}

/// How a skill holds a word.
#[derive(Debug, Clone, Default)]
pub(super) struct Holding {
    /// Weighted, length-normalised term frequency over all fields.
    pub(super) frequency: f64,
    /// The fields, in their order.
    pub(super) fields: Vec<SkillField>,
}

/// Looks up every word; keeps the most telling ones.
pub(super) fn read(reader: &Reader, query: &Query) -> Result<Postings, IndexError> {
    let lookup = Lookup::new(reader)?;
    let mut words = Vec::new();
    for word in &query.words {
        words.push(lookup.word(word)?);
    }
    // Unknown words keep their place: they are what the corpus does not explain.
    words.sort_by(|(a, _), (b, _)| {
        (b.weight * b.idf)
            .total_cmp(&(a.weight * a.idf))
            .then_with(|| a.term.cmp(&b.term))
    });
    words.truncate(weights::QUERY_WORDS);
    let mut signals = Vec::new();
    for word in query.signals.iter().take(weights::QUERY_WORDS) {
        signals.push(lookup.word(word)?);
    }
    let (terms, skills) = words.into_iter().unzip();
    Ok(Postings {
        terms,
        skills,
        signals,
    })
}

struct Lookup<'a> {
    reader: &'a Reader,
    /// Average length of each field, in terms.
    average: [f64; 6],
}

impl<'a> Lookup<'a> {
    fn new(reader: &'a Reader) -> Result<Self, IndexError> {
        let mut average = [0.0; 6];
        for (slot, field) in average.iter_mut().zip(reader.fields.skill) {
            *slot = average_length(reader, field, reader.skill_count())?;
        }
        Ok(Self { reader, average })
    }

    fn word(&self, word: &Word) -> Result<(Term, BTreeMap<u32, Holding>), IndexError> {
        let mut holders: BTreeMap<u32, Holding> = BTreeMap::new();
        for (at, kind) in SkillField::ALL.into_iter().enumerate() {
            let (weight, b, average) = (
                weights::SKILL_FIELDS[at],
                weights::SKILL_LENGTHS[at],
                self.average[at],
            );
            each(
                self.reader,
                self.reader.fields.skill[at],
                &word.term,
                |document, frequency, length| {
                    let holding = holders.entry(document).or_default();
                    holding.frequency += weight * normalised(frequency, length, average, b);
                    holding.fields.push(kind);
                },
            )?;
        }
        let count = self.reader.skill_count() as u32;
        if holders
            .keys()
            .next_back()
            .is_some_and(|&last| last >= count)
        {
            return Err(self.reader.corrupt("a skill's word leads to no skill"));
        }
        let skills = holders.len() as u32;
        let term = Term {
            term: word.term.clone(),
            weight: word.weight,
            skills,
            idf: idf(count, skills),
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
