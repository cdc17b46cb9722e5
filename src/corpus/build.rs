//! Brings an index up to date with its roots: nothing where nothing changed, else a new generation.

use crate::corpus::discover::{Root, discover};
use crate::corpus::embedded;
use crate::corpus::load::{Corpus, load};
use crate::corpus::roots::{self, RootError};
use crate::corpus::survey::survey;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::index::{BuildOutcome, INDEX_KIND, IndexManifest, StoredRoot};
use vibey_context_contracts::packet::CorpusOrigin;
use vibey_context_contracts::version::{COMPILER_VERSION, INDEX_FORMAT, SCHEMA_VERSION};
use vibey_context_index::error::IndexError;
use vibey_context_index::publish::{self, Writer};
use vibey_context_index::reader::Reader;
use vibey_context_index::segment;
use vibey_context_index::sources::{Rejected, Sources};

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
    /// Skills indexed so far, and all skills.
    fn indexing(&mut self, _done: usize, _total: usize) {}
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
    let mut before = match publish::read_manifest(build.index) {
        Ok(manifest) => Some(manifest),
        Err(IndexError::Missing(_) | IndexError::Older { .. }) => None,
        Err(IndexError::Corrupt { reason, .. }) => {
            observer.repairing(&reason);
            None
        }
        Err(other) => return Err(other.into()),
    };
    let stored = build.origin.stored(build.index);
    let same_roots = before
        .as_ref()
        .is_some_and(|manifest| manifest.roots == stored);
    // Whatever the roots are: the generation may be taken over if the corpus is the same.
    if let Some(manifest) = &before
        && let Err(error) =
            publish::open(build.index).and_then(|(_, reader)| reader.verify_blobs(&manifest.files))
    {
        observer.repairing(&error.to_string());
        before = Some(IndexManifest {
            generation: String::new(),
            ..manifest.clone()
        });
    }
    let table = before
        .as_ref()
        .filter(|_| same_roots)
        .and_then(|manifest| publish::read_sources(build.index, manifest));
    let (manifest, outcome) = match build.origin {
        Origin::Embedded => publish_corpus(
            build,
            &writer,
            &embedded::corpus(),
            nothing(build),
            before.as_ref(),
            observer,
        )?,
        Origin::Named(folders) | Origin::Found(folders) => {
            let discovery = discover(folders, table.as_ref());
            if matches!(build.origin, Origin::Named(_)) {
                roots::refuse_empty(folders, &discovery)?;
            }
            let mut sources = survey(&discovery, table.as_ref(), build.started_ns);
            match (&before, &table) {
                (Some(manifest), Some(table)) if table.same_content(&sources) => {
                    sources.rejected.clone_from(&table.rejected);
                    if sources.improves_on(table) {
                        writer.replace_sources(manifest, &sources)?;
                        (manifest.clone(), BuildOutcome::Refreshed)
                    } else {
                        (manifest.clone(), BuildOutcome::Fresh)
                    }
                }
                _ => {
                    let corpus = load(folders, discovery, &mut |done, total| {
                        observer.reading(done, total)
                    });
                    sources.rejected.clone_from(&corpus.rejected);
                    publish_corpus(build, &writer, &corpus, sources, before.as_ref(), observer)?
                }
            }
        }
    };
    writer.collect(Some(&manifest))?;
    Ok((manifest, outcome))
}

/// The table of sources of a corpus that has none.
fn nothing(build: &Build<'_>) -> Sources {
    Sources {
        started_ns: build.started_ns,
        faults_sha256: String::new(),
        rejected: Vec::new(),
        folders: Vec::new(),
        files: Vec::new(),
    }
}

fn publish_corpus(
    build: &Build<'_>,
    writer: &Writer,
    corpus: &Corpus,
    sources: Sources,
    before: Option<&IndexManifest>,
    observer: &mut dyn Observer,
) -> Result<(IndexManifest, BuildOutcome), BuildError> {
    let mut manifest = describe(corpus, build.origin, build.origin.stored(build.index));
    if let Some(before) = before.filter(|before| before.generation == manifest.generation) {
        manifest.files = before.files.clone();
        manifest
            .previous_generation
            .clone_from(&before.previous_generation);
        manifest.manifest_sha256.clone_from(&before.manifest_sha256);
        if manifest == *before && build.origin == &Origin::Embedded {
            return Ok((manifest, BuildOutcome::Fresh));
        }
        writer.replace_sources(&manifest, &sources)?;
        return Ok((writer.replace_manifest(manifest)?, BuildOutcome::Refreshed));
    }
    let total = corpus.skills.len();
    let files = segment::build(&corpus.skills, &manifest.generation, &mut |done| {
        observer.indexing(done, total)
    })?;
    let before = before.filter(|before| !before.generation.is_empty());
    Ok((
        writer.publish(manifest, &files, &sources, before)?,
        BuildOutcome::Built,
    ))
}

/// What `manifest.json` says of a corpus, without the files of its generation.
fn describe(corpus: &Corpus, origin: &Origin, roots: Vec<StoredRoot>) -> IndexManifest {
    IndexManifest {
        schema_version: SCHEMA_VERSION,
        kind: INDEX_KIND.to_owned(),
        index_version: INDEX_FORMAT,
        compiler_version: COMPILER_VERSION.to_owned(),
        generation: segment::generation_name(&corpus.sha256),
        previous_generation: None,
        corpus_sha256: corpus.sha256.clone(),
        skills_release: corpus.release.clone(),
        roots,
        corpus_origin: origin.kind(),
        skill_count: corpus.skills.len() as u64,
        chunk_count: corpus
            .skills
            .iter()
            .map(|skill| skill.record.sections.len() as u64)
            .sum(),
        skills: corpus.summary,
        files: std::collections::BTreeMap::new(),
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
    let corpus = corpus(origin, observer)?;
    let manifest = describe(&corpus, origin, Vec::new());
    let total = corpus.skills.len();
    let files = segment::build(&corpus.skills, &manifest.generation, &mut |done| {
        observer.indexing(done, total)
    })?;
    Ok((manifest, Reader::in_memory(files)?, corpus.rejected))
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
