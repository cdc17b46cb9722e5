//! Which skills are meant, and which index holds them.

use super::failure::Failure;
use super::progress::Progress;
use super::surroundings::Surroundings;
use crate::corpus::build::{self, Build, BuildError, Origin};
use crate::corpus::discover::Root;
use crate::corpus::roots;
use crate::corpus::shards::Sizes;
use crate::project::{self, ProjectFile};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::canonical;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::index::{BuildOutcome, IndexManifest};
use vibey_context_contracts::packet::{CorpusOrigin, ProjectFileUse};
use vibey_context_contracts::request::{BUDGET_DEFAULT, Request};
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
    /// The project file that chose its skills.
    project_file: Option<ProjectFileUse>,
}

impl Opened {
    /// The project file that chose its skills.
    #[must_use]
    pub(super) fn project_file(&self) -> Option<&ProjectFileUse> {
        self.project_file.as_ref()
    }

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

/// What the command line says about skills.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'a> {
    /// `--skills`.
    pub(super) skills: &'a [PathBuf],
    /// `--embedded`.
    pub(super) embedded: bool,
    /// `--no-project-file`.
    pub(super) no_project_file: bool,
}

/// Which skills and which budget are meant: by the command line, else by the request, else by the project file.
pub(super) struct Meant<'a> {
    /// The command line.
    pub(super) choice: Choice<'a>,
    /// The environment.
    pub(super) surroundings: &'a Surroundings,
    /// Read once, and only where it has a say.
    project: OnceCell<Option<ProjectFile>>,
}

/// Tokens of a packet at most, and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Budget {
    /// The number.
    pub(super) tokens: u64,
    /// The project file that says it.
    project_file: Option<ProjectFileUse>,
}

impl Budget {
    /// The project file that chose this budget or the skills of an index.
    #[must_use]
    pub(super) fn project_file(&self, opened: &Opened) -> Option<ProjectFileUse> {
        let of_skills = opened.project_file.as_ref();
        of_skills.or(self.project_file.as_ref()).cloned()
    }
}

impl<'a> Meant<'a> {
    /// What `choice` means here.
    pub(super) fn new(choice: Choice<'a>, surroundings: &'a Surroundings) -> Self {
        Self {
            choice,
            surroundings,
            project: OnceCell::new(),
        }
    }

    /// Whether the command line names skills at all.
    #[must_use]
    pub(super) fn names_skills(&self) -> bool {
        self.choice.embedded || !self.choice.skills.is_empty()
    }

    /// The project file of this folder, where there is one that is not passed over.
    ///
    /// # Errors
    /// It can not be followed.
    pub(super) fn project(&self) -> Result<Option<&ProjectFile>, Failure> {
        if self.project.get().is_none() {
            let read = match self.choice.no_project_file {
                true => None,
                false => self.read_project()?,
            };
            let _ = self.project.set(read);
        }
        Ok(self.project.get().and_then(Option::as_ref))
    }

    fn read_project(&self) -> Result<Option<ProjectFile>, Failure> {
        let cwd = &self.surroundings.cwd;
        let repository = roots::repository_of(cwd);
        let Some(path) = project::find(cwd, repository.as_deref())? else {
            return Ok(None);
        };
        Ok(Some(project::read(
            &path,
            repository.as_deref().unwrap_or(cwd),
        )?))
    }

    /// The project file, where it has a say in which skills there are.
    fn choosing_project(&self) -> Result<Option<&ProjectFile>, Failure> {
        if self.names_skills() {
            return Ok(None);
        }
        Ok(self.project()?.filter(|file| file.chooses_skills()))
    }

    /// The budget: of the command line, else of the request, else of the project file, else the default.
    ///
    /// # Errors
    /// The project file is asked for and can not be followed.
    pub(super) fn budget(&self, named: Option<u64>, request: &Request) -> Result<Budget, Failure> {
        if let Some(tokens) = named.or(request.maximum_context_tokens) {
            return Ok(Budget {
                tokens,
                project_file: None,
            });
        }
        let file = self.project()?.filter(|file| file.budget.is_some());
        Ok(Budget {
            tokens: file.and_then(|file| file.budget).unwrap_or(BUDGET_DEFAULT),
            project_file: file.map(ProjectFile::used),
        })
    }

    /// The origin that the command line names, or the project file, or that lies where agents keep skills, or the starter
    /// corpus.
    ///
    /// # Errors
    /// A named root that is not usable.
    pub(super) fn origin(&self) -> Result<Origin, Failure> {
        if self.choice.embedded {
            return Ok(Origin::Embedded);
        }
        if !self.choice.skills.is_empty() {
            return Ok(Origin::Named(roots::named(
                &self.surroundings.cwd,
                self.choice.skills,
            )?));
        }
        let file = self.choosing_project()?;
        let exclude = file.map(|file| file.exclude.clone()).unwrap_or_default();
        let without = |root: Root| Root {
            exclude: exclude.clone(),
            ..root
        };
        if let Some(skills) = file.and_then(|file| file.skills.as_ref()) {
            let named = roots::named(&self.surroundings.cwd, skills)?;
            return Ok(Origin::Named(named.into_iter().map(without).collect()));
        }
        let found = roots::found(&self.surroundings.cwd, self.surroundings.home.as_deref());
        if found.is_empty() {
            self.surroundings
                .note("note: no skills found; the starter corpus inside the program is used");
            return Ok(Origin::Embedded);
        }
        Ok(Origin::Found(found.into_iter().map(without).collect()))
    }

