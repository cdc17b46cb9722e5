//! The shards of a generation as the engine wants to see them: a folder with a list of segments and their files.
//!
//! The engine would hold the term dictionaries of all segments open, and they are most of what a packet touches. So it is
//! shown empty ones, and reads postings by the rows that [`Dictionaries`] has looked up, shard by shard.

use crate::container::{Container, Part};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::footer::Footer;
use tantivy::directory::{
    CompositeFile, CompositeWrite, Directory, FileHandle, FileSlice, ManagedDirectory,
    RamDirectory, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::schema::{Field, Schema};
use tantivy::termdict::{TermDictionary, TermDictionaryBuilder};
use tantivy::{Index, IndexSettings, SegmentReader};

/// The engine's list of segments.
pub(crate) const META: &str = "meta.json";
/// Characters of a segment's name: the engine takes it for a UUID.
const SEGMENT_NAME_LEN: usize = 32;

/// The term dictionaries of a shard, open for as long as somebody looks something up.
pub(crate) struct Dictionaries(CompositeFile);

impl Dictionaries {
    /// Opens the engine's file of dictionaries.
    pub(crate) fn open(file: FileSlice) -> io::Result<Self> {
        let (_, body) = Footer::extract_footer(file)?;
        CompositeFile::open(&body).map(Self)
    }

    /// The dictionary of a field; `None` where no document of the shard has the field.
    pub(crate) fn of(&self, field: Field) -> io::Result<Option<TermDictionary>> {
        self.0
            .open_read(field)
            .map(TermDictionary::open)
            .transpose()
    }
}

/// A file of dictionaries that holds nothing, for every field of the schema.
fn no_words(schema: &Schema) -> Result<FileSlice, String> {
    let path = Path::new("none.term");
    let directory = RamDirectory::create();
    // The engine's own wrapper adds the footer that it will look for.
    let managed = ManagedDirectory::wrap(Box::new(directory.clone()));
    let managed = managed.map_err(|error| error.to_string())?;
    let file = managed
        .open_write(path)
        .map_err(|error| error.to_string())?;
    let written = || -> io::Result<Vec<u8>> {
        let mut parts = CompositeWrite::wrap(file);
        let none = TermDictionaryBuilder::create(Vec::new())?.finish()?;
        for (field, _) in schema.fields() {
            parts.for_field(field).write_all(&none)?;
        }
        parts.close()?;
        directory.atomic_read(path).map_err(io::Error::other)
    };
    written()
        .map(FileSlice::from)
        .map_err(|error| error.to_string())
}

/// The engine's readers of the shards, in their order; they know no terms.
pub(crate) fn segments(
    schema: &Schema,
    shards: &[Container],
) -> Result<Vec<SegmentReader>, String> {
    let engine = |error: tantivy::TantivyError| error.to_string();
    let no_words = no_words(schema)?;
    let mut files = BTreeMap::new();
    let mut listed = Vec::new();
    for shard in shards {
        let name: String = shard.head.key.chars().take(SEGMENT_NAME_LEN).collect();
        for (part, extension) in Part::ENGINE {
            let file = match part {
                Part::Terms => no_words.clone(),
                part => shard.part(part)?,
            };
            files.insert(PathBuf::from(format!("{name}.{extension}")), file);
        }
        listed.push(serde_json::json!({
            "segment_id": hyphenated(&name),
            "max_doc": shard.head.documents,
            "deletes": null,
        }));
    }
    let meta = serde_json::json!({
        "index_settings": IndexSettings::default(),
        "segments": listed,
        "schema": schema,
        "opstamp": 0,
    });
    let folder = Folder(Arc::new(Inner {
        meta: serde_json::to_vec(&meta).map_err(|error| error.to_string())?,
        files,
    }));
    let index = Index::open(folder).map_err(engine)?;
    // The engine keeps no order among segments.
    let mut found: BTreeMap<String, SegmentReader> = BTreeMap::new();
    for segment in index.searchable_segments().map_err(engine)? {
        let reader = SegmentReader::open(&segment).map_err(engine)?;
        found.insert(segment.id().uuid_string(), reader);
    }
    let of_shard = |shard: &Container| {
        let name: String = shard.head.key.chars().take(SEGMENT_NAME_LEN).collect();
        found
            .remove(&name)
            .ok_or_else(|| "two shards have one name".to_owned())
    };
    shards.iter().map(of_shard).collect()
}

/// 32 hexadecimal characters in the 8-4-4-4-12 groups of a UUID (RFC 9562).
fn hyphenated(hex: &str) -> String {
    let mut out = String::new();
    for (at, character) in hex.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            out.push('-');
        }
        out.push(character);
    }
    out
}

/// The folder that the engine reads; nothing can be written to it.
#[derive(Debug, Clone)]
struct Folder(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    meta: Vec<u8>,
    files: BTreeMap<PathBuf, FileSlice>,
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "an index is only read")
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
mod tests {
    use super::*;

    #[test]
    fn groups_of_a_uuid() {
        assert_eq!(
            hyphenated("00112233445566778899aabbccddeeff"),
            "00112233-4455-6677-8899-aabbccddeeff"
        );
    }
}
