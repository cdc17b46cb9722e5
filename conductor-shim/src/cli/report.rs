//! `report`.

use super::failure::Failure;
use super::ledger::since_ms;
use super::output::{json, note, stdout};
use super::outputs::{kept, refuse_kept};
use super::place::{Meant, block_on};
use crate::compiler::Compiler;
use crate::ledger::Ledger;
use crate::ledger::read::Filter;
use crate::report::gather::{Asked, Gathered};
use crate::report::html::html;
use crate::report::table::table;
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vibey_context_contracts::conductor::config::SkillsContext;
use vibey_context_contracts::conductor::money::micro_usd;
use vibey_context_contracts::conductor::report::{Dimension, Report};
use vibey_context_contracts::exit;
use vibey_context_contracts::time::rfc3339;
use vibey_context_contracts::visible::in_one_line;
use vibey_context_host::write::deliver;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Count rows from this time on, such as 2026-11-30 or 2026-11-30T08:00:00Z
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Show figures by this alone [default: by each of them]
    #[arg(long)]
    pub by: Option<ByArg>,
    /// Price of a million packet tokens in US dollars, with at most six decimals
    #[arg(long, value_name = "USD", default_value = "0")]
    pub price_per_mtok: String,
    /// Print JSON
    #[arg(long, conflicts_with = "html")]
    pub json: bool,
    /// Write a page with charts to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// [`Dimension`], as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ByArg {
    /// Phase of the job
    Phase,
    /// Skill in the packet
    Skill,
    /// Mode of the job
    Mode,
}

impl From<ByArg> for Dimension {
    fn from(by: ByArg) -> Self {
        match by {
            ByArg::Phase => Self::Phase,
            ByArg::Skill => Self::Skill,
            ByArg::Mode => Self::Mode,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &ReportArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let since_ms = since_ms(args.since.as_deref())?;
    let price_micro_usd_per_mtok = micro_usd(&args.price_per_mtok).ok_or_else(|| {
        let message = format!("`{}` is no price in dollars", args.price_per_mtok);
        Failure::new("usage", message, "write it as 3 or 0.25")
    })?;
    let (dir, config) = meant.project(Path::new("."))?;
    let location = meant.ledger(&dir, &config)?;
    let filter = Filter {
        since_ms,
        ..Filter::default()
    };
    let report = block_on(async {
        let ledger = Ledger::open_existing(&location).await?;
        let mut gathered = Gathered::default();
        let all = ledger.for_each(&filter, |row| {
            gathered.read(row);
            Ok(())
        });
        all.await?;
        ledger.close().await;
        let asked = Asked {
            since: since_ms.map(rfc3339),
            by: args.by.map(Dimension::from),
            price_micro_usd_per_mtok,
            indexed: indexed(&dir, &config.skills_context, meant).await,
        };
        Ok::<Report, Failure>(gathered.report(&asked))
    })??;
    match &args.html {
        Some(path) => page(&report, path, &kept(&dir, &config))?,
        None if args.json => json(&report)?,
        None => {
            let text = table(&report);
            let lines = text.lines().map(|line| in_one_line(line) + "\n");
            stdout(lines.collect::<String>())?;
        }
    }
    Ok(exit::DONE)
}

/// The skills in the project's index. A report is worth reading without them, so that a failure is a note.
async fn indexed(
    dir: &Path,
    config: &SkillsContext,
    meant: &Meant<'_>,
) -> Option<BTreeSet<String>> {
    let compiler = Compiler::new(dir, config, &meant.surroundings.variables, None);
    if !compiler.index_path().is_dir() {
        return None;
    }
    match compiler.skills().await {
        Ok(skills) => Some(skills),
        Err(failure) => {
            let reason = failure.message;
            note(&format!(
                "note: skills that were never selected are unknown: {reason}"
            ));
            None
        }
    }
}

fn page(report: &Report, path: &Path, kept: &[PathBuf]) -> Result<(), Failure> {
    refuse_kept(path, kept)?;
    let page = html(report).map_err(|error| {
        Failure::new(
            "internal",
            error.to_string(),
            "report this with the ledger that shows it",
        )
    })?;
    deliver(path, page.as_bytes())?;
    note(&format!("report is in `{}`", path.display()));
    Ok(())
}
