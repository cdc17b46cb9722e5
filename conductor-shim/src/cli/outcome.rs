//! `outcome`.

use super::args::OutcomeArgs;
use super::failure::Failure;
use super::output::{json, note, stdout};
use super::place::{Meant, block_on};
use crate::ledger::read::Filter;
use crate::ledger::{Appended, Ledger};
use serde::Serialize;
use std::path::Path;
use vibey_context_contracts::conductor::event::{Kind, NewEvent, Outcome, Payload};
use vibey_context_contracts::conductor::id::{JobId, ProjectId};
use vibey_context_contracts::conductor::money::micro_usd;
use vibey_context_contracts::exit;
use vibey_context_contracts::version::SCHEMA_VERSION;

/// What `outcome --json` prints.
#[derive(Serialize)]
struct Recorded<'a> {
    schema_version: u32,
    job: &'a str,
    project: &'a str,
    attempt: u32,
    sequence: i64,
    head: &'a str,
}

/// Runs the command.
pub(super) fn run(args: &OutcomeArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let job = JobId::new(&args.job)?;
    let project = args.project_id.as_deref().map(ProjectId::new).transpose()?;
    let outcome = Outcome {
        cost_micro_usd: args.cost.as_deref().map(cost).transpose()?,
        turns: args.turns,
        retries: args.retries,
        tokens: args.tokens,
        ..Outcome::new(args.result.into())
    };
    let (dir, config) = meant.project(Path::new("."))?;
    let location = meant.ledger(&dir, &config)?;
    let (project, row, is_known) = block_on(async {
        // An outcome is that of a job which the ledger knows.
        let ledger = Ledger::open_existing(&location).await?;
        let project = match project {
            Some(project) => project,
            None => only_project(&ledger, &job).await?,
        };
        let event = NewEvent {
            project: project.clone(),
            job: job.clone(),
            attempt: args.attempt,
            payload: Payload::Outcome(outcome),
        };
        let row = ledger.append(&event).await?;
        let is_known = has_packet(&ledger, &event).await?;
        ledger.close().await;
        Ok::<(ProjectId, Appended, bool), Failure>((project, row, is_known))
    })??;
    if !is_known {
        let attempt = args.attempt;
        note(&format!(
            "note: the ledger has no packet of job `{job}`, attempt {attempt}; a report counts no outcome without one"
        ));
    }
    if args.json {
        json(&Recorded {
            schema_version: SCHEMA_VERSION,
            job: job.as_str(),
            project: project.as_str(),
            attempt: args.attempt,
            sequence: row.sequence,
            head: &row.digest,
        })?;
    } else {
        stdout(format!(
            "recorded as row {} of project `{project}`\n",
            row.sequence
        ))?;
    }
    Ok(exit::DONE)
}

fn cost(text: &str) -> Result<u64, Failure> {
    micro_usd(text).ok_or_else(|| {
        let message = format!("`{text}` is no amount in US dollars");
        Failure::new(
            "usage",
            message,
            "write it as 0.1234, with at most six decimals",
        )
    })
}

/// Whether the compiler was asked for a packet of the attempt that ended.
async fn has_packet(ledger: &Ledger, ended: &NewEvent) -> Result<bool, Failure> {
    let filter = Filter {
        project: Some(ended.project.to_string()),
        job: Some(ended.job.to_string()),
        kind: Some(Kind::ArtifactProduced),
        ..Filter::default()
    };
    let mut found = false;
    let rows = ledger.for_each(&filter, |row| {
        found |= row.attempt == i64::from(ended.attempt);
        Ok(())
    });
    rows.await?;
    Ok(found)
}

/// The one project whose rows name the job.
async fn only_project(ledger: &Ledger, job: &JobId) -> Result<ProjectId, Failure> {
    let projects = ledger.projects_of(job.as_str()).await?;
    match &projects[..] {
        [one] => Ok(ProjectId::new(one)?),
        [] => {
            let message = format!("the ledger at {} knows no job `{job}`", ledger.place());
            Err(Failure::new(
                "job_unknown",
                message,
                "check the id, or name the project with --project-id",
            ))
        }
        several => {
            let message = format!(
                "job `{job}` is one of {} projects: {}",
                several.len(),
                several.join(", ")
            );
            Err(Failure::new(
                "job_ambiguous",
                message,
                "name the project with --project-id",
            ))
        }
    }
}
