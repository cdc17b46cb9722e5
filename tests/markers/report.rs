//! What a call printed, read as strictly as a host would, and what must hold of every one of them.

use crate::harness::{Dir, Output};
use std::sync::LazyLock;
use vibey_context_contracts::markers::result::{MarkersResult, Status};
use vibey_context_contracts::schema;

/// Text that tests put into guidance, markers and the output of generators. No call may print it.
pub(crate) const CANARY: &str = "canary";

static SCHEMA: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| validator("markers-result.v1.json"));

/// A published schema.
pub(crate) fn validator(file: &str) -> jsonschema::Validator {
    let schemas = schema::all();
    let (_, schema) = schemas.iter().find(|(name, _)| *name == file).unwrap();
    jsonschema::draft202012::new(schema).unwrap()
}

/// The end of one call of `apply`, `check` or `generate`.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) code: i32,
    pub(crate) result: MarkersResult,
}

impl Report {
    /// Reads what a call in `dir` printed.
    #[track_caller]
    pub(crate) fn of(dir: &Dir, run: &Output) -> Self {
        assert_one_line(run);
        assert_discreet(dir, run);
        let value = run.json();
        if let Err(error) = SCHEMA.validate(&value) {
            panic!("{error}\n{}", run.stdout);
        }
        let result: MarkersResult = serde_json::from_value(value).unwrap();
        let expected = match result.status {
            Status::Ok => 0,
            Status::CheckFailed | Status::GeneratorFailed | Status::Cancelled => 1,
            Status::MaintenanceFailed if result.generator.is_some() => 1,
            Status::MaintenanceFailed | Status::Invalid => 2,
        };
        assert_eq!(run.code, expected, "{}", run.stdout);
        match (result.status, &result.error) {
            (Status::Ok, error) => assert_eq!(*error, None),
            (Status::Invalid | Status::MaintenanceFailed, None) => {
                panic!("no reason: {}", run.stdout)
            }
            (_, None) => {}
            (_, Some(error)) => {
                let code = &error.code;
                let snake = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                assert!(!code.is_empty() && code.chars().all(snake), "{code}");
                let message = &error.message;
                assert!(!message.is_empty() && !message.ends_with('.'), "{message}");
                assert!(!message.contains('\n'), "{message}");
            }
        }
        Self {
            code: run.code,
            result,
        }
    }

    /// Exit code, status, each marker and the generator in one line.
    pub(crate) fn shown(&self) -> String {
        let result = &self.result;
        let mut shown = format!("{} {}", self.code, word(&result.status));
        for marker in &result.markers {
            assert_eq!(
                marker.path,
                format!("{}/.agent-no-read.md", marker.directory)
            );
            shown += &format!(", {} {}", marker.directory, word(&marker.status));
        }
        if let Some(generator) = &result.generator {
            shown += &format!(", generator {}", word(&generator.status));
            if let Some(code) = generator.exit_code {
                shown += &format!(" {code}");
            }
        }
        if result.interrupted_generate {
            shown += ", interrupted";
        }
        shown
    }

    /// The code of the error and the place that it is about: `code` or `code at path`.
    pub(crate) fn fault(&self) -> String {
        match &self.result.error {
            None => String::new(),
            Some(error) => match &error.path {
                None => error.code.clone(),
                Some(path) => format!("{} at {path}", error.code),
            },
        }
    }

    /// Fails unless [`Report::shown`] is this.
    #[track_caller]
    pub(crate) fn is(self, expected: &str) -> Self {
        assert_eq!(self.shown(), expected, "{:#?}", self.result);
        self
    }
}

/// A word of the contract as it is printed.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap();
    value.as_str().unwrap().to_owned()
}

/// Fails unless standard output is one object on one line.
#[track_caller]
pub(crate) fn assert_one_line(run: &Output) {
    let line = run
        .stdout
        .strip_suffix('\n')
        .unwrap_or_else(|| panic!("code {}, no line: {:?}", run.code, run));
    assert!(!line.contains(['\n', '\r']), "{line}");
    assert!(line.starts_with('{'), "{line}");
}

/// Fails if a run printed a text that is not for it, a path outside the project or a backtrace.
#[track_caller]
pub(crate) fn assert_discreet(dir: &Dir, run: &Output) {
    for (stream, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        for secret in [
            CANARY,
            &dir.name(),
            "panicked",
            "stack backtrace",
            env!("CARGO_MANIFEST_DIR"),
        ] {
            assert!(!text.contains(secret), "{stream} holds {secret}: {text}");
        }
    }
}
