//! What a user's configuration changes, and what is wrong with one.

use super::stage::Stage;

#[test]
fn a_broken_configuration_is_an_error_with_its_place() {
    let stage = Stage::specified();
    for (json, code, place) in [
        ("{", "config_json", "not valid JSON"),
        (
            r#"{"pipelines": []}"#,
            "config_invalid",
            "field `pipelines`",
        ),
        (
            r#"{"defaults": {"window": 1}}"#,
            "config_invalid",
            "field `defaults.window`: unknown field `window`",
        ),
        (
            r#"{"pipelines": {"sdd": {"phases": [{"name": "a"}], "transitions": [{"from": "a", "to": "b"}]}}}"#,
            "config_invalid",
            "`pipelines.sdd.transitions[0].to` names the unknown phase `b`",
        ),
        (
            r#"{"pipelines": {"sdd": {"phases": [{"name": "a"}, {"name": "b"}], "transitions": [{"from": "a", "to": "b", "chunking_strategy": "by_mood"}]}}}"#,
            "config_invalid",
            "field `pipelines.sdd.transitions[0].chunking_strategy`: unknown value `by_mood`",
        ),
    ] {
        stage.configure(json);
        let run = stage
            .transition("spec-writer", "implementer", &["--json"])
            .expect(2);
        let error = run.error();
        assert_eq!(error.code, code, "{json}");
        assert!(error.message.contains(place), "{}", error.message);
        assert_eq!(
            error.path.as_deref(),
            Some("~/.claude/sdd/pipeline-config.json")
        );
        assert!(!stage.state_path().exists());
    }
}

#[test]
fn a_pipeline_of_a_built_in_name_replaces_it_whole() {
    let stage = Stage::specified();
    stage.configure(
        r#"{"pipelines": {"sdd": {"phases": [{"name": "spec-writer", "artifacts": ["spec.md"]}, {"name": "builder"}],
            "transitions": [{"from": "spec-writer", "to": "builder", "include": ["tech_stack"]}]}}}"#,
    );
    let error = stage
        .transition(
            "spec-writer",
            "implementer",
            &["--pipeline", "sdd", "--json"],
        )
        .expect(2)
        .error();
    assert_eq!(error.code, "phase_unknown");
    stage.transition("spec-writer", "builder", &[]).expect(0);
    let brief = stage.brief("phase2");
    assert!(
        brief.contains("### Tech Stack\n") && !brief.contains("### Decisions"),
        "{brief}"
    );
    assert!(
        brief.contains("# Context Brief: spec-writer → builder\n"),
        "{brief}"
    );
}

#[test]
fn exclude_beats_include() {
    let stage = Stage::specified();
    stage.configure(
        r#"{"pipelines": {"sdd": {"phases": [{"name": "spec-writer", "artifacts": ["spec.md"]}, {"name": "implementer"}],
            "transitions": [{"from": "spec-writer", "to": "implementer", "include": ["decisions", "tech_stack", "unheard_of"],
            "exclude": ["tech_stack"]}]}}}"#,
    );
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    let brief = stage.brief("phase2");
    assert!(
        brief.contains("### Decisions\n") && !brief.contains("PostgreSQL 16"),
        "{brief}"
    );
    assert!(
        run.stdout
            .contains("⚠️ Nothing found for include key unheard_of"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_changed_window_counts_from_the_next_transition_on() {
    let stage = Stage::implementing();
    stage.configure(r#"{"defaults": {"context_window": 64000, "compression_threshold": 0.5}}"#);
    stage.step("2").expect(0);
    assert_eq!(stage.state()["config"]["context_window"], 64_000);
    assert_eq!(stage.state()["config"]["compression_threshold"], 0.5);
    assert!(
        stage
            .brief("phase2-step2")
            .contains("- **Target model window**: 64K tokens\n")
    );
}

#[test]
fn phases_that_are_not_those_of_the_state_are_refused() {
    let stage = Stage::implementing();
    stage.configure(
        r#"{"pipelines": {"sdd": {"phases": [{"name": "spec-writer"}, {"name": "implementer"}]}}}"#,
    );
    assert_eq!(
        stage.run(&["resume", "--json"]).expect(2).error().code,
        "phases_differ"
    );
}

#[test]
fn without_dashboards_none_is_written() {
    let stage = Stage::specified();
    stage.configure(r#"{"defaults": {"enable_dashboard": false}}"#);
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    assert!(!run.stdout.contains("📊"), "{}", run.stdout);
    assert!(!stage.home("dashboards").exists());
    assert!(
        stage
            .brief("phase2-step1")
            .contains("- **Dashboard**: None\n")
    );
    // Asked for by name, one is.
    stage.run(&["dashboard"]).expect(0);
    assert!(stage.dashboard().contains("</html>"));
}
