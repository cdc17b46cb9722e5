//! What can be wrong with a project.

use std::path::PathBuf;
use vibey_context_contracts::document::DocumentError;
use vibey_context_host::error::HostError;

/// A failure of a project or its configuration.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The folder that a person named is none.
    #[error("`{}` is no folder that can be entered: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's words.
        cause: std::io::Error,
    },
    /// A `.git` that leads to no repository which knows this place.
    #[error("`{}` {reason}", path.display())]
    Worktree {
        /// The `.git` at fault.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The configuration came with the repository.
    #[error("`{}` {reason}", path.display())]
    Tracked {
        /// The file or folder.
        path: PathBuf,
        /// How that is known.
        reason: &'static str,
    },
    /// git is needed, and there is none.
    #[error("cannot find `git`, which knows whether `{}` is tracked", path.display())]
    GitMissing {
        /// The configuration.
        path: PathBuf,
    },
    /// git did not answer.
    #[error("git cannot tell whether `{}` is tracked: {reason}", path.display())]
    Git {
        /// The configuration.
        path: PathBuf,
        /// What it said, or how it ended.
        reason: String,
    },
    /// The configuration is not one.
    #[error("{fault}")]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: Box<DocumentError>,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl ProjectError {
    /// Stable name of the failure, in `snake_case`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "not_a_folder",
            Self::Worktree { .. } => "worktree_untrusted",
            Self::Tracked { .. } => "config_tracked",
            Self::GitMissing { .. } => "git_missing",
            Self::Git { .. } => "git_failed",
            Self::Config { fault, .. } => fault.code,
            Self::Host(_) => "config_file",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &str {
        match self {
            Self::Folder { .. } => "name a folder that exists",
            Self::Worktree { .. } => "name the project's folder with --project",
            Self::Tracked { .. } => {
                "it names commands to run, so it must not come with a repository: take it out with `git rm --cached`"
            }
            Self::GitMissing { .. } => "install git, or put it into PATH",
            Self::Git { .. } => {
                "run `git ls-files` in this folder and mend what it complains about"
            }
            Self::Config { fault, .. } => &fault.help,
            Self::Host(_) => "check the path and its permissions",
        }
    }
}
