//! Does the other program fit this one?
//!
//! Both take the versions of contracts from one crate, so that programs of one version always understand each other. Before its
//! first packet `vibey-conductor` asks for every contract by itself; this is the look beforehand.

use super::{at, fine, problem, warning};
use crate::cli::locate::Meant;
use crate::corpus::roots;
use crate::text::neutralise::excerpt;
use semver::Version;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::upkeep::{Check, Topic};
use vibey_context_contracts::version::COMPILER_VERSION;
use vibey_context_host::process::{Bound, Command, Input, Leftovers, Outcome, Output, run};

const TOPIC: Topic = Topic::Conductor;

/// The program.
const NAME: &str = "vibey-conductor";

/// A program that prints a line takes milliseconds; after this long it hangs.
const PATIENCE: Duration = Duration::from_secs(10);
const GRACE: Duration = Duration::from_secs(1);

/// A line with a version has a few dozen bytes.
const ANSWER: Bound = Bound {
    head_bytes: 4096,
    tail_bytes: 0,
};

/// Characters of a foreign answer that a message shows.
const SHOWN: usize = 60;

pub(super) fn look(named: Option<&Path>, meant: &Meant<'_>) -> Check {
    let cwd = &meant.surroundings.cwd;
    let program = match named {
        Some(named) => cwd.join(named),
        None => match in_path(
            meant.surroundings.path(),
            roots::repository_of(cwd).as_deref(),
        ) {
            Found::Program(path) => path,
            Found::OfAgents(path) => {
                let message = "it lies in this repository, where agents write, and is not run";
                let help = "install it elsewhere, or name it with `--conductor`";
                return at(&path, warning(TOPIC, message, help));
            }
            Found::Nothing => {
                return fine(
                    TOPIC,
                    format!("there is no `{NAME}` in `PATH`; only a conductor needs it"),
                );
            }
        },
    };
    at(&program, asked(&program, cwd))
}

enum Found {
    Program(PathBuf),
    /// An agent may have written it.
    OfAgents(PathBuf),
    Nothing,
}

/// The program in the absolute folders of `path`: what a relative one means is chosen by whoever chose the working directory.
fn in_path(path: Option<&OsStr>, repository: Option<&Path>) -> Found {
    let folders = path
        .map_or(&[][..], OsStr::as_bytes)
        .split(|byte| *byte == b':');
    for folder in folders.map(|folder| Path::new(OsStr::from_bytes(folder))) {
        let program = folder.join(NAME);
        if !folder.is_absolute() || !program.is_file() {
            continue;
        }
        let Ok(real) = program.canonicalize() else {
            continue;
        };
        let is_inside = repository.is_some_and(|repository| real.starts_with(repository));
        return match is_inside {
            true => Found::OfAgents(program),
            false => Found::Program(program),
        };
    }
    Found::Nothing
}

fn asked(program: &Path, cwd: &Path) -> Check {
    let finished = run(&Command {
        program: program.as_os_str().to_owned(),
        args: vec!["-V".into()],
        directory: cwd.to_owned(),
        environment: Vec::new(),
        stdin: Input::Null,
        stdout: Output::Capture(ANSWER),
        stderr: Output::Null,
        output_limit_bytes: Some(ANSWER.head_bytes as u64),
        timeout: Some(PATIENCE),
        grace: GRACE,
        cancel: None,
        forward: None,
        leftovers: Leftovers::Kill,
    });
    let reinstall = "install both programs in one version (docs/install.md)";
    let unusable = match finished.outcome {
        Outcome::Exited(0) => None,
        Outcome::Exited(code) => Some(format!("it ended with exit code {code}")),
        Outcome::Signalled(signal) => Some(format!("it was ended by signal {signal}")),
        Outcome::TimedOut => Some("it did not answer in time".to_owned()),
        Outcome::OutputLimit => Some("it printed more than a version".to_owned()),
        Outcome::FailedToStart(cause) => Some(cause.to_string()),
        Outcome::Cancelled | Outcome::Lost(_) => Some("nothing is known of its end".to_owned()),
    };
    if let Some(message) = unusable {
        return problem(TOPIC, format!("`{NAME} -V`: {message}"), reinstall);
    }
    let printed = finished.stdout.whole().unwrap_or_default();
    let printed = String::from_utf8_lossy(&printed);
    let version = printed.trim().strip_prefix(NAME).map(str::trim);
    let Some(theirs) = version.and_then(|text| Version::parse(text).ok()) else {
        let message = format!(
            "`{NAME} -V` printed `{}`, which is no version",
            excerpt(printed.trim(), SHOWN)
        );
        return problem(TOPIC, message, reinstall);
    };
    if theirs.to_string() == COMPILER_VERSION {
        return fine(
            TOPIC,
            format!("{NAME} {theirs}: of this version, and so are its contracts"),
        );
    }
    let message = format!(
        "{NAME} {theirs} and vibey-context {COMPILER_VERSION} are of two versions; it refuses a compiler that speaks older contracts"
    );
    warning(TOPIC, message, reinstall)
}
