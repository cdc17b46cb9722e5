//! Why is there no trustworthy answer of the compiler?

use vibey_context_contracts::conductor::event::FailureCode;

/// No trustworthy answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong, in the ledger's vocabulary.
    pub code: FailureCode,
    /// The same for a person: a lowercase fragment. It may quote the compiler, and is not for the ledger.
    pub message: String,
    /// Exit code of the compiler, where it exited.
    pub return_code: Option<i32>,
    /// Signal that ended it, where one did.
    pub signal: Option<i32>,
    /// What it wrote to standard error: redacted and bounded.
    pub stderr: Box<str>,
    /// Version of the compiler, where it told.
    pub compiler_version: Option<String>,
    /// Version of the contract at fault, or of the manifest, where it told.
    pub contract_version: Option<String>,
    /// Milliseconds that the compiling of the packet took; 0 where it was not begun.
    pub compile_ms: u64,
}

impl Failure {
    /// A failure about which nothing else is known.
    #[must_use]
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            return_code: None,
            signal: None,
            stderr: "".into(),
            compiler_version: None,
            contract_version: None,
            compile_ms: 0,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self.code {
            FailureCode::NotStarted => {
                "install vibey-context, or name it in `skills_context.command` of `.vibey/project.json`, one string for each word"
            }
            FailureCode::TimedOut => {
                "raise `skills_context.timeout_seconds` of `.vibey/project.json`, or find out what holds the compiler up"
            }
            FailureCode::IncompatibleCompiler => {
                "install a vibey-context and a vibey-conductor of one version"
            }
            _ => {
                "run the compiler by hand: `skills_context.command` of `.vibey/project.json` names it"
            }
        }
    }
}
