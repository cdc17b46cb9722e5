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

    async fn open(&self) -> Result<Ledger, LedgerError> {
        if let Location::Sqlite(_) = self.location {
            prepared(&self.project)?;
        }
        Ledger::open(&self.location).await
    }

    /// Closes the ledger, where one was opened.
    pub async fn close(self) {
        if let Some(ledger) = self.ledger.into_inner() {
            ledger.close().await;
        }
    }
}
