//! The commands of the ledger over the process boundary.

use super::on_both;
use super::place::{Place, event, rows, wait};
use serde_json::Value;
use std::process::Command;
use vibey_conductor_shim::ledger::read::Filter;
use vibey_context_contracts::conductor::config::Mode;
use vibey_context_contracts::conductor::event::{ArtifactProduced, NewEvent, Payload};
use vibey_context_contracts::conductor::verdict::Verdict;

on_both!(
    rows_are_listed_shown_and_exported,
    verify_ends_with_two_where_a_chain_is_broken,
    verify_ends_with_two_where_a_trigger_is_gone,
    a_missing_ledger_is_an_error_and_stays_missing,
    wrong_words_are_usage,
    an_outcome_is_recorded_and_a_report_counts_it,
);

/// Runs `vibey-conductor ledger` for the project of `place`: exit code, standard output, standard error.
fn ledger(place: &Place, words: &[&str]) -> (i32, String, String) {
    conductor(place, &[&["ledger"], words].concat())
}

/// The same for any command.
fn conductor(place: &Place, words: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vibey-conductor"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .arg("--project")
        .arg(place.project.path())
        .args(words);
    if !place.is_sqlite() {
        command.env("VIBEY_LEDGER_URL", &place.text);
    }
    let done = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        done.status.code().unwrap(),
        text(done.stdout),
        text(done.stderr),
    )
}

fn filled(place: &Place) {
    let ledger = place.open();
    let events = [
        (event("p", "a"), 1_000),
        (event("p", "b"), 2_000),
        (event("проект", "a"), 3_000),
    ];
    wait(ledger.append_all(&events)).unwrap();
}

fn rows_are_listed_shown_and_exported(place: &Place) {
    filled(place);
    let stored = rows(&place.open(), &Filter::default());
    let good = |words: &[&str]| {
        let (code, out, err) = ledger(place, words);
        assert_eq!((code, err.as_str()), (0, ""), "{words:?}: {out}");
        out
    };
    let lines: String = stored
        .iter()
        .map(|row| row.line().unwrap() + "\n")
        .collect();
    assert_eq!(good(&["export"]), lines);
    assert_eq!(good(&["list", "--json"]), lines);
    let listed = good(&["list"]);
    let first = "1970-01-01T00:00:01.000Z  p 1  outcome  a #1  accepted";
    assert_eq!(
        (listed.lines().count(), listed.lines().next()),
        (3, Some(first))
    );
    for (words, count) in [
        (vec!["list", "--project-id", "проект"], 1),
        (vec!["list", "--job", "a"], 2),
        (vec!["list", "--since", "1970-01-01T00:00:02Z"], 2),
        (vec!["list", "--kind", "outcome"], 3),
        (vec!["export", "--project-id", "p", "--job", "b"], 1),
        (vec!["show", "a", "--json"], 2),
        (vec!["show", "a", "--json", "--project-id", "p"], 1),
        (vec!["show", stored[1].id.as_str(), "--json"], 1),
        (vec!["show", stored[1].digest.as_str(), "--json"], 1),
    ] {
        assert_eq!(good(&words).lines().count(), count, "{words:?}");
    }
    let shown: Value = serde_json::from_str(&good(&["show", "b"])).unwrap();
    assert_eq!(shown["id"], stored[1].id.as_str());
    let (code, out, err) = ledger(place, &["list", "--kind", "skipped"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(err.contains("no such rows"), "{err}");
    let (code, _, err) = ledger(place, &["show", "c"]);
    assert_eq!(code, 1);
    assert!(err.contains("`c`"), "{err}");
}

fn verify_ends_with_two_where_a_chain_is_broken(place: &Place) {
    filled(place);
    let stored = rows(&place.open(), &Filter::default());
    let (code, out, _) = ledger(place, &["verify"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.ends_with("whole: 3 rows in 2 chains\n"), "{out}");
    let head = stored[1].digest.as_str();
    let (code, out, _) = ledger(place, &["verify", "--head", head, "--json"]);
    let verdict: Verdict = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, verdict.whole, verdict.heads[0].digest.as_str()),
        (0, true, head)
    );
    place.behind_its_back(
        "UPDATE ledger_event SET attempt = 7 WHERE project = 'p' AND sequence = 2",
    );
    let (code, out, _) = ledger(place, &["verify"]);
    assert_eq!(code, 2);
    let named = format!("altered: row 2 of project `p` ({})", stored[1].id);
    assert!(out.starts_with(&named), "{out}");
    assert_eq!(ledger(place, &["verify", "--project-id", "проект"]).0, 0);
    place.behind_its_back("DELETE FROM ledger_event WHERE project = 'p' AND sequence = 2");
    assert_eq!(ledger(place, &["verify"]).0, 0);
    let (code, out, _) = ledger(place, &["verify", "--head", head]);
    assert_eq!(code, 2);
    assert!(
        out.contains(&format!("head_not_found: digest {head}")),
        "{out}"
    );
}

fn verify_ends_with_two_where_a_trigger_is_gone(place: &Place) {
    filled(place);
    place.without_triggers("SELECT 1");
    let (code, out, _) = ledger(place, &["verify"]);
    assert_eq!(code, 2, "{out}");
    assert!(
        out.starts_with("guard_missing: trigger `ledger_event_"),
        "{out}"
    );
    let triggers = if place.is_sqlite() { 4 } else { 2 };
    assert!(
        out.ends_with(&format!("broken: {triggers} faults in 3 rows\n")),
        "{out}"
    );
    let (code, out, _) = ledger(place, &["verify", "--project-id", "p", "--json"]);
    let verdict: Verdict = serde_json::from_str(&out).unwrap();
    assert_eq!((code, verdict.whole, verdict.rows), (2, false, 2));
    place.restore_triggers();
    assert_eq!(ledger(place, &["verify"]).0, 0);
}

fn a_missing_ledger_is_an_error_and_stays_missing(place: &Place) {
    for words in [["list"], ["verify"], ["export"]] {
        let (code, out, err) = ledger(place, &words);
        assert_eq!((code, out.as_str()), (1, ""), "{words:?}");
        assert!(err.contains("there is no ledger at"), "{err}");
    }
    let (code, out, _) = ledger(place, &["list", "--json"]);
    let error: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, error["error"]["code"].as_str()),
        (1, Some("ledger_missing"))
    );
    assert_eq!(std::fs::read_dir(place.project.path()).unwrap().count(), 0);
}

