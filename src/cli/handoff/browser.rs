//! `dashboard --open`.

use crate::cli::failure::Failure;
use crate::cli::surroundings::Surroundings;
use std::path::Path;
use std::time::Duration;
use vibey_context_host::process::{Command, Input, Leftovers, Outcome, Output, run};

/// What opens a file in the program that is meant for it.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else {
    "xdg-open"
};
/// Time that this may take: it starts the browser and ends.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Time between TERM and KILL.
const GRACE: Duration = Duration::from_secs(1);

/// Opens a file in a browser, which goes on when we have ended.
pub(super) fn open(path: &Path, surroundings: &Surroundings) -> Result<(), Failure> {
    let finished = run(&Command {
        program: OPENER.into(),
        args: vec![path.into()],
        directory: surroundings.cwd.clone(),
        environment: surroundings.desktop.clone(),
        stdin: Input::Null,
        stdout: Output::Null,
        stderr: Output::Null,
        output_limit_bytes: None,
        timeout: Some(TIMEOUT),
        grace: GRACE,
        cancel: None,
        forward: None,
        leftovers: Leftovers::Leave,
    });
    match finished.outcome {
        Outcome::Exited(0) => Ok(()),
        _ => Err(Failure::new(
            "browser",
            format!("`{OPENER}` did not open the dashboard"),
            "open the file yourself",
        )
        .at(path)),
    }
}
