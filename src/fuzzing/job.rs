//! A job of another program: refused with a place, or one whose request the compiler reads as it is.

use vibey_context_contracts::conductor::job::{Job, parse, parse_entry, request_of};
use vibey_context_contracts::document::DocumentError;
use vibey_context_contracts::redact::contains_secret;
use vibey_context_contracts::request::{BUDGET_DEFAULT, parse as request};

/// Any bytes are refused, or a job.
pub(super) fn job(data: &[u8]) {
    match parse(data) {
        Ok(read) => {
            named(&read.warnings);
            asked(&read.value);
        }
        Err(error) => told(&error, data),
    }
    match parse_entry(data) {
        Ok(read) => asked(&read.value.job),
        Err(error) => told(&error, data),
    }
}

/// What is wrong is told without a secret, and with a place that the file has.
pub(super) fn told(error: &DocumentError, data: &[u8]) {
    assert!(!error.message.is_empty() && !error.help.is_empty());
    assert!(!contains_secret(&error.message), "{error:?}");
    let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
    assert!(error.line <= lines, "{error:?}");
}

fn named(warnings: &[String]) {
    for warning in warnings {
        assert!(!warning.contains(char::is_control), "{warning:?}");
        assert!(!contains_secret(warning), "{warning:?}");
    }
}

fn asked(job: &Job) {
    let id = job.id.as_str();
    assert!(!id.contains(['/', '\\', '\0']) && !id.starts_with('.'));
    let _ = job.skip();
    let made = request_of(job, BUDGET_DEFAULT);
    let text = serde_json::to_string(&made).expect("a request is JSON");
    match request::parse(text.as_bytes()) {
        Ok(read) => {
            assert_eq!(read.request, made);
            assert_eq!(read.warnings, Vec::<String>::new());
        }
        // What only the compiler can say: docs of `request_of`.
        Err(error) => assert!(
            [
                "required_and_excluded",
                "request_too_large",
                "request_empty"
            ]
            .contains(&error.code),
            "{error:?} of {text}"
        ),
    }
}
