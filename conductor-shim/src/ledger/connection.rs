//! One interface over both databases: connecting, transactions, and the statements that they share.
//!
//! Both understand `$1`; where they differ (locks, catalogue), the difference is here and in [`super::migrate`].

use super::error::LedgerError;
use super::location::{Location, PgUrl};
use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use sqlx::{Postgres, Sqlite, Transaction};
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::conductor::event::ChainRow;
use vibey_context_contracts::digest::FieldDigest;

/// How long a statement waits for other writers. An append holds the lock for one fsync, some milliseconds: with this, a
/// hundred writers on a slow disk still all get through.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// The same for PostgreSQL, in its words.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '30s'";
/// How long connecting to a server may take; a job waits for it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long one transaction on a server may take: the wait for the lock, and time for the network.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// First half of the keys of our advisory locks; "VIBE". The second is made of the project's id.
const LOCK_CLASS: i32 = 0x5649_4245;

/// An open database.
pub(super) enum Connection {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PgConnection>),
}

/// A transaction that holds the lock of a chain, or of the schema.
pub(super) enum Tx<'a> {
    Sqlite(Transaction<'a, Sqlite>),
    Postgres(Transaction<'a, Postgres>),
}

/// The same code for both databases: `$body` with the connection as `$name`.
macro_rules! on {
    ($this:expr, $name:ident => $body:expr) => {
        match $this {
            Self::Sqlite($name) => $body,
            Self::Postgres($name) => $body,
        }
    };
}
pub(super) use on;

/// What the driver says, in our words.
pub(super) fn failed(
    location: &Location,
    operation: &'static str,
) -> impl Fn(sqlx::Error) -> LedgerError {
    move |error| {
        let lost = matches!(
            error,
            sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed
        ) || error
            .as_database_error()
            .and_then(|error| error.code())
            .is_some_and(|code| {
                // PostgreSQL: the server ends the connection, or starts, or stops.
                code.starts_with("57P") || code.starts_with("08")
            });
        let text = error.to_string();
        let cause = match location {
            Location::Sqlite(_) => text,
            Location::Postgres(url) => url.scrub(&text),
        };
        LedgerError::Database {
            place: location.to_string(),
            operation,
            cause: cause.replace('\n', " "),
            lost,
        }
    }
}

impl Connection {
    /// Connects. A missing SQLite file is created where `create` says so.
    pub(super) async fn open(location: &Location, create: bool) -> Result<Self, LedgerError> {
        let opened = match location {
            Location::Sqlite(path) => Self::sqlite(path, create).await,
            Location::Postgres(url) => Self::postgres(url).await,
        };
        opened.map_err(failed(location, "open it"))
    }

    async fn sqlite(path: &Path, create: bool) -> Result<Self, sqlx::Error> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(create)
            .busy_timeout(BUSY_TIMEOUT)
            // What was acknowledged survives a power loss, in WAL mode too.
            .synchronous(SqliteSynchronous::Full)
            // Then `INSERT OR REPLACE` asks the DELETE trigger as well.
            .pragma("recursive_triggers", "ON")
            .disable_statement_logging();
        Ok(Self::Sqlite(Box::new(options.connect().await?)))
    }

    async fn postgres(url: &PgUrl) -> Result<Self, sqlx::Error> {
        let options = url
            .options()?
            .application_name("vibey-conductor")
            .disable_statement_logging();
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, options.connect()).await;
        let late = || sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
        Ok(Self::Postgres(Box::new(connected.map_err(|_| late())??)))
    }

    /// Says goodbye. Nothing can be done where that fails: what was committed is committed.
    pub(super) async fn close(self) {
        let _ = on!(self, it => it.close().await);
    }

    /// Brings what stands in the log of a SQLite file alone into the file. Nothing can be done where that fails.
    pub(super) async fn settle(&mut self) {
        if let Self::Sqlite(it) = self {
            let _ = sqlx::raw_sql("PRAGMA wal_checkpoint")
                .execute(&mut **it)
                .await;
        }
    }

    /// Begins a transaction that alone may append to the chain `lock`.
    pub(super) async fn begin(&mut self, lock: &str) -> Result<Tx<'_>, sqlx::Error> {
        match self {
            // One writer at a time in the whole file.
            Self::Sqlite(it) => Ok(Tx::Sqlite(it.begin_with("BEGIN IMMEDIATE").await?)),
            Self::Postgres(it) => {
                // Read committed: what the last holder of the lock wrote is seen, whatever the server's default.
                let begin = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
                let mut tx = it.begin_with(begin).await?;
                for setting in [LOCK_TIMEOUT, "SET LOCAL synchronous_commit = on"] {
                    sqlx::query(setting).execute(&mut *tx).await?;
                }
                sqlx::query("SELECT pg_advisory_xact_lock($1, $2)")
                    .bind(LOCK_CLASS)
                    .bind(lock_key(lock))
                    .execute(&mut *tx)
                    .await?;
                Ok(Tx::Postgres(tx))
            }
        }
    }
}

/// Second half of the key of an advisory lock. Two names with the same key merely wait for each other.
fn lock_key(name: &str) -> i32 {
    let digest = FieldDigest::default().field(name.as_bytes()).finish();
    let head = digest.get(..8).unwrap_or_default();
    u32::from_str_radix(head, 16)
        .unwrap_or_default()
        .cast_signed()
}

impl Tx<'_> {
    /// Position and digest of the last row of a chain.
    pub(super) async fn last(
        &mut self,
        project: &str,
    ) -> Result<Option<(i64, String)>, sqlx::Error> {
        const LAST: &str = "SELECT sequence, digest FROM ledger_event WHERE project = $1 ORDER BY sequence DESC LIMIT 1";
        on!(self, it => {
            let row = sqlx::query(LAST).bind(project).fetch_optional(&mut **it).await?;
            row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
        })
    }

    /// Position and digest of the row with an id.
    pub(super) async fn find(&mut self, id: &str) -> Result<Option<(i64, String)>, sqlx::Error> {
        const FIND: &str = "SELECT sequence, digest FROM ledger_event WHERE id = $1";
        on!(self, it => {
            let row = sqlx::query(FIND).bind(id).fetch_optional(&mut **it).await?;
            row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
        })
    }

    /// Adds a row.
    pub(super) async fn insert(
        &mut self,
        row: &ChainRow<'_>,
        digest: &str,
    ) -> Result<(), sqlx::Error> {
        const INSERT: &str = "INSERT INTO ledger_event \
            (project, sequence, id, job, attempt, at, kind, payload, previous, digest) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        let rows = on!(self, it => {
            sqlx::query(INSERT)
                .bind(row.project)
                .bind(row.sequence.cast_signed())
                .bind(row.id)
                .bind(row.job)
                .bind(i64::from(row.attempt))
                .bind(row.at)
                .bind(row.kind)
                .bind(row.payload)
                .bind(row.previous)
                .bind(digest)
                .execute(&mut **it)
                .await?
                .rows_affected()
        });
        // A trigger or a rule of somebody else can make it nothing.
        match rows {
            1 => Ok(()),
            _ => Err(sqlx::Error::Protocol(
                "the database took no row, and did not say why".to_owned(),
            )),
        }
    }

    /// Makes it last.
    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        on!(self, it => it.commit().await)
    }
}
