//! Second level: which sections of the candidate skills hold the words of the query.

use super::lengths::{SKILLS, average_length, normalised};
use super::places::most;
use super::skills::Candidate;
use super::terms::{self, Postings};
use super::{RankedSection, idf, milli, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::{FIELDS, SectionField};
use std::collections::BTreeMap;
use tantivy::DocSet as _;
use tantivy::directory::OwnedBytes;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::Postings as _;

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
    let average = SectionField::ALL
        .map(|field| average_length(reader, SKILLS + field as usize, count as usize));
    let mut lengths = BTreeMap::new();
    for range in &ranges {
        if let std::collections::btree_map::Entry::Vacant(slot) = lengths.entry(range.shard) {
            slot.insert(reader.shards[range.shard].section_lengths()?);
        }
    }
    let (mut holding, mut weight) = (Vec::new(), Vec::new());
    for (position, term) in postings.terms.iter().enumerate() {
        let sections = if term.skills == 0 {
            0
        } else {
            let scale = (&average, &lengths);
            hold(reader, postings, position, scale, &mut ranges)?;
            most(&postings.words[position].places, SKILLS..FIELDS)
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

/// Notes which sections hold a word. `scale` is the average length of each field, and the lengths in each shard.
fn hold(
    reader: &Reader,
    postings: &Postings,
    position: usize,
    (average, lengths): (&[f64; 2], &BTreeMap<usize, OwnedBytes>),
    ranges: &mut [Range],
) -> Result<(), IndexError> {
    let terms::Held {
        places, details, ..
    } = &postings.words[position];
    for (place, details) in places.iter().zip(details) {
        let from = ranges.partition_point(|range| range.shard < place.shard);
        let to = ranges.partition_point(|range| range.shard <= place.shard);
        let (Some(details), Some(lengths)) = (details, lengths.get(&place.shard)) else {
            // Postings of a shard without candidates are not even read.
            continue;
        };
        let shard = &reader.shards[place.shard];
        let sections = shard.documents() - shard.skills;
        for at in 0..SectionField::ALL.len() {
            let Some(own) = &details[SKILLS + at] else {
                continue;
            };
            let engine = &postings.engine;
            let postings = engine.postings(place.documents[SKILLS + at], own, false);
            let mut postings = postings.map_err(|error| reader.damaged_in(shard, error.into()))?;
            for range in &mut ranges[from..to] {
                let mut document = postings.doc();
                if document < range.first {
                    document = postings.seek(range.first);
                }
                while document < range.end {
                    let step = at * sections + document as usize - shard.skills;
                    let frequency = weights::SECTION_FIELDS[at]
                        * normalised(
                            postings.term_freq(),
                            FieldNormReader::id_to_fieldnorm(lengths[step]),
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
    }
    Ok(())
}
