//! `ledger list`, `ledger show`, `ledger verify` and `ledger export`.

mod text;

use super::failure::Failure;
use super::output::{json_line, note, stdout};
use super::place::{Meant, block_on};
use crate::ledger::error::LedgerError;
use crate::ledger::read::{Filter, StoredEvent};
use crate::ledger::{Ledger, Result as LedgerResult};
use clap::{Args, Subcommand, ValueEnum};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use vibey_context_contracts::conductor::event::Kind;
use vibey_context_contracts::conductor::id::ProjectId;
use vibey_context_contracts::digest::is_sha256_hex;
use vibey_context_contracts::exit;
use vibey_context_contracts::time;

/// Arguments of `ledger`.
#[derive(Debug, Args)]
pub struct LedgerArgs {
    /// What to do with it
    #[command(subcommand)]
    pub command: LedgerCommand,
}

/// One variant for each command of the ledger.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// List rows, one a line
    List(ListArgs),
    /// Show rows with all that they say
    Show(ShowArgs),
    /// Check that no row was changed, removed or exchanged
    Verify(VerifyArgs),
    /// Print every row as a line of JSON
    Export(ExportArgs),
}

/// Arguments of `ledger list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Which rows
    #[command(flatten)]
    pub rows: RowArgs,
    /// List rows of this kind alone
    #[arg(long)]
    pub kind: Option<KindArg>,
    /// Print rows as lines of JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ledger show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Id or digest of a row, or id of a job
    #[arg(value_name = "ID")]
    pub id: String,
    /// Show rows of this project alone
    #[arg(long, value_name = "ID")]
    pub project_id: Option<String>,
    /// Print rows as lines of JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ledger verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Check the chain of this project alone
    #[arg(long, value_name = "ID")]
    pub project_id: Option<String>,
    /// Check that this digest, printed by an append with --json, is still there
    #[arg(long, value_name = "DIGEST")]
    pub head: Option<String>,
    /// Print the verdict as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ledger export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Which rows
    #[command(flatten)]
    pub rows: RowArgs,
    /// Report errors as JSON; rows are JSON anyway
    #[arg(long)]
    pub json: bool,
}

/// Which rows are wanted.
#[derive(Debug, Args)]
pub struct RowArgs {
    /// Take rows of this project alone
    #[arg(long, value_name = "ID")]
    pub project_id: Option<String>,
    /// Take rows of this job alone
    #[arg(long, value_name = "ID")]
    pub job: Option<String>,
    /// Take rows from this time on, such as 2026-11-30 or 2026-11-30T08:00:00Z
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
}

/// [`Kind`], as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum KindArg {
    /// The compiler was asked for a packet
    ArtifactProduced,
    /// It was not asked, though the mode is not off
    Skipped,
    /// An attempt ended
    Outcome,
}

impl From<KindArg> for Kind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::ArtifactProduced => Self::ArtifactProduced,
            KindArg::Skipped => Self::Skipped,
            KindArg::Outcome => Self::Outcome,
        }
    }
}

