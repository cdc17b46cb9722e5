//! Which skills hold a word, and what is it worth to each?

use super::lengths::{Lengths, SKILLS};
use super::places::Place;
use super::terms::{Held, Word, saturated};
use super::{Term, idf};
use crate::engine::Engine;
use crate::error::IndexError;
use crate::reader::Reader;

/// Reads the postings of one word after the other. Blocks of them at a time, since this is most of what a packet of many
/// skills costs: one posting after the other took twice as long.
pub(super) struct Lookup<'a> {
    reader: &'a Reader,
    engine: &'a Engine,
    pub(super) lengths: Lengths,
    /// Weighted frequency over all fields of each skill of the shard at hand, all 0 between two shards.
    frequencies: Vec<f64>,
    /// A bit for each of them that holds the word.
    marks: Vec<u64>,
    /// The skills that hold the word at hand, with what it is worth there.
    gains: Vec<(u32, f64)>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(reader: &'a Reader, engine: &'a Engine) -> Result<Self, IndexError> {
        let largest = reader.shards.iter().map(|shard| shard.skills).max();
        let largest = largest.unwrap_or_default();
        Ok(Self {
            reader,
            engine,
            lengths: Lengths::new(reader)?,
            frequencies: vec![0.0; largest],
            marks: vec![0; largest.div_ceil(64)],
            gains: Vec::new(),
        })
    }

    /// Reads the postings of a word, and adds what it is worth, times a weight, to the scores where there are any.
    pub(super) fn word(
        &mut self,
        word: Word<'_>,
        scores: Option<(f64, &mut [f64])>,
    ) -> Result<(Term, Held), IndexError> {
        self.gains.clear();
        let mut holders = vec![0_u64; self.reader.skill_count().div_ceil(64)];
        let mut skills = 0;
        let places = word.places;
        for place in places.iter() {
            for field in 0..SKILLS {
                let added = self.add(place, field, scores.is_some());
                let shard = &self.reader.shards[place.shard];
                added.map_err(|error| self.reader.damaged_in(shard, error))?;
            }
            let first = self.reader.shards[place.shard].first;
            for (word, marks) in self.marks.iter_mut().enumerate() {
                let mut bits = std::mem::take(marks);
                skills += bits.count_ones();
                while bits != 0 {
                    let skill = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let at = first + skill;
                    holders[at / 64] |= 1 << (at % 64);
                    if scores.is_some() {
                        let frequency = std::mem::take(&mut self.frequencies[skill]);
                        self.gains.push((at as u32, saturated(frequency)));
                    }
                }
            }
        }
        let term = Term {
            term: word.term.to_owned(),
            skills,
            idf: idf(self.reader.skill_count() as u32, skills),
        };
        if let Some((weight, scores)) = scores {
            let weight = weight * term.idf;
            for &(skill, gain) in &self.gains {
                scores[skill as usize] += weight * gain;
            }
        }
        Ok((term, Held::new(places, holders)))
    }

    /// Marks the skills of a shard whose field holds the word, and adds up how often it does where that is asked for.
    fn add(&mut self, place: &Place, field: usize, counted: bool) -> Result<(), IndexError> {
        let skills = self.reader.shards[place.shard].skills;
        let Some(mut blocks) = place.blocks(self.engine, field)? else {
            return Ok(());
        };
        let lengths = self.lengths.field(field, place.shard);
        while !blocks.docs().is_empty() {
            // Documents ascend, so the last one of a block is the largest.
            let last = blocks.docs().last();
            if last.is_some_and(|last| *last as usize >= skills) {
                return Err(IndexError::Engine(
                    "a skill's word leads to no skill".to_owned(),
                ));
            }
            for &document in blocks.docs() {
                self.marks[document as usize / 64] |= 1 << (document % 64);
            }
            if counted {
                for (&document, &frequency) in blocks.docs().iter().zip(blocks.freqs()) {
                    let place = document as usize;
                    self.frequencies[place] += lengths.weighted(place, frequency);
                }
            }
            blocks.advance();
        }
        Ok(())
    }
}
