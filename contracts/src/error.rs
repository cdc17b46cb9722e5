//! The one shape in which every command reports a failure, as JSON and as text.

use crate::visible::in_one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands on standard output when a command with `--json` fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorReport {
    /// The failure.
    pub error: ErrorBody,
}

/// A failure: what, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorBody {
    /// Stable name of the kind of failure, in `snake_case`.
    pub code: String,
    /// One sentence, a lowercase fragment without final period.
    pub message: String,
    /// The file or folder that it is about.
    pub path: Option<String>,
    /// Line in that file, from 1.
    pub line: Option<u32>,
    /// Column in Unicode scalar values, from 1.
    pub column: Option<u32>,
    /// What to do about it.
    pub help: Option<String>,
}

impl ErrorBody {
    /// A failure with a code, a message and what to do about it (nothing, where `help` is empty), without a place.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        let help: String = help.into();
        Self {
            code: code.to_owned(),
            message: message.into(),
            path: None,
            line: None,
            column: None,
            help: (!help.is_empty()).then_some(help),
        }
    }

    /// What stands on standard error: a line with the message and a line with the help.
    ///
    /// Names from requests, files and command lines must not look like another message, nor steer a terminal: each
    /// line is [`in_one_line`].
    #[must_use]
    pub fn text(&self) -> String {
        let place = match (&self.path, self.line, self.column) {
            (Some(path), Some(line), Some(column)) => format!("{path}:{line}:{column}: "),
            (Some(path), _, _) if !self.message.contains(path.as_str()) => format!("{path}: "),
            _ => String::new(),
        };
        let mut text = format!(
            "error: {}{}\n",
            in_one_line(&place),
            in_one_line(&self.message)
        );
        if let Some(help) = &self.help {
            text.push_str(&format!("help: {}\n", in_one_line(help)));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let mut error = ErrorBody::new("x", "a\nerror: b\u{1b}[2J\u{202e}", "");
        error.path = Some("p".to_owned());
        assert_eq!(
            error.text(),
            "error: p: a<U+000A>error: b<U+001B>[2J<U+202E>\n"
        );
    }

    #[test]
    fn the_place_stands_once_and_the_help_last() {
        let mut error = ErrorBody::new("x", "cannot read `a/b`", "check\nit");
        error.path = Some("a/b".to_owned());
        let help = "help: check<U+000A>it\n";
        assert_eq!(error.text(), format!("error: cannot read `a/b`\n{help}"));
        (error.line, error.column) = (Some(3), Some(7));
        assert_eq!(
            error.text(),
            format!("error: a/b:3:7: cannot read `a/b`\n{help}")
        );
    }
}
