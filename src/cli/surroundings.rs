//! What the program takes from its environment, read once.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;

/// What a program on the user's desktop has to know: where programs lie, who it works for, and where its window goes.
const DESKTOP: [&str; 9] = [
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
    /// What a program on the user's desktop is started with.
    pub(super) desktop: Vec<(OsString, OsString)>,
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
        let folder = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        // A home that does not exist is none: it is not ours to create.
        let home = folder("HOME").filter(|home| home.is_dir());
        // XDG Base Directory Specification 0.8: relative values are ignored.
        let cache =
            folder("XDG_CACHE_HOME").or_else(|| home.as_ref().map(|home| home.join(".cache")));
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let cwd = std::env::current_dir().and_then(|cwd| cwd.canonicalize());
        let desktop = DESKTOP
            .iter()
            .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
        Self {
            desktop: desktop.collect(),
            cwd: cwd.unwrap_or_else(|_| PathBuf::from(".")),
            home,
            cache,
            colour: std::io::stdout().is_terminal() && !no_colour,
            interactive: std::io::stderr().is_terminal(),
        }
    }
}

/// Every variable of this process, for a program that inherits them.
pub(super) fn variables() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}
