//! From the files of a generation to a reader.

use super::{Files, Map, Reader, Shard};
use crate::blobs;
use crate::container::{Container, Part};
use crate::corpus;
use crate::error::IndexError;
use crate::schema::FIELDS;
use crate::segment::shard_file;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tantivy::HasLen as _;
use tantivy::directory::{Directory as _, FileSlice, MmapDirectory};
use vibey_context_contracts::index::FileSeal;
use vibey_context_host::error::HostError;
use vibey_context_host::read::{file_stamp, read_regular_nofollow};

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
        let (mut shards, mut skills, mut sections) = (Vec::new(), 0, 0);
        let mut tokens = [0_u64; FIELDS];
        for key in &corpus.shards {
            let name = shard_file(key);
            let (file, map) = file(&name)?;
            let container = Container::open(&file);
            let container = container.map_err(|reason| corrupt(format!("`{name}`: {reason}")))?;
            if container.head.key != *key {
                return Err(corrupt(format!("`{name}` is another shard")));
            }
            for (sum, count) in tokens.iter_mut().zip(container.head.tokens) {
                *sum = sum.saturating_add(count);
            }
            let shard = shard(container, map, skills).map_err(corrupt)?;
            skills += shard.skills;
            sections += shard.documents() - shard.skills;
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
            tokens,
            asked: Mutex::default(),
        })
    }
}

/// A shard whose first skill has this number.
fn shard(container: Container, map: Map, first: usize) -> Result<Shard, String> {
    let skills = container.head.skills as usize;
    if (container.head.documents as usize) < skills {
        return Err("skills and documents differ in number".to_owned());
    }
    let blobs = |part| Ok::<_, String>(blobs::Reader::new(container.part(part)?, skills));
    Ok(Shard {
        first,
        skills,
        postings: container.part(Part::Postings)?,
        details: container.part(Part::Details)?,
        records: blobs(Part::Records)?,
        texts: blobs(Part::Texts)?,
        map,
        container,
    })
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
