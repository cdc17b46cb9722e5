//! `doctor`: what of this installation works here? It looks, and changes nothing.

pub(super) mod args;
mod caches;
mod conductor;
mod index;
mod skills;
mod volumes;

use super::failure::Failure;
use super::locate::Meant;
use super::measures::{age, counted, size};
use super::output::{json, stdout};
use super::surroundings::Surroundings;
use crate::project;
use crate::text::neutralise::plain_line;
use args::DoctorArgs;
use std::fmt::Write as _;
use std::path::Path;
use vibey_context_contracts::exit;
use vibey_context_contracts::upkeep::{Check, DoctorReport, DoctorSummary, State, Topic};
use vibey_context_contracts::version::{Compiler, SCHEMA_VERSION};

/// Runs the command.
pub(super) fn run(args: &DoctorArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    // What other commands say in a note is a check here.
    let quiet = Surroundings {
        notes: false,
        ..meant.surroundings.clone()
    };
    let meant = &Meant::new(meant.choice, &quiet);
    let mut checks = vec![program()];
    checks.extend(home(meant));
    checks.push(project_file(meant));
    let origin = meant.origin();
    checks.extend(skills::look(meant, origin.as_ref()));
    let places = index::look(
        args.index.as_deref(),
        meant,
        origin.as_ref().ok(),
        &mut checks,
    );
    checks.extend(volumes::look(meant, origin.as_ref().ok(), &places));
    checks.extend(caches::look(meant));
    checks.push(conductor::look(args.conductor.as_deref(), meant));
    checks.sort_by_key(|check| check.topic);
    let report = DoctorReport {
        schema_version: SCHEMA_VERSION,
        compiler: Compiler::current(),
        commit: commit(),
        summary: DoctorSummary::of(&checks),
        checks,
    };
    if args.json {
        json(&report)?;
    } else {
        stdout(&text(&report, quiet.colour))?;
    }
    Ok(match report.summary.problems {
        0 => exit::DONE,
        _ => exit::FAILED,
    })
}

/// A check that found nothing to do.
fn fine(topic: Topic, message: impl Into<String>) -> Check {
    Check {
        topic,
        state: State::Ok,
        message: message.into(),
        help: None,
        path: None,
        size_bytes: None,
        count: None,
        age_seconds: None,
    }
}

/// A check that found something that works in another way than one would expect.
fn warning(topic: Topic, message: impl Into<String>, help: impl Into<String>) -> Check {
    Check {
        state: State::Warning,
        help: Some(help.into()),
        ..fine(topic, message)
    }
}

/// A check that found something that does not work.
fn problem(topic: Topic, message: impl Into<String>, help: impl Into<String>) -> Check {
    Check {
        state: State::Problem,
        ..warning(topic, message, help)
    }
}

/// The problem that a command would end with.
fn failed(topic: Topic, failure: &Failure) -> Check {
    let body = failure.report().error;
    let place = match (body.line, body.column) {
        (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
        _ => String::new(),
    };
    let help = body.help.unwrap_or_default();
    Check {
        path: body.path,
        ..problem(topic, format!("{}{place}", body.message), help)
    }
}

/// The same check, about a file or folder.
fn at(path: &Path, check: Check) -> Check {
    Check {
        path: Some(path.to_string_lossy().into_owned()),
        ..check
    }
}

/// The commit, as the build script has it: ` (commit)`, or nothing in a build for development.
fn commit() -> Option<String> {
    let shown = env!("VIBEY_COMMIT").trim();
    let commit = shown.strip_prefix('(')?.strip_suffix(')')?;
    Some(commit.to_owned())
}

fn program() -> Check {
    let Compiler { name, version } = Compiler::current();
    let of = commit().map_or_else(String::new, |commit| format!(", commit {commit}"));
    fine(Topic::Program, format!("{name} {version}{of}"))
}

/// A home is missed only where there is none.
fn home(meant: &Meant<'_>) -> Option<Check> {
    meant.surroundings.home.is_none().then(|| {
        let help = "set `HOME`, or `XDG_CACHE_HOME` for the cache alone";
        let message = "there is no home folder: skills of the user and caches are not used";
        warning(Topic::Program, message, help)
    })
}

fn project_file(meant: &Meant<'_>) -> Check {
    let topic = Topic::ProjectFile;
    match meant.project() {
        Err(failure) => failed(topic, &failure),
        Ok(None) if meant.choice.no_project_file => fine(topic, "passed over"),
        Ok(None) => fine(topic, format!("there is no `{}`", project::FILE)),
        Ok(Some(file)) => {
            let mut says = Vec::new();
            says.extend(
                file.skills
                    .as_ref()
                    .map(|roots| counted(roots.len() as u64, "skill root")),
            );
            let patterns = file.exclude.texts().len() as u64;
            says.extend((patterns > 0).then(|| counted(patterns, "pattern")));
            says.extend(
                file.budget
                    .map(|tokens| format!("a budget of {tokens} tokens")),
            );
            let says = match says.is_empty() {
                true => "it says nothing".to_owned(),
                false => format!("it names {}", says.join(", ")),
            };
            at(&file.path, fine(topic, says))
        }
    }
}

fn text(report: &DoctorReport, colour: bool) -> String {
    let mut text = String::new();
    for check in &report.checks {
        let (word, ansi) = match check.state {
            State::Ok => ("ok", "32"),
            State::Warning => ("warning", "33"),
            State::Problem => ("problem", "31"),
        };
        let state = match colour {
            true => format!("\x1b[1;{ansi}m{word}\x1b[0m{:w$}", "", w = 8 - word.len()),
            false => format!("{word:<8}"),
        };
        let _ = write!(
            text,
            "{state}{}: {}",
            topic(check.topic),
            plain_line(&check.message)
        );
        if let Some(bytes) = check.size_bytes {
            let _ = write!(text, ", {}", size(bytes));
        }
        if let Some(seconds) = check.age_seconds {
            let _ = write!(text, ", {} old", age(seconds));
        }
        text.push('\n');
        if let Some(path) = &check.path {
            let _ = writeln!(text, "        {}", plain_line(path));
        }
        if let Some(help) = &check.help {
            let _ = writeln!(text, "        help: {}", plain_line(help));
        }
    }
    let DoctorSummary {
        ok,
        warnings,
        problems,
    } = report.summary;
    let _ = writeln!(
        text,
        "{ok} ok, {}, {}",
        counted(warnings, "warning"),
        counted(problems, "problem")
    );
    text
}

fn topic(topic: Topic) -> &'static str {
    match topic {
        Topic::Program => "program",
        Topic::ProjectFile => "project file",
        Topic::Skills => "skills",
        Topic::Index => "index",
        Topic::Lock => "lock",
        Topic::FileSystem => "file system",
        Topic::Cache => "cache",
        Topic::Conductor => "conductor",
    }
}
