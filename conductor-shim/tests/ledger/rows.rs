//! What stands in a row: every text survives, no secret and no task text does.

use super::on_both;
use super::place::{Place, event, rows, wait};
use serde_json::Value;
use vibey_conductor_shim::ledger::error::LedgerError;
use vibey_conductor_shim::ledger::read::Filter;
use vibey_context_contracts::canonical;
use vibey_context_contracts::conductor::config::Mode;
use vibey_context_contracts::conductor::event::{
    ArtifactProduced, Event, NewEvent, Payload, SkipReason, Skipped,
};
use vibey_context_contracts::conductor::id::ProjectId;

on_both!(
    hostile_texts_survive,
    secrets_do_not_reach_the_database,
    exported_lines_are_events,
    a_row_without_json_is_no_line,
    a_clock_before_1970_and_one_after_9999_are_written,
);

const HOSTILE: [&str; 7] = [
    "'; DROP TABLE ledger_event; --",
    "\"\\\u{8}",
    "$1 ? :a @b",
    "日本語 🔥 é e\u{301}",
    "a%00b\\u0000",
    "{\"x\":1}",
    "<script>alert(1)</script>",
];

fn skipped(project: &str, phase: &str) -> NewEvent {
    NewEvent {
        project: ProjectId::new(project).unwrap(),
        payload: Payload::Skipped(Skipped {
            schema_version: 1,
            mode: Mode::Shadow,
            phase: phase.to_owned(),
            job_kind: phase.to_owned(),
            reason: SkipReason::Kind,
        }),
        ..event("p", "j")
    }
}

fn hostile_texts_survive(place: &Place) {
    let ledger = place.open();
    for text in HOSTILE {
        let project = text.replace('\u{8}', "");
        wait(ledger.append(&skipped(&project, text))).unwrap();
        let filter = Filter {
            project: Some(project.clone()),
            ..Filter::default()
        };
        let stored = rows(&ledger, &filter);
        assert_eq!(
            (stored.len(), stored[0].project.as_str()),
            (1, project.as_str())
        );
        let Payload::Skipped(read) = stored[0].payload().unwrap() else {
            panic!("{:?}", stored[0]);
        };
        assert_eq!(read.phase, text.replace('\u{8}', " "));
    }
    assert!(wait(ledger.verify(None, None)).unwrap().whole);
}

fn secrets_do_not_reach_the_database(place: &Place) {
    let secret = "password=hunter2hunter2";
    let mut artifact = ArtifactProduced::new(Mode::Inject, secret, secret, 6_000);
    artifact.tokenizer = Some(secret.to_owned());
    artifact.compiler_version = Some(secret.to_owned());
    artifact.packet_sha256 = Some(secret.to_owned());
    artifact.selected_plugins = vec![secret.to_owned()];
    artifact.selected_skills = [(format!("{secret}/TASK TEXT {}", "x".repeat(4_000)), 7)].into();
    let ledger = place.open();
    let artifact = NewEvent {
        payload: Payload::ArtifactProduced(Box::new(artifact)),
        ..event("p", "j")
    };
    wait(ledger.append(&artifact)).unwrap();
    wait(ledger.append(&skipped("p", secret))).unwrap();
    for row in rows(&ledger, &Filter::default()) {
        assert!(!format!("{row:?}").contains("hunter2"), "{row:?}");
        assert!(row.payload.len() < 3_000, "{row:?}");
    }
}

fn exported_lines_are_events(place: &Place) {
    let ledger = place.open();
    wait(ledger.append(&event("p", "a"))).unwrap();
    wait(ledger.append(&skipped("q", HOSTILE[1]))).unwrap();
    let mut out = Vec::new();
    assert_eq!(
        wait(ledger.export(&Filter::default(), &mut out)).unwrap(),
        2
    );
    let text = String::from_utf8(out).unwrap();
    let stored = rows(&ledger, &Filter::default());
    for (line, row) in text.lines().zip(&stored) {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(canonical::compact(&value).unwrap(), line);
        let event: Event = serde_json::from_value(value).unwrap();
        assert_eq!(event, row.event().unwrap());
    }
    assert_eq!(text.lines().count(), 2);
}

fn a_row_without_json_is_no_line(place: &Place) {
    let ledger = place.open();
    wait(ledger.append(&event("p", "a"))).unwrap();
    place.behind_its_back("UPDATE ledger_event SET payload = '{\n}'");
    let error = wait(ledger.export(&Filter::default(), &mut Vec::new())).unwrap_err();
    assert!(
        matches!(error, LedgerError::Row { sequence: 1, .. }),
        "{error}"
    );
    assert!(rows(&ledger, &Filter::default())[0].event().is_err());
}

fn a_clock_before_1970_and_one_after_9999_are_written(place: &Place) {
    let ledger = place.open();
    let events = [
        (event("p", "a"), 0),
        (event("p", "b"), u64::MAX),
        (event("p", "c"), 1),
    ];
    wait(ledger.append_all(&events)).unwrap();
    let stored = rows(&ledger, &Filter::default());
    let times: Vec<&str> = stored.iter().map(|row| row.at.as_str()).collect();
    assert_eq!(
        times,
        [
            "1970-01-01T00:00:00.000Z",
            "9999-12-31T23:59:59.999Z",
            "1970-01-01T00:00:00.001Z"
        ]
    );
    assert!(wait(ledger.verify(None, None)).unwrap().whole);
}
