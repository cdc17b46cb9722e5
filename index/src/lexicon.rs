//! Which words does a shard hold, and what does it say of each? The engine's dictionary, with everything about one word in
//! one place.
//!
//! The engine keeps a dictionary, a file of postings and one of positions for each field. A query asks for a word in
//! all fields, so here a word is looked up once and read once. Its row in the dictionary says in the place of the number of
//! documents which fields hold it (bit `n` for field `n`: those of skills, then those of sections), in the place
//! of the postings where its [`crate::container::Part::Postings`] are, and in the place of the positions where its
//! [`crate::container::Part::Details`] are.
//!
//! Postings: for each field of skills that holds the word the number of skills and the bytes of the engine's postings (of the
//! last one no bytes: it is the rest), for each field of sections the number of sections; then the postings of skills.
//! Details: the bytes of the engine's postings of each field of sections, and of its positions in each field of skills that
//! has them (of the last one none); then these. Own forms of words have no positions: pairs are of stems. All are numbers of
//! [`crate::codec`].

use crate::analysis::FORM_MARK;
use crate::codec::{Decoder, Encoder};
use crate::schema::{FIELDS, SkillField};
use std::io;
use std::ops::Range;
use tantivy::postings::TermInfo;
use tantivy::termdict::TermDictionaryBuilder;

/// Fields of skills; those of sections come behind them.
const SKILL_FIELDS: usize = SkillField::ALL.len();

/// How a field holds a word, on its way into a shard.
#[derive(Default, Clone, Copy)]
pub(crate) struct Holding<'a> {
    /// Number of documents; 0 where none holds it.
    pub(crate) documents: u32,
    /// The engine's postings.
    pub(crate) postings: &'a [u8],
    /// The engine's positions.
    pub(crate) positions: &'a [u8],
}

/// Collects the words of a shard, in their order.
pub(crate) struct Writer {
    words: TermDictionaryBuilder<Vec<u8>>,
    postings: Vec<u8>,
    details: Vec<u8>,
}

/// The three parts of a shard.
pub(crate) struct Lexicon {
    pub(crate) words: Vec<u8>,
    pub(crate) postings: Vec<u8>,
    pub(crate) details: Vec<u8>,
}

impl Writer {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            words: TermDictionaryBuilder::create(Vec::new())?,
            postings: Vec::new(),
            details: Vec::new(),
        })
    }

    /// Adds a word, which comes behind all others.
    pub(crate) fn push(&mut self, word: &[u8], fields: &[Holding<'_>; FIELDS]) -> io::Result<()> {
        let (mut mask, mut numbers) = (0, Encoder::default());
        let (skills, sections) = fields.split_at(SKILL_FIELDS);
        for (field, holding) in fields.iter().enumerate() {
            mask |= u32::from(holding.documents > 0) << field;
        }
        let last = (0..SKILL_FIELDS).rfind(|field| mask & 1 << field != 0);
        for (field, holding) in skills.iter().enumerate() {
            if holding.documents > 0 {
                numbers.number(holding.documents.into());
                if Some(field) != last {
                    numbers.number(holding.postings.len() as u64);
                }
            }
        }
        let sections = || sections.iter().filter(|holding| holding.documents > 0);
        sections().for_each(|holding| numbers.number(holding.documents.into()));
        let start = self.postings.len();
        self.postings.extend_from_slice(&numbers.0);
        for holding in skills {
            self.postings.extend_from_slice(holding.postings);
        }
        let positions = (0..SKILL_FIELDS).filter(|&field| has_positions(word, mask, field));
        let positions = positions.map(|field| skills[field].positions);
        let details: Vec<&[u8]> = sections()
            .map(|holding| holding.postings)
            .chain(positions)
            .collect();
        let from = self.details.len();
        let mut numbers = Encoder::default();
        if let Some((_, all)) = details.split_last() {
            all.iter().for_each(|one| numbers.number(one.len() as u64));
        }
        self.details.extend_from_slice(&numbers.0);
        details
            .iter()
            .for_each(|one| self.details.extend_from_slice(one));
        let row = TermInfo {
            doc_freq: mask,
            postings_range: start..self.postings.len(),
            positions_range: from..self.details.len(),
        };
        self.words.insert(word, &row)
    }

    pub(crate) fn finish(self) -> io::Result<Lexicon> {
        Ok(Lexicon {
            words: self.words.finish()?,
            postings: self.postings,
            details: self.details,
        })
    }
}

/// Whether a shard knows where in the field a word stands.
fn has_positions(word: &[u8], mask: u32, field: usize) -> bool {
    mask & 1 << field != 0
        && SkillField::ALL[field].has_positions()
        && !word.starts_with(FORM_MARK.encode_utf8(&mut [0; 4]).as_bytes())
}

/// A piece of bytes for each field that has one; places are relative to what they were cut from.
pub(crate) type Pieces = [Option<Range<usize>>; FIELDS];

/// What the row of a word and its postings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Number of documents that hold it in each field.
    pub(crate) documents: [u32; FIELDS],
    /// The engine's postings in each field of skills.
    pub(crate) postings: Pieces,
}

