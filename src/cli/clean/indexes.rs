//! Indexes at default places: what killed builds have left, generations of before, and whole indexes that nobody has built
//! for long.

use super::{Sweep, Verdict};
use crate::cli::failure::Failure;
use crate::cli::locate::{Meant, is_key};
use std::path::{Path, PathBuf};
use vibey_context_contracts::upkeep::CleanKind;
use vibey_context_host::error::HostError;
use vibey_context_host::path::is_symlink;
use vibey_context_host::read::{EntryKind, list_dir};
use vibey_context_host::tree::extent;
use vibey_context_index::error::IndexError;
use vibey_context_index::publish::Writer;
use vibey_context_index::tidy::{Kind, is_building, leftovers};

/// How long ago a generation must have been replaced, in seconds. Whoever has read the `manifest.json` of before opens its
/// files within milliseconds; a machine that was asleep meanwhile is given an hour.
const REPLACED_SECONDS: u64 = 3_600;

/// The folder in which `vibey-conductor` keeps the index of a project, beside those that are named by their roots.
const OF_CONDUCTOR: &str = "index";

const BUSY: &str = "a build is at work on this index";

pub(super) fn sweep(sweep: &mut Sweep, meant: &Meant<'_>) -> Result<(), Failure> {
    let current = meant.current_places()?;
    for parent in meant.index_folders() {
        for (name, index) in indexes(&parent)? {
            let is_meant = current.contains(&index);
            let is_named = name == OF_CONDUCTOR;
            if let Err(error) = one(sweep, &index, is_meant || is_named) {
                let size = extent(&index).ok().flatten().unwrap_or_default();
                let verdict = match &error {
                    // Somebody else's folder, or a link: left as it is.
                    IndexError::Foreign { .. } | IndexError::Link(_) => {
                        Verdict::Stays(error.to_string())
                    }
                    _ => Verdict::Failed(error.to_string()),
                };
                sweep.note(CleanKind::Index, &index, &size, verdict);
            }
        }
    }
    Ok(())
}

/// Folders of `parent` with names of indexes; none where it, or the folder above it, is a link: nothing in a worktree chooses
/// where we remove.
fn indexes(parent: &Path) -> Result<Vec<(String, PathBuf)>, HostError> {
    // The cache folder of all programs may well be a link; `.vibey` is ours.
    let above = parent.parent().filter(|above| above.ends_with(".vibey"));
    for folder in above.into_iter().chain([parent]) {
        if is_symlink(folder)? {
            return Ok(Vec::new());
        }
    }
    let entries = match list_dir(parent) {
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        listed => listed?,
    };
    let folders = entries.into_iter().filter_map(|entry| {
        let name = entry.name.into_string().ok()?;
        let ours = entry.kind == EntryKind::Dir && (is_key(&name) || name == OF_CONDUCTOR);
        ours.then(|| (name.clone(), parent.join(name)))
    });
    Ok(folders.collect())
}

fn one(sweep: &mut Sweep, index: &Path, is_meant: bool) -> Result<(), IndexError> {
    let Some(size) = extent(index)? else {
        return Ok(());
    };
    let is_unused = !is_meant
        && sweep.age(&size) >= sweep.older_than.max(REPLACED_SECONDS)
        && (index.join("manifest.json").exists() || index.join("generations").exists());
    if !is_unused && leftovers(index)?.is_empty() {
        return Ok(());
    }
    // A dry run takes no lock, since that makes a file.
    let writer = match sweep.dry_run {
        true => None,
        false => Writer::of_existing(index)?,
    };
    let is_busy = match sweep.dry_run {
        true => is_building(index)?,
        false => writer.is_none(),
    };
    if is_unused {
        let verdict = match (&writer, is_busy) {
            (_, true) => Verdict::Stays(BUSY.to_owned()),
            (Some(writer), false) => done(writer.forget()),
            (None, false) => Verdict::Goes,
        };
        sweep.note(CleanKind::Index, index, &size, verdict);
        return Ok(());
    }
    // Under the lock, so that nothing has changed since.
    for leftover in leftovers(index)? {
        let kind = match leftover.kind {
            Kind::Scratch => CleanKind::Scratch,
            Kind::Unnamed | Kind::Previous => CleanKind::Generation,
        };
        let is_young =
            leftover.kind == Kind::Previous && sweep.age(&leftover.extent) < REPLACED_SECONDS;
        let verdict = match &writer {
            _ if is_busy => Verdict::Stays(BUSY.to_owned()),
            _ if is_young => Verdict::Stays(
                "it was replaced less than an hour ago, and a reader may be about to open it"
                    .to_owned(),
            ),
            Some(writer) => done(writer.discard(&leftover)),
            None => Verdict::Goes,
        };
        sweep.note(kind, &leftover.path, &leftover.extent, verdict);
    }
    Ok(())
}

fn done(result: Result<(), IndexError>) -> Verdict {
    result.map_or_else(
        |error| Verdict::Failed(error.to_string()),
        |()| Verdict::Goes,
    )
}
