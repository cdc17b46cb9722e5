//! What has piled up in caches?

use super::{at, fine, warning};
use crate::cli::locate::Meant;
use crate::cli::measures::{age_seconds, counted};
use crate::materialize::upkeep::{Kept, Kind, kept};
use crate::materialize::zones::scratch_root;
use std::path::{Path, PathBuf};
use vibey_context_contracts::upkeep::{Check, Topic};
use vibey_context_host::clock::unix_nanos_now;
use vibey_context_host::read::{EntryKind, list_dir};
use vibey_context_host::tree::{Extent, extent};

const TOPIC: Topic = Topic::Cache;

/// Bytes from which on a cache is worth a word: a hundred times the index of the largest collection that is in use.
const LARGE_BYTES: u64 = 1_000_000_000;

pub(super) fn look(meant: &Meant<'_>) -> Vec<Check> {
    let surroundings = meant.surroundings;
    let mut checks: Vec<Check> = meant
        .index_folders()
        .iter()
        .filter_map(|it| indexes(it))
        .collect();
    let root = scratch_root(
        surroundings.scratch.as_deref(),
        surroundings.cache.as_deref(),
    );
    let Some(root) = root else {
        return checks;
    };
    match kept(&root) {
        Ok(all) => {
            for (kind, one) in [
                (Kind::Answer, "answer of a server"),
                (Kind::Result, "result"),
            ] {
                let some: Vec<&Kept> = all.iter().filter(|one| one.kind == kind).collect();
                let extents = some.iter().map(|one| one.extent);
                checks.extend(summed(&root, extents.collect(), one));
            }
        }
        Err(error) => checks.push(at(
            &root,
            warning(
                TOPIC,
                error.to_string(),
                "check the permissions of the folder",
            ),
        )),
    }
    checks
}

fn indexes(folder: &Path) -> Option<Check> {
    let entries = list_dir(folder).ok()?;
    let folders = entries.iter().filter(|entry| entry.kind == EntryKind::Dir);
    let paths: Vec<PathBuf> = folders.map(|entry| folder.join(&entry.name)).collect();
    let extents = paths.iter().filter_map(|path| extent(path).ok().flatten());
    summed(folder, extents.collect(), "index")
}

fn summed(path: &Path, extents: Vec<Extent>, one: &str) -> Option<Check> {
    let oldest = extents.iter().map(|extent| extent.newest_ns).min()?;
    let bytes: u64 = extents.iter().map(|extent| extent.bytes).sum();
    let count = extents.len() as u64;
    let what = match (one, count) {
        ("answer of a server", 2..) => format!("{count} answers of servers"),
        ("index", 2..) => format!("{count} indexes"),
        _ => counted(count, one),
    };
    let check = match bytes >= LARGE_BYTES {
        true => warning(
            TOPIC,
            what,
            "`vibey-context clean --dry-run` says what can go",
        ),
        false => fine(TOPIC, what),
    };
    Some(Check {
        size_bytes: Some(bytes),
        count: Some(count),
        age_seconds: Some(age_seconds(oldest, unix_nanos_now())),
        ..at(path, check)
    })
}
