//! Brings an index up to date with its roots: nothing where nothing changed, else a new generation.

use crate::corpus::account::Totals;
use crate::corpus::assemble::{Input, Sink, assemble};
use crate::corpus::discover::{Discovery, Place, Root, discover};
use crate::corpus::embedded;
use crate::corpus::load::{Corpus, load};
use crate::corpus::manifests::Manifests;
use crate::corpus::plugins::Plugins;
use crate::corpus::read;
use crate::corpus::roots::{self, RootError};
use crate::corpus::shards::Sizes;
use crate::corpus::survey::{all_unchanged, faults_digest, look};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::index::{BuildOutcome, INDEX_KIND, IndexManifest, StoredRoot};
use vibey_context_contracts::packet::CorpusOrigin;
use vibey_context_contracts::version::{COMPILER_VERSION, INDEX_FORMAT, SCHEMA_VERSION};
use vibey_context_index::error::IndexError;
use vibey_context_index::publish::{self, Writer};
use vibey_context_index::reader::{Files, Reader};
use vibey_context_index::segment;
use vibey_context_index::sources::{FileRow, Rejected, Sources};

/// Where the skills come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Folders that the caller named: each must hold a skill.
    Named(Vec<Root>),
    /// Folders found where agents keep skills: all of them together may be empty.
    Found(Vec<Root>),
    /// The starter corpus.
    Embedded,
}

impl Origin {
    /// How manifests name it.
    #[must_use]
    pub fn kind(&self) -> CorpusOrigin {
        match self {
            Self::Embedded => CorpusOrigin::Embedded,
            Self::Named(_) | Self::Found(_) => CorpusOrigin::Roots,
        }
    }

    /// The folders; none for the starter corpus.
    #[must_use]
    pub fn roots(&self) -> &[Root] {
        match self {
            Self::Named(roots) | Self::Found(roots) => roots,
            Self::Embedded => &[],
        }
    }

    /// How an index at `index` stores it.
    #[must_use]
    pub fn stored(&self, index: &Path) -> Vec<StoredRoot> {
        match self {
            Self::Embedded => roots::stored_embedded(),
            Self::Named(folders) | Self::Found(folders) => roots::stored(index, folders),
        }
    }
}

/// What the build is told while it works.
pub trait Observer {
    /// Another build holds the lock; this one waits.
    fn waiting(&mut self) {}
    /// Files read so far, and all files.
    fn reading(&mut self, _done: usize, _total: usize) {}
    /// The part of the work that is done, and all of it: bytes of skill files, each counted twice.
    fn indexing(&mut self, _done: u64, _total: u64) {}
    /// The index is damaged and is built anew; the text says what was found.
    fn repairing(&mut self, _reason: &str) {}
}

/// Why an index could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A root is not usable.
    #[error(transparent)]
    Root(#[from] RootError),
    /// The index is not usable.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// What a build needs to know.
pub struct Build<'a> {
    /// The index folder.
    pub index: &'a Path,
    /// Where the skills come from.
    pub origin: &'a Origin,
    /// Now, in nanoseconds since 1970.
    pub started_ns: i128,
    /// How long to wait for another build.
    pub wait: Duration,
    /// How large shards are: [`Sizes::DEFAULT`] everywhere but in tests.
    pub sizes: Sizes,
}

/// Brings the index up to date.
///
/// # Errors
/// A named root without skills; an index that is foreign, newer, a link or locked; what the system says.
pub fn up_to_date(
    build: &Build<'_>,
    observer: &mut dyn Observer,
) -> Result<(IndexManifest, BuildOutcome), BuildError> {
    let writer = Writer::lock(build.index, build.wait, &mut || observer.waiting())?;
    let before = match publish::read_manifest(build.index) {
        Ok(manifest) => Some(manifest),
        Err(IndexError::Missing(_) | IndexError::Older { .. }) => None,
        Err(IndexError::Corrupt { reason, .. }) => {
            observer.repairing(&reason);
            None
        }
        Err(other) => return Err(other.into()),
    };
    let stored = build.origin.stored(build.index);
    // Whatever the roots are: shards may be taken over wherever they come from.
    let (whole, fault) = match &before {
        Some(manifest) => publish::intact(build.index, manifest),
        None => (BTreeMap::new(), None),
    };
    if let Some(fault) = &fault {
        observer.repairing(fault);
    }
    let table = before
        .as_ref()
        .filter(|manifest| manifest.roots == stored)
        .and_then(|manifest| publish::read_sources(build.index, manifest));
    let found = Found::discover(build.origin, table.as_ref())?;
    let mut sources = Sources {
        started_ns: build.started_ns,
        faults_sha256: found.faults_sha256.clone(),
        rejected: Vec::new(),
        folders: found.discovery.folders.clone(),
        files: Vec::new(),
    };
    if let (Some(manifest), Some(table), None) = (&before, &table, &fault)
        && table.faults_sha256 == sources.faults_sha256
        && found.all_unchanged(table)
    {
        let outcome = if sources.outlives(table) {
            sources.files.clone_from(&table.files);
            sources.rejected.clone_from(&table.rejected);
            writer.replace_sources(manifest, &sources)?;
            BuildOutcome::Refreshed
        } else {
            BuildOutcome::Fresh
        };
        writer.collect(Some(manifest))?;
        return Ok((manifest.clone(), outcome));
    }
    let mut draft = writer.draft(before.as_ref(), whole)?;
    let made = found.assemble(table.as_ref(), build.sizes, &mut draft, observer)?;
    sources.files = made.rows;
    sources.rejected.clone_from(&made.totals.rejected);
    let mut manifest = describe(&made.totals, &made.release, build.origin, stored);
    let whole = before.as_ref().filter(|_| fault.is_none());
    let same = whole.filter(|before| before.generation == manifest.generation);
    let (manifest, outcome) = match same {
        Some(before) => {
            manifest.files.clone_from(&before.files);
            manifest
                .previous_generation
                .clone_from(&before.previous_generation);
            manifest.manifest_sha256.clone_from(&before.manifest_sha256);
            let fresh = table.as_ref().is_some_and(|table| {
                !sources.improves_on(table) && table.rejected == sources.rejected
            });
            if manifest == *before && fresh {
                (manifest, BuildOutcome::Fresh)
            } else {
                writer.replace_sources(&manifest, &sources)?;
                let manifest = writer.replace_manifest(manifest)?;
                (manifest, BuildOutcome::Refreshed)
            }
        }
        None => {
            let manifest = writer.publish(manifest, draft, &sources, whole)?;
            (manifest, BuildOutcome::Built)
        }
    };
    writer.collect(Some(&manifest))?;
    Ok((manifest, outcome))
}

