//! What the program takes from its environment, read once.

use crate::environment::Variables;
use crate::ledger::location::URL_VARIABLE;
use std::io::IsTerminal as _;
use std::path::PathBuf;

/// The environment.
pub(super) struct Surroundings {
    /// Working directory, canonical.
    pub(super) cwd: PathBuf,
    /// Every variable.
    pub(super) variables: Variables,
    /// Whether standard error is a terminal, on which progress may be drawn.
    pub(super) interactive: bool,
}

impl Surroundings {
    /// Reads the environment of this process. Where the working directory is gone, `.` stands in: absolute paths go on
    /// working, and a relative one is an error of its own.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub(super) fn read() -> Self {
        let cwd = std::env::current_dir().and_then(|cwd| cwd.canonicalize());
        Self {
            cwd: cwd.unwrap_or_else(|_| PathBuf::from(".")),
            variables: Variables::new(std::env::vars_os()),
            interactive: std::io::stderr().is_terminal(),
        }
    }

    /// The URL of the ledger, where the environment names one.
    pub(super) fn ledger_url(&self) -> Option<String> {
        let url = self.variables.get(URL_VARIABLE)?;
        Some(url.to_string_lossy().into_owned())
    }
}
