//! `why`.

use super::args::WhyArgs;
use super::failure::Failure;
use super::locate::Meant;
use super::output::stdout;
use super::packet::read_request;
use crate::packet::compile::Compile;
use crate::text::tokens::Tokenizer;
use vibey_context_contracts::exit;
use vibey_context_contracts::request::BUDGET_DEFAULT;

/// Runs the command.
pub(super) fn run(args: &WhyArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let parsed = read_request(&args.request, &meant.surroundings.cwd)?;
    let opened = meant.open(args.index.as_deref())?;
    let task = Compile {
        reader: &opened.reader,
        index: &opened.manifest,
        request: &parsed.request,
        warnings: parsed.warnings,
        budget: parsed
            .request
            .maximum_context_tokens
            .unwrap_or(BUDGET_DEFAULT),
        tokenizer: Tokenizer::Estimate,
        rejected: &|| opened.rejected(),
    };
    stdout(&crate::packet::why::why(task, &args.skill)?)?;
    Ok(exit::DONE)
}