/// What lies at an origin.
pub(super) struct Found {
    pub(super) discovery: Discovery,
    /// Number of roots.
    roots: usize,
    pub(super) faults_sha256: String,
    embedded: bool,
}

/// What was made of it.
struct Made {
    totals: Totals,
    release: String,
    /// Rows of all files, by root and path.
    rows: Vec<FileRow>,
}

impl Found {
    pub(super) fn discover(origin: &Origin, table: Option<&Sources>) -> Result<Self, BuildError> {
        let folders = match origin {
            Origin::Embedded => {
                return Ok(Self {
                    discovery: embedded::discovery(),
                    roots: 1,
                    faults_sha256: embedded::digest(),
                    embedded: true,
                });
            }
            Origin::Named(folders) | Origin::Found(folders) => folders,
        };
        let discovery = discover(folders, table);
        if matches!(origin, Origin::Named(_)) {
            roots::refuse_empty(folders, &discovery)?;
        }
        Ok(Self {
            roots: folders.len(),
            faults_sha256: faults_digest(&discovery),
            discovery,
            embedded: false,
        })
    }

    /// Whether all files are what they were at the last build. The digest of the starter skills is that of the faults.
    pub(super) fn all_unchanged(&self, table: &Sources) -> bool {
        self.embedded || all_unchanged(&self.discovery, table)
    }

    fn assemble(
        &self,
        table: Option<&Sources>,
        sizes: Sizes,
        sink: &mut dyn Sink,
        observer: &mut dyn Observer,
    ) -> Result<Made, IndexError> {
        let near = Cell::new(0);
        let look = |place: &Place| {
            let mut at = near.get();
            let found = look(table, &mut at, place);
            near.set(at);
            found
        };
        let known = |place: &Place| look(place).1;
        let manifests = if self.embedded {
            Manifests {
                plugins: vec![Plugins::default()],
                ..Manifests::default()
            }
        } else {
            Manifests::read(self.roots, &self.discovery, &known)
        };
        let input = Input {
            discovery: &self.discovery,
            manifests: &manifests,
            raw: if self.embedded {
                &embedded::raw
            } else {
                &read::raw
            },
            look: &look,
            sizes,
        };
        let (totals, mut rows) = assemble(&input, sink, &mut |done, total| {
            observer.indexing(done, total)
        })?;
        if self.embedded {
            rows.clear();
        }
        rows.extend_from_slice(&manifests.rows);
        rows.sort_by(|a, b| (a.root, &a.path).cmp(&(b.root, &b.path)));
        Ok(Made {
            totals,
            release: manifests.release().to_owned(),
            rows,
        })
    }
}

/// What `manifest.json` says of a corpus, without the files of its generation.
fn describe(
    totals: &Totals,
    release: &str,
    origin: &Origin,
    roots: Vec<StoredRoot>,
) -> IndexManifest {
    IndexManifest {
        schema_version: SCHEMA_VERSION,
        kind: INDEX_KIND.to_owned(),
        index_version: INDEX_FORMAT,
        compiler_version: COMPILER_VERSION.to_owned(),
        generation: segment::generation_name(&totals.sha256),
        previous_generation: None,
        corpus_sha256: totals.sha256.clone(),
        skills_release: release.to_owned(),
        roots,
        corpus_origin: origin.kind(),
        skill_count: totals.skills,
        chunk_count: totals.sections,
        skills: totals.summary,
        files: BTreeMap::new(),
        manifest_sha256: String::new(),
    }
}

/// Builds the index in memory, for places where nothing can be written; with it come the skills that were rejected.
///
/// # Errors
/// A named root without skills.
pub fn in_memory(
    origin: &Origin,
    observer: &mut dyn Observer,
) -> Result<(IndexManifest, Reader, Vec<Rejected>), BuildError> {
    let found = Found::discover(origin, None)?;
    let mut files = Files::new();
    let made = found.assemble(None, Sizes::DEFAULT, &mut files, observer)?;
    let manifest = describe(&made.totals, &made.release, origin, Vec::new());
    Ok((manifest, Reader::in_memory(files)?, made.totals.rejected))
}

/// Reads and parses every skill, without an index.
///
/// # Errors
/// A named root without skills.
pub fn corpus(origin: &Origin, observer: &mut dyn Observer) -> Result<Corpus, BuildError> {
    match origin {
        Origin::Embedded => Ok(embedded::corpus()),
        Origin::Named(folders) | Origin::Found(folders) => {
            let discovery = discover(folders, None);
            if matches!(origin, Origin::Named(_)) {
                roots::refuse_empty(folders, &discovery)?;
            }
            Ok(load(folders, discovery, &mut |done, total| {
                observer.reading(done, total)
            }))
        }
    }
}
