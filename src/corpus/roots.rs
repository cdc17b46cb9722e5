//! Which folders are skill roots: those that the caller names, else those that lie where agents keep them.

use crate::corpus::discover::{Discovery, Root};
use crate::corpus::exclude::Exclude;
use crate::corpus::plugins::MARKETPLACE_JSON;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vibey_context_contracts::index::{RootKind, StoredRoot};
use vibey_context_host::path::relative_between;
use vibey_context_host::read::list_dir;

/// Where agents keep skills, relative to a folder of the project.
const PROJECT_FOLDERS: &[&str] = &[".claude/skills", ".agents/skills", "skills", "plugins"];
/// Where agents keep skills, relative to the user's home.
const HOME_FOLDERS: &[&str] = &[".claude/skills", ".agents/skills"];

/// Why a named folder is no root.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// It is not there, or not accessible.
    #[error("skill root `{}` cannot be used: {reason}", path.display())]
    Unusable {
        /// The folder as it was named.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// There is no `SKILL.md` in it.
    #[error("skill root `{}` holds no skill", .0.display())]
    Empty(PathBuf),
}

/// Resolves the folders that the caller names, in their order; a folder named twice counts once.
///
/// # Errors
/// [`RootError::Unusable`].
pub fn named(cwd: &Path, paths: &[PathBuf]) -> Result<Vec<Root>, RootError> {
    let mut roots: Vec<Root> = Vec::new();
    for path in paths {
        let unusable = |reason: String| RootError::Unusable {
            path: path.clone(),
            reason,
        };
        let real = cwd
            .join(path)
            .canonicalize()
            .map_err(|error| unusable(error.kind().to_string()))?;
        if !real.is_dir() {
            return Err(unusable("it is not a folder".to_owned()));
        }
        // Before anything is written for it.
        list_dir(&real).map_err(|error| unusable(error.to_string()))?;
        if !roots.iter().any(|root| root.path == real) {
            roots.push(Root {
                path: real,
                exclude: Exclude::default(),
            });
        }
    }
    Ok(roots)
}

/// Fails where a named root holds no skill; one that lies inside another may have been counted there.
///
/// # Errors
/// [`RootError::Empty`].
pub fn refuse_empty(roots: &[Root], discovery: &Discovery) -> Result<(), RootError> {
    let held: BTreeSet<u32> = discovery
        .skills
        .iter()
        .map(|place| place.root)
        .chain(discovery.rejected.iter().map(|fault| fault.root))
        .collect();
    for fault in discovery
        .rejected
        .iter()
        .filter(|fault| fault.path.is_empty())
    {
        if let Some(root) = roots.get(fault.root as usize) {
            let (path, reason) = (root.path.clone(), fault.finding.message.clone());
            return Err(RootError::Unusable { path, reason });
        }
    }
    for (at, root) in roots.iter().enumerate() {
        let inside = roots
            .iter()
            .any(|other| other != root && root.path.starts_with(&other.path));
        if !held.contains(&(at as u32)) && !inside {
            return Err(RootError::Empty(root.path.clone()));
        }
    }
    Ok(())
}

/// Finds the roots of a project and a user, of all [`candidates`].
#[must_use]
pub fn found(cwd: &Path, home: Option<&Path>) -> Vec<Root> {
    let mut seen = BTreeSet::new();
    candidates(cwd, home)
        .into_iter()
        .filter_map(|path| path.canonicalize().ok())
        .filter(|path| path.is_dir() && seen.insert(path.clone()))
        .map(|path| Root {
            path,
            exclude: Exclude::default(),
        })
        .collect()
}

/// Where the roots of a project and a user are looked for: nearest folder first, ancestors up to the root of the repository
/// (none outside one), the home folder last.
#[must_use]
pub fn candidates(cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let repository = repository_of(cwd);
    let mut candidates: Vec<PathBuf> = Vec::new();
    for folder in cwd.ancestors() {
        if repository.is_none() && folder != cwd {
            break;
        }
        if folder.join(MARKETPLACE_JSON).is_file() {
            candidates.push(folder.to_owned());
        } else {
            candidates.extend(PROJECT_FOLDERS.iter().map(|name| folder.join(name)));
        }
        if repository.as_deref() == Some(folder) {
            break;
        }
    }
    candidates.extend(
        home.into_iter()
            .flat_map(|home| HOME_FOLDERS.iter().map(|name| home.join(name))),
    );
    candidates
}

/// The root of the repository that `path` lies in: the nearest folder above with a `.git`.
#[must_use]
pub fn repository_of(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .find(|folder| folder.join(".git").exists())
        .map(Path::to_owned)
}

/// How an index at `index` stores the roots: relative where both lie in one repository, so that a moved checkout
/// keeps its index; else absolute.
#[must_use]
pub fn stored(index: &Path, roots: &[Root]) -> Vec<StoredRoot> {
    let repository = repository_of(index);
    roots
        .iter()
        .map(|root| {
            let same = repository.is_some() && repository_of(&root.path) == repository;
            match relative_between(index, &root.path).filter(|_| same) {
                Some(path) => StoredRoot {
                    kind: RootKind::Relative,
                    path,
                },
                None => StoredRoot {
                    kind: RootKind::Absolute,
                    path: root.path.to_string_lossy().into_owned(),
                },
            }
        })
        .collect()
}

/// How an index stores that it holds the starter corpus.
#[must_use]
pub fn stored_embedded() -> Vec<StoredRoot> {
    vec![StoredRoot {
        kind: RootKind::Embedded,
        path: String::new(),
    }]
}

/// The roots that an index at `index` was built from.
#[must_use]
pub fn restored(index: &Path, stored: &[StoredRoot]) -> Vec<PathBuf> {
    stored
        .iter()
        .filter(|root| root.kind != RootKind::Embedded)
        .map(|root| {
            if root.kind == RootKind::Relative {
                index.join(&root.path)
            } else {
                PathBuf::from(&root.path)
            }
        })
        .collect()
}
