//! The one place where an error becomes a message, a hint and an exit code.

mod materialize;

use crate::corpus::build::BuildError;
use crate::corpus::roots::RootError;
use crate::evaluate::cases::CasesError;
use crate::evaluate::compare::BaselineError;
use crate::evaluate::measure::MeasureError;
use crate::handoff::error::HandoffError;
use crate::packet::compile::CompileError;
use crate::packet::eligibility::EligibilityError;
use crate::project::ProjectFileError;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use vibey_context_contracts::canonical::CanonicalError;
use vibey_context_contracts::error::{ErrorBody, ErrorReport};
use vibey_context_contracts::exit;
use vibey_context_contracts::request::parse::RequestError;
use vibey_context_host::error::HostError;
use vibey_context_index::error::IndexError;

/// A failed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    body: ErrorBody,
    exit: u8,
}

impl Failure {
    /// A failure with a code, a message and what to do about it.
    pub(super) fn new(code: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            body: ErrorBody::new(code, message, help),
            exit: exit::FAILED,
        }
    }

    /// The same failure with another exit code.
    #[must_use]
    pub(super) fn ending_with(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    /// The code that the process ends with.
    #[must_use]
    pub(super) fn exit(&self) -> u8 {
        self.exit
    }

    /// The same failure, about a file or folder.
    #[must_use]
    pub(super) fn at(mut self, path: &Path) -> Self {
        self.body.path = Some(path.to_string_lossy().into_owned());
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

    /// A request that is not one, with its place in the file.
    #[must_use]
    pub(super) fn request(error: RequestError, path: &Path) -> Self {
        let mut failure = Self::new(error.code, error.message, error.help).at(path);
        if error.line > 0 {
            failure.body.line = Some(error.line as u32);
            failure.body.column = Some(error.column as u32);
        }
        failure
    }

    /// A case file that is none, with its place where there is one.
    #[must_use]
    pub(super) fn cases(error: CasesError, path: &Path) -> Self {
        let message = error.to_string();
        match error {
            CasesError::Json { line, column, .. } => {
                let help = "correct the JSON at this place";
                let mut failure = Self::new("cases_json", message, help).at(path);
                failure.body.line = Some(line as u32);
                failure.body.column = Some(column as u32);
                failure
            }
            CasesError::Shape => {
                Self::new("cases_shape", message, "write a list of cases").at(path)
            }
            CasesError::Empty => {
                Self::new("cases_empty", message, "write a case, or name another file").at(path)
            }
            CasesError::Case { code, help, .. } => Self::new(code, message, help).at(path),
        }
    }

    /// Cases that can not be measured against an index.
    #[must_use]
    pub(super) fn measure(error: MeasureError, path: &Path) -> Self {
        let message = error.to_string();
        match error {
            MeasureError::Compile(error) => error.into(),
            MeasureError::Heading { .. } => {
                let help = "name a heading as it stands in the skill";
                Self::new("heading_unknown", message, help).at(path)
            }
            // What is wrong with the name is known by its cause; the message adds whose name it is.
            MeasureError::Names { cause, .. } => {
                let mut failure = Self::from(*cause).at(path);
                failure.body.message = message;
                failure
            }
        }
    }

    /// A baseline that is none.
    #[must_use]
    pub(super) fn baseline(error: &BaselineError, path: &Path) -> Self {
        let code = match error {
            BaselineError::NotEvaluation(_) => "baseline_invalid",
            BaselineError::Contract { .. } => "baseline_contract",
        };
        let help = "name what `evaluate --json` printed";
        Self::new(code, error.to_string(), help).at(path)
    }
}

impl From<ProjectFileError> for Failure {
    fn from(error: ProjectFileError) -> Self {
        let mut failure = Self::new("project_file", error.message, error.help).at(&error.path);
        if error.line > 0 {
            failure.body.line = Some(error.line as u32);
            failure.body.column = Some(error.column as u32);
        }
        failure
    }
}

impl From<HandoffError> for Failure {
    fn from(error: HandoffError) -> Self {
        let mut failure = Self::new(error.code(), error.to_string(), error.help());
        failure.body.path = error.path().map(Cow::into_owned);
        if let Some((line, column)) = error.place() {
            failure.body.line = Some(line as u32);
            failure.body.column = Some(column as u32);
        }
        failure
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let failure = Self::new(error.code(), error.to_string(), error.help());
        match error.path() {
            Some(path) => failure.at(path),
            None => failure,
        }
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        let message = error.to_string();
        let rebuild = |path: &PathBuf| {
            format!(
                "run `vibey-context index build --output {}` with the same `--skills`",
                path.display()
            )
        };
        match &error {
            IndexError::Missing(path) => {
                Self::new("index_missing", message, rebuild(path)).at(path)
            }
            IndexError::Foreign { path, .. } => Self::new(
                "index_foreign",
                message,
                "name an empty or new folder; this one is left as it is",
            )
            .at(path),
            IndexError::Corrupt { path, .. } => {
                Self::new("index_corrupt", message, rebuild(path)).at(path)
            }
            IndexError::Older { path, .. } => {
                Self::new("index_outdated", message, rebuild(path)).at(path)
            }
            IndexError::Newer { path, .. } => Self::new(
                "index_newer",
                message,
                "use the newer compiler, or another index folder",
            )
            .at(path),
            IndexError::Link(path) => Self::new(
                "index_link",
                message,
                "name the folder that the link leads to",
            )
            .at(path),
            IndexError::Locked { path, .. } => Self::new(
                "index_locked",
                message,
                "wait for the other build, or end it, and try again",
            )
            .at(path),
            IndexError::Host(_) => match error {
                IndexError::Host(host) => host.into(),
                _ => Self::new("io", message, ""),
            },
            IndexError::Engine(_) => Self::new(
                "index_engine",
                message,
                "build the index again; if it stays, report it",
            ),
        }
    }
}

impl From<RootError> for Failure {
    fn from(error: RootError) -> Self {
        let message = error.to_string();
        let (RootError::Unusable { path, .. } | RootError::Empty(path)) = &error;
        let help = "name a folder below which a `SKILL.md` lies";
        Self::new("skills_root", message, help).at(path)
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Root(error) => error.into(),
            BuildError::Index(error) => error.into(),
        }
    }
}