    /// The project file that chose the skills of `origin`.
    fn chooser(&self, origin: &Origin) -> Result<Option<ProjectFileUse>, Failure> {
        match origin {
            Origin::Embedded => Ok(None),
            _ => Ok(self.choosing_project()?.map(ProjectFile::used)),
        }
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
        if self.names_skills() {
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
            project_file: None,
        })
    }

    fn open_default(&self) -> Result<Opened, Failure> {
        let origin = self.origin()?;
        for path in self.default_places(&origin) {
            match self.build_default(&path, &origin) {
                Ok((manifest, _)) if nothing_found(&origin, &manifest) => {
                    return self.again_embedded(&origin);
                }
                Ok((_, outcome)) => {
                    let opened = match publish::open(&path) {
                        // A `clean` elsewhere may have taken it for unused between the build and here.
                        Err(IndexError::Missing(_)) => self
                            .build_default(&path, &origin)
                            .map_err(Failure::from)
                            .and_then(|_| Ok(publish::open(&path)?)),
                        opened => Ok(opened?),
                    };
                    let (manifest, reader) = opened?;
                    return Ok(Opened {
                        manifest,
                        reader,
                        path: Some(path),
                        outcome: Some(outcome),
                        rejected: Vec::new(),
                        project_file: self.chooser(&origin)?,
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
            return self.again_embedded(&origin);
        }
        self.surroundings
            .note("note: the index is kept in memory for this run only");
        Ok(Opened {
            manifest,
            reader,
            path: None,
            outcome: None,
            rejected,
            project_file: self.chooser(&origin)?,
        })
    }

    fn again_embedded(&self, origin: &Origin) -> Result<Opened, Failure> {
        self.instead_of(origin)?;
        let choice = Choice {
            skills: &[],
            embedded: true,
            ..self.choice
        };
        Meant::new(choice, self.surroundings).open_default()
    }

    /// Says that the starter corpus stands for found folders without skills.
    ///
    /// # Errors
    /// They hold none because the project file leaves out all: then nothing stands for them.
    pub(super) fn instead_of(&self, origin: &Origin) -> Result<(), Failure> {
        let excludes = |root: &Root| !root.exclude.texts().is_empty();
        if origin.roots().iter().any(excludes) {
            let message = format!("`exclude` in `{}` leaves no skill", project::FILE);
            let help = "exclude less, or name skills with `--skills`";
            return Err(Failure::new("skills_root", message, help));
        }
        self.surroundings.note(
            "note: the skill folders found hold no skill; the starter corpus inside the program is used",
        );
        Ok(())
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

    /// Folders in which indexes lie that nobody gave a place, best first.
    #[must_use]
    pub(super) fn index_folders(&self) -> Vec<PathBuf> {
        let repository = roots::repository_of(&self.surroundings.cwd).map(|repository| {
            REPOSITORY_FOLDERS
                .iter()
                .fold(repository, |folder, name| folder.join(name))
        });
        let cache = self.surroundings.cache.as_ref();
        let cache = cache.map(|cache| cache.join(CACHE_FOLDER));
        repository.into_iter().chain(cache).collect()
    }

    /// Where the index lies that this command line means, and that of the starter corpus, which may stand for it.
    ///
    /// # Errors
    /// As [`Meant::origin`].
    pub(super) fn current_places(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut places = self.default_places(&self.origin()?);
        places.extend(self.default_places(&Origin::Embedded));
        Ok(places)
    }

    /// Where the index of `origin` belongs, best place first.
    #[must_use]
    pub(super) fn default_places(&self, origin: &Origin) -> Vec<PathBuf> {
        let folders = self.index_folders().into_iter();
        folders
            .map(|folder| folder.join(key(&folder, origin)))
            .collect()
    }
}

/// Whether a name is one that [`key`] gives.
pub(super) fn is_key(name: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.len() == KEY_LEN && name.bytes().all(is_digit)
}

/// Name of the folder for `origin` below `parent`: a digest over the roots as the index stores them, and what is left out
/// below them. Relative ones do not depend on that name, so any name serves to find it.
fn key(parent: &Path, origin: &Origin) -> String {
    let stored = origin.stored(&parent.join("KEY"));
    let mut text = canonical::compact(&stored).unwrap_or_default();
    // All roots have the same patterns.
    let exclude = origin.roots().first().map(|root| root.exclude.texts());
    if let Some(patterns) = exclude.filter(|patterns| !patterns.is_empty()) {
        text.push_str(&canonical::compact(&patterns).unwrap_or_default());
    }
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
