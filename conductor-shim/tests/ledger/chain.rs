//! Appending, and the chain that comes of it.

use super::on_both;
use super::place::{Place, event, rows, wait};
use vibey_conductor_shim::ledger::Ledger;
use vibey_conductor_shim::ledger::error::LedgerError;
use vibey_conductor_shim::ledger::read::Filter;
use vibey_context_contracts::conductor::event::GENESIS;

on_both!(
    rows_follow_each_other,
    two_projects_have_two_chains,
    a_ledger_is_opened_again,
    nothing_is_not_a_ledger,
    a_newer_schema_is_refused,
    many_rows_are_read_page_by_page,
);

fn rows_follow_each_other(place: &Place) {
    let ledger = place.open();
    let appended: Vec<_> = (0..5)
        .map(|n| wait(ledger.append(&event("p", &format!("job-{n}")))).unwrap())
        .collect();
    let stored = rows(&ledger, &Filter::default());
    assert_eq!(stored.len(), 5);
    let mut previous = GENESIS;
    for (at, (row, appended)) in stored.iter().zip(&appended).enumerate() {
        assert_eq!(row.sequence, at as i64 + 1);
        assert_eq!(
            (row.sequence, &row.id, &row.digest),
            (appended.sequence, &appended.id, &appended.digest)
        );
        assert_eq!(row.previous, previous);
        assert_eq!(row.chain_row().unwrap().digest(), row.digest);
        assert_eq!(row.id.as_bytes()[14], b'7', "{}", row.id);
        previous = &row.digest;
    }
    let verdict = wait(ledger.verify(None, None)).unwrap();
    assert!(verdict.whole, "{verdict:?}");
    assert_eq!(verdict.rows, 5);
    assert_eq!(verdict.heads, wait(ledger.heads()).unwrap());
    for appended in appended {
        assert!(
            wait(ledger.verify(Some("p"), Some(&appended.digest)))
                .unwrap()
                .whole
        );
    }
}

fn two_projects_have_two_chains(place: &Place) {
    let ledger = place.open();
    for project in ["b", "проект", "a", "B", "b", "a b", "b"] {
        wait(ledger.append(&event(project, "same"))).unwrap();
    }
    let heads = wait(ledger.heads()).unwrap();
    let lengths: Vec<_> = heads
        .iter()
        .map(|head| (head.project.as_str(), head.sequence))
        .collect();
    // In byte order, on every locale.
    assert_eq!(
        lengths,
        [("B", 1), ("a", 1), ("a b", 1), ("b", 3), ("проект", 1)]
    );
    assert!(wait(ledger.verify(None, None)).unwrap().whole);
    assert_eq!(wait(ledger.verify(Some("b"), None)).unwrap().rows, 3);
    assert_eq!(
        wait(ledger.projects_of("same")).unwrap(),
        ["B", "a", "a b", "b", "проект"]
    );
    assert!(wait(ledger.projects_of("other")).unwrap().is_empty());
    // A break in one says nothing of the other.
    place.behind_its_back("UPDATE ledger_event SET job = 'x' WHERE project = 'a'");
    assert!(!wait(ledger.verify(None, None)).unwrap().whole);
    assert!(!wait(ledger.verify(Some("a"), None)).unwrap().whole);
    assert!(wait(ledger.verify(Some("b"), None)).unwrap().whole);
}

fn a_ledger_is_opened_again(place: &Place) {
    let first = wait(place.open().append(&event("p", "a"))).unwrap();
    let ledger = wait(Ledger::open_existing(&place.location)).unwrap();
    let second = wait(ledger.append(&event("p", "b"))).unwrap();
    assert_eq!(rows(&ledger, &Filter::default())[1].previous, first.digest);
    assert_eq!(second.sequence, 2);
    wait(ledger.close());
}

fn nothing_is_not_a_ledger(place: &Place) {
    let missing = wait(Ledger::open_existing(&place.location)).err().unwrap();
    assert!(matches!(missing, LedgerError::Missing { .. }), "{missing}");
    place.open();
    assert!(wait(Ledger::open_existing(&place.location)).is_ok());
}

fn a_newer_schema_is_refused(place: &Place) {
    place.open();
    place
        .execute("INSERT INTO ledger_schema (version, applied_at) VALUES (99, 'later')")
        .unwrap();
    for error in [
        wait(Ledger::open(&place.location)).err().unwrap(),
        wait(Ledger::open_existing(&place.location)).err().unwrap(),
    ] {
        let text = error.to_string();
        assert!(
            matches!(
                error,
                LedgerError::Newer {
                    found: 99,
                    known: 1,
                    ..
                }
            ),
            "{text}"
        );
        assert!(text.contains("99") && text.contains("up to 1"), "{text}");
    }
}

fn many_rows_are_read_page_by_page(place: &Place) {
    let ledger = place.open();
    // More than two pages, in two projects that share one of them.
    let events: Vec<_> = (0..4_500u64)
        .map(|n| {
            let project = if n % 3 == 0 { "a" } else { "b" };
            (event(project, &format!("job-{}", n % 7)), n * 1_000)
        })
        .collect();
    assert_eq!(wait(ledger.append_all(&events)).unwrap().len(), 4_500);
    let verdict = wait(ledger.verify(None, None)).unwrap();
    assert!(verdict.whole, "{verdict:?}");
    assert_eq!(verdict.rows, 4_500);
    let count = |filter: Filter| rows(&ledger, &filter).len();
    let of = |project: &str| Some(project.to_owned());
    assert_eq!(
        count(Filter {
            project: of("a"),
            ..Filter::default()
        }),
        1_500
    );
    assert_eq!(
        count(Filter {
            project: of("b"),
            ..Filter::default()
        }),
        3_000
    );
    assert_eq!(
        count(Filter {
            project: of("c"),
            ..Filter::default()
        }),
        0
    );
    assert_eq!(
        count(Filter {
            job: of("job-0"),
            ..Filter::default()
        }),
        643
    );
    assert_eq!(
        count(Filter {
            since_ms: Some(4_000_000),
            ..Filter::default()
        }),
        500
    );
    let kind = vibey_context_contracts::conductor::event::Kind::Skipped;
    assert_eq!(
        count(Filter {
            kind: Some(kind),
            ..Filter::default()
        }),
        0
    );
}
