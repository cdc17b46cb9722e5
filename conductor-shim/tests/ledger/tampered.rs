//! What `verify` finds of changes that were made behind the ledger's back.

use super::on_both;
use super::place::{Place, event, rows, wait};
use vibey_conductor_shim::ledger::Ledger;
use vibey_conductor_shim::ledger::read::{Filter, StoredEvent};
use vibey_conductor_shim::ledger::verify::FAULTS_SHOWN;
use vibey_context_contracts::conductor::verdict::{FaultKind, Verdict};

on_both!(
    an_altered_row_is_named,
    a_row_altered_with_its_digest_breaks_the_link,
    missing_rows_are_named,
    exchanged_rows_are_named,
    a_cut_tail_is_found_with_its_head,
    faults_are_bounded,
);

fn filled(place: &Place) -> (Ledger, Vec<StoredEvent>) {
    let ledger = place.open();
    for job in ["a", "b", "c", "d"] {
        wait(ledger.append(&event("p", job))).unwrap();
        wait(ledger.append(&event("q", job))).unwrap();
    }
    let filter = Filter {
        project: Some("p".to_owned()),
        ..Filter::default()
    };
    let stored = rows(&ledger, &filter);
    (ledger, stored)
}

fn verdict(ledger: &Ledger) -> Verdict {
    wait(ledger.verify(None, None)).unwrap()
}

/// The faults as kind, project, position and id.
fn faults(verdict: &Verdict) -> Vec<(FaultKind, &str, i64, &str)> {
    let faults = verdict.faults.iter();
    faults
        .map(|fault| {
            (
                fault.kind,
                fault.project.as_deref().unwrap_or_default(),
                fault.sequence.unwrap_or_default(),
                fault.id.as_str(),
            )
        })
        .collect()
}

fn an_altered_row_is_named(place: &Place) {
    let (ledger, stored) = filled(place);
    place.behind_its_back("SELECT 1");
    let id = stored[1].id.as_str();
    for (column, value) in [
        ("job", "'x'".to_owned()),
        ("attempt", "2".to_owned()),
        ("at", "'2020-01-01T00:00:00.000Z'".to_owned()),
        ("kind", "'skipped'".to_owned()),
        ("payload", "payload || ' '".to_owned()),
    ] {
        let old = format!("(SELECT old.{column} FROM saved old WHERE old.id = ledger_event.id)");
        place
            .execute("CREATE TABLE saved AS SELECT * FROM ledger_event")
            .unwrap();
        place
            .execute(&format!(
                "UPDATE ledger_event SET {column} = {value} WHERE id = '{id}'"
            ))
            .unwrap();
        let found = verdict(&ledger);
        assert_eq!(
            faults(&found),
            [(FaultKind::Altered, "p", 2, id)],
            "{column}"
        );
        place
            .execute(&format!(
                "UPDATE ledger_event SET {column} = {old}; DROP TABLE saved"
            ))
            .unwrap();
        assert!(verdict(&ledger).whole, "{column}");
    }
}

fn a_row_altered_with_its_digest_breaks_the_link(place: &Place) {
    let (ledger, stored) = filled(place);
    let forged = StoredEvent {
        job: "x".to_owned(),
        ..stored[1].clone()
    };
    let digest = forged.chain_row().unwrap().digest();
    place.behind_its_back(&format!(
        "UPDATE ledger_event SET job = 'x', digest = '{digest}' WHERE id = '{}'",
        forged.id
    ));
    let found = verdict(&ledger);
    assert_eq!(
        faults(&found),
        [(FaultKind::BrokenLink, "p", 3, stored[2].id.as_str())]
    );
    assert!(found.faults[0].message.contains("row 2"), "{found:?}");
}

fn missing_rows_are_named(place: &Place) {
    let (ledger, stored) = filled(place);
    place.behind_its_back("DELETE FROM ledger_event WHERE project = 'p' AND sequence IN (1, 3)");
    let found = verdict(&ledger);
    let expected = [
        (FaultKind::MissingRows, "p", 2, stored[1].id.as_str()),
        (FaultKind::MissingRows, "p", 4, stored[3].id.as_str()),
    ];
    assert_eq!(faults(&found), expected);
    assert!(
        found.faults[0].message.contains("row 1 is missing"),
        "{found:?}"
    );
}

fn exchanged_rows_are_named(place: &Place) {
    let (ledger, _) = filled(place);
    place.behind_its_back(
        "UPDATE ledger_event SET sequence = 99 WHERE project = 'p' AND sequence = 2; \
         UPDATE ledger_event SET sequence = 2 WHERE project = 'p' AND sequence = 3; \
         UPDATE ledger_event SET sequence = 3 WHERE project = 'p' AND sequence = 99",
    );
    let found = verdict(&ledger);
    assert!(!found.whole);
    let touched: Vec<i64> = found
        .faults
        .iter()
        .filter_map(|fault| fault.sequence)
        .collect();
    assert!(touched.contains(&2) && touched.contains(&3), "{found:?}");
}

fn a_cut_tail_is_found_with_its_head(place: &Place) {
    let (ledger, stored) = filled(place);
    place.behind_its_back("DELETE FROM ledger_event WHERE project = 'p' AND sequence > 2");
    assert!(verdict(&ledger).whole, "a shorter chain is a chain");
    let with = |row: &StoredEvent| wait(ledger.verify(None, Some(&row.digest))).unwrap();
    assert!(with(&stored[1]).whole);
    let found = with(&stored[3]);
    assert_eq!(
        faults(&found),
        [(FaultKind::HeadNotFound, "", 0, stored[3].digest.as_str())]
    );
    // Everything gone is a cut tail as well.
    place.execute("DELETE FROM ledger_event").unwrap();
    assert!(verdict(&ledger).whole);
    assert!(!with(&stored[0]).whole);
}

fn faults_are_bounded(place: &Place) {
    let ledger = place.open();
    let events: Vec<_> = (0..250)
        .map(|n| (event("p", &format!("j{n}")), n))
        .collect();
    wait(ledger.append_all(&events)).unwrap();
    place.behind_its_back("UPDATE ledger_event SET job = 'x'");
    let found = verdict(&ledger);
    assert_eq!(
        (found.faults.len(), found.faults_total),
        (FAULTS_SHOWN, 250)
    );
}
