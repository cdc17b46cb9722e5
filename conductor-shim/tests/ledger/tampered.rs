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
    a_trigger_that_is_not_as_it_was_is_named,
    rows_where_no_row_can_stand_are_named,
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
        place.behind_its_back(&format!(
            "UPDATE ledger_event SET {column} = {value} WHERE id = '{id}'"
        ));
        let found = verdict(&ledger);
        assert_eq!(
            faults(&found),
            [(FaultKind::Altered, "p", 2, id)],
            "{column}"
        );
        place.behind_its_back(&format!(
            "UPDATE ledger_event SET {column} = {old}; DROP TABLE saved"
        ));
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
    place.behind_its_back("DELETE FROM ledger_event");
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

fn a_trigger_that_is_not_as_it_was_is_named(place: &Place) {
    let (ledger, _) = filled(place);
    // What somebody does, the trigger, a word of the message.
    let deeds: &[(&str, &str, &str)] = if place.is_sqlite() {
        &[
            (
                "DROP TRIGGER ledger_event_no_update",
                "ledger_event_no_update",
                "missing",
            ),
            (
                "DROP TRIGGER ledger_event_no_delete",
                "ledger_event_no_delete",
                "missing",
            ),
            (
                "DROP TRIGGER ledger_event_no_replace",
                "ledger_event_no_replace",
                "missing",
            ),
            (
                "DROP TRIGGER ledger_event_chain; CREATE TRIGGER ledger_event_chain BEFORE INSERT ON ledger_event \
                 BEGIN SELECT 1; END",
                "ledger_event_chain",
                "another definition",
            ),
        ]
    } else {
        &[
            (
                "DROP TRIGGER ledger_event_append_only ON ledger_event",
                "ledger_event_append_only",
                "missing",
            ),
            (
                "ALTER TABLE ledger_event DISABLE TRIGGER ledger_event_chain",
                "ledger_event_chain",
                "always on",
            ),
            (
                "ALTER TABLE ledger_event ENABLE TRIGGER ledger_event_append_only",
                "ledger_event_append_only",
                "always on",
            ),
            (
                "ALTER TABLE ledger_event ENABLE REPLICA TRIGGER ledger_event_append_only",
                "ledger_event_append_only",
                "always on",
            ),
            (
                "DROP TRIGGER ledger_event_append_only ON ledger_event; \
                 CREATE TRIGGER ledger_event_append_only BEFORE DELETE OR TRUNCATE ON ledger_event \
                 FOR EACH STATEMENT EXECUTE FUNCTION ledger_event_refuse(); \
                 ALTER TABLE ledger_event ENABLE ALWAYS TRIGGER ledger_event_append_only",
                "ledger_event_append_only",
                "another definition",
            ),
            (
                "DROP TRIGGER ledger_event_chain ON ledger_event; \
                 CREATE TRIGGER ledger_event_chain BEFORE INSERT ON ledger_event \
                 FOR EACH ROW WHEN (NEW.job <> 'x') EXECUTE FUNCTION ledger_event_follow(); \
                 ALTER TABLE ledger_event ENABLE ALWAYS TRIGGER ledger_event_chain",
                "ledger_event_chain",
                "another definition",
            ),
            (
                "CREATE OR REPLACE FUNCTION ledger_event_follow() RETURNS trigger LANGUAGE plpgsql AS \
                 'BEGIN RETURN NEW; END'",
                "ledger_event_chain",
                "another definition",
            ),
        ]
    };
    for (deed, trigger, reason) in deeds {
        place.execute(deed).unwrap();
        let found = verdict(&ledger);
        assert_eq!(
            faults(&found),
            [(FaultKind::GuardMissing, "", 0, *trigger)],
            "{deed}"
        );
        assert!(found.faults[0].message.contains(reason), "{found:?}");
        assert!(!found.whole);
        // All of them, whichever are left.
        if place.is_sqlite() {
            for name in ["no_update", "no_delete", "no_replace", "chain"] {
                let drop = format!("DROP TRIGGER IF EXISTS ledger_event_{name}");
                place.execute(&drop).unwrap();
            }
        } else {
            for name in ["append_only", "chain"] {
                let drop = format!("DROP TRIGGER IF EXISTS ledger_event_{name} ON ledger_event");
                place.execute(&drop).unwrap();
            }
        }
        assert_eq!(
            verdict(&ledger).faults_total,
            if place.is_sqlite() { 4 } else { 2 }
        );
        place.restore_triggers();
        let body_is_other = deed.contains("OR REPLACE FUNCTION");
        assert_eq!(verdict(&ledger).whole, !body_is_other, "{deed}");
    }
}

fn rows_where_no_row_can_stand_are_named(place: &Place) {
    let (ledger, stored) = filled(place);
    let places = [("", 1), ("", -3), ("p", 0), ("p", -1), ("p", i64::MIN)];
    let no_checks = if place.is_sqlite() {
        "PRAGMA ignore_check_constraints = ON"
    } else {
        "ALTER TABLE ledger_event DROP CONSTRAINT ledger_event_project_check, \
         DROP CONSTRAINT ledger_event_sequence_check"
    };
    let mut sql = no_checks.to_owned();
    for (n, (project, sequence)) in places.iter().enumerate() {
        let row = &stored[0];
        sql.push_str(&format!(
            "; INSERT INTO ledger_event (project, sequence, id, job, attempt, at, kind, payload, previous, digest) \
             VALUES ('{project}', {sequence}, '{}{}', 'forged', 1, '{}', '{}', '{}', '{}', '{}')",
            n + 1,
            row.id.get(1..).unwrap(),
            row.at,
            row.kind,
            row.payload,
            row.previous,
            row.digest
        ));
    }
    place.behind_its_back(&sql);
    let found = verdict(&ledger);
    let named: Vec<_> = faults(&found)
        .iter()
        .map(|(kind, project, sequence, _)| (*kind, (*project).to_owned(), *sequence))
        .collect();
    let mut expected: Vec<_> = places
        .iter()
        .map(|(project, sequence)| (FaultKind::Misplaced, (*project).to_owned(), *sequence))
        .collect();
    expected.sort();
    assert_eq!(named, expected);
    assert_eq!(found.rows, 13);
    let heads: Vec<_> = found
        .heads
        .iter()
        .map(|head| (head.project.as_str(), head.sequence))
        .collect();
    assert_eq!(heads, [("p", 4), ("q", 4)], "{found:?}");
    let of_p = wait(ledger.verify(Some("p"), None)).unwrap();
    assert_eq!(of_p.faults_total, 3, "{of_p:?}");
    // They are listed as well, and an export does not pass over them.
    assert_eq!(rows(&ledger, &Filter::default()).len(), 13);
    assert!(wait(ledger.export(&Filter::default(), &mut Vec::new())).is_err());
}
