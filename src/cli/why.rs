//! `why`.

use super::args::WhyArgs;
use super::failure::Failure;
use super::locate::Meant;
use super::output::stdout;
use super::packet::read_request;
use crate::packet::compile::Compile;
use vibey_context_contracts::exit;
use vibey_context_contracts::request::BUDGET_DEFAULT;
use vibey_context_contracts::request::parse::check_budget;

/// Runs the command.
pub(super) fn run(args: &WhyArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    if let Some(budget) = args.budget {
        check_budget(budget)
            .map_err(|error| Failure::new(error.code, error.message, error.help))?;
    }
    let parsed = read_request(&args.request, &meant.surroundings.cwd)?;
    let opened = meant.open(args.index.as_deref())?;
    let task = Compile {
        reader: &opened.reader,
        index: &opened.manifest,
        request: &parsed.request,
        warnings: parsed.warnings,
        budget: args
            .budget
            .or(parsed.request.maximum_context_tokens)
            .unwrap_or(BUDGET_DEFAULT),
        tokenizer: args.tokenizer,
        rejected: &|| opened.rejected(),
    };
    stdout(&crate::packet::why::why(task, &args.skill)?)?;
    Ok(exit::DONE)
}
