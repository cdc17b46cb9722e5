//! `new`.

use super::args::NewArgs;
use super::failure::Failure;
use super::output::{json, note, stdout};
use super::place::Meant;
use crate::compiler::Compiler;
use crate::project::config::change;
use serde::Serialize;
use std::path::Path;
use vibey_context_contracts::conductor::config::{Change, Mode};
use vibey_context_contracts::exit;
use vibey_context_contracts::version::SCHEMA_VERSION;

/// What `new --json` prints.
#[derive(Serialize)]
struct Written<'a> {
    schema_version: u32,
    path: &'a str,
    mode: Mode,
    budget: u64,
}

/// Runs the command.
pub(super) fn run(args: &NewArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let dir = meant.project_dir(Path::new("."))?;
    let wanted = Change {
        mode: args.skills_context_mode.map(Mode::from),
        budget: args.skills_context_budget,
    };
    let (path, config) = change(&dir, &meant.surroundings.variables, wanted)?;
    let context = &config.skills_context;
    let missing = Compiler::new(&dir, context, &meant.surroundings.variables, None).missing();
    if let (Some(failure), true) = (missing, context.mode != Mode::Off) {
        note(&format!(
            "warning: {}; until it is, jobs get no packets",
            failure.message
        ));
        note(&format!("help: {}", failure.help()));
    }
    if args.json {
        json(&Written {
            schema_version: SCHEMA_VERSION,
            path: &path.to_string_lossy(),
            mode: context.mode,
            budget: context.budget,
        })?;
    } else {
        let (mode, budget) = (context.mode.as_str(), context.budget);
        stdout(format!(
            "{}: mode {mode}, budget {budget} tokens\n",
            path.display()
        ))?;
    }
    Ok(exit::DONE)
}
