//! `why`.

use super::args::WhyArgs;
use super::failure::Failure;
use super::locate::{Budget, Meant, Opened};
use super::output::stdout;
use super::packet::read_request;
use crate::packet::compile::Compile;
use crate::text::tokens::Tokenizer;
use vibey_context_contracts::exit;
use vibey_context_contracts::request::parse::{Parsed, check_budget};

/// Runs the command.
pub(super) fn run(args: &WhyArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    if let Some(budget) = args.budget {
        check_budget(budget)
            .map_err(|error| Failure::new(error.code, error.message, error.help))?;
    }
    let parsed = read_request(&args.request, &meant.surroundings.cwd)?;
    let budget = meant.budget(args.budget, &parsed.request)?;
    let opened = meant.open(args.index.as_deref())?;
    stdout(&report(
        &args.skill,
        parsed,
        &opened,
        &budget,
        args.tokenizer,
    )?)?;
    Ok(exit::DONE)
}

/// Why a skill is in the packet of a request, or is not.
pub(super) fn report(
    skill: &str,
    parsed: Parsed,
    opened: &Opened,
    budget: &Budget,
    tokenizer: Tokenizer,
) -> Result<String, Failure> {
    let task = Compile {
        reader: &opened.reader,
        index: &opened.manifest,
        request: &parsed.request,
        warnings: parsed.warnings,
        budget: budget.tokens,
        tokenizer,
        rejected: &|| opened.rejected(),
    };
    Ok(crate::packet::why::why(task, skill)?)
}
