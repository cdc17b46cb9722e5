//! An open generation: records, texts and words of all its shards, on disk or in memory.
//!
//! Skills are numbered through all shards in the order of root and source path: the number of a skill is the number of the
//! shard's first skill plus its own place in the shard.

use crate::blobs;
use crate::container::{Container, Part};
use crate::corpus::Corpus;
use crate::error::IndexError;
use crate::record::{SkillRecord, pack};
use crate::schema::{FIELDS, SectionField, SkillField};
use crate::segment::shard_file;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tantivy::HasLen as _;
use tantivy::directory::{FileSlice, OwnedBytes};
use tantivy::termdict::TermDictionary;
use vibey_context_contracts::index::FileSeal;

mod names;
mod open;
mod verify;

/// The files of a generation by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// An open generation. Everything it answers is a pure function of the generation's files.
pub struct Reader {
    /// Where it lies, for error messages.
    path: PathBuf,
    pub(crate) shards: Vec<Shard>,
    corpus: Corpus,
    skills: usize,
    sections: usize,
    /// Number of words in each field.
    pub(crate) tokens: [u64; FIELDS],
    /// Terms that were looked up, and whether any skill holds them.
    asked: Mutex<BTreeMap<String, bool>>,
}

/// A part of a generation.
pub(crate) struct Shard {
    /// Number of its first skill.
    pub(crate) first: usize,
    /// Number of its skills; the engine's documents from here on are sections.
    pub(crate) skills: usize,
    container: Container,
    /// Its file, mapped into memory for as long as what this returns lives.
    map: Map,
    /// How skills hold words.
    pub(crate) postings: FileSlice,
    /// How sections hold words, and where they stand in skills.
    pub(crate) details: FileSlice,
    records: blobs::Reader,
    texts: blobs::Reader,
}

/// How a file gets mapped.
type Map = Box<dyn Fn() -> Option<FileSlice> + Send + Sync>;

impl Shard {
    /// The shard's dictionary of words. It is mapped, since it is used whole; everything else is read: around each page of a
    /// map that is touched the system brings in fifteen more, and all of them count as this process's memory.
    pub(crate) fn words(&self) -> Result<TermDictionary, IndexError> {
        let part = match (self.map)() {
            Some(file) => self.container.part_of(&file, Part::Words),
            // Another build may have removed the name; the file is still open.
            None => self.container.part(Part::Words),
        };
        Ok(TermDictionary::open(part.map_err(IndexError::Engine)?)?)
    }

    /// Lengths of the fields of skills: of each field the steps of all skills.
    pub(crate) fn lengths(&self) -> Result<OwnedBytes, IndexError> {
        self.whole(Part::Lengths, SkillField::ALL.len() * self.skills)
    }

    /// Lengths of the fields of sections, in the same way.
    pub(crate) fn section_lengths(&self) -> Result<OwnedBytes, IndexError> {
        let sections = self.documents() - self.skills;
        self.whole(Part::SectionLengths, SectionField::ALL.len() * sections)
    }

    /// A part that has so many bytes.
    fn whole(&self, part: Part, len: usize) -> Result<OwnedBytes, IndexError> {
        let file = self.container.part(part).map_err(IndexError::Engine)?;
        if file.len() != len {
            let reason = format!("part {} has {} bytes", part as u8, file.len());
            return Err(IndexError::Engine(reason));
        }
        Ok(file.read_bytes()?)
    }

    /// Number of the engine's documents.
    pub(crate) fn documents(&self) -> usize {
        self.container.head.documents as usize
    }
}

