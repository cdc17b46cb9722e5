//! The ledger: what became of every job, append-only, in SQLite or PostgreSQL.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`location`] | which database is a project's ledger |
//! | `connection` | how both databases are one to the rest |
//! | `open` | how it is opened, and whether it is still the file that its path names |
//! | `migrate` | which tables it has |
//! | [`read`] | which rows there are |
//! | [`verify`] | whether every chain is whole |
//! | `guard` | whether its triggers are still there |
//! | [`error`] | what went wrong, without a password |
//!
//! Invariants:
//! - The database itself refuses UPDATE, DELETE, TRUNCATE, and an INSERT that does not continue a chain.
//! - An append that returned is on the disk, with SQLite in the file that its path then names; one that failed, or whose
//!   process was killed, left nothing.
//! - Nothing that was not cleaned by the contract's [`Payload::canonical`] is stored.
//!
//! [`Payload::canonical`]: vibey_context_contracts::conductor::event::Payload::canonical

mod connection;
pub mod error;
mod guard;
pub mod location;
mod migrate;
mod open;
pub mod read;
pub mod verify;

use connection::{ANSWER_TIMEOUT, Connection, failed};
use error::LedgerError;
use location::Location;
use open::{Absent, Open};
use read::{Filter, PAGE, StoredEvent};
use tokio::sync::Mutex;
use uuid::{NoContext, Timestamp, Uuid};
use verify::Verification;
use vibey_context_contracts::conductor::event::{ChainRow, GENESIS, NewEvent};
use vibey_context_contracts::conductor::verdict::{Head, Verdict};
use vibey_context_contracts::time::rfc3339;
use vibey_context_host::clock::unix_nanos_now;

/// Result of the ledger's functions.
pub type Result<T, E = LedgerError> = std::result::Result<T, E>;

/// How often events are appended again because their file was moved meanwhile. Once is an accident.
const MOST_MOVES: usize = 3;
const NANOS_PER_MS: i128 = 1_000_000;

/// An open ledger. Several tasks may use it; each call is one after the other.
pub struct Ledger {
    location: Location,
    connection: Mutex<Option<Open>>,
}

/// A row that is on the disk.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Appended {
    /// Position in the project's chain, from 1.
    pub sequence: i64,
    /// UUID version 7.
    pub id: String,
    /// Digest of the row; `ledger verify --head` takes it.
    pub digest: String,
}

impl Ledger {
    /// Opens a ledger; creates it where there is none.
    ///
    /// A new SQLite file needs its folder's `.gitignore` in place first, which is the caller's to see to.
    ///
    /// # Errors
    /// [`LedgerError::Newer`], [`LedgerError::Host`], or the database's.
    pub async fn open(location: &Location) -> Result<Self> {
        Self::opened(location, Absent::Create).await
    }

    /// Opens a ledger that exists.
    ///
    /// # Errors
    /// [`LedgerError::Missing`], and as [`Ledger::open`].
    pub async fn open_existing(location: &Location) -> Result<Self> {
        Self::opened(location, Absent::Refuse).await
    }

    async fn opened(location: &Location, absent: Absent) -> Result<Self> {
        let open = open::open(location, absent).await?;
        Ok(Self {
            location: location.clone(),
            connection: Mutex::new(Some(open)),
        })
    }

    /// Where it is, without a password.
    #[must_use]
    pub fn place(&self) -> String {
        self.location.to_string()
    }

    /// Appends an event to its project's chain, with the time of now.
    ///
    /// # Errors
    /// [`LedgerError::Event`], or the database's; then nothing was appended.
    pub async fn append(&self, event: &NewEvent) -> Result<Appended> {
        let appended = self.append_all(&[(event.clone(), now_ms())]).await?;
        appended.into_iter().next().ok_or(LedgerError::Row {
            project: event.project.to_string(),
            sequence: 0,
            reason: "was not appended".to_owned(),
        })
    }

