//! Rows of a ledger that somebody else may have written: refused, or cleaned once and for all.

use vibey_context_contracts::conductor::event::{ChainRow, Event, Kind, Payload};
use vibey_context_contracts::digest::is_sha256_hex;
use vibey_context_contracts::redact::contains_secret;

/// Any line is refused, or a row; any text is refused, or the payload of a row.
pub(super) fn ledger(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for line in text.lines().chain([text]) {
        if let Ok(event) = serde_json::from_str::<Event>(line) {
            row(&event);
        }
    }
    for kind in Kind::ALL {
        assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        if let Ok(read) = Payload::read(kind, text) {
            payload(kind, read);
        }
    }
}

/// What is kept is clean, and stays what it is when it is read and cleaned again.
fn payload(kind: Kind, read: Payload) -> Option<String> {
    assert_eq!(read.kind(), kind);
    let kept = read.canonical().ok()?;
    assert!(!contains_secret(&kept), "{kept}");
    let again = Payload::read(kind, &kept).expect("what we keep is read");
    assert_eq!(again.canonical().ok().as_ref(), Some(&kept));
    Some(kept)
}

/// A row's line is read back as the row, and its digest is of every column.
fn row(event: &Event) {
    let kind = event.payload.kind();
    let Some(kept) = payload(kind, event.payload.clone()) else {
        return;
    };
    let stored = columns(event, &kept);
    let digest = stored.digest();
    assert!(is_sha256_hex(&digest));
    let line = stored.line(&digest);
    assert!(!line.contains('\n'));
    let back: Event = serde_json::from_str(&line).expect("a line is a row");
    assert_eq!(back.digest, digest);
    assert_eq!(columns(&back, &kept), stored);
    let moved = ChainRow {
        sequence: event.sequence ^ 1,
        ..stored
    };
    assert_ne!(moved.digest(), digest);
}

fn columns<'a>(event: &'a Event, payload: &'a str) -> ChainRow<'a> {
    ChainRow {
        sequence: event.sequence,
        id: &event.id,
        project: &event.project,
        job: &event.job,
        attempt: event.attempt,
        at: &event.at,
        kind: event.payload.kind().as_str(),
        payload,
        previous: &event.previous,
    }
}
