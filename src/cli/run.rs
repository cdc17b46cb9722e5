//! From the words of the command line to an exit code.

use super::args::{Cli, Command};
use super::failure::Failure;
use super::locate::{Choice, Meant};
use super::output;
use super::surroundings::Surroundings;
use super::words::meant;
use super::{
    check, clean, contract, doctor, evaluate, generated, handoff, index, list, markers,
    materialize, mcp, packet, reproduce, search, why,
};
use clap::Parser as _;
use clap::error::{ContextKind, ContextValue};
use std::ffi::OsString;
use vibey_context_contracts::exit;
use vibey_context_host::signals::outlive_file_limit;

/// Runs a command line and says with which code the process ends.
pub fn run(words: impl Iterator<Item = OsString>) -> u8 {
    // Where that is refused, a file that is too large ends us, as it would any program.
    let _ = outlive_file_limit();
    let words: Vec<OsString> = words.collect();
    let cli = match Cli::try_parse_from(&words) {
        // What says where skills are has no meaning there, and `markers` takes nothing that has none.
        Ok(cli)
            if cli.command.is_markers()
                && (cli.embedded || cli.no_project_file || !cli.skills.is_empty()) =>
        {
            return markers::refuse(&words);
        }
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && is_markers(&words) => {
            return markers::refuse(&words);
        }
        Err(error) => return usage(error, &words),
    };
    let json = cli.command.json();
    match dispatch(&cli) {
        Ok(code) => code,
        Err(failure) => report(&failure, json),
    }
}

fn is_markers(words: &[OsString]) -> bool {
    meant(words).first().is_some_and(|name| name == "markers")
}

fn dispatch(cli: &Cli) -> Result<u8, Failure> {
    // Commands that need nothing of their surroundings work where everything else is broken.
    match &cli.command {
        Command::Contract(args) => return contract::run(args),
        Command::Completions { shell } => return generated::completions(*shell),
        Command::Man => return generated::man(),
        _ => {}
    }
    let surroundings = Surroundings::read();
    let choice = Choice {
        skills: &cli.skills,
        embedded: cli.embedded,
        no_project_file: cli.no_project_file,
    };
    let meant = Meant::new(choice, &surroundings);
    match &cli.command {
        Command::Index(args) => index::run(args, &meant),
        Command::Packet(args) => packet::run(args, &meant),
        Command::Materialize(args) => materialize::run(args, &surroundings),
        Command::Search(args) => search::run(args, &meant),
        Command::Reproduce(args) => reproduce::run(args, &meant),
        Command::Why(args) => why::run(args, &meant),
        Command::Evaluate(args) => evaluate::run(args, &meant),
        Command::List(args) => list::run(args, &meant),
        Command::Check(args) => check::run(args, &meant),
        Command::Doctor(args) => doctor::run(args, &meant),
        Command::Clean(args) => clean::run(args, &meant),
        Command::Handoff(args) => handoff::run(args, &surroundings),
        Command::Mcp(args) => mcp::run(args, &meant),
        Command::Markers(args) => Ok(markers::run(args, &surroundings)),
        Command::Contract(_) | Command::Completions { .. } | Command::Man => Ok(exit::DONE),
    }
}

/// Help and version are no failures. Everything else that clap refuses ends with the command's code for usage, which is
/// 1 for most: clap's own 2 would read as a structured result.
fn usage(mut error: clap::Error, words: &[OsString]) -> u8 {
    let meant = meant(words);
    let code = exit::usage_of(meant.first().map(String::as_str));
    // No argument of ours is meant to start with hyphens: the tip to pass a misspelt option as a value misleads.
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains("as a value"));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    if !error.use_stderr() {
        return match output::stdout(&error.render().to_string()) {
            Ok(()) => exit::DONE,
            Err(failure) => report(&failure.ending_with(code), false),
        };
    }
    let text = error.render().to_string();
    if words.iter().any(|word| word == "--json") {
        // What follows the first paragraph is usage and tips; possible values and missing arguments belong to it.
        let lines = text.lines().take_while(|line| !line.trim().is_empty());
        let paragraph: Vec<&str> = lines.map(str::trim).collect();
        let message = paragraph.join(" ").trim_start_matches("error: ").to_owned();
        let help = match meant.as_slice() {
            [] => "`vibey-context --help` lists the commands".to_owned(),
            names => format!("see `vibey-context {} --help`", names.join(" ")),
        };
        let failure = Failure::new("usage", message, help).ending_with(code);
        return report(&failure, true);
    }
    output::stderr(&text);
    code
}

fn report(failure: &Failure, json: bool) -> u8 {
    if json && output::json(&failure.report()).is_ok() {
        return failure.exit();
    }
    output::stderr(&failure.text());
    failure.exit()
}
