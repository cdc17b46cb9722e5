//! `why`.

use super::args::WhyArgs;
use super::failure::Failure;
use super::locate::{Meant, Opened};
use super::output::stdout;
use super::packet::read_request;
use crate::packet::compile::Compile;
use crate::text::tokens::Tokenizer;
use vibey_context_contracts::exit;
use vibey_context_contracts::request::BUDGET_DEFAULT;
use vibey_context_contracts::request::parse::{Parsed, check_budget};

/// Runs the command.
pub(super) fn run(args: &WhyArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    if let Some(budget) = args.budget {
        check_budget(budget)
            .map_err(|error| Failure::new(error.code, error.message, error.help))?;
    }
    let parsed = read_request(&args.request, &meant.surroundings.cwd)?;
    let opened = meant.open(args.index.as_deref())?;
    stdout(&report(
        &args.skill,
        parsed,
        &opened,
        args.budget,
        args.tokenizer,
    )?)?;
    Ok(exit::DONE)
}

/// Why a skill is in the packet of a request, or is not; `budget` beats that of the request.
pub(super) fn report(
    skill: &str,
    parsed: Parsed,
    opened: &Opened,
    budget: Option<u64>,
    tokenizer: Tokenizer,
) -> Result<String, Failure> {
    let budget = budget.or(parsed.request.maximum_context_tokens);
    let task = Compile {
        reader: &opened.reader,
        index: &opened.manifest,
        request: &parsed.request,
        warnings: parsed.warnings,
        budget: budget.unwrap_or(BUDGET_DEFAULT),
        tokenizer,
        rejected: &|| opened.rejected(),
    };
    Ok(crate::packet::why::why(task, skill)?)
}
