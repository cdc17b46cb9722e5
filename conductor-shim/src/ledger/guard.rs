//! Are the triggers that refuse changes still those that the migrations made?

use super::connection::Connection;
use super::migrate::MIGRATIONS;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use std::collections::BTreeMap;

/// A trigger that does not guard the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unguarded {
    /// Its name in the migrations.
    pub(super) trigger: String,
    /// What is wrong with it.
    pub(super) reason: &'static str,
}

const MISSING: &str = "it is missing";
const OTHER: &str = "it has another definition";
const OFF: &str = "it is not always on";

/// A trigger of PostgreSQL.
struct Guard {
    name: &'static str,
    /// When it runs, as the bits of `pg_trigger.tgtype`: each row 1, before 2, INSERT 4, DELETE 8, UPDATE 16, TRUNCATE 32.
    when: i32,
    function: &'static str,
}

const POSTGRES: [Guard; 2] = [
    Guard {
        name: "ledger_event_append_only",
        when: 2 | 8 | 16 | 32,
        function: "ledger_event_refuse",
    },
    Guard {
        name: "ledger_event_chain",
        when: 1 | 2 | 4,
        function: "ledger_event_follow",
    },
];

impl Connection {
    /// The triggers that are missing, off or others, by name.
    pub(super) async fn unguarded(&mut self) -> Result<Vec<Unguarded>, sqlx::Error> {
        match self {
            Self::Sqlite(it) => {
                let found = sqlite_triggers(it).await?;
                Ok(compared(&sqlite_expected().await?, &found))
            }
            Self::Postgres(it) => {
                // Without a condition, without a list of columns, without arguments.
                const TRIGGERS: &str = "SELECT t.tgname::text, t.tgenabled::text, t.tgtype::int4, p.proname::text, p.prosrc, \
                    t.tgqual IS NULL AND t.tgattr::text = '' AND t.tgnargs = 0 AND l.lanname = 'plpgsql' \
                    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang \
                    WHERE t.tgrelid = to_regclass('ledger_event') AND NOT t.tgisinternal";
                let mut found = BTreeMap::new();
                for row in sqlx::query(TRIGGERS).fetch_all(&mut **it).await? {
                    let name: String = row.try_get(0)?;
                    let enabled: String = row.try_get(1)?;
                    let what: (i32, String, String, bool) = (
                        row.try_get(2)?,
                        row.try_get(3)?,
                        row.try_get(4)?,
                        row.try_get(5)?,
                    );
                    found.insert(name, (enabled, what));
                }
                let unguarded = POSTGRES.iter().filter_map(|guard| {
                    let reason = match found.get(guard.name) {
                        None => MISSING,
                        Some((_, (when, function, body, plain)))
                            if *when != guard.when
                                || function != guard.function
                                || Some(body.as_str()) != postgres_body(guard.function)
                                || !plain =>
                        {
                            OTHER
                        }
                        // As `ENABLE ALWAYS` leaves it.
                        Some((enabled, _)) if enabled != "A" => OFF,
                        Some(_) => return None,
                    };
                    Some(Unguarded {
                        trigger: guard.name.to_owned(),
                        reason,
                    })
                });
                Ok(unguarded.collect())
            }
        }
    }
}

fn compared(
    expected: &BTreeMap<String, String>,
    found: &BTreeMap<String, String>,
) -> Vec<Unguarded> {
    let unguarded = expected.iter().filter_map(|(name, sql)| {
        let reason = match found.get(name) {
            None => MISSING,
            Some(other) if other != sql => OTHER,
            Some(_) => return None,
        };
        Some(Unguarded {
            trigger: name.clone(),
            reason,
        })
    });
    unguarded.collect()
}

/// The triggers of a ledger that nobody touched, from one in memory: so they are spelled as SQLite keeps them.
async fn sqlite_expected() -> Result<BTreeMap<String, String>, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .in_memory(true)
        .disable_statement_logging();
    let mut fresh = options.connect().await?;
    for (sql, _) in MIGRATIONS {
        sqlx::raw_sql(*sql).execute(&mut fresh).await?;
    }
    let triggers = sqlite_triggers(&mut fresh).await?;
    fresh.close().await?;
    Ok(triggers)
}

/// Triggers by name, with their definitions.
async fn sqlite_triggers(
    it: &mut SqliteConnection,
) -> Result<BTreeMap<String, String>, sqlx::Error> {
    const TRIGGERS: &str =
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger_event'";
    let rows = sqlx::query(TRIGGERS).fetch_all(it).await?;
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect()
}

/// What stands between the dollar signs of the newest definition of a function in the migrations.
fn postgres_body(function: &str) -> Option<&'static str> {
    let opening = format!("FUNCTION {function}() RETURNS trigger");
    MIGRATIONS.iter().rev().find_map(|(_, sql)| {
        let (_, behind) = sql.rsplit_once(&opening)?;
        behind.split("$$").nth(1)
    })
}
