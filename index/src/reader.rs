//! An open generation: records, texts and the engine's postings of all its shards, on disk or in memory.
//!
//! Skills are numbered through all shards in the order of root and source path: the number of a skill is the number of the
//! shard's first skill plus its own place in the shard.

use crate::blobs;
use crate::container::{Container, Part};
use crate::corpus::{self, Corpus};
use crate::directory::{self, Dictionaries};
use crate::error::IndexError;
use crate::plugins;
use crate::record::SkillRecord;
use crate::schema::{self, Fields, Key};
use crate::segment::shard_file;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tantivy::directory::{Directory as _, FileSlice, MmapDirectory};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, HasLen as _, InvertedIndexReader, SegmentReader, TERMINATED};
use vibey_context_contracts::index::FileSeal;
use vibey_context_host::error::HostError;
use vibey_context_host::read::{file_stamp, read_regular_nofollow};

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
    pub(crate) fields: Fields,
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
    /// The engine's reader of lengths and postings; it knows no terms.
    pub(crate) segment: SegmentReader,
    /// The engine's reader of the postings of each field, opened when it is first asked.
    postings: [OnceLock<Arc<InvertedIndexReader>>; Fields::COUNT],
    records: blobs::Reader,
    texts: blobs::Reader,
}

impl Shard {
    /// The shard's term dictionaries. They are mapped, since each is used whole; everything else is read: around each page
    /// of a map that is touched the system brings in fifteen more, and all of them count as this process's memory.
    pub(crate) fn dictionaries(&self) -> Result<Dictionaries, IndexError> {
        let part = match (self.map)() {
            Some(file) => self.container.part_of(&file, Part::Terms),
            // Another build may have removed the name; the file is still open.
            None => self.container.part(Part::Terms),
        };
        let part = part.map_err(IndexError::Engine)?;
        Ok(Dictionaries::open(part)?)
    }

    /// Lengths of a field of skills: without those of sections, which come behind them and hold none.
    pub(crate) fn lengths(&self, field: Field) -> Result<FieldNormReader, IndexError> {
        let all = self.segment.fieldnorms_readers().get_inner_file();
        let of_field = all.open_read(field);
        let of_field = of_field.filter(|file| file.len() >= self.skills);
        let missing = || IndexError::Engine("a field has no lengths".to_owned());
        let of_skills = of_field.ok_or_else(missing)?.slice_to(self.skills);
        Ok(FieldNormReader::open(of_skills)?)
    }

    /// The engine's postings of a field.
    pub(crate) fn inverted(&self, field: Field) -> Result<&InvertedIndexReader, IndexError> {
        let slot = &self.postings[field.field_id() as usize];
        if let Some(open) = slot.get() {
            return Ok(open);
        }
        let open = self.segment.inverted_index(field)?;
        Ok(slot.get_or_init(|| open))
    }
}

/// How a file gets mapped.
type Map = Box<dyn Fn() -> Option<FileSlice> + Send + Sync>;

/// What plugin each skill is of.
pub(crate) struct Plugins {
    /// Number of different plugins.
    pub(crate) count: usize,
    /// For each skill a number of its plugin.
    pub(crate) of_skill: Vec<usize>,
    /// Further plugins of skills that stand for copies, in the order of skills.
    pub(crate) of_copies: Vec<(usize, usize)>,
}

impl Reader {
    /// Opens the files of a generation on disk; their sizes must be those that were published. Their bytes are compared
    /// with checksums as they are read.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`] where a file is missing, has another size or a damaged head.
    pub fn open(
        index: &Path,
        folder: &Path,
        seals: &BTreeMap<String, FileSeal>,
    ) -> Result<Self, IndexError> {
        let corrupt = |reason: String| IndexError::Corrupt {
            path: index.to_owned(),
            reason,
        };
        for (name, seal) in seals {
            // Looked at before it is opened: a FIFO in its place would never answer.
            let found = file_stamp(&folder.join(name));
            let stamp = found.map_err(|error| match error {
                error if error.is_read_only() => IndexError::Host(error),
                error => corrupt(error.to_string()),
            });
            let size = stamp?.size;
            if size != seal.size {
                let expected = seal.size;
                return Err(corrupt(format!(
                    "`{name}` has {size} bytes instead of {expected}"
                )));
            }
        }
        let seal = seals.get(corpus::FILE);
        let size = seal.ok_or_else(|| corrupt(format!("it has no `{}`", corpus::FILE)))?;
        let bytes =
            read_regular_nofollow(&folder.join(corpus::FILE), size.size).map_err(|error| {
                if error.kind() == Some(ErrorKind::PermissionDenied) {
                    IndexError::Host(error)
                } else {
                    corrupt(error.to_string())
                }
            })?;
        let directory = MmapDirectory::open(folder).map_err(|error| corrupt(error.to_string()))?;
        let file = |name: &str| {
            if !seals.contains_key(name) {
                return Err(corrupt(format!("it has no seal of `{name}`")));
            }
            open(&directory, folder, name, corrupt)
        };
        Self::of(index, &bytes, file)
    }