impl From<EligibilityError> for Failure {
    fn from(error: EligibilityError) -> Self {
        let message = error.to_string();
        match &error {
            EligibilityError::Unknown { nearest, what, .. } => {
                let names: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
                let help = if names.is_empty() {
                    "`vibey-context list` prints every name".to_owned()
                } else {
                    format!("did you mean {}?", names.join(", "))
                };
                let code = if what.ends_with("plugin") {
                    "plugin_unknown"
                } else {
                    "skill_unknown"
                };
                Self::new(code, message, help)
            }
            EligibilityError::Ambiguous { .. } => Self::new(
                "skill_ambiguous",
                message,
                "name one of them in the form shown",
            ),
            EligibilityError::Rejected { rejected, .. } => Self::new(
                "skill_rejected",
                message,
                "`vibey-context check` prints what to do about it",
            )
            .at(Path::new(&rejected.path)),
            EligibilityError::Both(_) => Self::new(
                "required_and_excluded",
                message,
                "remove it from one of the lists",
            ),
            EligibilityError::Nothing => {
                Self::new("nothing_eligible", message, "exclude less, or require more")
            }
            EligibilityError::Index(_) => match error {
                EligibilityError::Index(index) => index.into(),
                _ => Self::new("index_engine", message, ""),
            },
        }
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Self {
        match error {
            CompileError::Eligibility(error) => error.into(),
            CompileError::Index(error) => error.into(),
            CompileError::Canonical(error) => error.into(),
        }
    }
}

impl From<CanonicalError> for Failure {
    fn from(error: CanonicalError) -> Self {
        Self::new(
            "internal",
            error.to_string(),
            "report this with the request that shows it",
        )
    }
}
