//! The index folder: who may change it, in which order, and what a reader finds at any moment.
//!
//! ```text
//! INDEX/manifest.json       which generation is current, and the seals of its files
//! INDEX/lock                held by the process that builds; never deleted, its content means nothing
//! INDEX/generations/DIGEST/ the files of a generation, and the table of sources
//! INDEX/generations/.vibey-tmp-next/ shards of the generation that is being built
//! INDEX/.gitignore          `*`
//! ```
//!
//! A generation is written and fsynced before `manifest.json` names it, and `manifest.json` is replaced by rename: a
//! reader sees the old index or the new one. The generation before the current one stays until the next publish, for
//! readers that have read the old `manifest.json` and not yet opened its files.

use crate::error::IndexError;
use crate::reader::{Reader, seal};
use crate::sources::{self, Sources};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::canonical::{self, CanonicalError};
use vibey_context_contracts::digest::is_sha256_hex;
use vibey_context_contracts::index::{FileSeal, INDEX_KIND, IndexManifest};
use vibey_context_contracts::version::{COMPILER_VERSION, INDEX_FORMAT, SCHEMA_VERSION};
use vibey_context_host::error::HostError;

use vibey_context_host::lock::{LockGuard, acquire};
use vibey_context_host::path::is_symlink;
use vibey_context_host::read::{list_dir, read_blocks, read_regular_nofollow};
use vibey_context_host::write::{
    Durability, create_folder, is_temporary, link_or_copy, move_file, remove_file, remove_tree,
    replace, sweep_temporaries, sync_tree,
};

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const LOCK: &str = "lock";
pub(crate) const GENERATIONS: &str = "generations";
const IGNORE: &str = ".gitignore";
/// Where the shards of the next generation wait for its name, which follows from all of them.
pub(crate) const NEXT: &str = ".vibey-tmp-next";

/// `manifest.json` is a page of text, and a line or two for each thousand skills; anything larger is not ours.
const MANIFEST_MAX_BYTES: u64 = 1024 * 1024;
/// Bytes that a check of a whole file reads at a time: enough to make calls rare, and few enough to stay in the cache of
/// a processor.
const CHECK_BLOCK_BYTES: usize = 256 * 1024;
/// The table of sources of a corpus a hundred times the size of the largest known one.
const SOURCES_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// How often a reader looks again when a generation vanishes between reading `manifest.json` and opening its files.
/// Each time means that another build was published in between, a matter of milliseconds against seconds.
const READ_ATTEMPTS: u32 = 5;

/// Reads the manifest of an index.
///
/// # Errors
/// Missing, foreign, corrupt, of another format or compiler version, or a symbolic link.
pub fn read_manifest(index: &Path) -> Result<IndexManifest, IndexError> {
    refuse_link(index)?;
    let bytes = match read_regular_nofollow(&index.join(MANIFEST), MANIFEST_MAX_BYTES) {
        Err(error) if error.is_not_found() => return Err(missing_or_foreign(index)),
        other => other?,
    };
    manifest_of(index, &bytes)
}

