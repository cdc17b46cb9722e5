//! What of an index is left over, and how does it go without being taken from anybody?
//!
//! A build removes what killed builds have left, and a publish the generation before the last. What nobody builds any more
//! keeps both for ever. Only names of ours are looked at, and none is removed without the lock; the lock itself stays.

use crate::error::IndexError;
use crate::publish::{
    GENERATIONS, LOCK, MANIFEST, NEXT, Writer, read_manifest, refuse_foreign, refuse_link,
};
use std::path::{Path, PathBuf};
use vibey_context_contracts::digest::is_sha256_hex;
use vibey_context_host::lock::{is_held, try_acquire};
use vibey_context_host::path::is_symlink;
use vibey_context_host::read::{EntryKind, kind_of, list_dir};
use vibey_context_host::tree::{Extent, extent};
use vibey_context_host::write::{is_temporary, remove_file, remove_tree};

/// What a leftover is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A temporary file, or shards of a generation that was never finished.
    Scratch,
    /// A generation that `manifest.json` does not name.
    Unnamed,
    /// The generation before the current one: a reader that has read the `manifest.json` of before may be about to open it.
    Previous,
}

/// Something in an index that no reader will look for again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// What it is.
    pub kind: Kind,
    /// Where it lies.
    pub path: PathBuf,
    /// How large it is, and since when nobody needs it: of a previous generation since the next one was published.
    pub extent: Extent,
}

/// What is left over in an index folder. Without the lock the answer may be out of date when it comes.
///
/// # Errors
/// The folder is a link or not an index of ours; what the system says.
pub fn leftovers(index: &Path) -> Result<Vec<Leftover>, IndexError> {
    refuse_link(index)?;
    refuse_foreign(index)?;
    let mut found = Vec::new();
    scratch_in(index, &mut found)?;
    let generations = index.join(GENERATIONS);
    let manifest = match read_manifest(index) {
        Ok(manifest) => Some(manifest),
        Err(IndexError::Missing(_)) => None,
        // Which generation another version of this program reads is not ours to guess.
        Err(IndexError::Older { .. } | IndexError::Newer { .. } | IndexError::Corrupt { .. }) => {
            return Ok(found);
        }
        Err(other) => return Err(other),
    };
    if is_symlink(&generations)? {
        return Err(IndexError::Link(generations));
    }
    let entries = match list_dir(&generations) {
        Err(error) if error.is_not_found() => return Ok(found),
        listed => listed?,
    };
    for entry in entries {
        let Some(name) = entry.name.to_str().filter(|_| entry.kind == EntryKind::Dir) else {
            continue;
        };
        let path = generations.join(name);
        let named = manifest.as_ref();
        let kind = if name == NEXT {
            Kind::Scratch
        } else if !is_sha256_hex(name) {
            continue;
        } else if named.is_some_and(|manifest| manifest.generation == name) {
            scratch_in(&path, &mut found)?;
            continue;
        } else if named.is_some_and(|it| it.previous_generation.as_deref() == Some(name)) {
            Kind::Previous
        } else {
            Kind::Unnamed
        };
        let Some(mut size) = extent(&path)? else {
            continue;
        };
        if kind == Kind::Previous
            && let Some(published) = extent(&index.join(MANIFEST))?
        {
            size.newest_ns = published.newest_ns;
        }
        found.push(Leftover {
            kind,
            path,
            extent: size,
        });
    }
    found.sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
    Ok(found)
}

/// Temporary files directly in a folder.
fn scratch_in(folder: &Path, found: &mut Vec<Leftover>) -> Result<(), IndexError> {
    let entries = match list_dir(folder) {
        Err(error) if error.is_not_found() => return Ok(()),
        listed => listed?,
    };
    for entry in entries {
        let path = folder.join(&entry.name);
        if entry.kind == EntryKind::File
            && is_temporary(&entry.name)
            && let Some(extent) = extent(&path)?
        {
            found.push(Leftover {
                kind: Kind::Scratch,
                path,
                extent,
            });
        }
    }
    Ok(())
}

/// Whether a build is at work on an index. Creates nothing.
///
/// # Errors
/// The lock is no plain file, or the file system can not lock.
pub fn is_building(index: &Path) -> Result<bool, IndexError> {
    Ok(is_held(&index.join(LOCK))?)
}

impl Writer {
    /// The right to change an index that is there, if nobody else has it at this moment.
    ///
    /// # Errors
    /// The folder is a link or not an index of ours; what the system says.
    pub fn of_existing(index: &Path) -> Result<Option<Self>, IndexError> {
        refuse_link(index)?;
        refuse_foreign(index)?;
        let guard = try_acquire(&index.join(LOCK))?;
        Ok(guard.map(|guard| Self::guarded(index, guard)))
    }

    /// Removes what [`leftovers`] has found in this index, which must have been asked while this lock was held.
    ///
    /// # Errors
    /// What the system says; a part may be gone.
    pub fn discard(&self, leftover: &Leftover) -> Result<(), IndexError> {
        if leftover.kind == Kind::Previous {
            let mut manifest = read_manifest(self.index())?;
            manifest.previous_generation = None;
            self.replace_manifest(manifest)?;
        }
        match kind_of(&leftover.path)? {
            Some(EntryKind::Dir) => remove_tree(&leftover.path)?,
            _ => remove_file(&leftover.path)?,
        };
        Ok(())
    }

    /// Removes the whole index but for its lock: `manifest.json` first, so that no reader begins with what is about to go. A
    /// reader that has it open keeps its files.
    ///
    /// # Errors
    /// What the system says; a part may be gone.
    pub fn forget(&self) -> Result<(), IndexError> {
        remove_file(&self.index().join(MANIFEST))?;
        let generations = self.index().join(GENERATIONS);
        if is_symlink(&generations)? {
            return Err(IndexError::Link(generations));
        }
        remove_tree(&generations)?;
        for entry in list_dir(self.index())? {
            if entry.kind == EntryKind::File && is_temporary(&entry.name) {
                remove_file(&self.index().join(&entry.name))?;
            }
        }
        Ok(())
    }
}
