//! What is wrong with a call or went wrong in it, in words that name no path outside the project and quote no file.

use vibey_context_contracts::document::DocumentError;
use vibey_context_contracts::markers::result::MarkersError;
use vibey_context_host::error::HostError;

/// A fault, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// Stable name of the fault, in `snake_case`.
    pub code: &'static str,
    /// What is wrong and what to do about it, as a lowercase fragment.
    pub message: String,
    /// The file or folder that it is about, relative to the project.
    pub path: Option<String>,
}

impl Fault {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            path: None,
        }
    }

    /// The same, about a file or folder of the project.
    pub(super) fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// A refusal of the system: `what` says what could not be done. The system's own text would name an absolute path.
    pub(super) fn host(what: &str, error: &HostError) -> Self {
        let (code, help) = match error {
            HostError::Symlink { .. } => ("symlink", "put the file itself in its place"),
            HostError::NotRegular { .. } => ("not_regular", "put a regular file in its place"),
            HostError::TooLarge { .. } => ("too_large", "shorten it"),
            error if error.is_not_found() => {
                let message = format!(
                    "{what}: there is no such file; check the path, which starts at the working directory, the project"
                );
                return Self::new("not_found", message);
            }
            _ => ("io", "check its permissions and the space on its disk"),
        };
        Self::new(code, format!("{what}: {}; {help}", error.reason()))
    }

    /// A manifest that is none, with its place in the file.
    pub(super) fn manifest(error: &DocumentError) -> Self {
        let DocumentError {
            code,
            message,
            line,
            column,
            help,
            ..
        } = error;
        let place = if *line > 0 {
            format!(" at line {line} column {column}")
        } else {
            String::new()
        };
        Self::new(code, format!("{message}{place}; {help}"))
    }
}

impl From<Fault> for MarkersError {
    fn from(fault: Fault) -> Self {
        Self {
            code: fault.code.to_owned(),
            message: fault.message,
            path: fault.path,
        }
    }
}

/// Why a call ends before it has looked at a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// The call is not acceptable; nothing was changed.
    Refused(Fault),
    /// What was to be done failed.
    Failed(Fault),
}