/// The manifest that the bytes of `manifest.json` are; `index` is named in errors.
///
/// # Errors
/// As [`read_manifest`], but for those of the file.
pub fn manifest_of(index: &Path, bytes: &[u8]) -> Result<IndexManifest, IndexError> {
    let corrupt = |reason: String| IndexError::Corrupt {
        path: index.to_owned(),
        reason,
    };
    let value: serde_json::Value = serde_json::from_slice(bytes)
        .map_err(|error| corrupt(format!("`{MANIFEST}` is not JSON: {error}")))?;
    if value["kind"] != INDEX_KIND {
        let reason = format!("its `{MANIFEST}` is of another kind");
        return Err(IndexError::Foreign {
            path: index.to_owned(),
            reason,
        });
    }
    let format = value["index_version"].as_u64().unwrap_or_default();
    let compiler = value["compiler_version"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let ours = || format!("format {INDEX_FORMAT} of compiler {COMPILER_VERSION}");
    let found = format!("format {format} of compiler {compiler}");
    match (
        format.cmp(&u64::from(INDEX_FORMAT)),
        compiler == COMPILER_VERSION,
    ) {
        (Ordering::Greater, _) => {
            return Err(IndexError::Newer {
                path: index.to_owned(),
                found,
                ours: ours(),
            });
        }
        (Ordering::Less, _) | (_, false) => {
            return Err(IndexError::Older {
                path: index.to_owned(),
                found,
                ours: ours(),
            });
        }
        (Ordering::Equal, true) => {}
    }
    let manifest: IndexManifest =
        serde_json::from_value(value).map_err(|error| corrupt(format!("`{MANIFEST}`: {error}")))?;
    let names_ok = manifest
        .files
        .keys()
        .all(|name| !name.is_empty() && !name.contains(['/', '\\']) && name != "..");
    if manifest.schema_version != SCHEMA_VERSION
        || !is_sha256_hex(&manifest.generation)
        || !names_ok
        || manifest.digest().ok().as_ref() != Some(&manifest.manifest_sha256)
    {
        return Err(corrupt(format!("`{MANIFEST}` does not match its digest")));
    }
    Ok(manifest)
}

/// Opens the current generation.
///
/// # Errors
/// As [`read_manifest`], and [`IndexError::Corrupt`] where the generation does not match its seals.
pub fn open(index: &Path) -> Result<(IndexManifest, Reader), IndexError> {
    let mut last = None;
    for _ in 0..READ_ATTEMPTS {
        let manifest = read_manifest(index)?;
        refuse_link(&generation_folder(index, &manifest.generation))?;
        match Reader::open(
            index,
            &generation_folder(index, &manifest.generation),
            &manifest.files,
        ) {
            Ok(reader) => return Ok((manifest, reader)),
            // A build may have been published meanwhile; the same manifest twice means that it is really damaged.
            Err(error) if last.as_ref() == Some(&manifest) => return Err(error),
            Err(_) => last = Some(manifest),
        }
    }
    let manifest = read_manifest(index)?;
    let reader = Reader::open(
        index,
        &generation_folder(index, &manifest.generation),
        &manifest.files,
    )?;
    Ok((manifest, reader))
}

/// The table of sources of a generation; `None` where it is missing or unreadable, which costs a full build.
#[must_use]
pub fn read_sources(index: &Path, manifest: &IndexManifest) -> Option<Sources> {
    let path = generation_folder(index, &manifest.generation).join(sources::FILE);
    let bytes = read_regular_nofollow(&path, SOURCES_MAX_BYTES).ok()?;
    Sources::from_bytes(&bytes)
}

/// The files of the current generation whose bytes are those that were published, each compared from end to end; and what
/// is wrong with the others.
#[must_use]
pub fn intact(
    index: &Path,
    manifest: &IndexManifest,
) -> (BTreeMap<String, FileSeal>, Option<String>) {
    let folder = generation_folder(index, &manifest.generation);
    let (mut whole, mut fault) = (BTreeMap::new(), None);
    if let Err(error) = refuse_link(&folder) {
        return (whole, Some(error.to_string()));
    }
    // Read, not mapped: the pages of a map would count as this process's memory.
    let mut buffer = vec![0; CHECK_BLOCK_BYTES];
    for (name, expected) in &manifest.files {
        let mut sum = crc32fast::Hasher::new();
        let mut take = |block: &[u8]| sum.update(block);
        let read = read_blocks(&folder.join(name), expected.size, &mut buffer, &mut take);
        match read {
            Ok(size) if (size, sum.finalize()) == (expected.size, expected.crc32) => {
                whole.insert(name.clone(), *expected);
            }
            Ok(_) => fault = fault.or(Some(format!("checksum of `{name}` does not match"))),
            Err(error) => fault = fault.or(Some(error.to_string())),
        }
    }
    (whole, fault)
}

/// Bytes of all files of a generation.
#[must_use]
pub fn size_bytes(manifest: &IndexManifest) -> u64 {
    manifest.files.values().map(|seal| seal.size).sum()
}

fn generation_folder(index: &Path, generation: &str) -> PathBuf {
    index.join(GENERATIONS).join(generation)
}

pub(crate) fn refuse_link(index: &Path) -> Result<(), IndexError> {
    // Without its components' normalisation `index/` would be looked at through the link.
    let plain: PathBuf = index.components().collect();
    match is_symlink(&plain) {
        Ok(true) => Err(IndexError::Link(plain)),
        Ok(false) => Ok(()),
        Err(error) if error.is_not_found() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What stands at `index` where there is no `manifest.json`.
fn missing_or_foreign(index: &Path) -> IndexError {
    match refuse_foreign(index) {
        Err(foreign @ IndexError::Foreign { .. }) => foreign,
        _ => IndexError::Missing(index.to_owned()),
    }
}

/// Refuses a folder that holds anything but our own names: what a user keeps in it is not ours to manage.
pub(crate) fn refuse_foreign(index: &Path) -> Result<(), IndexError> {
    let entries = match list_dir(index) {
        Err(error) if error.is_not_found() => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let name = entry.name.to_string_lossy();
        if ![MANIFEST, LOCK, GENERATIONS, IGNORE].contains(&name.as_ref())
            && !is_temporary(&entry.name)
        {
            let reason = format!("it holds `{}`", name.escape_debug());
            return Err(IndexError::Foreign {
                path: index.to_owned(),
                reason,
            });
        }
    }
    Ok(())
}

/// The right to change an index: exists only while its lock is held.
#[must_use]
pub struct Writer {
    index: PathBuf,
    _guard: LockGuard,
}

impl Writer {
    /// The index that it may change.
    pub(crate) fn index(&self) -> &Path {
        &self.index
    }

    pub(crate) fn guarded(index: &Path, guard: LockGuard) -> Self {
        Self {
            index: index.to_owned(),
            _guard: guard,
        }
    }

    /// Creates the index folder where there is none, and takes its lock. `on_wait` is called once if another build
    /// holds it.
    ///
    /// # Errors
    /// [`IndexError::Foreign`], [`IndexError::Link`], [`IndexError::Locked`] after `wait`, or what the system says.
    pub fn lock(
        index: &Path,
        wait: Duration,
        on_wait: &mut dyn FnMut(),
    ) -> Result<Self, IndexError> {
        refuse_link(index)?;
        refuse_foreign(index)?;
        create_folder(index, Durability::Durable)?;
        let ignore = index.join(IGNORE);
        if read_regular_nofollow(&ignore, MANIFEST_MAX_BYTES).is_err() {
            replace(&ignore, b"*\n", Durability::Rebuildable)?;
        }
        match acquire(&index.join(LOCK), wait, on_wait) {
            Ok(_) if is_symlink(&index.join(GENERATIONS))? => {
                Err(IndexError::Link(index.join(GENERATIONS)))
            }
            Ok(guard) => Ok(Self {
                index: index.to_owned(),
                _guard: guard,
            }),
            Err(HostError::LockTimeout { waited, .. }) => Err(IndexError::Locked {
                path: index.to_owned(),
                waited_seconds: waited.as_secs(),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces the table of sources of the current generation, where only times have changed.
    ///
    /// # Errors
    /// What the system says; the old table is intact.
    pub fn replace_sources(
        &self,
        manifest: &IndexManifest,
        sources: &Sources,
    ) -> Result<(), IndexError> {
        let folder = generation_folder(&self.index, &manifest.generation);
        sweep_temporaries(&folder)?;
        replace(
            &folder.join(sources::FILE),
            &sources.to_bytes(),
            Durability::Rebuildable,
        )?;
        Ok(())
    }

    /// A generation that is yet to be written; files of `before` that are among `whole` are taken over without being
    /// written.
    ///
    /// # Errors
    /// What the system says of what a killed build has left.
    pub fn draft<'a>(
        &'a self,
        before: Option<&IndexManifest>,
        whole: BTreeMap<String, FileSeal>,
    ) -> Result<Draft<'a>, IndexError> {
        let next = self.index.join(GENERATIONS).join(NEXT);
        remove_tree(&next)?;
        Ok(Draft {
            _writer: self,
            next,
            before: before.map(|before| generation_folder(&self.index, &before.generation)),
            whole,
            files: BTreeMap::new(),
            written: BTreeSet::new(),
        })
    }

    /// Publishes a generation: puts its files in place and fsyncs them, then replaces `manifest.json`. `manifest.files`
    /// and `manifest.previous_generation` are filled in here.
    ///
    /// # Errors
    /// What the system says; the index is then what it was before.
    pub fn publish(
        &self,
        mut manifest: IndexManifest,
        draft: Draft<'_>,
        sources: &Sources,
        before: Option<&IndexManifest>,
    ) -> Result<IndexManifest, IndexError> {
        let folder = generation_folder(&self.index, &manifest.generation);
        // Never through a link that somebody put in our place.
        if is_symlink(&folder)? {
            remove_file(&folder)?;
        }
        create_folder(&folder, Durability::Durable)?;
        for name in draft.files.keys() {
            let place = folder.join(name);
            match &draft.before {
                _ if draft.written.contains(name) => move_file(&draft.next.join(name), &place)?,
                // A damaged generation is mended in its place; what is whole in it stays.
                Some(before) if *before == folder => {}
                Some(before) => link_or_copy(&before.join(name), &place)?,
                None => {}
            }
        }
        replace(
            &folder.join(sources::FILE),
            &sources.to_bytes(),
            Durability::Rebuildable,
        )?;
        sync_tree(&folder)?;
        manifest.files = draft.files;
        manifest.previous_generation = before.and_then(|before| {
            let other = before.generation != manifest.generation;
            if other {
                Some(before.generation.clone())
            } else {
                before.previous_generation.clone()
            }
        });
        self.replace_manifest(manifest)
    }

    /// Replaces `manifest.json` alone, where the same generation is described by other counts.
    ///
    /// # Errors
    /// What the system says; the old manifest is intact.
    pub fn replace_manifest(&self, manifest: IndexManifest) -> Result<IndexManifest, IndexError> {
        let engine = |error: CanonicalError| IndexError::Engine(error.to_string());
        let manifest = manifest.sealed().map_err(engine)?;
        let text = canonical::pretty(&manifest).map_err(engine)?;
        replace(
            &self.index.join(MANIFEST),
            text.as_bytes(),
            Durability::Durable,
        )?;
        Ok(manifest)
    }

    /// Removes what killed builds have left: temporary files, and generations that `manifest` does not name.
    ///
    /// # Errors
    /// What the system says; leftovers that remain do no harm.
    pub fn collect(&self, manifest: Option<&IndexManifest>) -> Result<(), IndexError> {
        sweep_temporaries(&self.index)?;
        let keep: BTreeSet<&str> = manifest
            .map(|manifest| {
                std::iter::once(&manifest.generation).chain(&manifest.previous_generation)
            })
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let generations = self.index.join(GENERATIONS);
        let entries = match list_dir(&generations) {
            Err(error) if error.is_not_found() => return Ok(()),
            other => other?,
        };
        for entry in entries {
            let Some(name) = entry.name.to_str() else {
                continue;
            };
            if keep.contains(name) {
                sweep_temporaries(&generations.join(name))?;
            } else if is_sha256_hex(name) || name == NEXT {
                remove_tree(&generations.join(name))?;
            }
        }
        Ok(())
    }
}

/// A generation on its way: its files are in a folder of their own until its name is known.
#[must_use]
pub struct Draft<'a> {
    _writer: &'a Writer,
    next: PathBuf,
    /// Folder of the generation that files are taken over from.
    before: Option<PathBuf>,
    whole: BTreeMap<String, FileSeal>,
    files: BTreeMap<String, FileSeal>,
    written: BTreeSet<String>,
}

impl Draft<'_> {
    /// Takes over a file of the generation before; says whether there is one.
    pub fn keep(&mut self, name: &str) -> bool {
        let seal = self.whole.get(name).filter(|_| self.before.is_some());
        if let Some(seal) = seal {
            self.files.insert(name.to_owned(), *seal);
        }
        seal.is_some()
    }

    /// Writes a file.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), IndexError> {
        if self.written.is_empty() {
            create_folder(&self.next, Durability::Rebuildable)?;
        }
        replace(&self.next.join(name), bytes, Durability::Rebuildable)?;
        self.written.insert(name.to_owned());
        self.files.insert(name.to_owned(), seal(bytes));
        Ok(())
    }
}
