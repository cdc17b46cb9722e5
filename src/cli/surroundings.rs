//! What the program takes from its environment, read once.

use std::io::IsTerminal as _;
use std::path::PathBuf;

/// The environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surroundings {
    /// Working directory, canonical.
    pub(super) cwd: PathBuf,
    /// Home folder, where there is one.
    pub(super) home: Option<PathBuf>,
    /// Folder for caches of all programs, where there is one.
    pub(super) cache: Option<PathBuf>,
    /// Whether standard output takes colour.
    pub(super) colour: bool,
    /// Whether standard error is a terminal, on which progress may be drawn.
    pub(super) interactive: bool,
}

impl Surroundings {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// The working directory does not exist any more, or is not accessible.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub(super) fn read() -> std::io::Result<Self> {
        let folder = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = folder("HOME");
        // XDG Base Directory Specification 0.8: relative values are ignored.
        let cache =
            folder("XDG_CACHE_HOME").or_else(|| home.as_ref().map(|home| home.join(".cache")));
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Ok(Self {
            cwd: std::env::current_dir()?.canonicalize()?,
            home,
            cache,
            colour: std::io::stdout().is_terminal() && !no_colour,
            interactive: std::io::stderr().is_terminal(),
        })
    }
}
