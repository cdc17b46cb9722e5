//! Does git track the configuration?
//!
//! git is asked, since its index has several formats. It is told to run nothing that the repository names: no file
//! system monitor, no hook, no pager, no transport.

use super::error::ProjectError;
use super::locate::{GIT, is_in_repository};
use super::{FILE, VIBEY};
use crate::environment::Variables;
use crate::program;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::redact::redact;
use vibey_context_host::process::{
    Bound, Captured, Command, Input, Leftovers, Outcome, Output, run,
};

/// git's own words, behind which the name stands.
const WORDS: [&str; 10] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "ls-files",
    "-z",
    "--",
];
/// Listing one name takes milliseconds; whatever takes longer than this hangs.
const TIMEOUT: Duration = Duration::from_secs(20);
/// git has nothing to tidy up after a listing.
const GRACE: Duration = Duration::from_secs(1);
/// One name, or one message.
const ANSWER: Bound = Bound {
    head_bytes: 4096,
    tail_bytes: 0,
};

/// Refuses a configuration of the project in `dir` that git tracks.
///
/// # Errors
/// [`ProjectError::Tracked`], and everything that keeps git from answering: what is not known is not trusted.
pub fn refuse_tracked(dir: &Path, variables: &Variables) -> Result<(), ProjectError> {
    let vibey = dir.join(VIBEY);
    let path = vibey.join(FILE);
    if !is_in_repository(dir) {
        return Ok(());
    }
    // A repository within the repository, such as a submodule, has an index of its own.
    if vibey.join(GIT).symlink_metadata().is_ok() {
        return Err(ProjectError::Tracked {
            path: vibey,
            reason: "is a repository of its own",
        });
    }
    let Some(git) = program::find("git".as_ref(), variables.get("PATH"), Path::new("/")) else {
        return Err(ProjectError::GitMissing { path });
    };
    // Where the file system takes both spellings for one file, a repository could bring the other one.
    let name = format!(":(icase){VIBEY}/{FILE}");
    let words = WORDS.iter().copied().chain([name.as_str()]);
    let finished = run(&Command {
        program: git.into_os_string(),
        args: words.map(Into::into).collect(),
        directory: dir.to_owned(),
        environment: variables.for_git(),
        stdin: Input::Null,
        stdout: Output::Capture(ANSWER),
        stderr: Output::Capture(ANSWER),
        output_limit_bytes: None,
        timeout: Some(TIMEOUT),
        grace: GRACE,
        cancel: None,
        forward: None,
        leftovers: Leftovers::Kill,
    });
    let reason = match finished.outcome {
        Outcome::Exited(0) if finished.stdout.head.is_empty() => return Ok(()),
        Outcome::Exited(0) => {
            return Err(ProjectError::Tracked {
                path,
                reason: "is tracked by git",
            });
        }
        Outcome::Exited(code) => said(&finished.stderr, code),
        Outcome::FailedToStart(cause) => cause.to_string(),
        Outcome::TimedOut => format!("no answer within {} s", TIMEOUT.as_secs()),
        _ => "it was stopped".to_owned(),
    };
    Err(ProjectError::Git { path, reason })
}

fn said(stderr: &Captured, code: i32) -> String {
    let text = String::from_utf8_lossy(&stderr.head);
    match text.lines().next() {
        Some(line) => redact(line).into_owned(),
        None => format!("exit code {code}"),
    }
}
