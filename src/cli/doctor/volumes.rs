//! The file systems on which we read and write: what of them changes how we work?

use super::{at, fine, problem, warning};
use crate::cli::locate::Meant;
use crate::corpus::build::Origin;
use std::path::{Path, PathBuf};
use vibey_context_contracts::upkeep::{Check, Topic};
use vibey_context_host::volume::{Volume, ignores_case, is_writable, volume};

const TOPIC: Topic = Topic::FileSystem;

pub(super) fn look(meant: &Meant<'_>, origin: Option<&Origin>, places: &[PathBuf]) -> Vec<Check> {
    let mut checks = Vec::new();
    // The first place that can be written is the one that is used.
    for place in places {
        let (check, is_usable) = written(place);
        checks.push(check);
        if is_usable {
            break;
        }
    }
    for root in origin.map_or(&[][..], Origin::roots) {
        checks.extend(read(&root.path));
    }
    if checks.is_empty() {
        checks.extend(read(&meant.surroundings.cwd));
    }
    checks
}

/// The nearest folder that is there.
fn existing(path: &Path) -> &Path {
    let mut above = path.ancestors();
    above.find(|folder| folder.is_dir()).unwrap_or(path)
}

/// Where an index lies or would lie, and whether it can.
fn written(place: &Path) -> (Check, bool) {
    let folder = existing(place);
    let found = match volume(folder) {
        Ok(found) => found,
        Err(error) => {
            return (
                at(folder, problem(TOPIC, error.to_string(), "check the path")),
                false,
            );
        }
    };
    let name = name(&found);
    let elsewhere = "the index is then kept in the cache folder or in memory; `index build --output` names another place";
    if found.is_read_only || !is_writable(folder) {
        let why = match found.is_read_only {
            true => "is read-only",
            false => "may not be written here",
        };
        let message = format!("{name} {why}: an index cannot be kept");
        return (at(folder, warning(TOPIC, message, elsewhere)), false);
    }
    let check = if found.kind.is_some_and(|kind| kind.is_remote) {
        let message = format!("{name}: locks and times are those of another machine");
        let help = "keep the index on a local disk with `index build --output` if builds wait or skills look unchanged";
        warning(TOPIC, message, help)
    } else if found.kind.is_some_and(|kind| !kind.has_hard_links) {
        let message =
            format!("{name} has no hard links: a refresh copies shards that have not changed");
        warning(
            TOPIC,
            message,
            "nothing has to be done; another disk is faster",
        )
    } else {
        fine(TOPIC, format!("{name}: an index can be kept here"))
    };
    (at(folder, check), true)
}

/// Where skills are read.
fn read(root: &Path) -> Option<Check> {
    if ignores_case(root).ok()? == Some(true) {
        let message = "upper and lower case are one name here: two skills that differ in nothing else are one";
        let help = "give skills names that differ by more, for machines where they are two";
        return Some(at(root, warning(TOPIC, message, help)));
    }
    let found = volume(root).ok()?;
    if found.kind.is_some_and(|kind| kind.is_remote) {
        let message = format!(
            "{}: looking whether skills have changed takes a call for each folder",
            name(&found)
        );
        let help = "copy skills to a local disk, or build an index once and name it with `--index`";
        return Some(at(root, warning(TOPIC, message, help)));
    }
    None
}

fn name(found: &Volume) -> &'static str {
    found.kind.map_or("file system", |kind| kind.name)
}
