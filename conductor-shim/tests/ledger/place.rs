//! A new ledger for each test, and a way into it behind its back.

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};
use std::future::Future;
use std::io::Write as _;
use std::path::Path;
use std::str::FromStr as _;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::runtime::{Builder, Runtime};
use vibey_conductor_shim::ledger::Ledger;
use vibey_conductor_shim::ledger::location::{Location, PgUrl};
use vibey_conductor_shim::ledger::read::{Filter, StoredEvent};
use vibey_context_contracts::conductor::event::{NewEvent, Outcome, Payload, Verdict};
use vibey_context_contracts::conductor::id::{JobId, ProjectId};

/// Where a test's ledger lies.
pub(crate) struct Place {
    /// As the library takes it.
    pub(crate) location: Location,
    /// As a process takes it.
    pub(crate) text: String,
    /// The project whose ledger it is.
    pub(crate) project: tempfile::TempDir,
}

thread_local! {
    /// One for each test: a connection dies with the runtime that it was made in.
    static RUNTIME: Runtime = Builder::new_current_thread().enable_all().build().unwrap();
}

pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.with(|runtime| runtime.block_on(future))
}

pub(crate) fn location(text: &str) -> Location {
    if text.starts_with("postgresql:") {
        Location::Postgres(PgUrl::new(text, "the test").unwrap())
    } else {
        Location::Sqlite(text.into())
    }
}

pub(crate) fn on_sqlite(test: impl FnOnce(&Place)) {
    let project = tempfile::tempdir().unwrap();
    let text = project.path().join(".vibey/ledger.sqlite3");
    let text = text.to_str().unwrap().to_owned();
    test(&Place {
        location: location(&text),
        text,
        project,
    });
}

pub(crate) fn on_postgres(test: fn(&Place)) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = std::env::var("VIBEY_TEST_POSTGRES") else {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // Past the harness, which keeps what tests print that pass.
            let note =
                b"skipped on PostgreSQL: VIBEY_TEST_POSTGRES names no server (.ci/postgres starts one)\n";
            std::io::stderr().write_all(note).unwrap();
        });
        return;
    };
    // A database for each test; the server is thrown away with them.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("test_{}_{number}", std::process::id());
    wait(async {
        let mut connection = PgConnection::connect(&server).await.unwrap();
        let create = format!("CREATE DATABASE {name}");
        connection.execute(AssertSqlSafe(create)).await.unwrap();
        connection.close().await.unwrap();
    });
    let text = server.replace("/postgres?", &format!("/{name}?"));
    assert_ne!(text, server);
    test(&Place {
        location: location(&text),
        text,
        project: tempfile::tempdir().unwrap(),
    });
}

impl Place {
    pub(crate) fn is_sqlite(&self) -> bool {
        matches!(self.location, Location::Sqlite(_))
    }

    pub(crate) fn open(&self) -> Ledger {
        wait(Ledger::open(&self.location)).unwrap()
    }

    /// Statements of somebody else: the answer of the database.
    pub(crate) fn execute(&self, sql: &str) -> Result<(), String> {
        let sql = AssertSqlSafe(sql.to_owned());
        wait(async {
            match &self.location {
                Location::Sqlite(path) => {
                    let mut it = sqlite(path).await;
                    let done = sqlx::raw_sql(sql).execute(&mut it).await;
                    it.close().await.unwrap();
                    done.map(|_| ()).map_err(|error| error.to_string())
                }
                Location::Postgres(_) => {
                    let options = PgConnectOptions::from_str(&self.text).unwrap();
                    let mut it = options.connect().await.unwrap();
                    let done = sqlx::raw_sql(sql).execute(&mut it).await;
                    it.close().await.unwrap();
                    done.map(|_| ()).map_err(|error| error.to_string())
                }
            }
        })
    }

    /// What somebody does who owns the database, and covers it up: the triggers go, and come back.
    pub(crate) fn behind_its_back(&self, sql: &str) {
        self.without_triggers(sql);
        self.restore_triggers();
    }

    /// The same by somebody who forgets the triggers.
    pub(crate) fn without_triggers(&self, sql: &str) {
        let triggers = if self.is_sqlite() {
            "DROP TRIGGER ledger_event_no_update; DROP TRIGGER ledger_event_no_delete; \
             DROP TRIGGER ledger_event_no_replace; DROP TRIGGER ledger_event_chain;"
        } else {
            "DROP TRIGGER ledger_event_append_only ON ledger_event; DROP TRIGGER ledger_event_chain ON ledger_event;"
        };
        self.execute(triggers).unwrap();
        self.execute(sql).unwrap();
    }

    pub(crate) fn restore_triggers(&self) {
        let migration = if self.is_sqlite() {
            include_str!("../../migrations/sqlite/0001_ledger_event.sql")
        } else {
            include_str!("../../migrations/postgres/0001_ledger_event.sql")
        };
        // Each ends with a semicolon at the end of a line that is not indented.
        let statements = migration.split_inclusive(";\n\n").filter(|part| {
            let mut lines = part.lines().filter(|line| !line.starts_with("--"));
            lines.next().is_some_and(|line| {
                line.starts_with("CREATE TRIGGER") || line.starts_with("ALTER TABLE")
            })
        });
        self.execute(&statements.collect::<String>()).unwrap();
    }
}

/// A connection as another program makes it, without our settings.
pub(crate) async fn sqlite(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(false);
    options.connect().await.unwrap()
}

/// An event of a project and job.
pub(crate) fn event(project: &str, job: &str) -> NewEvent {
    NewEvent {
        project: ProjectId::new(project).unwrap(),
        job: JobId::new(job).unwrap(),
        attempt: 1,
        payload: Payload::Outcome(Outcome::new(Verdict::Accepted)),
    }
}

/// Every row of a ledger.
pub(crate) fn rows(ledger: &Ledger, filter: &Filter) -> Vec<StoredEvent> {
    let mut rows = Vec::new();
    wait(ledger.for_each(filter, |row| {
        rows.push(row.clone());
        Ok(())
    }))
    .unwrap();
    rows
}
