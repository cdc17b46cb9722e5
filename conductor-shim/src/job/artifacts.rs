//! What does an engine or a person find in the worktree?

use crate::project::VIBEY;
use crate::project::folder::{ARTIFACTS, owned, refuse_link};
use std::path::{Path, PathBuf};
use vibey_context_contracts::conductor::id::JobId;
use vibey_context_host::error::Result;
use vibey_context_host::write::{Durability, create_folder, remove_file, replace};

/// The files of a job in its worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifacts {
    worktree: PathBuf,
    /// The request: enough to compile the packet again by hand.
    pub request: PathBuf,
    /// The packet.
    pub packet: PathBuf,
    /// Its manifest.
    pub manifest: PathBuf,
    /// What the compiler wrote to standard error.
    pub stderr: PathBuf,
}

impl Artifacts {
    /// Where the files of `job` are in the canonical folder `worktree`.
    #[must_use]
    pub fn of(worktree: &Path, job: &JobId) -> Self {
        let folder = ARTIFACTS
            .iter()
            .fold(worktree.join(VIBEY), |folder, name| folder.join(name));
        let file = |ending: &str| folder.join(format!("{job}.{ending}"));
        Self {
            worktree: worktree.to_owned(),
            request: file("request.json"),
            packet: file("packet.md"),
            manifest: file("packet.json"),
            stderr: file("stderr.txt"),
        }
    }

    /// Removes what an earlier attempt left and writes the request.
    ///
    /// # Errors
    /// One of the folders is a symlink, or the system refuses; no file of an earlier attempt is left that the system lets
    /// us remove.
    pub fn begin(&self, request: &str) -> Result<()> {
        let vibey = self.worktree.join(VIBEY);
        refuse_link(&vibey)?;
        create_folder(&vibey, Durability::Rebuildable)?;
        owned(&vibey, &ARTIFACTS, Durability::Rebuildable)?;
        let removed = [&self.manifest, &self.packet, &self.stderr, &self.request]
            .map(|path| remove_file(path));
        removed.into_iter().collect::<Result<Vec<bool>>>()?;
        replace(&self.request, request.as_bytes(), Durability::Rebuildable)
    }

    /// Refuses folders on the way to the files that have become symlinks: who can write in the worktree must not lead us
    /// out of it.
    ///
    /// # Errors
    /// One of them is a symlink.
    pub fn refuse_links(&self) -> Result<()> {
        let mut folder = self.worktree.join(VIBEY);
        refuse_link(&folder)?;
        for name in ARTIFACTS {
            folder.push(name);
            refuse_link(&folder)?;
        }
        Ok(())
    }

    /// Removes a packet and a manifest that are not to be believed. Nothing can be done where that fails.
    pub fn distrust(&self) {
        if self.refuse_links().is_ok() {
            let _ = remove_file(&self.manifest);
            let _ = remove_file(&self.packet);
        }
    }

    /// Keeps what the compiler wrote to standard error, where it wrote anything.
    ///
    /// # Errors
    /// As [`Artifacts::refuse_links`], or what the system says.
    pub fn keep_stderr(&self, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.refuse_links()?;
        replace(&self.stderr, text.as_bytes(), Durability::Rebuildable)
    }
}
