//! Is a ledger of an earlier version read, reported and continued? `conductor-shim/tests/fixtures/ledger-1.sqlite3` was written
//! by version 0.1.0, whose schema is 1, from the rows of [`small`]. It is never written anew: a later schema gets a fixture of its
//! own, beside this one.

use super::{record, report, small};
use crate::stage::Stage;
use serde_json::Value;
use std::path::Path;

const LEDGER: &str = "project/.vibey/ledger.sqlite3";

/// A project with the old ledger.
fn old() -> Stage {
    let stage = Stage::new();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-1.sqlite3");
    stage.file(LEDGER, std::fs::read(kept).unwrap());
    stage
}

fn ledger(stage: &Stage, words: &[&str]) -> Vec<u8> {
    let words = [&["--project", "project", "ledger"], words].concat();
    stage.run(&words).expect(0).stdout
}

/// The rows of the ledger.
fn rows(stage: &Stage) -> Vec<Value> {
    let exported = String::from_utf8(ledger(stage, &["export"])).unwrap();
    let rows = exported
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

#[test]
fn an_old_ledger_is_whole_and_reported_as_a_new_one() {
    let (stage, new) = (old(), Stage::new());
    ledger(&stage, &["verify"]);
    let events = small("web/forms", false);
    assert_eq!(rows(&stage).len(), events.len());
    record(&new, &events);
    for words in [&["--json"][..], &["--by", "skill"]] {
        assert_eq!(report(&stage, words).stdout, report(&new, words).stdout);
    }
}

#[test]
fn an_old_ledger_is_continued_and_its_rows_stay_as_they_are() {
    let stage = old();
    let before = rows(&stage);
    let words = [
        "--project",
        "project",
        "outcome",
        "--job",
        "job-3",
        "--attempt",
        "1",
        "--result",
        "accepted",
    ];
    stage.run(&words).expect(0);
    let after = rows(&stage);
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after[..before.len()], before);
    ledger(&stage, &["verify"]);
}