    /// Opens a generation that was never written to disk.
    ///
    /// # Errors
    /// The engine's own; none is expected.
    pub fn in_memory(mut files: Files) -> Result<Self, IndexError> {
        let path = Path::new("(in memory)");
        let corpus = files.remove(corpus::FILE).unwrap_or_default();
        let file = |name: &str| {
            let bytes = files.remove(name);
            let missing = || IndexError::Corrupt {
                path: path.to_owned(),
                reason: format!("it has no `{name}`"),
            };
            let file = FileSlice::from(bytes.ok_or_else(missing)?);
            let map: Map = {
                let file = file.clone();
                Box::new(move || Some(file.clone()))
            };
            Ok((file, map))
        };
        Self::of(path, &corpus, file)
    }

    fn of(
        path: &Path,
        corpus: &[u8],
        mut file: impl FnMut(&str) -> Result<(FileSlice, Map), IndexError>,
    ) -> Result<Self, IndexError> {
        let corrupt = |reason: String| IndexError::Corrupt {
            path: path.to_owned(),
            reason,
        };
        let corpus = corpus::read(corpus)
            .ok_or_else(|| corrupt(format!("checksum of `{}` does not match", corpus::FILE)))?;
        let (mut containers, mut maps) = (Vec::new(), Vec::new());
        for key in &corpus.shards {
            let name = shard_file(key);
            let (file, map) = file(&name)?;
            let container = Container::open(&file);
            let container = container.map_err(|reason| corrupt(format!("`{name}`: {reason}")))?;
            if container.head.key != *key {
                return Err(corrupt(format!("`{name}` is another shard")));
            }
            containers.push(container);
            maps.push(map);
        }
        let (schema, fields) = schema::schema();
        let segments = directory::segments(&schema, &containers).map_err(corrupt)?;
        let (mut shards, mut skills, mut sections) = (Vec::new(), 0, 0);
        for ((container, map), segment) in containers.into_iter().zip(maps).zip(segments) {
            let blobs = |part| container.part(part).and_then(blobs::Reader::open);
            let shard = Shard {
                first: skills,
                skills: container.head.skills as usize,
                records: blobs(Part::Records).map_err(corrupt)?,
                texts: blobs(Part::Texts).map_err(corrupt)?,
                container,
                map,
                segment,
                postings: std::array::from_fn(|_| OnceLock::new()),
            };
            let documents = shard.segment.max_doc() as usize;
            if (shard.records.len(), shard.texts.len()) != (shard.skills, shard.skills)
                || documents < shard.skills
            {
                return Err(corrupt(
                    "records, texts and documents differ in number".to_owned(),
                ));
            }
            skills += shard.skills;
            sections += documents - shard.skills;
            shards.push(shard);
        }
        if corpus.copies.last().is_some_and(|last| last >= skills) {
            return Err(corrupt("a copy leads to no skill".to_owned()));
        }
        Ok(Self {
            path: path.to_owned(),
            shards,
            corpus,
            skills,
            sections,
            fields,
            asked: Mutex::default(),
        })
    }

    /// The error for something in this index that does not fit.
    #[must_use]
    pub fn corrupt(&self, reason: impl Into<String>) -> IndexError {
        IndexError::Corrupt {
            path: self.path.clone(),
            reason: reason.into(),
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
        let bytes = self.shards[shard].records.get(place);
        let bytes = bytes.map_err(|reason| self.corrupt(format!("record {at}: {reason}")))?;
        let mut record: SkillRecord = serde_json::from_slice(&bytes)
            .map_err(|error| self.corrupt(format!("record {at}: {error}")))?;
        record.copies = self.corpus.copies.of(at).to_vec();
        Ok(record)
    }

    /// Text of skill `at`; the sections' ranges refer to it.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn text(&self, at: usize) -> Result<String, IndexError> {
        let (shard, place) = self.place(at)?;
        let bytes = self.shards[shard].texts.get(place);
        let bytes = bytes.map_err(|reason| self.corrupt(format!("text {at}: {reason}")))?;
        String::from_utf8(bytes).map_err(|_| self.corrupt(format!("text {at} is not UTF-8")))
    }

    /// The documents that are the sections of a skill, by its place in its shard.
    pub(crate) fn sections_of(
        &self,
        shard: &Shard,
        place: usize,
    ) -> Result<std::ops::Range<u32>, IndexError> {
        let number = |place: usize| match place {
            place if place == shard.skills => Ok(shard.segment.max_doc()),
            place => shard.records.number(place),
        };
        let range = number(place).and_then(|first| Ok(first..number(place + 1)?));
        let range = range.map_err(|reason| self.corrupt(reason))?;
        if range.start > range.end || range.end > shard.segment.max_doc() {
            return Err(self.corrupt(format!("skill {place} has no range of sections")));
        }
        Ok(range)
    }

