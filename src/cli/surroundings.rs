//! What the program takes from its environment, read once.

use super::output::note;
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal as _;
use std::path::PathBuf;

/// What a program on the user's desktop has to know: where programs lie, who it works for, and where its window goes.
const DESKTOP_VARIABLES: [&str; 9] = [
    "PATH",
    "HOME",
    "LANG",
    "BROWSER",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// What a server that is started sees of our environment: what any program needs to find its files and its terminal,
/// and no secret that happens to be there.
const SERVER_VARIABLES: [&str; 8] = [
    "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER",
];

/// The environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surroundings {
    /// Working directory, canonical.
    pub(super) cwd: PathBuf,
    /// Home folder, where there is one.
    pub(super) home: Option<PathBuf>,
    /// Folder for caches of all programs, where there is one.
    pub(super) cache: Option<PathBuf>,
    /// Folder for configurations of all programs, where there is one.
    pub(super) config: Option<PathBuf>,
    /// `PROJECT_BRAIN_PROJECTS_YAML`: the registry of projects.
    pub(super) registry: Option<PathBuf>,
    /// `MATERIALIZE_SCRATCH_ROOT`: where documents are gathered.
    pub(super) scratch: Option<PathBuf>,
    /// `PROJECT_BRAIN_VERBOSITY`: how much is printed about that.
    pub(super) verbosity: Option<OsString>,
    /// The environment of servers that are started.
    pub(super) server_environment: Vec<(OsString, OsString)>,
    /// Whether standard output takes colour.
    pub(super) colour: bool,
    /// What a program on the user's desktop is started with.
    pub(super) desktop: Vec<(OsString, OsString)>,
    /// Whether standard error is a terminal, on which progress may be drawn.
    pub(super) interactive: bool,
    /// Whether notes go to standard error: what a person should know beside the result.
    pub(super) notes: bool,
}

impl Surroundings {
    /// Reads the environment of this process. Where the working directory is gone, `.` stands in: absolute paths go on
    /// working, and a relative one is an error of its own.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub(super) fn read() -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        // A home that does not exist is none: it is not ours to create.
        let home = folder("HOME").filter(|home| home.is_dir());
        // XDG Base Directory Specification 0.8: relative values are ignored.
        let in_home = |name: &str| home.as_ref().map(|home| home.join(name));
        let cache = folder("XDG_CACHE_HOME").or_else(|| in_home(".cache"));
        let config = folder("XDG_CONFIG_HOME").or_else(|| in_home(".config"));
        let no_colour = variable("NO_COLOR").is_some();
        let some = |names: &[&str]| {
            let set = names
                .iter()
                .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
            set.collect()
        };
        let cwd = std::env::current_dir().and_then(|cwd| cwd.canonicalize());
        Self {
            cwd: cwd.unwrap_or_else(|_| PathBuf::from(".")),
            home,
            cache,
            config,
            registry: variable("PROJECT_BRAIN_PROJECTS_YAML").map(PathBuf::from),
            scratch: folder("MATERIALIZE_SCRATCH_ROOT"),
            verbosity: variable("PROJECT_BRAIN_VERBOSITY"),
            server_environment: some(&SERVER_VARIABLES),
            desktop: some(&DESKTOP_VARIABLES),
            colour: std::io::stdout().is_terminal() && !no_colour,
            interactive: std::io::stderr().is_terminal(),
            notes: true,
        }
    }

    /// `PATH`: where programs lie.
    pub(super) fn path(&self) -> Option<&OsStr> {
        let row = self.desktop.iter().find(|(name, _)| name == "PATH");
        row.map(|(_, value)| value.as_os_str())
    }

    /// Writes a note to standard error, where notes go there.
    pub(super) fn note(&self, text: &str) {
        if self.notes {
            note(text);
        }
    }
}

/// Every variable of this process, for a program that inherits them.
pub(super) fn variables() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}
