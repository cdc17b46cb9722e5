//! Which project is meant, which ledger is its own, and on what do asynchronous calls run?

use super::failure::Failure;
use super::output::note;
use super::surroundings::Surroundings;
use crate::ledger::location::Location;
use crate::project::config::load;
use crate::project::locate::{folder, project_of};
use std::path::{Path, PathBuf};
use vibey_context_contracts::conductor::config::Config;

/// What the command line and the environment say, before anything is looked up.
pub(super) struct Meant<'a> {
    /// `--project`.
    pub(super) project: Option<&'a Path>,
    /// The environment.
    pub(super) surroundings: &'a Surroundings,
}

impl Meant<'_> {
    /// The project: the named one, or that of `start`, which is relative to the working directory.
    ///
    /// # Errors
    /// No such folder, or a worktree that is not trusted.
    pub(super) fn project_dir(&self, start: &Path) -> Result<PathBuf, Failure> {
        let start = match self.project {
            Some(named) => return Ok(folder(named)?),
            None => folder(start)?,
        };
        Ok(project_of(&start)?)
    }

    /// The project and its configuration.
    ///
    /// # Errors
    /// As [`Meant::project_dir`], and a configuration that is none, or that git tracks.
    pub(super) fn project(&self, start: &Path) -> Result<(PathBuf, Config), Failure> {
        let dir = self.project_dir(start)?;
        let read = load(&dir, &self.surroundings.variables)?;
        for warning in &read.warnings {
            note(&format!("warning: {warning}"));
        }
        Ok((dir, read.value))
    }

    /// The ledger of a project.
    ///
    /// # Errors
    /// A URL that is none, or a file with one that others can read.
    pub(super) fn ledger(&self, dir: &Path, config: &Config) -> Result<Location, Failure> {
        let url = self.surroundings.ledger_url();
        Ok(Location::choose(
            dir,
            url.as_deref(),
            config.ledger_url_file.as_deref(),
        )?)
    }
}

/// Waits for `future` on this thread: children and databases have threads of their own.
///
/// # Errors
/// The system refuses an event queue.
pub(super) fn block_on<F: Future>(future: F) -> Result<F::Output, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| {
        let message = format!("cannot wait for children and databases: {error}");
        Failure::new("io", message, "check the limit of open files")
    })?;
    Ok(runtime.block_on(future))
}