    /// Appends events of one project or of several with their times in milliseconds since 1970: all of them or none.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub async fn append_all(&self, events: &[(NewEvent, u64)]) -> Result<Vec<Appended>> {
        let mut rows = Vec::with_capacity(events.len());
        for (event, at_ms) in events {
            rows.push(Draft {
                id: new_id(*at_ms),
                event,
                at: rfc3339(*at_ms),
                payload: event.payload.clone().canonical()?,
            });
        }
        // In the order of projects, so that two writers never wait for each other's locks.
        rows.sort_by(|a, b| a.event.project.cmp(&b.event.project));
        let mut held = self.connection.lock().await;
        // Whether the rows arrived is seen by their ids, each time.
        for _ in 0..=MOST_MOVES {
            self.let_go_if_moved(&mut held).await;
            let appended = match self.write(&mut held, &rows).await {
                // A server restarted, or a firewall forgot us.
                Err(error) if error.is_lost() => self.write(&mut held, &rows).await,
                done => done,
            }?;
            // SQLite does not notice: the commit may have gone into a file that was deleted.
            if !self.is_moved(&held) {
                return Ok(appended);
            }
        }
        Err(LedgerError::Moved {
            place: self.place(),
        })
    }

    async fn write(&self, held: &mut Option<Open>, rows: &[Draft<'_>]) -> Result<Vec<Appended>> {
        let mut open = self.taken(held).await?;
        let written =
            tokio::time::timeout(ANSWER_TIMEOUT, written(&mut open.connection, rows)).await;
        let written =
            written.unwrap_or_else(|_| Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())));
        let written = written.map_err(failed(&self.location, "append to it"));
        if !written.as_ref().is_err_and(LedgerError::is_lost) {
            *held = Some(open);
        }
        written
    }

    fn is_moved(&self, held: &Option<Open>) -> bool {
        held.as_ref().is_some_and(|it| it.is_moved(&self.location))
    }

    async fn let_go_if_moved(&self, held: &mut Option<Open>) {
        if self.is_moved(held)
            && let Some(open) = held.take()
        {
            open.let_go(&self.location).await;
        }
    }

    /// Calls `each` for every wanted row, by project and position, with a page of them in memory.
    ///
    /// # Errors
    /// The database's, or the first one of `each`.
    pub async fn for_each(
        &self,
        filter: &Filter,
        mut each: impl FnMut(&StoredEvent) -> Result<()>,
    ) -> Result<()> {
        let mut rows = self.page(filter, None).await?;
        loop {
            rows.iter().try_for_each(&mut each)?;
            rows = match rows.last() {
                Some(last) if rows.len() as i64 == PAGE => {
                    let after = (last.project.as_str(), last.sequence);
                    self.page(filter, Some(after)).await?
                }
                _ => return Ok(()),
            };
        }
    }

    async fn page(&self, filter: &Filter, after: Option<(&str, i64)>) -> Result<Vec<StoredEvent>> {
        self.read(async |it| it.page(filter, after).await).await
    }

    /// Where each chain ends, by project.
    ///
    /// # Errors
    /// The database's.
    pub async fn heads(&self) -> Result<Vec<Head>> {
        self.read(async |it| it.heads().await).await
    }

    /// The projects that know a job, sorted.
    ///
    /// # Errors
    /// The database's.
    pub async fn projects_of(&self, job: &str) -> Result<Vec<String>> {
        self.read(async |it| it.projects_of(job).await).await
    }

    /// Reads, with a new connection where the old one was lost.
    async fn read<T>(
        &self,
        ask: impl AsyncFnOnce(&mut Connection) -> Result<T, sqlx::Error>,
    ) -> Result<T> {
        let mut held = self.connection.lock().await;
        let mut open = self.taken(&mut held).await?;
        let answer = ask(&mut open.connection).await;
        let answer = answer.map_err(failed(&self.location, "read it"));
        if !answer.as_ref().is_err_and(LedgerError::is_lost) {
            *held = Some(open);
        }
        answer
    }

    /// The connection, which the caller puts back unless it is lost.
    async fn taken(&self, held: &mut Option<Open>) -> Result<Open> {
        match held.take() {
            Some(open) => Ok(open),
            None => open::open(&self.location, Absent::Create).await,
        }
    }

    /// Verifies the triggers, and the chain of a project or all of them; `head` is a digest that has to be found in them.
    ///
    /// # Errors
    /// The database's. A broken chain is no error but a verdict.
    pub async fn verify(&self, project: Option<&str>, head: Option<&str>) -> Result<Verdict> {
        let filter = Filter {
            project: project.map(str::to_owned),
            ..Filter::default()
        };
        let unguarded = self.read(async |it| it.unguarded().await).await?;
        let mut verification = Verification::new(head, unguarded);
        let all = self.for_each(&filter, |row| {
            verification.read(row);
            Ok(())
        });
        all.await?;
        Ok(verification.finish())
    }

    /// Writes the wanted rows as JSON Lines; returns their number.
    ///
    /// # Errors
    /// The database's, [`LedgerError::Row`] for a row that holds no JSON, or [`LedgerError::Export`].
    pub async fn export(&self, filter: &Filter, out: &mut dyn std::io::Write) -> Result<u64> {
        let mut rows = 0;
        let all = self.for_each(filter, |row| {
            rows += 1;
            let mut line = row.line()?;
            line.push('\n');
            out.write_all(line.as_bytes()).map_err(LedgerError::Export)
        });
        all.await?;
        Ok(rows)
    }

    /// Closes the connection. A ledger that is merely dropped has lost nothing either.
    pub async fn close(self) {
        if let Some(open) = self.connection.into_inner() {
            open.connection.close().await;
        }
    }
}

