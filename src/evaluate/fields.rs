//! What stands in the fields of a case, and what is said where it is of the wrong type?

use serde_json::{Map, Value};
use vibey_context_contracts::redact::redact;

/// Characters of a name from the file that a message shows, and the longest `id` or `form`, which head rows and columns.
pub(super) const NAME_CHARS: usize = 100;
/// Name of every fault of a case itself; those of its request and of its names have their own.
pub(super) const CODE: &str = "case_invalid";

/// Why a file is no case file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CasesError {
    /// It is not JSON, or a key stands twice.
    #[error("case file is not valid JSON: {message}")]
    Json {
        /// What is wrong.
        message: String,
        /// Line from 1.
        line: usize,
        /// Column from 1.
        column: usize,
    },
    /// It is JSON of another shape.
    #[error("case file is neither a list of cases nor an object with a list `cases`")]
    Shape,
    /// There is nothing to evaluate.
    #[error("case file holds no case")]
    Empty,
    /// A case is none.
    #[error("{place}: {message}")]
    Case {
        /// The case, by its name or number, and the field at fault.
        place: String,
        /// Stable name of the fault.
        code: &'static str,
        /// What is wrong with it.
        message: String,
        /// What to do about it.
        help: String,
    },
}

/// The fields of one case.
pub(super) struct Fields {
    /// How messages call the case.
    pub(super) case: String,
    /// Those that are not read yet.
    pub(super) left: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(case: String, left: Map<String, Value>) -> Self {
        Self { case, left }
    }

    /// How a message calls a field of this case.
    pub(super) fn place(&self, field: &str) -> String {
        format!("{}, field `{field}`", self.case)
    }

    /// A fault of a field.
    pub(super) fn fault(&self, field: &'static str, message: &str, help: &str) -> CasesError {
        CasesError::Case {
            place: self.place(field),
            code: CODE,
            message: message.to_owned(),
            help: help.to_owned(),
        }
    }

    /// A text that names something; what the file holds is redacted before it can be printed.
    pub(super) fn name(&mut self, field: &'static str) -> Result<Option<String>, CasesError> {
        let help = format!("write a text of 1 to {NAME_CHARS} characters");
        match self.left.remove(field) {
            None => Ok(None),
            Some(Value::String(text))
                if !text.trim().is_empty() && text.chars().count() <= NAME_CHARS =>
            {
                Ok(Some(redact(&text).into_owned()))
            }
            Some(_) => Err(self.fault(field, "is no name", &help)),
        }
    }

    /// A list of texts that are not blank; empty where it is missing.
    pub(super) fn names(&mut self, field: &'static str) -> Result<Vec<String>, CasesError> {
        let help = "write a list of texts";
        let list = match self.left.remove(field) {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(self.fault(field, "is no list", help)),
        };
        list.into_iter()
            .map(|item| match item {
                Value::String(text) if !text.trim().is_empty() => Ok(redact(&text).into_owned()),
                _ => Err(self.fault(field, "holds something that is no name", help)),
            })
            .collect()
    }

    /// A boolean; false where it is missing.
    pub(super) fn flag(&mut self, field: &'static str) -> Result<bool, CasesError> {
        match self.left.remove(field) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => Err(self.fault(field, "is neither true nor false", "write true or false")),
        }
    }
}
