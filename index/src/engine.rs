//! How does the engine read postings that it is handed? As the files of a segment that is larger than any memory and holds
//! nothing but what was put into it.
//!
//! The engine opens postings out of the files of a segment only. What a ranking needs of a shard it has read and checked
//! already, a word in one call ([`crate::lexicon`]); so there is one segment for all shards, whose files are an
//! [`Arena`]. Opening a segment of the engine for each shard would cost more than reading its words.

use crate::schema;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use tantivy::columnar::ColumnarWriter;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    CompositeWrite, Directory, FileHandle, FileSlice, ManagedDirectory, OwnedBytes, RamDirectory,
    TerminatingWrite as _, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::postings::{BlockSegmentPostings, SegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption, Schema};
use tantivy::{HasLen, Index, IndexSettings, InvertedIndexReader, SegmentReader};

/// The engine's list of segments.
const META: &str = "meta.json";
/// What the engine takes the segment's name for is a UUID.
const SEGMENT: &str = "00000000-0000-0000-0000-000000000000";
/// The engine's dictionary of no words. Its builder takes a third of a millisecond to come to the same.
const NO_WORDS: [u8; 67] = [
    2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
    0, 1, 0, 0, 0,
];
/// Bytes of the space in which a field's postings lie: far more than any index has.
const SPACE_BYTES: usize = isize::MAX as usize / 4;
/// The engine takes the first bytes of a field's postings for its number of words. What is handed to it lies behind them.
const COUNT_BYTES: usize = 8;

/// Bytes that were handed to the engine, one piece behind the other.
#[derive(Default)]
struct Arena(RwLock<Vec<(usize, OwnedBytes)>>);

impl Arena {
    fn add(&self, bytes: OwnedBytes) -> usize {
        let mut pieces = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let last = pieces.last();
        let start = last.map_or(COUNT_BYTES, |(start, bytes)| start + bytes.len());
        pieces.push((start, bytes));
        start
    }

    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.end <= COUNT_BYTES {
            return Ok(OwnedBytes::new(vec![0; range.len()]));
        }
        let pieces = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let behind = pieces.partition_point(|(start, _)| *start <= range.start);
        let piece = behind.checked_sub(1).and_then(|at| pieces.get(at));
        match piece {
            Some((start, bytes)) if range.end - start <= bytes.len() => {
                Ok(bytes.slice(range.start - start..range.end - start))
            }
            _ => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "postings that were not read",
            )),
        }
    }
}

/// The engine, with what was handed to it.
pub(crate) struct Engine {
    arena: Arc<Arena>,
    /// Reads fields with positions, and those without.
    readers: [Arc<InvertedIndexReader>; 2],
}

impl Engine {
    pub(crate) fn new() -> tantivy::Result<Self> {
        let arena = Arc::new(Arena::default());
        let (schema, fields) = schema::schema();
        // All fields with positions are alike to the engine, and all without.
        let pick = |positions: bool| {
            let of_skills = schema::SkillField::ALL.into_iter().zip(fields.skill);
            let mut fitting = of_skills.filter(|(field, _)| field.has_positions() == positions);
            fitting.next().map_or(fields.section[0], |(_, field)| field)
        };
        let fields = [pick(true), pick(false)];
        let segment = segment(&schema, &fields, &arena)?;
        let reader = |at: usize| segment.inverted_index(fields[at]);
        Ok(Self {
            arena,
            readers: [reader(0)?, reader(1)?],
        })
    }

    /// Hands bytes to the engine; returns where they start for it.
    pub(crate) fn add(&self, bytes: OwnedBytes) -> usize {
        self.arena.add(bytes)
    }

    /// Postings with frequencies of a field without positions, or without them being asked for. `positions` says whether
    /// the field has them.
    pub(crate) fn postings(
        &self,
        documents: u32,
        postings: &Range<usize>,
        positions: bool,
    ) -> io::Result<SegmentPostings> {
        let row = row(documents, postings, &(0..0));
        self.readers[usize::from(!positions)]
            .read_postings_from_terminfo(&row, IndexRecordOption::WithFreqs)
    }

    /// As [`Engine::postings`], block by block.
    pub(crate) fn blocks(
        &self,
        documents: u32,
        postings: &Range<usize>,
        positions: bool,
    ) -> io::Result<BlockSegmentPostings> {
        let row = row(documents, postings, &(0..0));
        self.readers[usize::from(!positions)]
            .read_block_postings_from_terminfo(&row, IndexRecordOption::WithFreqs)
    }

    /// Postings with positions.
    pub(crate) fn positions(
        &self,
        documents: u32,
        postings: &Range<usize>,
        positions: &Range<usize>,
    ) -> io::Result<SegmentPostings> {
        let row = row(documents, postings, positions);
        self.readers[0].read_postings_from_terminfo(&row, IndexRecordOption::WithFreqsAndPositions)
    }
}

/// A row of the engine's dictionary for what lies in the arena.
fn row(documents: u32, postings: &Range<usize>, positions: &Range<usize>) -> TermInfo {
    TermInfo {
        doc_freq: documents,
        // The engine counts from behind the number of words.
        postings_range: postings.start.saturating_sub(COUNT_BYTES)
            ..postings.end.saturating_sub(COUNT_BYTES),
        positions_range: positions.clone(),
    }
}