impl Entry {
    /// Takes the postings of a word apart; `None` where they are not what a [`Writer`] wrote.
    pub(crate) fn read(row: &TermInfo, bytes: &[u8]) -> Option<Self> {
        let mask = row.doc_freq;
        let mut entry = Self {
            documents: [0; FIELDS],
            postings: Pieces::default(),
        };
        let mut decoder = Decoder(bytes);
        let last = (0..SKILL_FIELDS).rfind(|field| mask & 1 << field != 0);
        let mut lengths = [0; FIELDS];
        for field in (0..FIELDS).filter(|field| mask & 1 << field != 0) {
            entry.documents[field] = u32::try_from(decoder.number()?).ok()?;
            if field < SKILL_FIELDS && Some(field) != last {
                lengths[field] = usize::try_from(decoder.number()?).ok()?;
            }
        }
        let mut start = bytes.len() - decoder.0.len();
        for field in (0..SKILL_FIELDS).filter(|field| mask & 1 << field != 0) {
            let end = if Some(field) == last {
                bytes.len()
            } else {
                start.checked_add(lengths[field])?
            };
            bytes.get(start..end)?;
            entry.postings[field] = Some(start..end);
            start = end;
        }
        Some(entry)
    }
}

/// Takes the details of a word apart: the engine's positions in each field of skills, its postings in each field of
/// sections; `None` where they are not what a [`Writer`] wrote.
pub(crate) fn details(word: &[u8], row: &TermInfo, bytes: &[u8]) -> Option<Pieces> {
    let mask = row.doc_freq;
    let sections = (SKILL_FIELDS..FIELDS).filter(|field| mask & 1 << field != 0);
    let positions = (0..SKILL_FIELDS).filter(|&field| has_positions(word, mask, field));
    let fields: Vec<usize> = sections.chain(positions).collect();
    let mut decoder = Decoder(bytes);
    let mut lengths = Vec::with_capacity(fields.len());
    for _ in 1..fields.len() {
        lengths.push(usize::try_from(decoder.number()?).ok()?);
    }
    let mut start = bytes.len() - decoder.0.len();
    let mut pieces = Pieces::default();
    for (at, &field) in fields.iter().enumerate() {
        let end = match lengths.get(at) {
            Some(len) => start.checked_add(*len)?,
            None => bytes.len(),
        };
        bytes.get(start..end)?;
        pieces[field] = Some(start..end);
        start = end;
    }
    Some(pieces)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tantivy::directory::FileSlice;
    use tantivy::termdict::TermDictionary;

    /// Documents, postings and positions of each field.
    type Fields = [(u32, Vec<u8>, Vec<u8>); FIELDS];

    fn field() -> impl Strategy<Value = (u32, Vec<u8>, Vec<u8>)> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..300);
        prop_oneof![
            Just((0, Vec::new(), Vec::new())),
            (1_u32..100_000, bytes(), bytes())
        ]
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(words in prop::collection::btree_map("=?[a-z]{1,4}", prop::array::uniform8(field()), 1..8)) {
            let mut writer = Writer::new().unwrap();
            let words: Vec<(String, Fields)> = words.into_iter().collect();
            for (word, fields) in &words {
                let holding = |at: usize| Holding {
                    documents: fields[at].0,
                    postings: &fields[at].1,
                    positions: &fields[at].2,
                };
                writer.push(word.as_bytes(), &std::array::from_fn(holding)).unwrap();
            }
            let lexicon = writer.finish().unwrap();
            let dictionary = TermDictionary::open(FileSlice::from(lexicon.words)).unwrap();
            for (word, fields) in &words {
                let row = dictionary.get(word).unwrap().unwrap();
                let postings = &lexicon.postings[row.postings_range.clone()];
                let entry = Entry::read(&row, postings).unwrap();
                let bytes = &lexicon.details[row.positions_range.clone()];
                let details = details(word.as_bytes(), &row, bytes).unwrap();
                for (at, (documents, own, positions)) in fields.iter().enumerate() {
                    prop_assert_eq!(entry.documents[at], *documents);
                    let holds = *documents > 0;
                    let skills = at < SKILL_FIELDS;
                    let found = entry.postings[at].clone().map(|range| &postings[range]);
                    prop_assert_eq!(found, (holds && skills).then_some(own.as_slice()));
                    let found = details[at].clone().map(|range| &bytes[range]);
                    let expected = if !skills {
                        holds.then_some(own)
                    } else {
                        let known = SkillField::ALL[at].has_positions() && !word.starts_with('=');
                        (holds && known).then_some(positions)
                    };
                    prop_assert_eq!(found, expected.map(Vec::as_slice));
                }
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(mask in 0_u32..256, bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let row = TermInfo { doc_freq: mask, postings_range: 0..bytes.len(), positions_range: 0..bytes.len() };
            let _ = Entry::read(&row, &bytes);
            let _ = details(b"word", &row, &bytes);
        }
    }
}
