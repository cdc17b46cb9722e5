#![allow(clippy::unwrap_used)]
use super::*;

fn fault(text: &[u8]) -> (&'static str, Option<String>, usize, usize) {
    let error = parse(text).expect_err("must be refused");
    assert!(!error.help.is_empty() && !error.message.is_empty());
    (error.code, error.field, error.line, error.column)
}

#[test]
fn defaults_are_filled_in() {
    let parsed = parse(br#"{"objective": "x", "phase": "BUILD"}"#).unwrap();
    assert_eq!(parsed.request.schema_version, 1);
    assert_eq!(parsed.request.phase, "build");
    assert_eq!(parsed.request.maximum_context_tokens, None);
    assert!(parsed.warnings.is_empty());
}

#[test]
fn every_field_of_the_contract_is_read() {
    let schema = serde_json::to_value(schemars::schema_for!(Request)).unwrap();
    let mut in_schema: Vec<_> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut known = FIELDS.to_vec();
    in_schema.sort_unstable();
    known.sort_unstable();
    assert_eq!(in_schema, known);
}

#[test]
fn faults_name_field_and_place() {
    let field = |name: &str| Some(name.to_owned());
    assert_eq!(
        fault(b"{\"objective\": \"x\",\n \"wat\": 1}"),
        ("request_unknown_field", field("wat"), 2, 6)
    );
    assert_eq!(fault(b"{\"objective\": null}").0, "request_type");
    assert_eq!(fault(b"{\"objective\": null}").1, field("objective"));
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"schema_version\": true}").1,
        field("schema_version")
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"schema_version\": 1.0}").0,
        "request_type"
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"schema_version\": 2}").0,
        "request_version"
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"maximum_context_tokens\": true}").1,
        field("maximum_context_tokens")
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"maximum_context_tokens\": 999}").0,
        "budget_out_of_range"
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"maximum_context_tokens\": 32001}").0,
        "budget_out_of_range"
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"languages\": \"python\"}").1,
        field("languages")
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"languages\": [1]}").1,
        field("languages")
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"objective\": \"y\"}").0,
        "request_duplicate_field"
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"ranking_mode\": {\"deterministic\": null}}").0,
        "request_type"
    );
    assert_eq!(
        fault(b"{\"objective\": \"x\", \"ranking_mode\": \"neural\"}").1,
        field("ranking_mode")
    );
    assert_eq!(fault(b"[]").0, "request_type");
    assert_eq!(fault(b"{\"objective\": \"x\"} {}").0, "request_json");
    assert_eq!(fault(b"").0, "request_json");
    assert_eq!(fault(b"\xEF\xBB\xBF{}").0, "request_bom");
    assert_eq!(
        fault(b"{\"objective\":\n \"a\xFFb\"}"),
        ("request_not_utf8", None, 2, 4)
    );
    assert_eq!(fault(br#"{"objective": "\ud800"}"#).0, "request_json");
    assert_eq!(fault(b"{}").0, "request_empty");
    assert_eq!(fault(b"{\"title\": \" \\n\"}").0, "request_empty");
    assert_eq!(
        fault(b"{\"required_skills\": [\"\"]}").0,
        "request_empty_name"
    );
    assert_eq!(
        fault(b"{\"required_skills\": [\"a\"], \"excluded_skills\": [\"a\"]}").0,
        "required_and_excluded"
    );
    assert_eq!(fault(&vec![b' '; 1024 * 1024 + 1]).0, "request_too_large");
}

#[test]
fn a_near_miss_is_suggested() {
    let error = parse(br#"{"objective": "x", "required-skill": []}"#).unwrap_err();
    assert!(error.help.contains("`required_skills`"), "{}", error.help);
}

#[test]
fn no_warning_reads_as_a_secret() {
    let parsed =
        parse(br#"{"objective": "x", "compatibility_mode": "forward-1", "password=[": 1}"#)
            .unwrap();
    assert_eq!(parsed.warnings.len(), 1);
    assert!(!crate::redact::contains_secret(&parsed.warnings[0]));
}

#[test]
fn forward_mode_lists_what_it_ignores_wherever_it_stands() {
    let parsed = parse(
        br#"{"new": {"a": null}, "objective": "x", "compatibility_mode": "forward-1", "b": 1}"#,
    )
    .unwrap();
    assert_eq!(
        parsed.warnings,
        ["unknown field `b` ignored", "unknown field `new` ignored"]
    );
}

#[test]
fn a_required_list_is_enough() {
    assert!(parse(br#"{"required_plugins": ["p"]}"#).is_ok());
}

#[test]
fn the_budget_does_not_change_the_query() {
    let plain = parse(br#"{"objective": "x"}"#).unwrap().request;
    let bounded =
        parse(br#"{"objective": "x", "maximum_context_tokens": 2000, "schema_version": 1}"#)
            .unwrap()
            .request;
    assert_eq!(
        plain.query_sha256().unwrap(),
        bounded.query_sha256().unwrap()
    );
    let other = parse(br#"{"objective": "y"}"#).unwrap().request;
    assert_ne!(plain.query_sha256().unwrap(), other.query_sha256().unwrap());
}

#[test]
fn secrets_are_gone_before_anything_is_hashed() {
    let secret = format!("gh{}", "p_0123456789abcdefghijABCDEFGHIJ012345");
    let text = format!(
        r#"{{"objective": "push with {secret}", "commands": ["deploy --token {secret}"]}}"#
    );
    let request = parse(text.as_bytes()).unwrap().request;
    assert!(!request.canonical().unwrap().contains(&secret));
    let faulty = format!(r#"{{"objective": "x", "ranking_mode": "{secret}"}}"#);
    assert!(!format!("{:?}", parse(faulty.as_bytes()).unwrap_err()).contains(&secret));
}
