//! Second level: which sections of the candidate skills hold the words of the query.

use super::skills::Candidate;
use super::terms::{Postings, average_length, normalised};
use super::{RankedSection, idf, milli, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::SectionField;
use tantivy::postings::Postings as _;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, Term};

/// The sections of one candidate: documents `first..end`.
struct Range {
    first: u32,
    end: u32,
    /// For each section, for each word in order: weighted frequency and fields.
    held: Vec<Vec<(usize, f64, Vec<SectionField>)>>,
}

/// Scores the sections of every candidate (candidates are in record order), and with them the candidates.
pub(super) fn score(
    reader: &Reader,
    postings: &Postings,
    candidates: &mut [Candidate],
) -> Result<(), IndexError> {
    let mut ranges = Vec::new();
    for candidate in candidates.iter() {
        let (first, end) = (
            reader.first_section(candidate.at)?,
            reader.first_section(candidate.at + 1)?,
        );
        if first > end || end > reader.segment.max_doc() {
            return Err(reader.corrupt(format!("skill {} has no range of sections", candidate.at)));
        }
        ranges.push(Range {
            first,
            end,
            held: vec![Vec::new(); (end - first) as usize],
        });
    }
    let count = reader.segment.max_doc() - reader.skill_count() as u32;
    let mut weight_of = Vec::new();
    for (position, term) in postings.terms.iter().enumerate() {
        let holding = if term.skills == 0 {
            0
        } else {
            hold(reader, position, &term.term, count, &mut ranges)?
        };
        weight_of.push(term.weight * idf(count, holding));
    }
    for (candidate, range) in candidates.iter_mut().zip(ranges) {
        let mut best: Vec<f64> = Vec::new();
        for held in range.held {
            let mut total = 0.0;
            for (position, frequency, _) in &held {
                total += weight_of[*position] * frequency / (weights::SECTION_K1 + frequency);
            }
            best.push(total);
            let matched = held
                .into_iter()
                .map(|(position, _, fields)| (position, fields))
                .collect();
            candidate.ranked.push(RankedSection {
                score: milli(total),
                matched,
            });
        }
        // Equal floats are equal votes, so their order changes nothing.
        best.sort_by(|a, b| b.total_cmp(a));
        best.truncate(weights::VOTING_SECTIONS);
        // A skill with fewer sections than votes is not punished for being short.
        candidate.sections = best.iter().sum::<f64>() / best.len().max(1) as f64;
    }
    Ok(())
}

/// Notes which sections hold a word; returns how many sections of the corpus hold it in their text.
fn hold(
    reader: &Reader,
    position: usize,
    word: &str,
    count: u32,
    ranges: &mut [Range],
) -> Result<u32, IndexError> {
    let mut holding = 0;
    for (at, kind) in SectionField::ALL.into_iter().enumerate() {
        let field = reader.fields.section[at];
        let inverted = reader.segment.inverted_index(field)?;
        let term = Term::from_field_text(field, word);
        let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?
        else {
            continue;
        };
        holding = holding.max(postings.size_hint());
        let lengths = reader.segment.get_fieldnorms_reader(field)?;
        let average = average_length(reader, field, count as usize)?;
        for range in ranges.iter_mut() {
            let mut document = postings.doc();
            if document < range.first {
                document = postings.seek(range.first);
            }
            while document < range.end {
                let frequency = weights::SECTION_FIELDS[at]
                    * normalised(
                        postings.term_freq(),
                        lengths.fieldnorm(document),
                        average,
                        weights::SECTION_LENGTHS[at],
                    );
                let held = &mut range.held[(document - range.first) as usize];
                match held.last_mut() {
                    Some((last, sum, fields)) if *last == position => {
                        *sum += frequency;
                        fields.push(kind);
                    }
                    _ => held.push((position, frequency, vec![kind])),
                }
                document = postings.advance();
            }
        }
    }
    Ok(holding)
}
