//! `completions`: what clap knows of the command line, for a shell.

use super::args::Cli;
use super::failure::Failure;
use super::output::stdout;
use clap::CommandFactory as _;
use clap_complete::Shell;
use vibey_context_contracts::exit;

/// Prints a completion script.
pub(super) fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "vibey-conductor", &mut bytes);
    stdout(bytes)?;
    Ok(exit::DONE)
}
