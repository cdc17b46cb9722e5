//! The one place where an error becomes a message and a hint.

use crate::compiler::failure::Failure as CompilerFailure;
use crate::ledger::error::LedgerError;
use crate::project::error::ProjectError;
use std::path::Path;
use vibey_context_contracts::canonical::CanonicalError;
use vibey_context_contracts::conductor::document::DocumentError;
use vibey_context_contracts::conductor::id::IdError;
use vibey_context_contracts::error::{ErrorBody, ErrorReport};
use vibey_context_host::error::HostError;

/// A failed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    body: ErrorBody,
}

impl Failure {
    /// A failure with a code, a message and what to do about it.
    pub(super) fn new(code: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        let help: String = help.into();
        Self {
            body: ErrorBody {
                code: code.to_owned(),
                message: message.into(),
                path: None,
                line: None,
                column: None,
                help: (!help.is_empty()).then_some(help),
            },
        }
    }

    /// The same failure, about a file or folder.
    #[must_use]
    pub(super) fn at(mut self, path: &Path) -> Self {
        self.body.path = Some(path.to_string_lossy().into_owned());
        self
    }

    /// The same failure, of one job among others.
    #[must_use]
    pub(super) fn of_job(mut self, job: &str) -> Self {
        self.body.message = format!("job `{job}`: {}", self.body.message);
        self
    }

    /// The object that stands on standard output with `--json`.
    #[must_use]
    pub(super) fn report(&self) -> ErrorReport {
        ErrorReport {
            error: self.body.clone(),
        }
    }

    /// The text that stands on standard error.
    #[must_use]
    pub(super) fn text(&self) -> String {
        let body = &self.body;
        let place = match (&body.path, body.line, body.column) {
            (Some(path), Some(line), Some(column)) => format!("{path}:{line}:{column}: "),
            (Some(path), _, _) if !body.message.contains(path.as_str()) => format!("{path}: "),
            _ => String::new(),
        };
        let help = body.help.as_ref();
        let help = help.map(|help| format!("help: {}\n", sentence(help)));
        format!(
            "error: {}{}\n{}",
            sentence(&place),
            sentence(&body.message),
            help.unwrap_or_default()
        )
    }

    /// A document that is not one; its places count from `first_line` of the file at `path`.
    #[must_use]
    pub(super) fn document(error: DocumentError, path: &Path, first_line: usize) -> Self {
        let mut failure = Self::new(error.code, error.message, error.help).at(path);
        if error.line > 0 {
            failure.body.line = Some((error.line + first_line - 1) as u32);
            failure.body.column = Some(error.column as u32);
        }
        failure
    }
}

/// Text in one line, with nothing in it that steers a terminal: names from jobs, files and command lines must not look
/// like another message.
pub(super) fn sentence(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        // Control characters, and those that change the direction of a line or have no width.
        let hidden = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if c.is_control() || hidden {
            line.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            line.push(c);
        }
    }
    line
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let (code, help) = match &error {
            HostError::NotRegular { .. } => ("not_a_file", "name a regular file"),
            HostError::TooLarge { .. } => ("too_large", "name a smaller file"),
            error if error.is_not_found() => ("not_found", "check the path"),
            error if error.is_read_only() => (
                "not_permitted",
                "check the permissions, or name another path",
            ),
            _ => ("io", "check the path and the space on its disk"),
        };
        Self::new(code, error.to_string(), help)
    }
}

impl From<ProjectError> for Failure {
    fn from(error: ProjectError) -> Self {
        match error {
            ProjectError::Config { path, fault } => Self::document(*fault, &path, 1),
            error => Self::new(error.code(), error.to_string(), error.help()),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::new(error.code(), error.to_string(), error.help())
    }
}

impl From<IdError> for Failure {
    fn from(error: IdError) -> Self {
        Self::new(
            "id_invalid",
            error.to_string(),
            "name the id as the job has it",
        )
    }
}

impl From<CompilerFailure> for Failure {
    fn from(failure: CompilerFailure) -> Self {
        let code = serde_json::to_value(failure.code).unwrap_or_default();
        Self::new(
            code.as_str().unwrap_or("compiler_failed"),
            failure.message,
            "run the compiler by hand: `command` of `project.json` names it",
        )
    }
}

impl From<CanonicalError> for Failure {
    fn from(error: CanonicalError) -> Self {
        Self::new(
            "internal",
            error.to_string(),
            "report this with the job that shows it",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let failure = Failure::new("x", "a\nerror: b\u{1b}[2J\u{202e}", "").at(Path::new("p"));
        assert_eq!(
            failure.text(),
            "error: p: a<U+000A>error: b<U+001B>[2J<U+202E>\n"
        );
    }
}