/// A row that waits for its place in the chain.
struct Draft<'a> {
    id: String,
    event: &'a NewEvent,
    at: String,
    payload: String,
}

async fn written(
    connection: &mut Connection,
    rows: &[Draft<'_>],
) -> Result<Vec<Appended>, sqlx::Error> {
    let mut appended = Vec::with_capacity(rows.len());
    for chain in rows.chunk_by(|a, b| a.event.project == b.event.project) {
        let Some(first) = chain.first() else { continue };
        let project = first.event.project.as_str();
        let mut tx = connection.begin(project).await?;
        let (mut sequence, mut previous) =
            tx.last(project).await?.unwrap_or((0, GENESIS.to_owned()));
        for draft in chain {
            if let Some((sequence, digest)) = tx.find(&draft.id).await? {
                appended.push(Appended {
                    sequence,
                    id: draft.id.clone(),
                    digest,
                });
                continue;
            }
            sequence += 1;
            let row = ChainRow {
                sequence: sequence.cast_unsigned(),
                id: &draft.id,
                project,
                job: draft.event.job.as_str(),
                attempt: draft.event.attempt,
                at: &draft.at,
                kind: draft.event.payload.kind().as_str(),
                payload: &draft.payload,
                previous: &previous,
            };
            let digest = row.digest();
            tx.insert(&row, &digest).await?;
            appended.push(Appended {
                sequence,
                id: draft.id.clone(),
                digest: digest.clone(),
            });
            previous = digest;
        }
        tx.commit().await?;
    }
    Ok(appended)
}

fn now_ms() -> u64 {
    u64::try_from(unix_nanos_now() / NANOS_PER_MS).unwrap_or_default()
}

/// A UUID of version 7: the time, then randomness.
fn new_id(at_ms: u64) -> String {
    let nanos = u32::try_from(at_ms % 1_000 * 1_000_000).unwrap_or_default();
    let time = Timestamp::from_unix(NoContext, at_ms / 1_000, nanos);
    Uuid::new_v7(time).to_string()
}
