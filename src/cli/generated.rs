//! `completions` and `man`: what clap knows of the command line, in other forms.

use super::args::Cli;
use super::failure::Failure;
use super::output::stdout;
use clap::CommandFactory as _;
use clap_complete::Shell;
use vibey_context_contracts::exit;

/// Prints a completion script.
pub(super) fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "vibey-context", &mut bytes);
    stdout(&String::from_utf8_lossy(&bytes))?;
    Ok(exit::DONE)
}

/// Prints the manual page: the program's own, then a section for each command.
pub(super) fn man() -> Result<u8, Failure> {
    let mut bytes = Vec::new();
    let mut command = Cli::command();
    command.build();
    let render = |command: &clap::Command, bytes: &mut Vec<u8>| {
        clap_mangen::Man::new(command.clone())
            .render(bytes)
            .map_err(|error| {
                Failure::new(
                    "internal",
                    format!("manual page cannot be written: {error}"),
                    "report this",
                )
            })
    };
    render(&command, &mut bytes)?;
    for sub in command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
    {
        render(sub, &mut bytes)?;
    }
    stdout(&String::from_utf8_lossy(&bytes))?;
    Ok(exit::DONE)
}
