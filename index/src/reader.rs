//! An open generation: records, texts and the engine's postings, on disk or in memory.

use crate::blobs;
use crate::error::IndexError;
use crate::record::SkillRecord;
use crate::schema::{self, Fields, Key};
use crate::segment::{Files, MANAGED, RECORDS, TEXTS};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tantivy::directory::error::OpenReadError;
use tantivy::directory::{Directory, FileSlice, MmapDirectory, RamDirectory};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, Index, SegmentReader, TERMINATED, Term};
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::index::{FileSeal, IndexManifest};
use vibey_context_host::error::HostError;
use vibey_context_host::read::file_stamp;

/// An open generation. Everything it answers is a pure function of the generation's files.
pub struct Reader {
    /// Where it lies, for error messages.
    path: PathBuf,
    records: blobs::Reader,
    texts: blobs::Reader,
    pub(crate) segment: SegmentReader,
    pub(crate) fields: Fields,
}

impl Reader {
    /// Opens the files of a generation on disk; sizes and checksums must be those that were published.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`] where a file is missing, has another size or other bytes.
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
        if folder.join(MANAGED).symlink_metadata().is_ok() {
            return Err(corrupt(format!("it holds a file `{MANAGED}`")));
        }
        let directory = MmapDirectory::open(folder).map_err(|error| corrupt(error.to_string()))?;
        for (name, seal) in seals {
            verify(&directory, folder, name, *seal, corrupt)?;
        }
        Self::from_directory(index, directory)
    }

    /// Opens a generation that was never written to disk.
    ///
    /// # Errors
    /// The engine's own; none is expected.
    pub fn in_memory(files: Files) -> Result<Self, IndexError> {
        let directory = RamDirectory::create();
        for (name, bytes) in files {
            directory.atomic_write(Path::new(&name), &bytes)?;
        }
        Self::from_directory(Path::new("(in memory)"), directory)
    }

    fn from_directory(path: &Path, directory: impl Directory) -> Result<Self, IndexError> {
        let corrupt = |reason: String| IndexError::Corrupt {
            path: path.to_owned(),
            reason,
        };
        let blobs = |name: &str| {
            let file = directory
                .open_read(Path::new(name))
                .map_err(|error| corrupt(error.to_string()))?;
            blobs::Reader::open(&file).map_err(|reason| corrupt(format!("`{name}`: {reason}")))
        };
        let (records, texts) = (blobs(RECORDS)?, blobs(TEXTS)?);
        let (schema, fields) = schema::schema();
        let engine = |error: tantivy::TantivyError| corrupt(error.to_string());
        let index = Index::open(directory.box_clone()).map_err(engine)?;
        if index.schema() != schema {
            return Err(corrupt(
                "the engine's schema is not the one of this format".to_owned(),
            ));
        }
        let segments = index.searchable_segments().map_err(engine)?;
        let [segment] = segments.as_slice() else {
            return Err(corrupt(format!(
                "{} segments instead of one",
                segments.len()
            )));
        };
        let segment = SegmentReader::open(segment).map_err(engine)?;
        let reader = Self {
            path: path.to_owned(),
            records,
            texts,
            segment,
            fields,
        };
        if reader.texts.len() != reader.skill_count()
            || (reader.segment.max_doc() as usize) < reader.skill_count()
        {
            return Err(corrupt(
                "records, texts and documents differ in number".to_owned(),
            ));
        }
        Ok(reader)
    }

    /// The error for something in this index that does not fit.
    #[must_use]
    pub fn corrupt(&self, reason: impl Into<String>) -> IndexError {
        IndexError::Corrupt {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    /// Number of skills.
    #[must_use]
    pub fn skill_count(&self) -> usize {
        self.records.len()
    }

    /// Record of skill `at`, in the order of root and source path.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn skill(&self, at: usize) -> Result<SkillRecord, IndexError> {
        let bytes = self
            .records
            .get(at)
            .map_err(|reason| self.corrupt(format!("`{RECORDS}`: {reason}")))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| self.corrupt(format!("`{RECORDS}`: entry {at}: {error}")))
    }

    /// Text of skill `at`; the sections' ranges refer to it.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn text(&self, at: usize) -> Result<String, IndexError> {
        let bytes = self
            .texts
            .get(at)
            .map_err(|reason| self.corrupt(format!("`{TEXTS}`: {reason}")))?;
        String::from_utf8(bytes)
            .map_err(|_| self.corrupt(format!("`{TEXTS}`: entry {at} is not UTF-8")))
    }

    /// Document number of the first section of skill `at`; for `at` = number of skills, of the end.
    pub(crate) fn first_section(&self, at: usize) -> Result<u32, IndexError> {
        if at == self.skill_count() {
            return Ok(self.segment.max_doc());
        }
        self.records
            .number(at)
            .map_err(|reason| self.corrupt(format!("`{RECORDS}`: {reason}")))
    }

    /// Skills that answer to `name`: frontmatter name, folder name or `plugin/skill`.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn skills_named(&self, name: &str) -> Result<Vec<usize>, IndexError> {
        self.keyed(&Key::Skill.term(name))
    }

    /// Skills of the plugin `name`.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn skills_of_plugin(&self, name: &str) -> Result<Vec<usize>, IndexError> {
        self.keyed(&Key::Plugin.term(name))
    }

    fn keyed(&self, key: &str) -> Result<Vec<usize>, IndexError> {
        let term = Term::from_field_text(self.fields.key, key);
        let inverted = self.segment.inverted_index(self.fields.key)?;
        let mut found = Vec::new();
        if let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? {
            let mut document = postings.doc();
            while document != TERMINATED {
                found.push(document as usize);
                document = postings.advance();
            }
        }
        if found.iter().any(|&at| at >= self.skill_count()) {
            return Err(self.corrupt("a name leads to no skill"));
        }
        Ok(found)
    }

    /// Compares records and texts with their seals, which opening leaves to the moment when an entry is read: what a
    /// build does before it takes an index for fresh.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`], naming the file that does not match.
    pub fn verify_blobs(&self, seals: &BTreeMap<String, FileSeal>) -> Result<(), IndexError> {
        for (name, blobs) in [(RECORDS, &self.records), (TEXTS, &self.texts)] {
            let found = blobs.checksum().map_err(|reason| self.corrupt(reason))?;
            if seals.get(name).is_none_or(|seal| seal.crc32 != found) {
                return Err(self.corrupt(format!("checksum of `{name}` does not match")));
            }
        }
        Ok(())
    }

    /// Checks everything that a reader takes on trust: every section against its digest,
    /// every number of sections.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`], naming the first thing that does not fit.
    pub fn verify_deep(&self, manifest: &IndexManifest) -> Result<(), IndexError> {
        self.verify_blobs(&manifest.files)?;
        let mut sections = 0_u64;
        for at in 0..self.skill_count() {
            let (record, text) = (self.skill(at)?, self.text(at)?);
            if u64::from(self.first_section(at)?) != self.skill_count() as u64 + sections {
                return Err(self.corrupt(format!(
                    "sections of skill {at} start at the wrong document"
                )));
            }
            let mut end = 0;
            for section in &record.sections {
                if section.start != end {
                    return Err(self.corrupt(format!(
                        "section {} does not follow the one before it",
                        section.id
                    )));
                }
                end = section.end;
                let content = text
                    .get(section.start as usize..section.end as usize)
                    .unwrap_or_default();
                if sha256_hex(content.as_bytes()) != section.content_sha256 {
                    return Err(self.corrupt(format!(
                        "text of section {} does not match its digest",
                        section.id
                    )));
                }
            }
            if end as usize != text.len() {
                return Err(self.corrupt(format!("sections of skill {at} are not its text")));
            }
            sections += record.sections.len() as u64;
        }
        if (self.skill_count() as u64, sections) != (manifest.skill_count, manifest.chunk_count) {
            return Err(
                self.corrupt("numbers of skills and sections are not those of the manifest")
            );
        }
        Ok(())
    }

    /// Whether any skill holds `term`, an index term.
    ///
    /// # Errors
    /// The engine's own.
    pub fn knows(&self, term: &str) -> Result<bool, IndexError> {
        for field in self.fields.skill {
            let term = Term::from_field_text(field, term);
            if self
                .segment
                .inverted_index(field)?
                .get_term_info(&term)?
                .is_some()
            {
                return Ok(true);
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
    }

    /// Every plugin, sorted.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn all_plugins(&self) -> Result<Vec<String>, IndexError> {
        self.all_keys(Key::Plugin)
    }

    /// The skills of each plugin, in the order of plugins' names.
    pub(crate) fn plugins(&self) -> Result<Vec<Vec<usize>>, IndexError> {
        let names = self.all_keys(Key::Plugin)?;
        names
            .iter()
            .map(|name| self.skills_of_plugin(name))
            .collect()
    }

    fn all_keys(&self, kind: Key) -> Result<Vec<String>, IndexError> {
        let prefix = kind.term("");
        let inverted = self.segment.inverted_index(self.fields.key)?;
        let mut stream = inverted
            .terms()
            .range()
            .ge(prefix.as_bytes())
            .into_stream()?;
        let mut names = Vec::new();
        while stream.advance() {
            let Ok(key) = std::str::from_utf8(stream.key()) else {
                continue;
            };
            match key.strip_prefix(&prefix) {
                Some(name) => names.push(name.to_owned()),
                None => break,
            }
        }
        Ok(names)
    }
}

/// Compares a file with its seal; its size is known to match.
fn verify(
    directory: &MmapDirectory,
    folder: &Path,
    name: &str,
    seal: FileSeal,
    corrupt: impl Fn(String) -> IndexError,
) -> Result<(), IndexError> {
    let file: FileSlice = directory
        .open_read(Path::new(name))
        .map_err(|error| match error {
            // What may not be read is not damaged.
            OpenReadError::IoError { io_error, .. }
                if io_error.kind() == ErrorKind::PermissionDenied =>
            {
                IndexError::Host(HostError::Io {
                    operation: "open",
                    path: folder.join(name),
                    cause: io_error.kind().into(),
                })
            }
            _ => corrupt(format!("`{name}` cannot be opened")),
        })?;
    // Records and texts carry a checksum for each entry, which is checked when the entry is read.
    if name == RECORDS || name == TEXTS {
        return Ok(());
    }
    let bytes = file
        .read_bytes()
        .map_err(|error| corrupt(format!("`{name}` cannot be read: {error}")))?;
    if crc32fast::hash(&bytes) == seal.crc32 {
        Ok(())
    } else {
        Err(corrupt(format!("checksum of `{name}` does not match")))
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
