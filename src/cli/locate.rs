//! Which skills are meant, and which index holds them.

use super::failure::Failure;
use super::progress::Progress;
use super::surroundings::Surroundings;
use crate::corpus::build::{self, Build, BuildError, Origin};
use crate::corpus::roots;
use crate::corpus::shards::Sizes;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::canonical;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::index::{BuildOutcome, IndexManifest};
use vibey_context_contracts::packet::CorpusOrigin;
use vibey_context_host::clock::unix_nanos_now;
use vibey_context_host::path::is_symlink;
use vibey_context_host::write::{Durability, create_folder, replace};
use vibey_context_index::error::IndexError;
use vibey_context_index::publish;
use vibey_context_index::reader::Reader;
use vibey_context_index::sources::Rejected;

/// How long a build waits for another one. A full build of the largest known collection takes seconds; whoever waits
/// longer than this waits for a process that hangs.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(100);
/// Hexadecimal characters of the default index folder's name: 48 bits, for a handful of root sets per repository.
const KEY_LEN: usize = 12;
/// Where a repository keeps its indexes.
const REPOSITORY_FOLDERS: [&str; 2] = [".vibey", "skills-context"];
/// Where a user's cache keeps the indexes of everything that is in no repository.
const CACHE_FOLDER: &str = "vibey-context";

/// An index, open.
pub(super) struct Opened {
    /// Its manifest.
    pub(super) manifest: IndexManifest,
    /// Its generation.
    pub(super) reader: Reader,
    /// The index folder; `None` where the index is in memory.
    pub(super) path: Option<PathBuf>,
    /// What was done to bring it up to date; `None` where it was taken as it is.
    pub(super) outcome: Option<BuildOutcome>,
    /// The rejected skills of an index in memory.
    rejected: Vec<Rejected>,
}

impl Opened {
    /// The skills that were found and are not in the index.
    #[must_use]
    pub(super) fn rejected(&self) -> Vec<Rejected> {
        match &self.path {
            Some(path) => publish::read_sources(path, &self.manifest)
                .map(|table| table.rejected)
                .unwrap_or_default(),
            None => self.rejected.clone(),
        }
    }
}

/// Which skills the command line means.
pub(super) struct Meant<'a> {
    /// `--skills`.
    pub(super) skills: &'a [PathBuf],
    /// `--embedded`.
    pub(super) embedded: bool,
    /// The environment.
    pub(super) surroundings: &'a Surroundings,
}

