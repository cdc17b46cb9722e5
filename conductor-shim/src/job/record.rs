//! What does the ledger say of a job?

use crate::ledger::error::LedgerError;
use crate::ledger::location::Location;
use crate::ledger::{Appended, Ledger};
use crate::project::folder::prepared;
use std::path::{Path, PathBuf};
use tokio::sync::OnceCell;
use vibey_context_contracts::conductor::event::NewEvent;

/// A ledger that is opened when something is to be written for the first time.
pub struct Recorder {
    project: PathBuf,
    location: Location,
    ledger: OnceCell<Ledger>,
}

impl Recorder {
    /// For the project in `dir`. Nothing is opened yet.
    #[must_use]
    pub fn new(dir: &Path, location: Location) -> Self {
        Self {
            project: dir.to_owned(),
            location,
            ledger: OnceCell::new(),
        }
    }

    /// Appends an event.
    ///
    /// # Errors
    /// [`LedgerError`]: nothing was appended.
    pub async fn append(&self, event: &NewEvent) -> Result<Appended, LedgerError> {
        self.ledger
            .get_or_try_init(|| self.open())
            .await?
            .append(event)
            .await
    }

    /// Opens the ledger while the compiler is at work, which takes as long.
    ///
    /// # Errors
    /// [`LedgerError`]: nothing can be appended now.
    pub async fn prepare(&self) -> Result<(), LedgerError> {
        self.ledger.get_or_try_init(|| self.open()).await.map(drop)
    }

    async fn open(&self) -> Result<Ledger, LedgerError> {
        if let Location::Sqlite(_) = self.location {
            prepared(&self.project)?;
        }
        Ledger::open(&self.location).await
    }

    /// Leaves the ledger to the end of the process, which is near.
    ///
    /// Closing the last connection of a SQLite file moves its log into the file and synchronizes both, which doubles what
    /// a job waits for the disk (measured: 16 ms instead of 8). What was appended is on the disk either way: the log is
    /// part of the database, and SQLite moves it by itself after every thousand pages. A server is told that we go.
    pub async fn leave(self) {
        match self.location {
            Location::Sqlite(_) => std::mem::forget(self.ledger),
            Location::Postgres(_) => self.close().await,
        }
    }

    /// Closes the ledger, where one was opened.
    pub async fn close(self) {
        if let Some(ledger) = self.ledger.into_inner() {
            ledger.close().await;
        }
    }
}
