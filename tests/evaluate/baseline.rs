//! Which changes since an earlier run does `--baseline` tell, and which of them end with 2?

use super::{evaluate, indexed, juggling, migration, report};
use crate::harness::{Output, fixture};
use serde_json::json;
use vibey_context_contracts::evaluation::{ChangeReason, EvaluationReport};
use vibey_context_contracts::packet::Status;

/// An evaluation of two cases, changed as if it came from an earlier run, and the run that is compared with it.
fn against(change: impl Fn(&mut EvaluationReport), more: &[&str]) -> Output {
    let dir = indexed();
    let cases = json!([migration("found"), juggling("none")]);
    let mut before = report(&evaluate(&dir, &cases, &["--json"]).expect(0));
    change(&mut before);
    dir.file("before.json", before.pretty().unwrap());
    evaluate(
        &dir,
        &cases,
        &[&["--baseline", "before.json"], more].concat(),
    )
}

#[test]
fn the_same_run_is_no_regression_whatever_its_latencies() {
    let slower = |before: &mut EvaluationReport| {
        before.overall.latency_us.as_mut().unwrap().p95 = 1;
    };
    let comparison = report(&against(slower, &["--json"]).expect(0))
        .comparison
        .unwrap();
    assert!(comparison.regressed.is_empty() && comparison.improved.is_empty());
    assert!(comparison.added.is_empty());
}

#[test]
fn a_baseline_of_the_first_minor_version_is_read() {
    let dir = indexed();
    let cases = json!([migration("found")]);
    let mut before = evaluate(&dir, &cases, &["--json"]).expect(0).json();
    before["contract_version"] = json!("1.0.0");
    let case = before["cases"][0].as_object_mut().unwrap();
    for key in ["selected", "mandatory_missing"] {
        assert!(case.remove(key).is_some());
    }
    dir.request("before.json", &before);
    evaluate(&dir, &cases, &["--baseline", "before.json"]).expect(0);
}

#[test]
fn what_became_better_is_told_and_is_no_regression() {
    let worse = |before: &mut EvaluationReport| {
        before.cases[0].rank = None;
        before.cases[1].status = Status::Ok;
    };
    let run = against(worse, &["--json"]).expect(0);
    let comparison = report(&run).comparison.unwrap();
    let reasons: Vec<_> = comparison
        .improved
        .iter()
        .map(|change| &change.reasons[..])
        .collect();
    assert_eq!(reasons, [[ChangeReason::Rank], [ChangeReason::Status]]);
    let table = against(worse, &[]).expect(0).stdout;
    assert!(
        table.contains("0 regressed, 2 improved, 0 added"),
        "{table}"
    );
    assert!(
        table.contains("improved   found  no rank, ok before; rank 1, ok now"),
        "{table}"
    );
}

#[test]
fn what_became_worse_ends_with_two() {
    let dir = indexed();
    let mut lost = juggling("lost");
    lost["negative"] = json!(false);
    lost["expected_skills"] = json!(["glossary"]);
    let mut before = report(&evaluate(
        &dir,
        &json!([migration("gone"), lost]),
        &["--json"],
    ));
    before.cases[1].rank = Some(1);
    before.cases[1].status = Status::Ok;
    dir.file("before.json", before.pretty().unwrap());
    let cases = json!([lost, migration("new")]);
    let run = evaluate(&dir, &cases, &["--baseline", "before.json", "--json"]).expect(2);
    let comparison = report(&run).comparison.unwrap();
    let regressed: Vec<_> = comparison
        .regressed
        .iter()
        .map(|change| (change.id.as_str(), change.reasons.clone()))
        .collect();
    let lost = vec![ChangeReason::Rank, ChangeReason::Status];
    assert_eq!(
        regressed,
        [("gone", vec![ChangeReason::Missing]), ("lost", lost)]
    );
    assert_eq!(comparison.added, ["new"]);
    let run = evaluate(&dir, &cases, &["--baseline", "before.json"]).expect(2);
    assert!(
        run.stdout.contains("2 regressed, 0 improved, 1 added"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("regressed  gone  rank 1, ok before; missing now")
    );
}

#[test]
fn a_negative_that_is_answered_now_is_a_regression() {
    let dir = indexed();
    let mut answered = juggling("a");
    answered["request"] = fixture::migration();
    let mut before = report(&evaluate(&dir, &json!([answered]), &["--json"]));
    before.cases[0].status = Status::LowConfidence;
    dir.file("before.json", before.pretty().unwrap());
    let run = evaluate(&dir, &json!([answered]), &["--baseline", "before.json"]).expect(2);
    assert!(
        run.stdout
            .contains("regressed  a  low_confidence before; ok now"),
        "{}",
        run.stdout
    );
}

#[test]
fn another_corpus_is_compared_with_a_warning() {
    let other = |before: &mut EvaluationReport| before.corpus_sha256 = "0".repeat(64);
    let run = against(other, &[]).expect(0);
    assert!(
        run.stderr
            .starts_with("warning: the baseline is of another corpus: 0000"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("0 regressed, 0 improved"));
    let warnings = report(&against(other, &["--json"]).expect(0)).warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}
