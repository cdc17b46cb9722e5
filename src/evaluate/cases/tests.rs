//! Which files are case files, and what is said of those that are not?
#![allow(clippy::unwrap_used)]

use super::*;
use serde_json::json;

fn cases(value: &Value) -> Result<Cases, CasesError> {
    read(value.to_string().as_bytes())
}

#[track_caller]
fn message(value: &Value) -> String {
    cases(value).unwrap_err().to_string()
}

fn positive() -> Value {
    json!({"id": "a", "request": {"objective": "sort a list"}, "expected_skills": ["sorting"]})
}

fn with(field: &str, value: Value) -> Value {
    let mut case = positive();
    case[field] = value;
    json!([case])
}

#[test]
fn both_shapes_hold_the_same_cases() {
    let list = cases(&json!([positive()])).unwrap();
    let object = cases(&json!({"cases": [positive()]})).unwrap();
    assert_eq!(list, object);
    assert!(list.warnings.is_empty());
    let case = &list.cases[0];
    assert_eq!(case.expected, ["sorting"]);
    assert!(!case.negative && case.form.is_none() && case.mandatory_headings.is_empty());
}

#[test]
fn what_is_no_case_file_is_refused() {
    for value in [json!(null), json!({}), json!({"cases": {}}), json!("a")] {
        assert_eq!(cases(&value), Err(CasesError::Shape), "{value}");
    }
    for value in [json!([]), json!({"cases": []})] {
        assert_eq!(cases(&value), Err(CasesError::Empty), "{value}");
    }
    for bytes in [&b""[..], b"[", b"\xEF\xBB\xBF[]", b"[\"\xFF\"]"] {
        assert!(
            matches!(read(bytes), Err(CasesError::Json { line: 1, .. })),
            "{bytes:?}"
        );
    }
    let twice = br#"[{"id": "a", "id": "b"}]"#;
    assert!(matches!(read(twice), Err(CasesError::Json { .. })));
}

#[test]
fn a_fault_is_named_with_its_case_and_field() {
    let without = |field: &str| {
        let mut case = positive();
        case.as_object_mut().unwrap().remove(field);
        json!([positive(), case])
    };
    assert_eq!(
        message(&json!([positive(), 7])),
        "case number 2: is no JSON object"
    );
    assert_eq!(
        message(&without("id")),
        "case number 2, field `id`: is missing"
    );
    assert_eq!(
        message(&json!([positive(), positive()])),
        "case `a`, field `id`: stands twice"
    );
    for (field, value) in [
        ("request", json!([])),
        ("request", json!({})),
        ("request", json!({"objective": "x", "goal": "y"})),
        (
            "request",
            json!({"objective": "x", "maximum_context_tokens": 5}),
        ),
        ("expected_skills", json!("sorting")),
        ("expected_skills", json!([" "])),
        ("expected_skills", json!([])),
        ("also_relevant", json!([1])),
        ("mandatory_headings", json!(null)),
        ("form", json!("")),
        ("form", json!("x".repeat(101))),
        ("negative", json!("no")),
    ] {
        let message = message(&with(field, value.clone()));
        let start = format!("case `a`, field `{field}`: ");
        assert!(message.starts_with(&start), "{value}: {message}");
    }
    let lost = json!([{"id": "a", "expected_skills": ["x"]}]);
    assert_eq!(message(&lost), "case `a`, field `request`: is missing");
    let both = message(&with("negative", json!(true)));
    assert!(both.contains("expects no skill"), "{both}");
}

#[test]
fn a_fault_of_the_request_keeps_its_own_code() {
    let error = cases(&with("request", json!({"objective": "x", "goal": "y"}))).unwrap_err();
    let CasesError::Case { code, help, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(code, "request_unknown_field");
    assert!(help.contains("forward-1"), "{help}");
}

#[test]
fn unknown_fields_are_ignored_with_one_warning_each() {
    let mut list = vec![positive(), positive(), positive()];
    for (at, case) in list.iter_mut().enumerate() {
        case["id"] = json!(at.to_string());
        case["topic"] = json!({"any": []});
    }
    list[0]["note"] = json!(1);
    let read = cases(&json!({"cases": list, "license": "MIT"})).unwrap();
    assert_eq!(
        read.warnings,
        [
            "unknown field `license` beside `cases` ignored",
            "unknown field `note` ignored, cases that have it: 1",
            "unknown field `topic` ignored, cases that have it: 3",
        ]
    );
}

#[test]
fn what_a_request_ignores_is_kept_as_its_warning() {
    let request = json!({"objective": "x", "goal": "y", "compatibility_mode": "forward-1"});
    let read = cases(&with("request", request)).unwrap();
    assert_eq!(read.cases[0].warnings, ["unknown field `goal` ignored"]);
}

#[test]
fn no_secret_stays_in_a_case() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let mut case = positive();
    case["id"] = json!(format!("token {secret}"));
    case["request"]["objective"] = json!(format!("rotate {secret}"));
    case["expected_skills"] = json!([secret]);
    case[secret] = json!(1);
    let read = cases(&json!([case])).unwrap();
    let all = format!("{read:?}");
    assert!(!all.contains(secret), "{all}");
}