impl Reader {
    /// The error for something in this index that does not fit.
    #[must_use]
    pub fn corrupt(&self, reason: impl Into<String>) -> IndexError {
        IndexError::Corrupt {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    /// The error for something in the file of a shard that does not fit.
    pub(crate) fn corrupt_in(&self, shard: &Shard, reason: impl Display) -> IndexError {
        let name = shard_file(&shard.container.head.key);
        self.corrupt(format!("`{name}`: {reason}"))
    }

    /// What the engine says while it reads a shard is said about that shard.
    pub(crate) fn damaged_in(&self, shard: &Shard, error: IndexError) -> IndexError {
        match error {
            IndexError::Engine(reason) => self.corrupt_in(shard, reason),
            other => other,
        }
    }

    /// What the engine says while it reads is said about this index.
    pub(crate) fn damaged(&self, error: IndexError) -> IndexError {
        match error {
            IndexError::Engine(reason) => self.corrupt(reason),
            other => other,
        }
    }

    /// Number of skills.
    #[must_use]
    pub fn skill_count(&self) -> usize {
        self.skills
    }

    /// Number of sections.
    pub(crate) fn section_count(&self) -> usize {
        self.sections
    }

    /// Place of the shard that holds skill `at`, and the skill's place in it.
    pub(crate) fn place(&self, at: usize) -> Result<(usize, usize), IndexError> {
        let behind = self.shards.partition_point(|shard| shard.first <= at);
        let found = behind
            .checked_sub(1)
            .map(|place| (place, &self.shards[place]));
        match found {
            Some((place, shard)) if at - shard.first < shard.skills => {
                Ok((place, at - shard.first))
            }
            _ => Err(self.corrupt(format!("there is no skill {at}"))),
        }
    }

    /// Record of skill `at`, in the order of root and source path.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn skill(&self, at: usize) -> Result<SkillRecord, IndexError> {
        let (shard, place) = self.place(at)?;
        let shard = &self.shards[shard];
        let fault = |reason: &str| self.corrupt_in(shard, format_args!("record {at}{reason}"));
        let bytes = shard.records.get(place);
        let bytes = bytes.map_err(|reason| fault(&format!(": {reason}")))?;
        let mut record = pack::read(&bytes).ok_or_else(|| fault(" is none"))?;
        record.copies = self.corpus.copies.of(at).to_vec();
        Ok(record)
    }

    /// Text of skill `at`; the sections' ranges refer to it.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn text(&self, at: usize) -> Result<String, IndexError> {
        let (shard, place) = self.place(at)?;
        let shard = &self.shards[shard];
        let fault = |reason: &str| self.corrupt_in(shard, format_args!("text {at}{reason}"));
        let bytes = shard.texts.get(place);
        let bytes = bytes.map_err(|reason| fault(&format!(": {reason}")))?;
        String::from_utf8(bytes).map_err(|_| fault(" is not UTF-8"))
    }

    /// The documents that are the sections of a skill, by its place in its shard.
    pub(crate) fn sections_of(
        &self,
        shard: &Shard,
        place: usize,
    ) -> Result<std::ops::Range<u32>, IndexError> {
        let last = shard.documents() as u32;
        let number = |place: usize| match place {
            place if place == shard.skills => Ok(last),
            place => shard.records.number(place),
        };
        let range = number(place).and_then(|first| Ok(first..number(place + 1)?));
        let range = range.map_err(|reason| self.corrupt_in(shard, reason))?;
        if (range.start as usize) < shard.skills || range.start > range.end || range.end > last {
            return Err(self.corrupt_in(
                shard,
                format_args!("skill {place} has no range of sections"),
            ));
        }
        Ok(range)
    }

    /// Whether any skill holds `term`, an index term.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn knows(&self, term: &str) -> Result<bool, IndexError> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = asked.get(term) {
            return Ok(*known);
        }
        drop(asked);
        let known = self.look_up(term).map_err(|error| self.damaged(error))?;
        self.remember(term, known);
        Ok(known)
    }

    /// Notes whether any skill holds a term: a request asks for the same ones twice.
    pub(crate) fn remember(&self, term: &str, known: bool) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert(term.to_owned(), known);
    }

    fn look_up(&self, term: &str) -> Result<bool, IndexError> {
        for shard in &self.shards {
            let row = shard.words().and_then(|words| Ok(words.get(term)?));
            let row = row.map_err(|error| self.damaged_in(shard, error))?;
            // Every word of a section is one of its skill.
            if row.is_some_and(|row| row.doc_freq & ((1 << SkillField::ALL.len()) - 1) != 0) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Size and checksum of a file of a generation.
#[must_use]
pub fn seal(bytes: &[u8]) -> FileSeal {
    FileSeal {
        size: bytes.len() as u64,
        crc32: crc32fast::hash(bytes),
    }
}
