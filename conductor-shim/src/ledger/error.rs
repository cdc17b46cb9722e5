//! What can go wrong with a ledger, in words that hold no password.

use std::path::{Path, PathBuf};
use vibey_context_host::error::HostError;

/// A failure of the ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A URL that is none.
    #[error("{origin} {reason}")]
    Url {
        /// Where it comes from: `VIBEY_LEDGER_URL`, or the file in backticks.
        origin: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A URL file that others can read, that belongs to another user, or that is no file.
    #[error("{} {reason}", url_file(path))]
    UrlFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no ledger yet, and the command only reads.
    #[error("there is no ledger at {place}")]
    Missing {
        /// Where it was looked for.
        place: String,
    },
    /// A newer program has changed the tables.
    #[error(
        "ledger at {place} has schema version {found}, and this program knows versions up to {known}"
    )]
    Newer {
        /// Where it is.
        place: String,
        /// The version that it has.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The file was moved, deleted or replaced each time it was written.
    #[error("ledger at {place} is moved or replaced while it is written")]
    Moved {
        /// Where it is.
        place: String,
    },
    /// A row holds what no row can hold.
    #[error("row {sequence} of project `{project}` in the ledger {reason}")]
    Row {
        /// Whose chain it is in.
        project: String,
        /// Its position.
        sequence: i64,
        /// What is wrong with it.
        reason: String,
    },
    /// An event that can not be written.
    #[error("event cannot be written: {0}")]
    Event(#[from] vibey_context_contracts::canonical::CanonicalError),
    /// The database refused, or does not answer.
    #[error("ledger at {place}: cannot {operation}: {cause}")]
    Database {
        /// Where it is.
        place: String,
        /// What was attempted, as words that fit behind "cannot".
        operation: &'static str,
        /// The database's words.
        cause: String,
        /// Whether the connection is lost, so that a new one may help.
        lost: bool,
    },
    /// A file could not be read or created.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The writer that an export goes to failed.
    #[error("cannot write the export: {0}")]
    Export(std::io::Error),
}

impl LedgerError {
    /// Stable name of the failure, in `snake_case`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Url { .. } => "ledger_url",
            Self::UrlFile { .. } => "ledger_url_file",
            Self::Missing { .. } => "ledger_missing",
            Self::Newer { .. } => "ledger_newer",
            Self::Moved { .. } => "ledger_moved",
            Self::Row { .. } => "ledger_row",
            Self::Event(_) => "ledger_event",
            Self::Database { .. } => "ledger_database",
            Self::Host(_) => "ledger_file",
            Self::Export(_) => "ledger_export",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Url { .. } => "write a URL such as postgresql://user:password@host/database",
            Self::UrlFile { .. } => {
                "name a regular file that belongs to you and that you alone can read: chown, chmod 600"
            }
            Self::Missing { .. } => {
                "run a job in mode shadow or inject first, or name the project with --project"
            }
            Self::Newer { .. } => "use the newer vibey-conductor",
            Self::Moved { .. } => "let its file stay where it is while jobs run",
            Self::Row { .. } => "`vibey-conductor ledger verify` names every row that was changed",
            Self::Event(_) => "report this with the job that shows it",
            Self::Database { cause, .. } if cause.contains("not a database") => {
                "this file is no ledger: move it away, and the next job begins a new one"
            }
            Self::Database { .. } => {
                "check that the database is reachable and that its disk is not full"
            }
            Self::Host(_) | Self::Export(_) => {
                "check the path, its permissions and the space on its disk"
            }
        }
    }

    pub(super) fn is_lost(&self) -> bool {
        matches!(self, Self::Database { lost: true, .. })
    }
}

/// The path of the file with the URL as a message may show it: where the URL itself was written by mistake, its password is
/// part of the path.
fn url_file(path: &Path) -> String {
    let text = path.to_string_lossy();
    match text.contains(['@', '=', ':', '%']) {
        true => "the file that `ledger_url_file` names".to_owned(),
        false => format!("`{text}`"),
    }
}
