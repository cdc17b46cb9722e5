//! Which folder is the project of a worktree?
//!
//! The main working tree of its repository: a linked worktree belongs to an agent, which can write any configuration
//! there. The link from a worktree to its repository is a file that the agent can write too, so it counts only where the
//! repository knows that worktree; the repository is out of the agent's reach.

use super::error::ProjectError;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use vibey_context_host::error::HostError;
use vibey_context_host::resolved::read_resolved;

/// git's own entry in a working tree.
pub(super) const GIT: &str = ".git";
/// Folder of a repository with one folder for each linked worktree.
const WORKTREES: &str = "worktrees";
/// File in that folder with the path of the worktree's [`GIT`].
const BACK: &str = "gitdir";
/// What the [`GIT`] file of a worktree starts with.
const PREFIX: &[u8] = b"gitdir: ";
/// One path and a prefix; systems limit paths to 4 KiB.
const LINK_MAX_BYTES: u64 = 16 * 1024;

/// The folder that a person named, canonical.
///
/// # Errors
/// [`ProjectError::Folder`].
pub fn folder(path: &Path) -> Result<PathBuf, ProjectError> {
    let refused = |cause| ProjectError::Folder {
        path: path.to_owned(),
        cause,
    };
    let folder = path.canonicalize().map_err(refused)?;
    if !folder.is_dir() {
        return Err(refused(std::io::ErrorKind::NotADirectory.into()));
    }
    Ok(folder)
}

/// The project of the canonical folder `start`: the main working tree of the repository around it; `start` itself where
/// there is none.
///
/// # Errors
/// [`ProjectError::Worktree`]: a `.git` file or link that does not lead to a repository which names this worktree and
/// has a main working tree.
pub fn project_of(start: &Path) -> Result<PathBuf, ProjectError> {
    for tree in start.ancestors() {
        let git = tree.join(GIT);
        let Ok(found) = git.symlink_metadata() else {
            continue;
        };
        if found.is_dir() {
            // As git does: a folder of this name that is no repository is passed over.
            if is_repository(&git) {
                return Ok(tree.to_owned());
            }
        } else if found.is_file() {
            return main_tree_of(tree, &git);
        } else {
            return Err(untrusted(&git, "is neither a folder nor a regular file"));
        }
    }
    Ok(start.to_owned())
}

/// Whether `folder` lies in a repository, be it a broken one: whether git has a say there.
pub(super) fn is_in_repository(folder: &Path) -> bool {
    let mut trees = folder.ancestors();
    trees.any(|tree| tree.join(GIT).symlink_metadata().is_ok())
}

fn is_repository(git: &Path) -> bool {
    git.join("HEAD").symlink_metadata().is_ok() && git.join("objects").is_dir()
}

/// The main working tree of the repository that knows the linked worktree `tree`.
fn main_tree_of(tree: &Path, git: &Path) -> Result<PathBuf, ProjectError> {
    let link = read_resolved(git, LINK_MAX_BYTES)?;
    let Some(target) = link.strip_prefix(PREFIX) else {
        return Err(untrusted(git, "does not start with `gitdir: `"));
    };
    // REPOSITORY/worktrees/NAME
    let Ok(entry) = tree.join(path_in(target)).canonicalize() else {
        return Err(untrusted(git, "leads to a repository that does not exist"));
    };
    if entry.starts_with(tree) {
        return Err(untrusted(git, "leads to a repository inside the worktree"));
    }
    let worktrees = entry.parent().unwrap_or(&entry);
    if worktrees.file_name() != Some(OsStr::new(WORKTREES)) {
        return Err(untrusted(git, "is not that of a linked worktree"));
    }
    let back = match read_resolved(&entry.join(BACK), LINK_MAX_BYTES) {
        Err(HostError::Io { .. }) => Vec::new(),
        other => other?,
    };
    // The path is relative to the entry where `worktree.useRelativePaths` says so.
    let back = entry.join(path_in(&back));
    let named = back.parent().and_then(|folder| folder.canonicalize().ok());
    if back.file_name() != Some(OsStr::new(GIT)) || named.as_deref() != Some(tree) {
        return Err(untrusted(
            git,
            "leads to a repository that does not know this worktree",
        ));
    }
    let repository = worktrees.parent().unwrap_or(worktrees);
    match repository.parent() {
        Some(main)
            if repository.file_name() == Some(OsStr::new(GIT)) && is_repository(repository) =>
        {
            Ok(main.to_owned())
        }
        _ => Err(untrusted(
            git,
            "belongs to a repository without a main working tree",
        )),
    }
}

/// The path in a file of git's, without its line break.
fn path_in(bytes: &[u8]) -> PathBuf {
    let mut path = bytes;
    while let Some(shorter) = path
        .strip_suffix(b"\n")
        .or_else(|| path.strip_suffix(b"\r"))
    {
        path = shorter;
    }
    PathBuf::from(OsString::from_vec(path.to_vec()))
}

fn untrusted(git: &Path, reason: &'static str) -> ProjectError {
    ProjectError::Worktree {
        path: git.to_owned(),
        reason,
    }
}