/// The engine's reader of a segment whose postings and positions are those of the arena.
fn segment(
    schema: &Schema,
    fields: &[Field; 2],
    arena: &Arc<Arena>,
) -> tantivy::Result<SegmentReader> {
    let name = SEGMENT.replace('-', "");
    let template = Template::new()?;
    let columns = template.file(|file| ColumnarWriter::default().serialize(0, None, file))?;
    let words = template.parts(|parts| {
        let mut write = |&field| parts.for_field(field).write_all(&NO_WORDS);
        fields.iter().try_for_each(&mut write)
    })?;
    let lengths = template.parts(|_| Ok(()))?;
    let store = template.file(|_| Ok(()))?;
    let tail = template.file(|file| file.write_all(&places(fields)))?;
    let endless = FileSlice::new(Arc::new(Endless {
        arena: Arc::clone(arena),
        tail: tail.read_bytes()?,
    }));
    let files = [
        ("term", words),
        ("idx", endless.clone()),
        ("pos", endless),
        ("fieldnorm", lengths),
        ("fast", columns),
        ("store", store),
    ];
    let path = |(extension, file)| (PathBuf::from(format!("{name}.{extension}")), file);
    let meta = serde_json::json!({
        "index_settings": IndexSettings::default(),
        "segments": [{ "segment_id": SEGMENT, "max_doc": 0, "deletes": null }],
        "schema": schema,
        "opstamp": 0,
    });
    let index = Index::open(Folder(Arc::new(Inner {
        meta: serde_json::to_vec(&meta).map_err(io::Error::other)?,
        files: files.into_iter().map(path).collect(),
    })))?;
    let segments = index.searchable_segments()?;
    let segment = segments.first().ok_or_else(|| {
        tantivy::TantivyError::SystemError("the engine lists no segment".to_owned())
    })?;
    SegmentReader::open(segment)
}

/// The engine's table of the places of fields in a file: one space behind the other. Numbers of seven bits a byte, the last
/// one marked; the table's length behind it (u32, little endian).
fn places(fields: &[Field; 2]) -> Vec<u8> {
    let mut out = Vec::new();
    let number = |mut value: usize, out: &mut Vec<u8>| {
        while value >= 0x80 {
            out.push((value & 0x7f) as u8);
            value >>= 7;
        }
        out.push(value as u8 | 0x80);
    };
    number(fields.len(), &mut out);
    for (at, field) in fields.iter().enumerate() {
        number(at.min(1) * SPACE_BYTES, &mut out);
        out.extend_from_slice(&field.field_id().to_le_bytes());
        number(0, &mut out);
    }
    let len = out.len() as u32;
    out.extend_from_slice(&len.to_le_bytes());
    out
}

/// Makes files with the footer that the engine looks for.
struct Template {
    directory: RamDirectory,
    managed: ManagedDirectory,
}

impl Template {
    fn new() -> tantivy::Result<Self> {
        let directory = RamDirectory::create();
        let managed = ManagedDirectory::wrap(Box::new(directory.clone()))?;
        Ok(Self { directory, managed })
    }

    fn made(&self, write: impl FnOnce(WritePtr) -> io::Result<()>) -> tantivy::Result<FileSlice> {
        let path = Path::new("file");
        write(self.managed.open_write(path)?)?;
        let bytes = self.directory.atomic_read(path)?;
        self.directory.delete(path).map_err(io::Error::other)?;
        Ok(FileSlice::from(bytes))
    }

    fn file(
        &self,
        write: impl FnOnce(&mut WritePtr) -> io::Result<()>,
    ) -> tantivy::Result<FileSlice> {
        self.made(|mut file| {
            write(&mut file)?;
            file.terminate()
        })
    }

    fn parts(
        &self,
        write: impl FnOnce(&mut CompositeWrite) -> io::Result<()>,
    ) -> tantivy::Result<FileSlice> {
        self.made(|file| {
            let mut parts = CompositeWrite::wrap(file);
            write(&mut parts)?;
            parts.close()
        })
    }
}

/// The file of postings, and that of positions: a space for each field, both of them the arena, and the table of places.
struct Endless {
    arena: Arc<Arena>,
    tail: OwnedBytes,
}

impl fmt::Debug for Endless {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Endless")
    }
}

impl HasLen for Endless {
    fn len(&self) -> usize {
        2 * SPACE_BYTES + self.tail.len()
    }
}

impl FileHandle for Endless {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        match range.start.checked_sub(2 * SPACE_BYTES) {
            Some(start) => Ok(self.tail.slice(start..start + range.len())),
            None if range.is_empty() => Ok(OwnedBytes::empty()),
            None => {
                let start = range.start % SPACE_BYTES;
                self.arena.read(start..start + range.len())
            }
        }
    }
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "an index is only read")
}

/// The folder that the engine reads; nothing can be written to it.
#[derive(Debug, Clone)]
struct Folder(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    meta: Vec<u8>,
    files: BTreeMap<PathBuf, FileSlice>,
}

impl Directory for Folder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        match self.0.files.get(path) {
            Some(file) => Ok(Arc::new(file.clone())),
            None => Err(OpenReadError::FileDoesNotExist(path.to_owned())),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError {
            io_error: Arc::new(read_only()),
            filepath: path.to_owned(),
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(path == Path::new(META) || self.0.files.contains_key(path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), path.to_owned()))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path == Path::new(META) {
            Ok(self.0.meta.clone())
        } else {
            Err(OpenReadError::FileDoesNotExist(path.to_owned()))
        }
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use tantivy::termdict::TermDictionaryBuilder;

    #[test]
    fn no_words_are_what_the_engine_writes() {
        let none = TermDictionaryBuilder::create(Vec::new()).unwrap();
        assert_eq!(none.finish().unwrap(), NO_WORDS);
    }
}
