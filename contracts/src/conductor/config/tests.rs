#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn context(value: &Value) -> SkillsContext {
    let text = json!({"skills_context": value}).to_string();
    parse(text.as_bytes()).unwrap().value.skills_context
}

fn refused(value: &Value) -> DocumentError {
    let text = json!({"skills_context": value}).to_string();
    parse(text.as_bytes()).unwrap_err()
}

#[test]
fn missing_keys_have_their_defaults() {
    let all = parse(b"{}").unwrap();
    assert_eq!(all.value, Config::default());
    let read = context(&json!({"mode": "shadow"}));
    assert_eq!((read.mode, read.budget), (Mode::Shadow, 6_000));
    assert_eq!(read.command, ["vibey-context"]);
    assert_eq!(
        (read.timeout_seconds, read.index_path.as_str()),
        (120, ".vibey/skills-context/index")
    );
    assert_eq!(
        parse(b"{\"ledger_url_file\": \"u\", \"other\": 1.5}")
            .unwrap()
            .value
            .ledger_url_file
            .as_deref(),
        Some("u")
    );
}

#[test]
fn a_key_beside_its_object_is_told() {
    let read = parse(br#"{"mode": "shadow", "name": "shop", "skills_context": {"mode": "off"}}"#);
    assert_eq!(
        read.unwrap().warnings,
        ["`mode` of project.json is not read; it belongs into `skills_context`"]
    );
    // The list of keys is that of the type.
    let all = OURS.map(|key| (key.to_owned(), json!(null)));
    for (key, _) in all {
        let fault = refused(&json!({key.as_str(): {}}));
        assert!(!fault.message.contains("unknown field"), "{fault}");
    }
    let fault = refused(&json!({"unknown": 1}));
    assert!(
        OURS.iter().all(|key| fault.message.contains(key)),
        "{fault}"
    );
}

#[test]
fn faults_name_their_key() {
    for (value, field, part) in [
        (
            json!({"mdoe": "inject"}),
            "skills_context.mdoe",
            "unknown field `mdoe`",
        ),
        (json!({"mode": "on"}), "skills_context.mode", "`on`"),
        (json!({"budget": 999}), "skills_context.budget", "999"),
        (json!({"budget": 32_001}), "skills_context.budget", "32001"),
        (
            json!({"budget": "6000"}),
            "skills_context.budget",
            "a whole number",
        ),
        (
            json!({"command": []}),
            "skills_context.command",
            "no program",
        ),
        (
            json!({"command": [""]}),
            "skills_context.command",
            "no program",
        ),
        (json!({"command": "x"}), "skills_context.command", "a list"),
        (
            json!({"skills": ["a", ""]}),
            "skills_context.skills",
            "empty path",
        ),
        (
            json!({"skills": ["a", 1]}),
            "skills_context.skills[1]",
            "string",
        ),
        (
            json!({"skills": ["a\u{0}"]}),
            "skills_context.command",
            "NUL",
        ),
        (
            json!({"index_path": ""}),
            "skills_context.index_path",
            "empty",
        ),
        (
            json!({"timeout_seconds": 0}),
            "skills_context.timeout_seconds",
            "0",
        ),
        (
            json!({"kill_grace_seconds": 601}),
            "skills_context.kill_grace_seconds",
            "601",
        ),
        (json!({"share": 1.1}), "skills_context.share", "from 0 to 1"),
        (
            json!({"share": -0.1}),
            "skills_context.share",
            "from 0 to 1",
        ),
        (
            json!({"share": 0.1234}),
            "skills_context.share",
            "three decimals",
        ),
        (json!("off"), "skills_context", "a JSON object"),
        (json!(null), "skills_context", "null"),
    ] {
        let error = refused(&value);
        assert_eq!(error.code, "config_invalid", "{value}");
        assert_eq!(error.field.as_deref(), Some(field), "{value}: {error}");
        assert!(error.message.contains(part), "{value}: {error}");
    }
    let misplaced = refused(&json!({"ledger_url_file": "x"}));
    assert!(misplaced.help.contains("beside"), "{misplaced:?}");
}

#[test]
fn shares_are_exact() {
    for (text, per_mille) in [
        ("0", 0),
        ("0.001", 1),
        ("0.29", 290),
        ("0.5", 500),
        ("0.999", 999),
        ("1", 1_000),
        ("1.0", 1_000),
    ] {
        let text = format!("{{\"skills_context\": {{\"share\": {text}}}}}");
        let read = parse(text.as_bytes())
            .unwrap()
            .value
            .skills_context
            .share
            .unwrap();
        assert_eq!(read.per_mille(), per_mille, "{text}");
    }
    assert_eq!(context(&json!({"share": null})).share, None);
}

#[test]
fn a_share_splits_the_jobs_and_each_job_stays_where_it_is() {
    let with = |share: Value| context(&json!({"mode": "inject", "share": share}));
    let quarter = with(json!(0.25));
    let ids: Vec<JobId> = (0..4_000)
        .map(|n| JobId::new(&format!("job-{n}")).unwrap())
        .collect();
    let injected = |context: &SkillsContext| {
        ids.iter()
            .filter(|id| context.mode_of(id) == Mode::Inject)
            .count()
    };
    // Four standard deviations of a fair draw are 110 jobs.
    assert!(
        (890..=1_110).contains(&injected(&quarter)),
        "{}",
        injected(&quarter)
    );
    assert_eq!(injected(&with(json!(0))), 0);
    assert_eq!(injected(&with(json!(1))), ids.len());
    assert_eq!(injected(&with(Value::Null)), ids.len());
    // The hash is part of the contract: a fleet of mixed versions has to agree.
    let first: Vec<usize> = (0..30)
        .filter(|n| quarter.mode_of(&ids[*n]) == Mode::Inject)
        .collect();
    assert_eq!(first, [14, 16, 20, 24, 26, 29]);
    let shadow = context(&json!({"mode": "shadow", "share": 1}));
    assert_eq!(shadow.mode_of(&ids[0]), Mode::Shadow);
}

#[test]
fn new_keeps_what_is_not_its_own() {
    let old = "{\"z\": 1.50, \"skills_context\": {\"share\": 0.250, \"mode\":\"off\"},\n \"a\": {\"k\" : [1,  2]}, \"big\": 123456789012345678901234567890}";
    let change = Change {
        mode: Some(Mode::Inject),
        budget: None,
    };
    assert_eq!(
        edited(Some(old.as_bytes()), change).unwrap(),
        "{\n  \"z\": 1.50,\n  \"skills_context\": {\n    \"share\": 0.250,\n    \"mode\": \"inject\",\n    \"budget\": 6000\n  },\n  \"a\": {\"k\" : [1,  2]},\n  \"big\": 123456789012345678901234567890\n}\n"
    );
}

#[test]
fn new_starts_a_file_and_refuses_what_is_wrong() {
    let change = Change {
        mode: Some(Mode::Shadow),
        budget: Some(2_000),
    };
    let text = edited(None, change).unwrap();
    let read = parse(text.as_bytes()).unwrap().value.skills_context;
    assert_eq!((read.mode, read.budget), (Mode::Shadow, 2_000));
    assert_eq!(
        edited(Some(text.as_bytes()), Change::default()).unwrap(),
        text
    );
    assert!(
        edited(
            None,
            Change {
                budget: Some(1),
                ..change
            }
        )
        .is_err()
    );
    assert!(edited(Some(b"{\"a\":1,\"a\":2}"), change).is_err());
    assert!(edited(Some(b"[]"), change).is_err());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from)
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop::collection::vec(inner, 0..4).prop_map(Value::from)
    })
}

proptest! {
    #[test]
    fn other_keys_survive_any_change(
        other in prop::collection::btree_map("[a-c\"\\\\\u{0}é]{1,4}", any_json(), 0..5),
        budget in 1_000u64..=32_000,
    ) {
        let old = serde_json::to_string(&other).unwrap();
        let new = edited(Some(old.as_bytes()), Change { mode: None, budget: Some(budget) }).unwrap();
        let mut read: serde_json::Map<String, Value> = serde_json::from_str(&new).unwrap();
        prop_assert_eq!(read.remove("skills_context"), Some(json!({"mode": "off", "budget": budget})));
        let other: serde_json::Map<String, Value> = other.into_iter().collect();
        prop_assert_eq!(read, other);
    }
}
