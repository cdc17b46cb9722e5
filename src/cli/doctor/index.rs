//! The index of these skills: is it there, whole and up to date, and does a build hold its lock?

use super::{at, failed, fine, problem, warning};
use crate::cli::failure::Failure;
use crate::cli::locate::Meant;
use crate::corpus::build::Origin;
use crate::corpus::discover::Root;
use crate::corpus::exclude::Exclude;
use crate::corpus::freshness::{Freshness, freshness};
use crate::corpus::roots;
use std::path::{Path, PathBuf};
use vibey_context_contracts::index::IndexManifest;
use vibey_context_contracts::packet::CorpusOrigin;
use vibey_context_contracts::upkeep::{Check, Topic};
use vibey_context_host::tree::extent;
use vibey_context_index::error::IndexError;
use vibey_context_index::publish;
use vibey_context_index::tidy::is_building;

const TOPIC: Topic = Topic::Index;

/// Looks at the index that was named, else at that of `origin`, and says where indexes lie or would lie.
pub(super) fn look(
    named: Option<&Path>,
    meant: &Meant<'_>,
    origin: Option<&Origin>,
    checks: &mut Vec<Check>,
) -> Vec<PathBuf> {
    if let Some(named) = named {
        let path = meant.surroundings.cwd.join(named);
        let origin = origin.filter(|origin| is_of(&path, origin)).cloned();
        match origin.map_or_else(|| own_origin(&path), Ok) {
            Ok(origin) => checks.extend(one(&path, &origin, true)),
            Err(error) => checks.push(failed(TOPIC, &Failure::from(error))),
        }
        return vec![path];
    }
    let Some(origin) = origin else {
        return Vec::new();
    };
    let places = meant.default_places(origin);
    let there = places
        .iter()
        .find(|path| path.join("manifest.json").exists());
    let Some(place) = there.or(places.first()) else {
        let message = "there is no place for it: it is built in memory for each run";
        let help = "work in a repository, set `HOME`, or name a folder with `index build --output`";
        checks.push(warning(TOPIC, message, help));
        return places;
    };
    checks.extend(one(place, origin, false));
    places
}

/// Whether an index was built from the roots of `origin`.
fn is_of(index: &Path, origin: &Origin) -> bool {
    publish::read_manifest(index).is_ok_and(|manifest| manifest.roots == origin.stored(index))
}

/// The origin that an index says it was built from.
fn own_origin(index: &Path) -> Result<Origin, IndexError> {
    let manifest = publish::read_manifest(index)?;
    if manifest.corpus_origin == CorpusOrigin::Embedded {
        return Ok(Origin::Embedded);
    }
    let stored = roots::restored(index, &manifest.roots);
    let root = |path: PathBuf| Root {
        path: path.canonicalize().unwrap_or(path),
        exclude: Exclude::default(),
    };
    Ok(Origin::Found(stored.into_iter().map(root).collect()))
}

fn one(index: &Path, origin: &Origin, is_named: bool) -> Vec<Check> {
    let rebuild = match is_named {
        true => format!(
            "run `vibey-context index build --output {}` with the same `--skills`",
            index.display()
        ),
        false => "the next command brings it up to date".to_owned(),
    };
    let mut checks = match freshness(index, origin) {
        Ok((manifest, state)) => vec![described(index, &manifest, &state, &rebuild)],
        Err(error) => {
            let failure = Failure::from(error);
            let is_missing = failure.report().error.code == "index_missing";
            vec![match is_missing && !is_named {
                true => at(
                    index,
                    fine(TOPIC, "there is none yet; the next command builds it"),
                ),
                // A default index that is older or damaged is renewed without a word.
                false if !is_named && is_renewed(&failure) => at(
                    index,
                    warning(TOPIC, failure.report().error.message, rebuild),
                ),
                false => failed(TOPIC, &failure),
            }]
        }
    };
    if index.is_dir() {
        checks.push(lock(index));
    }
    checks
}

fn is_renewed(failure: &Failure) -> bool {
    let code = failure.report().error.code;
    code == "index_outdated" || code == "index_corrupt"
}

fn described(index: &Path, manifest: &IndexManifest, state: &Freshness, rebuild: &str) -> Check {
    let what = format!(
        "{} skills in {} sections",
        manifest.skill_count, manifest.chunk_count
    );
    let check = match state {
        Freshness::Fresh if manifest.skills.rejected > 0 => {
            let message = format!(
                "fresh: {what}; {} skills are rejected",
                manifest.skills.rejected
            );
            warning(TOPIC, message, "`vibey-context check` says why")
        }
        Freshness::Fresh => fine(TOPIC, format!("fresh: {what}")),
        Freshness::Stale(why) => warning(TOPIC, format!("stale: {why}"), rebuild),
        Freshness::Damaged(fault) => problem(TOPIC, format!("damaged: {fault}"), rebuild),
    };
    let size = extent(index).ok().flatten();
    Check {
        size_bytes: size.map(|size| size.bytes),
        count: Some(manifest.skill_count),
        ..at(index, check)
    }
}

/// Whether the file system locks, and whether somebody holds the lock. Looked at by what is there: nothing is created.
fn lock(index: &Path) -> Check {
    let topic = Topic::Lock;
    let check = match is_building(index) {
        Ok(false) => fine(topic, "flock, free"),
        Ok(true) => warning(
            topic,
            "flock, held by a build that is at work",
            "wait for it; readers need not",
        ),
        Err(error) => problem(
            topic,
            format!("it cannot be asked for: {error}"),
            "put the index on a local disk with `index build --output`, or mount this one with locks",
        ),
    };
    at(&index.join("lock"), check)
}
