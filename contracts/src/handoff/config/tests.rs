use super::*;
use proptest::prelude::*;

fn fails(json: &str) -> DocumentError {
    parse(json.as_bytes()).expect_err(json)
}

#[test]
fn what_is_left_out_is_built_in() {
    assert_eq!(parse(b"{}").unwrap(), PipelineConfig::default());
    let config = parse(
        br#"{"version": "1.0", "pipelines": {"x": {"phases": [{"name": "a"}, {"name": "b"}],
        "transitions": [{"from": "a", "to": "b"}]}}}"#,
    )
    .unwrap();
    let pipeline = &config.pipelines["x"];
    assert_eq!(pipeline.phases[0].display(), "a");
    assert_eq!(pipeline.transitions[0].chunking_strategy, Chunking::Full);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let phases = r#""phases": [{"name": "a"}, {"name": "b"}]"#;
    for (json, field) in [
        (r#"{"pipeline": {}}"#, "pipeline"),
        (r#"{"version": 2}"#, "version"),
        (r#"{"version": "2.0"}"#, "version"),
        (
            r#"{"defaults": {"context_window": 12}}"#,
            "defaults.context_window",
        ),
        (
            r#"{"defaults": {"compression_threshold": 60}}"#,
            "defaults.compression_threshold",
        ),
        (
            r#"{"pipelines": {"a b": {"phases": [{"name": "a"}]}}}"#,
            "pipelines.a b",
        ),
        (
            r#"{"pipelines": {"x": {"phases": []}}}"#,
            "pipelines.x.phases",
        ),
        (
            r#"{"pipelines": {"x": {"phases": [{"name": "a"}, {"name": "a"}]}}}"#,
            "pipelines.x.phases[1].name",
        ),
        (
            &format!(
                r#"{{"pipelines": {{"x": {{{phases}, "transitions": [{{"from": "a", "to": "c"}}]}}}}}}"#
            ),
            "pipelines.x.transitions[0].to",
        ),
        (
            &format!(
                r#"{{"pipelines": {{"x": {{{phases}, "transitions": [{{"from": "a", "to": "a"}}]}}}}}}"#
            ),
            "pipelines.x.transitions[0].to",
        ),
        (
            &format!(
                r#"{{"pipelines": {{"x": {{{phases}, "transitions": [{{"from": "a", "to": "b",
                "chunking_strategy": "by_chapter"}}]}}}}}}"#
            ),
            "pipelines.x.transitions[0].chunking_strategy",
        ),
        (
            r#"{"pipelines": {"x": {"phases": [{"name": "a", "artifacts": ["../a"]}]}}}"#,
            "pipelines.x.phases[0].artifacts[0]",
        ),
        (
            r#"{"validation_rules": {"a": {"paths": []}}}"#,
            "validation_rules.a.paths",
        ),
        (
            r#"{"validation_rules": {"a": {"paths": ["/etc/passwd"]}}}"#,
            "validation_rules.a.paths[0]",
        ),
        (
            r#"{"validation_rules": {"a": {"paths": ["{home}/a"]}}}"#,
            "validation_rules.a.paths[0]",
        ),
        (
            r#"{"validation_rules": {"a": {"paths": ["a"], "required_sections": [[]]}}}"#,
            "validation_rules.a.required_sections[0]",
        ),
        (r#"{"sections": {"k": [" "]}}"#, "sections.k[0]"),
    ] {
        let error = fails(json);
        assert_eq!(error.field.as_deref(), Some(field), "{error}");
        assert!(!error.help.is_empty());
    }
}

#[test]
fn of_two_equal_keys_neither_wins() {
    assert!(
        fails(r#"{"sections": {"k": ["A"], "k": ["B"]}}"#)
            .message
            .contains("duplicate field `k`")
    );
    assert!(
        fails(r#"{"version": 1, "version": 1}"#)
            .message
            .contains("duplicate field")
    );
}

#[test]
fn paths_may_start_at_the_project_and_name_it() {
    let json = br#"{"validation_rules": {"a": {"paths": ["{project-path}/specs/{project-name}/spec.md"]}}}"#;
    assert!(parse(json).is_ok());
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn an_accepted_path_stays_below(path in "[a./{}\\\\-]{0,12}") {
        let json = serde_json::json!({"validation_rules": {"a": {"paths": [path]}}}).to_string();
        if parse(json.as_bytes()).is_ok() {
            let walked = std::path::Path::new(&path);
            let is_plain = |part| matches!(part, std::path::Component::Normal(_));
            prop_assert!(walked.components().all(is_plain));
        }
    }
}