    /// Skills that answer to `name`: frontmatter name, folder name or `plugin/skill`.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn skills_named(&self, name: &str) -> Result<Vec<usize>, IndexError> {
        self.keyed(&Key::Skill.term(name))
            .map_err(|error| self.damaged(error))
    }

    /// Skills of the plugin `name`.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn skills_of_plugin(&self, name: &str) -> Result<Vec<usize>, IndexError> {
        self.keyed(&Key::Plugin.term(name))
            .map_err(|error| self.damaged(error))
    }

    fn keyed(&self, key: &str) -> Result<Vec<usize>, IndexError> {
        let mut found: Vec<usize> = self.corpus.copies.keyed(key).collect();
        for shard in &self.shards {
            let words = shard.dictionaries()?.of(self.fields.key)?;
            let Some(words) = words else { continue };
            let Some(row) = words.get(key)? else { continue };
            let inverted = shard.inverted(self.fields.key)?;
            let option = IndexRecordOption::Basic;
            let mut postings = inverted.read_postings_from_terminfo(&row, option)?;
            let mut document = postings.doc();
            while document != TERMINATED {
                if document as usize >= shard.skills {
                    return Err(self.corrupt("a name leads to no skill"));
                }
                found.push(shard.first + document as usize);
                document = postings.advance();
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
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
            let dictionaries = shard.dictionaries()?;
            for field in self.fields.skill {
                if let Some(words) = dictionaries.of(field)?
                    && words.get(term)?.is_some()
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Every name to which a skill answers, sorted; for "did you mean".
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn all_skill_names(&self) -> Result<Vec<String>, IndexError> {
        self.all_keys(Key::Skill)
            .map_err(|error| self.damaged(error))
    }

    /// Every plugin, sorted.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn all_plugins(&self) -> Result<Vec<String>, IndexError> {
        self.all_keys(Key::Plugin)
            .map_err(|error| self.damaged(error))
    }

    fn all_keys(&self, kind: Key) -> Result<Vec<String>, IndexError> {
        let prefix = kind.term("");
        let mut names: Vec<String> = self.corpus.copies.names(kind).collect();
        for shard in &self.shards {
            let words = shard.dictionaries()?.of(self.fields.key)?;
            let Some(words) = words else { continue };
            let mut stream = words.range().ge(prefix.as_bytes()).into_stream()?;
            while stream.advance() {
                let Ok(key) = std::str::from_utf8(stream.key()) else {
                    continue;
                };
                match key.strip_prefix(&prefix) {
                    Some(name) => names.push(name.to_owned()),
                    None => break,
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Which plugin each skill is of.
    pub(crate) fn plugins(&self) -> Result<Plugins, IndexError> {
        let mut parts = Vec::with_capacity(self.shards.len());
        for shard in &self.shards {
            let part = shard.container.part(Part::Plugins);
            let bytes = part.and_then(|part| part.read_bytes().map_err(|error| error.to_string()));
            parts.push(bytes.map_err(|reason| self.corrupt(reason))?);
        }
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut of_skill = Vec::with_capacity(self.skills);
        for (shard, bytes) in self.shards.iter().zip(&parts) {
            let Some((names, places)) =
                plugins::read(bytes).filter(|(_, places)| places.len() == shard.skills)
            else {
                return Err(self.corrupt("skills and their plugins differ in number"));
            };
            let mut number = |name| {
                let next = numbers.len();
                *numbers.entry(name).or_insert(next)
            };
            let numbers: Vec<usize> = names.into_iter().map(&mut number).collect();
            of_skill.extend(places.into_iter().map(|place| numbers[place as usize]));
        }
        let mut of_copies: Vec<(usize, usize)> = Vec::new();
        for (at, copy) in self.corpus.copies.iter() {
            let next = numbers.len();
            let row = (at, *numbers.entry(&copy.plugin).or_insert(next));
            let start = of_copies.partition_point(|(skill, _)| *skill < at);
            if of_skill[at] != row.1 && !of_copies[start..].contains(&row) {
                of_copies.push(row);
            }
        }
        Ok(Plugins {
            count: numbers.len(),
            of_skill,
            of_copies,
        })
    }
}

/// Opens a file, which is known to be a regular one of the right size; with it comes the way to map it.
fn open(
    directory: &MmapDirectory,
    folder: &Path,
    name: &str,
    corrupt: impl Fn(String) -> IndexError,
) -> Result<(FileSlice, Map), IndexError> {
    let path = folder.join(name);
    let file = FileSlice::open(&path).map_err(|error| match error.kind() {
        // What may not be read is not damaged.
        ErrorKind::PermissionDenied => IndexError::Host(HostError::Io {
            operation: "open",
            path,
            cause: error.kind().into(),
        }),
        _ => corrupt(format!("`{name}` cannot be opened")),
    })?;
    let (directory, name, len) = (directory.clone(), PathBuf::from(name), file.len());
    let map = move || {
        let mapped = directory.open_read(&name).ok();
        mapped.filter(|mapped| mapped.len() == len)
    };
    Ok((file, Box::new(map)))
}

/// Size and checksum of a file of a generation.
#[must_use]
pub fn seal(bytes: &[u8]) -> FileSeal {
    FileSeal {
        size: bytes.len() as u64,
        crc32: crc32fast::hash(bytes),
    }
}
