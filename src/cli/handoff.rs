//! `handoff`: from the words to a desk, from a report to standard output and an exit code.

pub(super) mod args;
mod browser;

use super::failure::Failure;
use super::now::now_ms;
use super::output::{json, stdout};
use super::surroundings::Surroundings;
use crate::handoff::command::transition::Move;
use crate::handoff::command::{
    finish, pause, redraw, refresh, report, restart, resume, status, transition, validate,
};
use crate::handoff::desk::{Desk, folder, usual_home};
use args::{Asked, CommonArgs, HandoffAction, HandoffArgs};
use uuid::Uuid;
use vibey_context_contracts::exit;
use vibey_context_contracts::handoff::name::ProjectName;
use vibey_context_contracts::handoff::report::{HandoffReport, Outcome};

/// Runs the command. Whatever fails ends with 2: 1 says that artifacts are not good enough.
pub(super) fn run(args: &HandoffArgs, surroundings: &Surroundings) -> Result<u8, Failure> {
    report_of(args, surroundings).map_err(|failure| failure.ending_with(exit::USAGE))
}

fn report_of(args: &HandoffArgs, surroundings: &Surroundings) -> Result<u8, Failure> {
    let asked = args.asked();
    let desk = desk(&asked, surroundings)?;
    let report = carry_out(&args.action, &desk)?;
    if let HandoffAction::Dashboard(args) = &args.action
        && args.open
    {
        browser::open(&desk.dashboard_path(), surroundings)?;
    }
    if asked.common.json {
        json(&report)?;
    } else {
        stdout(&report::text(&report))?;
    }
    Ok(match report.outcome {
        Outcome::Done => exit::DONE,
        Outcome::ValidationFailed => exit::FAILED,
    })
}

fn carry_out(action: &HandoffAction, desk: &Desk) -> Result<HandoffReport, Failure> {
    let report = match action {
        HandoffAction::Transition(args) => {
            let asked = Move {
                from: &args.from,
                to: &args.to,
                pipeline: args.pipeline.as_deref(),
                step: args.step,
                force: args.force,
            };
            transition::transition(desk, &asked)
        }
        HandoffAction::Resume(_) => resume::resume(desk),
        HandoffAction::Refresh(_) => refresh::refresh(desk),
        HandoffAction::Restart(args) => restart::restart(desk, &args.phase),
        HandoffAction::Validate(args) => {
            validate::validate(desk, args.pipeline.as_deref(), args.phase.as_deref())
        }
        HandoffAction::Finish(_) => finish::finish(desk),
        HandoffAction::Pause(_) => pause::pause(desk),
        HandoffAction::Status(_) => status::status(desk),
        HandoffAction::Dashboard(_) => redraw::redraw(desk),
    };
    Ok(report?)
}

fn desk(asked: &Asked<'_>, surroundings: &Surroundings) -> Result<Desk, Failure> {
    let CommonArgs {
        project,
        project_path,
        home,
        now,
        id,
        ..
    } = asked.common;
    let project = ProjectName::new(project).map_err(|error| {
        Failure::new(
            "project_name",
            error.to_string(),
            "name the project by letters, digits, `.`, `_`, `-`",
        )
    })?;
    let user_home = surroundings
        .home
        .as_ref()
        .map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
    let home = match (home, &user_home) {
        (Some(home), _) => vibey_context_host::path::resolve(&surroundings.cwd.join(home))?,
        (None, Some(user_home)) => usual_home(user_home),
        (None, None) => {
            return Err(Failure::new(
                "home_missing",
                "there is no home folder to keep the state in",
                "name a folder with `--home`",
            ));
        }
    };
    let new_id = match id {
        Some(text) => Uuid::parse_str(text).map_err(|_| {
            Failure::new(
                "id_invalid",
                "`--id` is no UUID",
                "write 32 hexadecimal digits in groups of 8-4-4-4-12",
            )
        })?,
        None => Uuid::new_v4(),
    };
    Ok(Desk {
        project,
        project_path: folder(&surroundings.cwd.join(project_path))?,
        user_home,
        home,
        now_ms: now_ms(now.as_deref())?,
        new_id: new_id.to_string(),
        tokenizer: asked.tokenizer,
        adopt_path: asked.adopt_path,
    })
}