impl LedgerArgs {
    /// Whether errors go to standard output as JSON.
    #[must_use]
    pub fn json(&self) -> bool {
        match &self.command {
            LedgerCommand::List(args) => args.json,
            LedgerCommand::Show(args) => args.json,
            LedgerCommand::Verify(args) => args.json,
            LedgerCommand::Export(args) => args.json,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &LedgerArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    // What is typed is checked before anything is opened.
    let task = Task::of(&args.command)?;
    let (dir, config) = meant.project(Path::new("."))?;
    let location = meant.ledger(&dir, &config)?;
    block_on(async {
        let ledger = Ledger::open_existing(&location).await?;
        let code = task.run(&ledger).await?;
        ledger.close().await;
        Ok(code)
    })?
}

/// A command whose words make sense.
enum Task<'a> {
    List(Filter, &'a ListArgs),
    Show(Filter, &'a ShowArgs),
    Verify(&'a VerifyArgs),
    Export(Filter),
}

impl<'a> Task<'a> {
    fn of(command: &'a LedgerCommand) -> Result<Self, Failure> {
        Ok(match command {
            LedgerCommand::List(args) => {
                let filter = Filter {
                    kind: args.kind.map(Kind::from),
                    ..args.rows.filter()?
                };
                Self::List(filter, args)
            }
            LedgerCommand::Show(args) => Self::Show(of_project(args.project_id.as_deref())?, args),
            LedgerCommand::Verify(args) => {
                of_project(args.project_id.as_deref())?;
                if args
                    .head
                    .as_deref()
                    .is_some_and(|head| !is_sha256_hex(head))
                {
                    let help = "name the 64 hexadecimal characters of `head`, as an append with --json prints it";
                    return Err(Failure::new("usage", "--head is no digest", help));
                }
                Self::Verify(args)
            }
            LedgerCommand::Export(args) => Self::Export(args.rows.filter()?),
        })
    }

    async fn run(&self, ledger: &Ledger) -> Result<u8, Failure> {
        match self {
            Self::List(filter, args) => {
                let rows = each(ledger, filter, |row| match args.json {
                    true => row.line(),
                    false => Ok(text::line(row)),
                });
                if rows.await? == 0 && !args.json {
                    note(&format!("no such rows in the ledger at {}", ledger.place()));
                }
                Ok(exit::DONE)
            }
            Self::Show(filter, args) => show(ledger, filter, args).await,
            Self::Verify(args) => verify(ledger, args).await,
            Self::Export(filter) => {
                each(ledger, filter, StoredEvent::line).await?;
                Ok(exit::DONE)
            }
        }
    }
}

fn of_project(project: Option<&str>) -> Result<Filter, Failure> {
    Ok(Filter {
        project: project
            .map(ProjectId::new)
            .transpose()?
            .map(|id| id.to_string()),
        ..Filter::default()
    })
}

impl RowArgs {
    fn filter(&self) -> Result<Filter, Failure> {
        Ok(Filter {
            job: self.job.clone(),
            since_ms: since_ms(self.since.as_deref())?,
            ..of_project(self.project_id.as_deref())?
        })
    }
}

/// A time of the command line, in milliseconds since 1970.
pub(super) fn since_ms(text: Option<&str>) -> Result<Option<u64>, Failure> {
    let since = text.map(|text| {
        time::parse(text).ok_or_else(|| {
            let message = format!("`{text}` is no time since 1970");
            let help = "write it as 2026-11-30 or 2026-11-30T08:00:00Z";
            Failure::new("usage", message, help)
        })
    });
    since.transpose()
}

/// Writes a line for each wanted row and returns their number. A reader that has gone away (`| head`) ends it well.
async fn each(
    ledger: &Ledger,
    filter: &Filter,
    line: impl Fn(&StoredEvent) -> LedgerResult<String>,
) -> Result<u64, Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut rows = 0;
    let written = ledger.for_each(filter, |row| {
        rows += 1;
        let line = line(row)?;
        writeln!(out, "{line}").map_err(LedgerError::Export)
    });
    let written = written.await;
    let written = written.and_then(|()| out.flush().map_err(LedgerError::Export));
    match written {
        Err(LedgerError::Export(error)) if error.kind() == ErrorKind::BrokenPipe => {}
        other => other?,
    }
    Ok(rows)
}

async fn show(ledger: &Ledger, filter: &Filter, args: &ShowArgs) -> Result<u8, Failure> {
    let mut found = Vec::new();
    let all = ledger.for_each(filter, |row| {
        if [&row.id, &row.digest, &row.job].contains(&&args.id) {
            found.push(row.clone());
        }
        Ok(())
    });
    all.await?;
    if found.is_empty() {
        let message = format!(
            "no row of the ledger at {} has the id or job `{}`",
            ledger.place(),
            args.id
        );
        let help = "`vibey-conductor ledger list` lists the rows";
        return Err(Failure::new("ledger_row_unknown", message, help));
    }
    for row in &found {
        match args.json {
            true => stdout(row.line()? + "\n")?,
            false => stdout(text::block(row)?)?,
        }
    }
    Ok(exit::DONE)
}

async fn verify(ledger: &Ledger, args: &VerifyArgs) -> Result<u8, Failure> {
    let verdict = ledger
        .verify(args.project_id.as_deref(), args.head.as_deref())
        .await?;
    match args.json {
        true => json_line(&verdict)?,
        false => stdout(text::verdict(&verdict))?,
    }
    Ok(if verdict.whole {
        exit::DONE
    } else {
        exit::STRUCTURED
    })
}
