//! The one place where an error becomes a message and a hint.

use crate::compiler::failure::Failure as CompilerFailure;
use crate::ledger::error::LedgerError;
use crate::project::error::ProjectError;
use std::path::Path;
use vibey_context_contracts::canonical::CanonicalError;
use vibey_context_contracts::conductor::id::IdError;
use vibey_context_contracts::document::DocumentError;
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
        Self {
            body: ErrorBody::new(code, message, help),
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
        self.body.text()
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

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self::new(error.code(), error.to_string(), error.help())
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
            failure.message.as_str(),
            failure.help(),
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