impl Meant<'_> {
    /// Whether the command line names skills at all.
    fn named(&self) -> bool {
        self.embedded || !self.skills.is_empty()
    }

    /// The origin that the command line names, or that lies where agents keep skills, or the starter corpus.
    ///
    /// # Errors
    /// A named root that is not usable.
    pub(super) fn origin(&self) -> Result<Origin, Failure> {
        if self.embedded {
            return Ok(Origin::Embedded);
        }
        if !self.skills.is_empty() {
            return Ok(Origin::Named(roots::named(
                &self.surroundings.cwd,
                self.skills,
            )?));
        }
        let found = roots::found(&self.surroundings.cwd, self.surroundings.home.as_deref());
        if found.is_empty() {
            self.surroundings
                .note("note: no skills found; the starter corpus inside the program is used");
            return Ok(Origin::Embedded);
        }
        Ok(Origin::Found(found))
    }

    /// Opens the index at `explicit` as it is, or brings the default one up to date and opens it.
    ///
    /// # Errors
    /// Everything that can be wrong with roots and indexes.
    pub(super) fn open(&self, explicit: Option<&Path>) -> Result<Opened, Failure> {
        match explicit {
            Some(path) => self.open_explicit(&self.surroundings.cwd.join(path)),
            None => self.open_default(),
        }
    }

    fn open_explicit(&self, path: &Path) -> Result<Opened, Failure> {
        let (manifest, reader) = publish::open(path)?;
        if self.named() {
            let same = match self.origin()? {
                Origin::Embedded => manifest.corpus_origin == CorpusOrigin::Embedded,
                origin => {
                    let stored = roots::restored(path, &manifest.roots);
                    let real: Vec<PathBuf> = stored
                        .iter()
                        .map(|root| root.canonicalize().unwrap_or_default())
                        .collect();
                    origin.roots().iter().map(|root| &root.path).eq(real.iter())
                }
            };
            if !same {
                let message = format!(
                    "index `{}` was built from other skill roots than `--skills` names",
                    path.display()
                );
                let help = "run `index build` with these roots, or leave `--skills` out";
                return Err(Failure::new("index_roots_differ", message, help).at(path));
            }
        }
        Ok(Opened {
            manifest,
            reader,
            path: Some(path.to_owned()),
            outcome: None,
            rejected: Vec::new(),
        })
    }

    fn open_default(&self) -> Result<Opened, Failure> {
        let origin = self.origin()?;
        for path in self.default_places(&origin) {
            match self.build_default(&path, &origin) {
                Ok((manifest, _)) if nothing_found(&origin, &manifest) => {
                    self.surroundings.note(
                        "note: the skill folders found hold no skill; the starter corpus inside the program is used",
                    );
                    return self.again_embedded();
                }
                Ok((_, outcome)) => {
                    let (manifest, reader) = publish::open(&path)?;
                    return Ok(Opened {
                        manifest,
                        reader,
                        path: Some(path),
                        outcome: Some(outcome),
                        rejected: Vec::new(),
                    });
                }
                Err(BuildError::Index(error @ (IndexError::Host(_) | IndexError::Link(_)))) => {
                    self.surroundings.note(&unwritable(&path, &error));
                }
                Err(error) => return Err(error.into()),
            }
        }
        let (manifest, reader, rejected) =
            build::in_memory(&origin, &mut Progress::new(self.surroundings))?;
        if nothing_found(&origin, &manifest) {
            self.surroundings.note(
                "note: the skill folders found hold no skill; the starter corpus inside the program is used",
            );
            return self.again_embedded();
        }
        self.surroundings
            .note("note: the index is kept in memory for this run only");
        Ok(Opened {
            manifest,
            reader,
            path: None,
            outcome: None,
            rejected,
        })
    }

    fn again_embedded(&self) -> Result<Opened, Failure> {
        Meant {
            skills: &[],
            embedded: true,
            surroundings: self.surroundings,
        }
        .open_default()
    }

    /// Brings the index at its default place up to date.
    fn build_default(
        &self,
        path: &Path,
        origin: &Origin,
    ) -> Result<(IndexManifest, BuildOutcome), BuildError> {
        let repository = roots::repository_of(&self.surroundings.cwd);
        if let Some(repository) = repository.filter(|repository| path.starts_with(repository)) {
            let mut folder = repository;
            for name in REPOSITORY_FOLDERS {
                folder.push(name);
                // Nothing in a worktree chooses where we write.
                if is_symlink(&folder).map_err(IndexError::from)? {
                    return Err(IndexError::Link(folder).into());
                }
                if !folder.exists() {
                    create_folder(&folder, Durability::Durable).map_err(IndexError::from)?;
                    replace(&folder.join(".gitignore"), b"*\n", Durability::Rebuildable)
                        .map_err(IndexError::from)?;
                }
            }
        }
        build(path, origin, self.surroundings)
    }

    /// Where the index of `origin` belongs, best place first.
    #[must_use]
    pub(super) fn default_places(&self, origin: &Origin) -> Vec<PathBuf> {
        let repository = roots::repository_of(&self.surroundings.cwd).map(|repository| {
            REPOSITORY_FOLDERS
                .iter()
                .fold(repository, |folder, name| folder.join(name))
        });
        let cache = self
            .surroundings
            .cache
            .as_ref()
            .map(|cache| cache.join(CACHE_FOLDER));
        repository
            .into_iter()
            .chain(cache)
            .map(|folder| folder.join(key(&folder, origin)))
            .collect()
    }
}

/// Name of the folder for `origin` below `parent`: a digest over the roots as the index stores them. Relative ones do
/// not depend on that name, so any name serves to find it.
fn key(parent: &Path, origin: &Origin) -> String {
    let stored = origin.stored(&parent.join("KEY"));
    let text = canonical::compact(&stored).unwrap_or_default();
    sha256_hex(text.as_bytes()).chars().take(KEY_LEN).collect()
}

/// Brings the index at `path` up to date.
///
/// # Errors
/// Everything that can be wrong with roots and indexes.
pub(super) fn build(
    path: &Path,
    origin: &Origin,
    surroundings: &Surroundings,
) -> Result<(IndexManifest, BuildOutcome), BuildError> {
    let build = Build {
        index: path,
        origin,
        started_ns: unix_nanos_now(),
        wait: LOCK_WAIT,
        sizes: Sizes::DEFAULT,
    };
    build::up_to_date(&build, &mut Progress::new(surroundings))
}

fn nothing_found(origin: &Origin, manifest: &IndexManifest) -> bool {
    matches!(origin, Origin::Found(_)) && manifest.skills.found == 0
}

fn unwritable(path: &Path, error: &IndexError) -> String {
    format!(
        "note: no index can be kept at `{}`: {error}",
        path.display()
    )
}
