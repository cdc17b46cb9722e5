//! Rows of a ledger, page by page.

use super::connection::{Connection, on};
use super::error::LedgerError;
use sqlx::{AssertSqlSafe, Row as _};
use vibey_context_contracts::conductor::event::{ChainRow, Event, Kind, Payload};
use vibey_context_contracts::conductor::verdict::Head;

/// Rows that are read at once: some megabytes at most, and few enough round trips.
pub(super) const PAGE: i64 = 2_000;

/// Which rows are wanted; `None` stands for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of one project.
    pub project: Option<String>,
    /// Of jobs with this id.
    pub job: Option<String>,
    /// Of this kind.
    pub kind: Option<Kind>,
    /// Appended at this time or later, in milliseconds since 1970.
    pub since_ms: Option<u64>,
}

/// A row as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Position in the project's chain, from 1.
    pub sequence: i64,
    /// UUID version 7.
    pub id: String,
    /// Whose chain it is in.
    pub project: String,
    /// The job it is about.
    pub job: String,
    /// The attempt it is about.
    pub attempt: i64,
    /// When it was appended, RFC 3339 in UTC with milliseconds.
    pub at: String,
    /// What it tells of.
    pub kind: String,
    /// Canonical JSON of what it says.
    pub payload: String,
    /// Digest of the row before.
    pub previous: String,
    /// Digest of this row.
    pub digest: String,
}

impl StoredEvent {
    /// The columns that the digest covers; `None` where a number is none that we ever write.
    #[must_use]
    pub fn chain_row(&self) -> Option<ChainRow<'_>> {
        Some(ChainRow {
            sequence: self.sequence.try_into().ok()?,
            id: &self.id,
            project: &self.project,
            job: &self.job,
            attempt: self.attempt.try_into().ok()?,
            at: &self.at,
            kind: &self.kind,
            payload: &self.payload,
            previous: &self.previous,
        })
    }

    /// What the row says.
    ///
    /// # Errors
    /// [`LedgerError::Row`]: the kind or the payload is none that this program knows.
    pub fn payload(&self) -> Result<Payload, LedgerError> {
        let kind = Kind::parse(&self.kind)
            .ok_or_else(|| self.fault(format!("is of the unknown kind `{}`", self.kind)))?;
        Payload::read(kind, &self.payload).map_err(|fault| {
            self.fault(format!("holds no payload of kind `{}`: {fault}", self.kind))
        })
    }

    /// The row as a document.
    ///
    /// # Errors
    /// As [`StoredEvent::payload`].
    pub fn event(&self) -> Result<Event, LedgerError> {
        let payload = self.payload()?;
        let row = self.numbers()?;
        Ok(Event {
            sequence: row.sequence,
            id: self.id.clone(),
            project: self.project.clone(),
            job: self.job.clone(),
            attempt: row.attempt,
            at: self.at.clone(),
            kind: payload.kind(),
            payload,
            previous: self.previous.clone(),
            digest: self.digest.clone(),
        })
    }

    /// The row as one line of canonical JSON, without line break.
    ///
    /// # Errors
    /// [`LedgerError::Row`]: the payload is no JSON in one line.
    pub fn line(&self) -> Result<String, LedgerError> {
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&self.payload).is_ok();
        if !is_json || self.payload.contains(['\n', '\r']) {
            return Err(self.fault("holds no JSON in one line".to_owned()));
        }
        Ok(self.numbers()?.line(&self.digest))
    }

    fn numbers(&self) -> Result<ChainRow<'_>, LedgerError> {
        self.chain_row().ok_or_else(|| {
            self.fault("has a position or an attempt that is out of range".to_owned())
        })
    }

    fn fault(&self, reason: String) -> LedgerError {
        LedgerError::Row {
            project: self.project.clone(),
            sequence: self.sequence,
            reason,
        }
    }
}

impl Connection {
    /// The wanted rows behind `after` (project and position) or from the first one on, at most a page of them, by
    /// project and position.
    pub(super) async fn page(
        &mut self,
        filter: &Filter,
        after: Option<(&str, i64)>,
    ) -> Result<Vec<StoredEvent>, sqlx::Error> {
        let since = filter.since_ms.map(vibey_context_contracts::time::rfc3339);
        // The only texts that become SQL are these. The first page starts before every place that the tables' checks
        // allow: a row that somebody put there is seen.
        let scope = match (&filter.project, after) {
            (Some(_), None) => "project = $1 AND sequence >= $2",
            (Some(_), Some(_)) => "project = $1 AND sequence > $2",
            (None, None) => "(project, sequence) >= ($1, $2)",
            (None, Some(_)) => "(project, sequence) > ($1, $2)",
        };
        let after = after.unwrap_or(("", i64::MIN));
        let sql = format!(
            "SELECT sequence, id, project, job, attempt, at, kind, payload, previous, digest FROM ledger_event \
             WHERE {scope} AND ($3 IS NULL OR job = $3) AND ($4 IS NULL OR kind = $4) AND ($5 IS NULL OR at >= $5) \
             ORDER BY project, sequence LIMIT $6"
        );
        let project = filter.project.as_deref().unwrap_or(after.0);
        on!(self, it => {
            let rows = sqlx::query(AssertSqlSafe(sql))
                .bind(project)
                .bind(after.1)
                .bind(filter.job.as_deref())
                .bind(filter.kind.map(Kind::as_str))
                .bind(since)
                .bind(PAGE)
                .fetch_all(&mut **it)
                .await?;
            rows.iter()
                .map(|row| {
                    Ok(StoredEvent {
                        sequence: row.try_get(0)?,
                        id: row.try_get(1)?,
                        project: row.try_get(2)?,
                        job: row.try_get(3)?,
                        attempt: row.try_get(4)?,
                        at: row.try_get(5)?,
                        kind: row.try_get(6)?,
                        payload: row.try_get(7)?,
                        previous: row.try_get(8)?,
                        digest: row.try_get(9)?,
                    })
                })
                .collect()
        })
    }

    /// The last row of every chain, by project.
    pub(super) async fn heads(&mut self) -> Result<Vec<Head>, sqlx::Error> {
        const HEADS: &str = "SELECT e.project, e.sequence, e.digest FROM ledger_event e \
            JOIN (SELECT project, max(sequence) AS sequence FROM ledger_event GROUP BY project) last \
            ON e.project = last.project AND e.sequence = last.sequence ORDER BY e.project";
        on!(self, it => {
            let rows = sqlx::query(HEADS).fetch_all(&mut **it).await?;
            rows.iter()
                .map(|row| Ok(Head { project: row.try_get(0)?, sequence: row.try_get(1)?, digest: row.try_get(2)? }))
                .collect()
        })
    }

    /// The projects that know a job.
    pub(super) async fn projects_of(&mut self, job: &str) -> Result<Vec<String>, sqlx::Error> {
        const PROJECTS: &str =
            "SELECT DISTINCT project FROM ledger_event WHERE job = $1 ORDER BY project";
        on!(self, it => {
            let rows = sqlx::query(PROJECTS).bind(job).fetch_all(&mut **it).await?;
            rows.iter().map(|row| row.try_get(0)).collect()
        })
    }
}
