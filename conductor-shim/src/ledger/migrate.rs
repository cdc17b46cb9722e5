//! Which tables does a ledger have, and how do they become those that this program knows?
//!
//! A migration is a file of `migrations/`, applied once, in order, in one transaction under the writers' lock. A file
//! that was released is never changed; a later one changes what it made.

use super::connection::{Connection, Tx, failed, on};
use super::error::LedgerError;
use super::location::Location;
use sqlx::{Executor as _, Row as _};
use vibey_context_contracts::time::rfc3339;

/// A migration for SQLite and for PostgreSQL. Its version is its place in the list, from 1.
type Migration = (&'static str, &'static str);

pub(super) const MIGRATIONS: &[Migration] = &[(
    include_str!("../../migrations/sqlite/0001_ledger_event.sql"),
    include_str!("../../migrations/postgres/0001_ledger_event.sql"),
)];

/// The table that says which migrations were applied.
const SCHEMA_TABLE: &str = "CREATE TABLE IF NOT EXISTS ledger_schema (version BIGINT PRIMARY KEY, applied_at TEXT NOT NULL)";
/// The lock of a migration. No project has this name: it starts with a blank.
const SCHEMA_LOCK: &str = " schema";

/// The newest version that this program knows.
pub(super) fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Version of the tables; 0 where there are none.
///
/// # Errors
/// [`LedgerError::Newer`], or the database's.
pub(super) async fn version(
    connection: &mut Connection,
    location: &Location,
) -> Result<i64, LedgerError> {
    let asked = connection.version().await;
    let found = asked.map_err(failed(location, "read its schema version"))?;
    if found > known() {
        return Err(LedgerError::Newer {
            place: location.to_string(),
            found,
            known: known(),
        });
    }
    Ok(found)
}

/// Brings the tables to the newest version. Several processes may do it at the same time: the first one does it.
///
/// # Errors
/// As [`version`].
pub(super) async fn migrate(
    connection: &mut Connection,
    location: &Location,
    now_ms: u64,
) -> Result<(), LedgerError> {
    if let Connection::Sqlite(it) = connection {
        // Not in a transaction; a property of the file from then on. The caller holds the lock file, since this one
        // statement does not wait for others.
        let switched = it.execute("PRAGMA journal_mode = WAL").await;
        switched.map_err(failed(location, "switch it to a write-ahead log"))?;
    }
    let applied = connection.apply(now_ms).await;
    applied.map_err(failed(location, "create its tables"))
}

impl Connection {
    async fn version(&mut self) -> Result<i64, sqlx::Error> {
        let table = match self {
            Self::Sqlite(_) => {
                "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'ledger_schema'"
            }
            Self::Postgres(_) => "SELECT count(to_regclass('ledger_schema'))",
        };
        const VERSION: &str = "SELECT coalesce(max(version), 0) FROM ledger_schema";
        on!(self, it => {
            let tables: i64 = sqlx::query(table).fetch_one(&mut **it).await?.try_get(0)?;
            if tables == 0 {
                return Ok(0);
            }
            sqlx::query(VERSION).fetch_one(&mut **it).await?.try_get(0)
        })
    }

    async fn apply(&mut self, now_ms: u64) -> Result<(), sqlx::Error> {
        let mut tx = self.begin(SCHEMA_LOCK).await?;
        let done = tx.prepare_schema().await?;
        for (version, migration) in (1..).zip(MIGRATIONS) {
            if version > done {
                tx.apply_one(version, migration, now_ms).await?;
            }
        }
        tx.commit().await
    }
}

impl Tx<'_> {
    /// Makes sure of the table of versions, and reads the last one: another process may have been faster.
    async fn prepare_schema(&mut self) -> Result<i64, sqlx::Error> {
        const VERSION: &str = "SELECT coalesce(max(version), 0) FROM ledger_schema";
        on!(self, it => {
            sqlx::raw_sql(SCHEMA_TABLE).execute(&mut **it).await?;
            sqlx::query(VERSION).fetch_one(&mut **it).await?.try_get(0)
        })
    }

    async fn apply_one(
        &mut self,
        version: i64,
        migration: &Migration,
        now_ms: u64,
    ) -> Result<(), sqlx::Error> {
        const APPLIED: &str = "INSERT INTO ledger_schema (version, applied_at) VALUES ($1, $2)";
        let sql = match self {
            Self::Sqlite(_) => migration.0,
            Self::Postgres(_) => migration.1,
        };
        on!(self, it => {
            sqlx::raw_sql(sql).execute(&mut **it).await?;
            sqlx::query(APPLIED).bind(version).bind(rfc3339(now_ms)).execute(&mut **it).await?;
        });
        Ok(())
    }
}