fn an_outcome_is_recorded_and_a_report_counts_it(place: &Place) {
    let packet = ArtifactProduced::new(Mode::Shadow, "build", "implement", 6_000);
    let packet = NewEvent {
        payload: Payload::ArtifactProduced(Box::new(packet)),
        ..event("p", "a")
    };
    wait(place.open().append_all(&[(packet, 1_000)])).unwrap();
    let outcome = |attempt| {
        let words = ["outcome", "--job", "a", "--attempt", attempt];
        conductor(place, &[&words[..], &["--result", "accepted"]].concat())
    };
    let (code, out, err) = outcome("1");
    let recorded = "recorded as row 2 of project `p`\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, recorded, ""));
    let (code, _, err) = outcome("7");
    assert_eq!(code, 0);
    assert!(err.contains("no packet of job `a`, attempt 7"), "{err}");
    let (code, out, _) = conductor(place, &["report", "--json"]);
    assert_eq!(code, 0, "{out}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["comparisons"][0]["shadow"]["accepted"], 1);
    assert_eq!(report["rows"]["outcomes"], 2);
    assert_eq!(report["rows"]["outcomes_without_packet"], 1);
}

fn wrong_words_are_usage(place: &Place) {
    filled(place);
    for words in [
        vec!["verify", "--head", "abc"],
        vec!["list", "--since", "yesterday"],
        vec!["list", "--project-id", "a\u{202e}b"],
        vec!["list", "--kind", "deleted"],
        vec!["drop"],
        vec![],
    ] {
        let (code, out, err) = ledger(place, &words);
        assert_eq!((code, out.as_str()), (1, ""), "{words:?}");
        assert!(
            !err.is_empty() && !err.contains('\u{202e}'),
            "{words:?}: {err}"
        );
    }
}

#[test]
fn a_server_that_does_not_answer_is_named_without_its_password() {
    let project = tempfile::tempdir().unwrap();
    let url = "postgresql://bob:s3cr%40t-word@localhost/shared?host=/nowhere";
    for words in [["list"], ["verify"]] {
        let done = Command::new(env!("CARGO_BIN_EXE_vibey-conductor"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("VIBEY_LEDGER_URL", url)
            .arg("--project")
            .arg(project.path())
            .arg("ledger")
            .args(words)
            .output()
            .unwrap();
        let text = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
        assert_eq!(done.status.code(), Some(1));
        assert!(
            text.contains("`postgresql://bob@/nowhere/shared`"),
            "{text}"
        );
        assert!(!text.contains("s3cr") && !text.contains("t-word"), "{text}");
    }
}
