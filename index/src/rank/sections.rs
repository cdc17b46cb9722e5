//! Second level: which sections of the candidate skills hold the words of the query.

use super::skills::Candidate;
use super::terms::{Place, Postings, average_length, most, normalised};
use super::{RankedSection, idf, milli, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::SectionField;
use tantivy::DocSet as _;
use tantivy::postings::Postings as _;
use tantivy::schema::IndexRecordOption;

/// How a section holds a word.
pub(super) struct Held {
    /// Position in the list of words.
    pub(super) word: usize,
    /// Weighted, length-normalised frequency in each field.
    pub(super) fields: [f64; 2],
}

impl Held {
    /// What the word adds to the section's score.
    pub(super) fn worth(&self, idf: &[f64]) -> f64 {
        let frequency: f64 = self.fields.iter().sum();
        idf[self.word] * frequency / (weights::SECTION_K1 + frequency)
    }
}

/// How the sections of some skills hold the words.
pub(super) struct Sections {
    /// For each word, the number of sections of the corpus that hold it in their text, and its idf over sections in nats.
    pub(super) holding: Vec<u32>,
    pub(super) idf: Vec<f64>,
    /// For each skill, for each section in source order, the words that it holds, in their order.
    pub(super) skills: Vec<Vec<Vec<Held>>>,
}

/// The sections of one skill: documents `first..end` of a shard.
struct Range {
    shard: usize,
    first: u32,
    end: u32,
    held: Vec<Vec<Held>>,
}

/// Scores the sections of every candidate (candidates are in record order), and with them the candidates.
pub(super) fn score(
    reader: &Reader,
    postings: &Postings,
    candidates: &mut [Candidate],
) -> Result<(), IndexError> {
    let found = find(reader, postings, candidates.iter().map(|one| one.at))?;
    for (candidate, sections) in candidates.iter_mut().zip(found.skills) {
        for held in sections {
            let mut total = 0.0;
            for word in &held {
                total += word.worth(&found.idf);
            }
            candidate.best_section = candidate.best_section.max(total);
            let fields = |held: Held| {
                let holding = SectionField::ALL.into_iter().zip(held.fields);
                let holding = holding.filter(|(_, frequency)| *frequency > 0.0);
                (held.word, holding.map(|(field, _)| field).collect())
            };
            candidate.ranked.push(RankedSection {
                score: milli(total),
                matched: held.into_iter().map(fields).collect(),
            });
        }
    }
    Ok(())
}

/// How the sections of the skills `at`, which are in record order, hold the words.
pub(super) fn find(
    reader: &Reader,
    postings: &Postings,
    at: impl Iterator<Item = usize>,
) -> Result<Sections, IndexError> {
    let mut ranges = Vec::new();
    for at in at {
        let (shard, place) = reader.place(at)?;
        let documents = reader.sections_of(&reader.shards[shard], place)?;
        ranges.push(Range {
            shard,
            first: documents.start,
            end: documents.end,
            held: documents.map(|_| Vec::new()).collect(),
        });
    }
    let count = reader.section_count() as u32;
    let mut average = [0.0; 2];
    for (slot, field) in average.iter_mut().zip(reader.fields.section) {
        *slot = average_length(reader, field, count as usize)?;
    }
    let (mut holding, mut weight) = (Vec::new(), Vec::new());
    for (position, term) in postings.terms.iter().enumerate() {
        let sections = if term.skills == 0 {
            0
        } else {
            let found = &postings.words[position].sections;
            hold(reader, position, found, &average, &mut ranges)?
        };
        holding.push(sections);
        weight.push(idf(count, sections));
    }
    Ok(Sections {
        holding,
        idf: weight,
        skills: ranges.into_iter().map(|range| range.held).collect(),
    })
}

/// Notes which sections hold a word; returns how many sections of the corpus hold it in their text.
fn hold(
    reader: &Reader,
    position: usize,
    found: &[Place],
    average: &[f64; 2],
    ranges: &mut [Range],
) -> Result<u32, IndexError> {
    for place in found {
        let from = ranges.partition_point(|range| range.shard < place.shard);
        let to = ranges.partition_point(|range| range.shard <= place.shard);
        if from == to {
            // Postings of a shard without candidates are not even read.
            continue;
        }
        let at = place.field;
        let shard = &reader.shards[place.shard];
        let field = reader.fields.section[at];
        let option = IndexRecordOption::WithFreqs;
        let inverted = shard.inverted(field)?;
        let mut postings = inverted.read_postings_from_terminfo(&place.info, option)?;
        let lengths = shard.segment.get_fieldnorms_reader(field)?;
        for range in &mut ranges[from..to] {
            let mut document = postings.doc();
            if document < range.first {
                document = postings.seek(range.first);
            }
            while document < range.end {
                let frequency = weights::SECTION_FIELDS[at]
                    * normalised(
                        postings.term_freq(),
                        lengths.fieldnorm(document),
                        average[at],
                        weights::SECTION_LENGTHS[at],
                    );
                let held = &mut range.held[(document - range.first) as usize];
                match held.last_mut() {
                    Some(last) if last.word == position => last.fields[at] = frequency,
                    _ => {
                        let mut fields = [0.0; 2];
                        fields[at] = frequency;
                        held.push(Held {
                            word: position,
                            fields,
                        });
                    }
                }
                document = postings.advance();
            }
        }
    }
    Ok(most(found))
}
