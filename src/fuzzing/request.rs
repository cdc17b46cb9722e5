//! A request: refused with a place, or one that has one spelling and holds no secret.

use crate::packet::query;
use vibey_context_contracts::redact::contains_secret;
use vibey_context_contracts::request::parse::{Parsed, parse};

/// Any bytes are refused, or a request that is what its canonical spelling says.
pub(super) fn request(data: &[u8]) {
    let Some(Parsed { request, warnings }) = read(data) else {
        return;
    };
    let canonical = request.canonical().expect("no field is a float");
    let mut again = read(canonical.as_bytes()).expect("what we write is read");
    assert_eq!(again.warnings, Vec::<String>::new());
    // The budget bounds a packet and does not belong to the question.
    again.request.maximum_context_tokens = request.maximum_context_tokens;
    assert_eq!(again.request, request);
    assert_eq!(again.request.canonical().ok(), Some(canonical));
    for warning in &warnings {
        assert!(!contains_secret(warning), "{warning}");
    }
    let asked = query(&request);
    for (field, words) in &asked.fields {
        assert!(
            words.windows(2).all(|two| two[0] < two[1]),
            "{field}: {words:?}"
        );
    }
}

/// Reads a request; what is wrong has a name and a remedy.
pub(super) fn read(data: &[u8]) -> Option<Parsed> {
    match parse(data) {
        Ok(parsed) => Some(parsed),
        Err(error) => {
            assert!(!error.message.is_empty() && !error.help.is_empty());
            assert!(!contains_secret(&error.message), "{error:?}");
            let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
            assert!(error.line <= lines, "{error:?}");
            None
        }
    }
}
