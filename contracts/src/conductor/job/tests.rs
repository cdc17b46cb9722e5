#![allow(clippy::unwrap_used)]

use super::*;
use crate::canonical;
use crate::request::parse::parse as parse_request;
use proptest::prelude::*;
use serde_json::json;

fn job(value: &Value) -> Job {
    parse(value.to_string().as_bytes()).unwrap().value
}

fn refused(text: &str) -> DocumentError {
    parse(text.as_bytes()).unwrap_err()
}

#[test]
fn a_job_needs_an_id_and_a_kind_alone() {
    let read = job(&json!({"id": "a", "kind": "implement"}));
    assert_eq!(read.id.as_str(), "a");
    assert_eq!(read.project_id.as_str(), "default");
    assert_eq!(read.attempts, 1);
    assert_eq!(read.payload, Payload::default());
    assert!(refused(r#"{"id": "a"}"#).message.contains("`kind`"));
    assert!(refused(r#"{"kind": "implement"}"#).message.contains("`id`"));
}

#[test]
fn other_spellings_of_a_value_are_read() {
    let read = job(&json!({
        "id": 7, "project_id": 12, "cycle": 3, "phase": null, "kind": "implement", "work_item_id": 99, "attempts": null,
        "payload": {"title": null, "paths": "src", "languages": null, "requirements": ["a", "b"], "verification": null}
    }));
    assert_eq!(read.id.as_str(), "7");
    assert_eq!(read.project_id.as_str(), "12");
    assert_eq!((read.cycle.as_str(), read.phase.as_str()), ("3", ""));
    assert_eq!(read.payload.paths, ["src"]);
    assert_eq!(read.payload.requirements, ["a", "b"]);
    assert!(read.payload.languages.is_empty());
}

#[test]
fn faults_are_named_with_field_and_place() {
    for (text, code, field, place, part) in [
        (
            "{\n \"id\": \"a/b\", \"kind\": \"x\"}",
            "job_invalid",
            Some("id"),
            (2, 12),
            "job id `a/b`",
        ),
        (
            "{\"id\": \"a\", \"kind\": \"x\",\n \"payload\": {\"paths\": [\"s\", 3]}}",
            "job_invalid",
            Some("payload.paths[1]"),
            (2, 29),
            "expected a string",
        ),
        (
            "{\"id\": \"a\", \"kind\": \"x\", \"attempts\": -1}",
            "job_invalid",
            Some("attempts"),
            (1, 39),
            "-1",
        ),
        (
            "{\"id\": \"a\", \"kind\": \"x\", \"payload\": []}",
            "job_invalid",
            Some("payload"),
            (1, 36),
            "",
        ),
        (
            "{\"id\": \"a\", \"id\": \"b\", \"kind\": \"x\"}",
            "job_invalid",
            None,
            (1, 16),
            "duplicate field `id`",
        ),
        ("[]", "job_invalid", None, (1, 0), "job"),
        (
            "{\"id\": \"a\",}",
            "job_json",
            None,
            (1, 12),
            "not valid JSON",
        ),
        (
            "{\"id\": \"a\", \"kind\": \"x\"} {}",
            "job_json",
            None,
            (1, 26),
            "trailing",
        ),
        ("", "job_json", None, (1, 0), "EOF"),
        ("\u{feff}{}", "job_json", None, (0, 0), "byte order mark"),
    ] {
        let error = refused(text);
        assert_eq!(
            (error.code, error.field.as_deref()),
            (code, field),
            "{text}: {error}"
        );
        assert_eq!((error.line, error.column), place, "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
        assert!(!error.help.is_empty());
    }
    assert_eq!(parse(b"\"\xff\"").unwrap_err().code, "job_json");
    assert_eq!(
        parse(&vec![b' '; JOB_MAX_BYTES + 1]).unwrap_err().code,
        "job_json"
    );
}

#[test]
fn unknown_keys_are_warnings_at_every_level() {
    let text = r#"{"id": "a", "kind": "x", "lane": 1, "payload": {"verification": {"shell": "sh"}, "pathes": []}}"#;
    let warnings = parse(text.as_bytes()).unwrap().warnings;
    for path in ["`lane`", "`payload.verification.shell`", "`payload.pathes`"] {
        assert!(
            warnings.iter().any(|line| line.contains(path)),
            "{path} in {warnings:?}"
        );
    }
    assert_eq!(warnings.len(), 3);
}

#[test]
fn a_line_of_a_batch_names_its_job_in_faults() {
    let good = r#"{"job": {"id": "a", "kind": "implement"}, "worktree": "w", "prompt": "p", "prompt_out": "o"}"#;
    assert_eq!(parse_entry(good.as_bytes()).unwrap().value.worktree, "w");
    let bad = good.replace("\"a\"", "\"..\"");
    assert_eq!(
        parse_entry(bad.as_bytes()).unwrap_err().field.as_deref(),
        Some("job.id")
    );
}

#[test]
fn a_request_has_the_defaults_of_the_job() {
    let mut value =
        json!({"id": "a", "kind": "implement", "work_item_id": "W-1", "phase": "Build"});
    let request = request_of(&job(&value), 2_000);
    assert_eq!(
        (request.title.as_str(), request.objective.as_str()),
        ("W-1", "W-1")
    );
    assert_eq!(
        (request.phase.as_str(), request.job_kind.as_str()),
        ("build", "implement")
    );
    assert_eq!(request.maximum_context_tokens, Some(2_000));
    assert_eq!(
        (
            request.prior_failure_class.as_str(),
            request.error_summary.as_str()
        ),
        ("", "")
    );
    value["work_item_id"] = Value::Null;
    assert_eq!(request_of(&job(&value), 2_000).title, "implement");
    value["payload"] = json!({"title": "T", "verification": {"commands": ["cargo test", " "]}});
    let request = request_of(&job(&value), 2_000);
    assert_eq!(
        (request.title.as_str(), request.objective.as_str()),
        ("T", "T")
    );
    assert_eq!(request.commands, ["cargo test"]);
}

#[test]
fn only_our_prompts_of_implement_jobs_get_a_packet() {
    let skip = |kind: &str, seed: Value| {
        job(&json!({"id": "a", "kind": kind, "payload": {"seed_prompt": seed}})).skip()
    };
    assert_eq!(skip("implement", Value::Null), None);
    assert_eq!(skip("implement", json!("")), None);
    assert_eq!(
        skip("implement", json!("brief")),
        Some(SkipReason::SeedPrompt)
    );
    assert_eq!(skip("review", json!("")), Some(SkipReason::Kind));
    assert_eq!(skip("review", json!("brief")), Some(SkipReason::SeedPrompt));
}

#[test]
fn a_repair_detail_is_redacted_and_then_cut() {
    let detail = |value: Value| {
        let job =
            job(&json!({"id": "a", "kind": "implement", "payload": {"repair_detail": value}}));
        let request = request_of(&job, 1_000);
        let class = if request.error_summary.is_empty() {
            ""
        } else {
            "verification"
        };
        assert_eq!(request.prior_failure_class, class);
        request.error_summary
    };
    assert_eq!(detail(json!("  ")), "");
    assert_eq!(detail(Value::Null), "");
    assert_eq!(detail(json!("test `a` failed")), "test `a` failed");
    assert_eq!(
        detail(json!({"exit": 1, "password": "hunter2"})),
        r#"{"exit":1,"password":"[redacted:labelled]"}"#
    );
    assert_eq!(detail(json!("é".repeat(1_500))), "é".repeat(1_000));
    // The cut goes through the secret, and through its mark.
    for before in [980, 990, 995, 999] {
        let text = format!("{} password=hunter2hunter2", "x".repeat(before));
        let summary = detail(json!(text));
        assert!(!summary.contains("hunter"), "{summary}");
        assert!(
            !summary.contains("[redacted") || summary.contains(']'),
            "{summary}"
        );
    }
}

fn any_job() -> impl Strategy<Value = Job> {
    let texts = || prop::collection::vec(".{0,8}|[ ]|password=hunter2secret", 0..3);
    (
        (".{0,8}", ".{0,8}", "[a-zA-ZÄß]{0,6}", texts(), texts(), texts()),
        prop::option::of(".*"),
        texts(),
    )
        .prop_map(|((title, objective, phase, a, b, c), detail, skills)| {
            job(&json!({"id": "a", "kind": "implement", "phase": phase, "payload": {
                "title": title, "objective": objective, "requirements": a, "paths": b,
                "verification": {"commands": c}, "repair_detail": detail, "required_skills": skills,
            }}))
        })
}

proptest! {
    #[test]
    fn a_request_reads_back_as_itself(job in any_job(), budget in 1_000u64..=32_000) {
        let request = request_of(&job, budget);
        let parsed = parse_request(canonical::pretty(&request).unwrap().as_bytes()).unwrap();
        prop_assert_eq!(parsed.request, request);
        prop_assert!(parsed.warnings.is_empty());
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse(&bytes);
    }
}
