//! From the words of the command line to an exit code.

use super::args::{Cli, Command};
use super::failure::Failure;
use super::output;
use super::place::Meant;
use super::surroundings::Surroundings;
use super::{batch, generated, implement, ledger, new, outcome, report, reproduce};
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use std::ffi::OsString;
use vibey_context_contracts::exit;
use vibey_context_host::signals::outlive_file_limit;

/// Runs a command line and says with which code the process ends.
pub fn run(words: impl Iterator<Item = OsString>) -> u8 {
    // Where that is refused, a file that is too large ends us, as it would any program.
    let _ = outlive_file_limit();
    let words: Vec<OsString> = words.collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, &words),
    };
    let json = cli.command.json();
    match dispatch(&cli) {
        Ok(code) => code,
        Err(failure) => {
            tell(&failure, json);
            failed(matches!(
                cli.command,
                Command::Implement(_) | Command::Run(_)
            ))
        }
    }
}

fn dispatch(cli: &Cli) -> Result<u8, Failure> {
    // What needs nothing of its surroundings works where everything else is broken.
    if let Command::Completions { shell } = &cli.command {
        return generated::completions(*shell);
    }
    let surroundings = Surroundings::read();
    let meant = Meant {
        project: cli.project.as_deref(),
        surroundings: &surroundings,
    };
    match &cli.command {
        Command::New(args) => new::run(args, &meant),
        Command::Implement(args) => implement::run(args, &meant),
        Command::Run(args) => batch::run(args, &meant),
        Command::Outcome(args) => outcome::run(args, &meant),
        Command::Ledger(args) => ledger::run(args, &meant),
        Command::Report(args) => report::run(args, &meant),
        Command::Reproduce(args) => reproduce::run(args, &meant),
        Command::Completions { .. } => Ok(exit::DONE),
    }
}

/// What this program's own failure ends with: where an engine's codes come back, none of them must stand for it.
fn failed(passes_codes_on: bool) -> u8 {
    match passes_codes_on {
        true => exit::SHIM_FAILED,
        false => exit::FAILED,
    }
}

/// Help and version are no failures. Everything else that clap refuses ends with our codes: its own 2 would read as a
/// structured result.
fn usage(error: &clap::Error, words: &[OsString]) -> u8 {
    let text = error.render().to_string();
    // The first command of ours that stands in the line, though the line as a whole is none.
    let matches = Cli::command()
        .ignore_errors(true)
        .try_get_matches_from(words);
    let command = matches
        .ok()
        .and_then(|found| found.subcommand_name().map(str::to_owned));
    let code = failed(matches!(command.as_deref(), Some("implement" | "run")));
    if !error.use_stderr() {
        return match output::stdout(&text) {
            Ok(()) => exit::DONE,
            Err(failure) => {
                tell(&failure, false);
                code
            }
        };
    }
    let ours = words.split(|word| word == "--").next().unwrap_or_default();
    if ours.iter().any(|word| word == "--json") {
        let message = text.lines().next().unwrap_or_default();
        let message = message.trim_start_matches("error: ");
        tell(
            &Failure::new(
                "usage",
                message,
                "`vibey-conductor --help` lists the commands",
            ),
            true,
        );
    } else {
        output::stderr(&text);
        if error.kind() == ErrorKind::UnknownArgument {
            match command.as_deref() {
                Some("implement") => {
                    output::note("  tip: the engine and its arguments stand behind `--`")
                }
                Some("run") => {
                    output::note("  tip: `run` writes final prompts and starts no engine")
                }
                _ => {}
            }
        }
    }
    code
}

fn tell(failure: &Failure, json: bool) {
    if !json || output::json(&failure.report()).is_err() {
        output::stderr(&failure.text());
    }
}
