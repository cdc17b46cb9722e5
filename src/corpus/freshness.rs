//! Is an index what a build would make of its roots now? Asked without writing anything and without the lock.

use crate::corpus::build::{BuildError, Found, Origin};
use crate::corpus::load::load;
use std::path::Path;
use vibey_context_contracts::index::IndexManifest;
use vibey_context_index::publish;

/// How an index that can be read stands to its roots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// A build would leave it as it is, but for its table of times.
    Fresh,
    /// A build would make another one; the text says why.
    Stale(&'static str),
    /// Its bytes are not those that were published; the text says which.
    Damaged(String),
}

/// Compares the index at `index` with what lies at `origin` now.
///
/// # Errors
/// A root that is not usable; an index that is missing, foreign, older, newer, corrupt or a link.
pub fn freshness(index: &Path, origin: &Origin) -> Result<(IndexManifest, Freshness), BuildError> {
    let manifest = publish::read_manifest(index)?;
    if let (_, Some(fault)) = publish::intact(index, &manifest) {
        return Ok((manifest, Freshness::Damaged(fault)));
    }
    let state = if manifest.roots != origin.stored(index) {
        Freshness::Stale("it was built from other roots")
    } else {
        match publish::read_sources(index, &manifest) {
            None => Freshness::Stale("its table of times cannot be read"),
            Some(table) => {
                let found = Found::discover(origin, Some(&table))?;
                let same_faults = table.faults_sha256 == found.faults_sha256;
                // Times prove nothing right after a build, nor after a checkout: then everything is read, as `check` does.
                let is_same = (same_faults && found.all_unchanged(&table)) || {
                    let corpus = load(origin.roots(), found.discovery, &mut |_, _| {});
                    (corpus.sha256, corpus.summary)
                        == (manifest.corpus_sha256.clone(), manifest.skills)
                };
                match is_same {
                    true => Freshness::Fresh,
                    false => Freshness::Stale("skills have changed since it was built"),
                }
            }
        }
    };
    Ok((manifest, state))
}
