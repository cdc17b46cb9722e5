//! What the database itself refuses, whoever asks.

use super::on_both;
use super::place::{Place, event, rows, wait};
use vibey_conductor_shim::ledger::read::{Filter, StoredEvent};

on_both!(
    changes_are_refused,
    replacements_are_refused,
    a_row_has_to_follow_the_last_one,
    a_row_that_the_database_passes_over_is_not_acknowledged,
);

fn filled(place: &Place) -> Vec<StoredEvent> {
    let ledger = place.open();
    for job in ["a", "b", "c"] {
        wait(ledger.append(&event("p", job))).unwrap();
    }
    rows(&ledger, &Filter::default())
}

/// Each statement fails for the reason `why`, and the rows are as they were.
fn refused(place: &Place, why: &str, statements: &[String]) {
    let before = rows(&place.open(), &Filter::default());
    for statement in statements {
        let error = place.execute(statement).expect_err(statement);
        assert!(error.contains(why), "{statement}: {error}");
    }
    assert_eq!(rows(&place.open(), &Filter::default()), before);
    assert!(wait(place.open().verify(None, None)).unwrap().whole);
}

fn a_row_that_the_database_passes_over_is_not_acknowledged(place: &Place) {
    filled(place);
    let statement = if place.is_sqlite() {
        "CREATE TRIGGER quiet BEFORE INSERT ON ledger_event BEGIN SELECT raise(ignore); END"
    } else {
        "CREATE RULE quiet AS ON INSERT TO ledger_event DO INSTEAD NOTHING"
    };
    place.execute(statement).unwrap();
    let error = wait(place.open().append(&event("p", "d"))).unwrap_err();
    assert!(error.to_string().contains("took no row"), "{error}");
    assert_eq!(rows(&place.open(), &Filter::default()).len(), 3);
}

fn changes_are_refused(place: &Place) {
    filled(place);
    let mut statements = vec![
        "UPDATE ledger_event SET payload = '{}'".to_owned(),
        "UPDATE ledger_event SET payload = payload WHERE sequence = 2".to_owned(),
        "DELETE FROM ledger_event".to_owned(),
        "DELETE FROM ledger_event WHERE sequence = 3".to_owned(),
    ];
    if place.is_sqlite() {
        // The conflict clause must not turn the refusal into silence.
        statements
            .push("UPDATE OR REPLACE ledger_event SET sequence = 1 WHERE sequence = 2".to_owned());
        statements.push("UPDATE OR IGNORE ledger_event SET job = 'x'".to_owned());
        statements.push("PRAGMA recursive_triggers = OFF; DELETE FROM ledger_event".to_owned());
    } else {
        statements.push("TRUNCATE ledger_event".to_owned());
        statements.push("TRUNCATE ledger_event CASCADE".to_owned());
        statements.push("DELETE FROM ledger_event WHERE false".to_owned());
        statements
            .push("SET session_replication_role = replica; DELETE FROM ledger_event".to_owned());
        statements.push(
            "MERGE INTO ledger_event e USING (VALUES ('p')) AS v (project) ON e.project = v.project \
             WHEN MATCHED THEN UPDATE SET job = 'x'"
                .to_owned(),
        );
    }
    refused(place, "append-only", &statements);
}

/// The values of a row for an INSERT, with another job.
fn values(row: &StoredEvent, sequence: i64, id: &str) -> String {
    format!(
        "('{}', {sequence}, '{id}', 'forged', 1, '{}', '{}', '{}', '{}', '{}')",
        row.project, row.at, row.kind, row.payload, row.previous, row.digest
    )
}

const COLUMNS: &str = "(project, sequence, id, job, attempt, at, kind, payload, previous, digest)";
const NEW_ID: &str = "01938f2e-0000-7000-8000-000000000000";

fn replacements_are_refused(place: &Place) {
    let rows = filled(place);
    let by_place = values(&rows[1], 2, NEW_ID);
    let by_id = values(&rows[1], 4, &rows[1].id);
    if place.is_sqlite() {
        let mut statements = Vec::new();
        for values in [&by_place, &by_id] {
            for recursive in ["ON", "OFF"] {
                statements.push(format!(
                    "PRAGMA recursive_triggers = {recursive}; INSERT OR REPLACE INTO ledger_event {COLUMNS} VALUES {values}"
                ));
            }
            statements.push(format!(
                "REPLACE INTO ledger_event {COLUMNS} VALUES {values}"
            ));
            statements.push(format!(
                "INSERT OR IGNORE INTO ledger_event {COLUMNS} VALUES {values}"
            ));
            statements.push(format!(
                "INSERT INTO ledger_event {COLUMNS} VALUES {values} ON CONFLICT DO UPDATE SET job = 'forged'"
            ));
        }
        refused(place, "ledger_event is", &statements);
        // A good row in place of another one, by the hidden key, and the number that stands for none.
        let last = &rows[2];
        let next = StoredEvent {
            previous: last.digest.clone(),
            ..last.clone()
        };
        let next = values(&next, 4, NEW_ID).replace("('p'", "(2, 'p'");
        let hidden = COLUMNS.replace("(project", "(rowid, project");
        let statement = format!("INSERT OR REPLACE INTO ledger_event {hidden} VALUES {next}");
        refused(place, "append-only: REPLACE", &[statement]);
        let none = next.replace("(2, 'p'", "(-1, 'p'");
        let statement = format!("INSERT OR REPLACE INTO ledger_event {hidden} VALUES {none}");
        refused(place, "CHECK constraint failed", &[statement]);
    } else {
        let mut statements = Vec::new();
        for (key, values) in [("project, sequence", &by_place), ("id", &by_id)] {
            statements.push(format!(
                "INSERT INTO ledger_event {COLUMNS} VALUES {values} ON CONFLICT ({key}) DO UPDATE SET job = 'forged'"
            ));
        }
        refused(place, "ledger_event is", &statements);
    }
}

fn a_row_has_to_follow_the_last_one(place: &Place) {
    let rows = filled(place);
    let last = &rows[2];
    let gap = StoredEvent {
        previous: last.digest.clone(),
        ..last.clone()
    };
    let statements: Vec<String> = [
        values(&gap, 5, NEW_ID),
        values(last, 4, NEW_ID),
        values(
            &StoredEvent {
                project: "q".to_owned(),
                ..last.clone()
            },
            1,
            NEW_ID,
        ),
    ]
    .iter()
    .map(|values| format!("INSERT INTO ledger_event {COLUMNS} VALUES {values}"))
    .collect();
    refused(place, "is a chain", &statements);
    // With the right place and link the database takes it; `verify` sees that the digest is another row's.
    let forged = format!(
        "INSERT INTO ledger_event {COLUMNS} VALUES {}",
        values(&gap, 4, NEW_ID)
    );
    place.execute(&forged).unwrap();
    let verdict = wait(place.open().verify(None, None)).unwrap();
    assert_eq!(
        (verdict.faults_total, verdict.faults[0].sequence),
        (1, Some(4)),
        "{verdict:?}"
    );
}
