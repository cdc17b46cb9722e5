//! What do the shards say of the terms of a query? Each is looked up once and read once in each of them.

use super::lengths::SKILLS;
use crate::engine::Engine;
use crate::error::IndexError;
use crate::lexicon::{Entry, Pieces};
use crate::reader::Reader;
use crate::schema::{FIELDS, SkillField};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tantivy::HasLen as _;
use tantivy::directory::{FileSlice, OwnedBytes};
use tantivy::postings::{BlockSegmentPostings, SegmentPostings, TermInfo};

/// What a shard says of a term.
pub(super) struct Place {
    /// Place of the shard.
    pub(super) shard: usize,
    /// Its row in the shard's dictionary.
    pub(super) row: TermInfo,
    /// Number of documents that hold it in each field.
    pub(super) documents: [u32; FIELDS],
    /// The engine's postings in each field of skills, where they lie for it.
    pub(super) postings: Pieces,
}

impl Place {
    /// As [`Place::postings`], block by block.
    pub(super) fn blocks(
        &self,
        engine: &Engine,
        field: usize,
    ) -> Result<Option<BlockSegmentPostings>, IndexError> {
        let Some(range) = &self.postings[field] else {
            return Ok(None);
        };
        let positions = SkillField::ALL[field].has_positions();
        let documents = self.documents[field];
        Ok(Some(engine.blocks(documents, range, positions)?))
    }

    /// Postings with frequencies of a field of skills; `None` where the field does not hold the term.
    pub(super) fn postings(
        &self,
        engine: &Engine,
        field: usize,
    ) -> Result<Option<SegmentPostings>, IndexError> {
        let Some(range) = &self.postings[field] else {
            return Ok(None);
        };
        let positions = SkillField::ALL[field].has_positions();
        Ok(Some(engine.postings(
            self.documents[field],
            range,
            positions,
        )?))
    }
}

/// Looks up terms and reads how skills hold them. Shard by shard, so that the dictionary of one at a time is in memory.
pub(super) fn places<'a>(
    reader: &Reader,
    engine: &Engine,
    terms: impl Iterator<Item = &'a String>,
) -> Result<BTreeMap<&'a str, Arc<Vec<Place>>>, IndexError> {
    let mut found: BTreeMap<&str, Vec<Place>> =
        terms.map(|term| (term.as_str(), Vec::new())).collect();
    for (number, shard) in reader.shards.iter().enumerate() {
        let fault = |error| reader.damaged_in(shard, error);
        let words = shard.words().map_err(fault)?;
        let mut bytes = Vec::new();
        for (term, places) in &mut found {
            let row = words.get(term).map_err(IndexError::from).map_err(fault)?;
            let Some(row) = row else {
                continue;
            };
            let own = range_of(&shard.postings, &row.postings_range).map_err(fault)?;
            let entry = Entry::read(&row, &own);
            let unfit =
                || reader.corrupt_in(shard, format_args!("postings of `{term}` do not fit"));
            let mut entry = entry.ok_or_else(unfit)?;
            for piece in entry.postings.iter_mut().flatten() {
                let start = bytes.len();
                bytes.extend_from_slice(own.get(piece.clone()).unwrap_or_default());
                *piece = start..bytes.len();
            }
            places.push(Place {
                shard: number,
                row,
                documents: entry.documents,
                postings: entry.postings,
            });
        }
        let start = engine.add(OwnedBytes::new(bytes));
        let new = |places: &&mut Vec<Place>| places.last().is_some_and(|one| one.shard == number);
        for places in found.values_mut().filter(new) {
            for piece in places.iter_mut().next_back().into_iter().flat_map(pieces) {
                *piece = piece.start + start..piece.end + start;
            }
        }
    }
    let known = |places: &[Place]| {
        let mut documents = places.iter().flat_map(|place| &place.documents[..SKILLS]);
        documents.any(|documents| *documents > 0)
    };
    for (term, places) in &found {
        reader.remember(term, known(places));
    }
    let shared = found.into_iter();
    Ok(shared
        .map(|(term, places)| (term, Arc::new(places)))
        .collect())
}

fn pieces(place: &mut Place) -> impl Iterator<Item = &mut Range<usize>> {
    place.postings.iter_mut().flatten()
}

/// A range of a part of a shard.
pub(super) fn range_of(part: &FileSlice, range: &Range<usize>) -> Result<OwnedBytes, IndexError> {
    if range.start > range.end || range.end > part.len() {
        return Err(IndexError::Engine("a word ends behind its part".to_owned()));
    }
    Ok(part.read_bytes_slice(range.clone())?)
}

/// The most documents that hold a term in one of some fields.
pub(super) fn most(places: &[Place], fields: Range<usize>) -> u32 {
    let of_field = |field: usize| places.iter().map(|place| place.documents[field]).sum();
    fields.map(of_field).max().unwrap_or_default()
}
