//! Which changes are regressions?
#![allow(clippy::unwrap_used)]

use super::*;
use vibey_context_contracts::canonical;

/// A committed example, with other cases.
fn baseline(cases: Vec<CaseResult>) -> EvaluationReport {
    let text = include_bytes!("../../../contracts/examples/evaluation/good/negatives-only.json");
    let mut report = read_baseline(text).unwrap();
    report.cases = cases;
    report
}

fn case(id: &str, rank: Option<u32>, status: Status) -> CaseResult {
    CaseResult {
        id: id.to_owned(),
        form: None,
        negative: false,
        expected: Vec::new(),
        also_relevant: Vec::new(),
        rank,
        top: Vec::new(),
        status,
        confidence: None,
        selected: Vec::new(),
        packet_token_estimate: 0,
        mandatory_named: 0,
        mandatory_included: 0,
        mandatory_missing: Vec::new(),
    }
}

fn negative(id: &str, status: Status) -> CaseResult {
    CaseResult {
        negative: true,
        ..case(id, None, status)
    }
}

/// The reasons for which one case regressed and improved.
fn verdict(before: CaseResult, after: CaseResult) -> (Vec<ChangeReason>, Vec<ChangeReason>) {
    let before = baseline(vec![before]);
    let (found, warnings) = compare(&before, &before.corpus_sha256, &[after]);
    assert!(warnings.is_empty(), "{warnings:?}");
    let reasons = |list: Vec<Change>| list.into_iter().flat_map(|change| change.reasons).collect();
    (reasons(found.regressed), reasons(found.improved))
}

#[test]
fn a_rank_counts_where_it_crosses_a_boundary() {
    let ok = |rank| case("a", rank, Status::Ok);
    let worse = [
        (Some(1), Some(2)),
        (Some(3), Some(4)),
        (Some(5), Some(6)),
        (Some(10), Some(11)),
        (Some(10), None),
        (Some(1), None),
    ];
    for (from, to) in worse {
        let rank = vec![ChangeReason::Rank];
        assert_eq!(
            verdict(ok(from), ok(to)),
            (rank.clone(), vec![]),
            "{from:?} {to:?}"
        );
        assert_eq!(verdict(ok(to), ok(from)), (vec![], rank), "{to:?} {from:?}");
    }
    for (from, to) in [
        (Some(2), Some(3)),
        (Some(4), Some(5)),
        (Some(6), Some(10)),
        (Some(11), None),
        (Some(1), Some(1)),
    ] {
        assert_eq!(
            verdict(ok(from), ok(to)),
            (vec![], vec![]),
            "{from:?} {to:?}"
        );
        assert_eq!(
            verdict(ok(to), ok(from)),
            (vec![], vec![]),
            "{to:?} {from:?}"
        );
    }
}

#[test]
fn a_status_counts_by_what_is_right_for_the_case() {
    let status = vec![ChangeReason::Status];
    let ok = || case("a", Some(1), Status::Ok);
    let low = || case("a", Some(1), Status::LowConfidence);
    assert_eq!(verdict(ok(), low()), (status.clone(), vec![]));
    assert_eq!(verdict(low(), ok()), (vec![], status.clone()));
    let ok = || negative("a", Status::Ok);
    let low = || negative("a", Status::LowConfidence);
    assert_eq!(verdict(low(), ok()), (status.clone(), vec![]));
    assert_eq!(verdict(ok(), low()), (vec![], status));
}

#[test]
fn what_is_better_in_one_and_worse_in_another_has_regressed() {
    let before = case("a", Some(4), Status::Ok);
    let after = case("a", Some(1), Status::LowConfidence);
    assert_eq!(verdict(before, after), (vec![ChangeReason::Status], vec![]));
}

#[test]
fn a_missing_case_has_regressed_and_a_new_one_is_added() {
    let before = baseline(vec![case("old", Some(1), Status::Ok)]);
    let now = [case("new", None, Status::Ok)];
    let (found, _) = compare(&before, &before.corpus_sha256, &now);
    assert_eq!(found.regressed[0].reasons, [ChangeReason::Missing]);
    assert_eq!(found.regressed[0].after, None);
    assert_eq!(found.added, ["new"]);
    assert!(found.improved.is_empty());
}

#[test]
fn another_corpus_and_another_label_are_said() {
    let before = baseline(vec![case("a", Some(1), Status::Ok)]);
    let (found, warnings) = compare(&before, "00", &[negative("a", Status::Ok)]);
    assert!(found.regressed.is_empty() && found.improved.is_empty());
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("another corpus") && warnings[1].contains("`a` is negative"));
}

#[test]
fn a_baseline_is_an_evaluation_of_this_contract() {
    let contract = |version: &str| {
        let mut report = serde_json::to_value(baseline(vec![])).unwrap();
        report["contract_version"] = version.into();
        report["new"] = true.into();
        read_baseline(report.to_string().as_bytes())
    };
    assert!(
        contract("1.9.0").is_ok(),
        "fields of a newer minor are passed over"
    );
    assert!(matches!(
        contract("2.0.0"),
        Err(BaselineError::Contract { .. })
    ));
    for bytes in [&b""[..], b"{}", b"[]", b"null"] {
        let error = read_baseline(bytes).unwrap_err();
        assert!(matches!(error, BaselineError::NotEvaluation(_)), "{error}");
    }
    let manifest = canonical::compact(&serde_json::json!({"contract_version": "1.0.0"})).unwrap();
    assert!(read_baseline(manifest.as_bytes()).is_err());
}
