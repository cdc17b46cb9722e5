//! The whole way of a specification: every brief, every state and the dashboards, byte for byte.

use super::stage::{ID, Stage};
use insta::assert_snapshot;

#[test]
fn a_specification_goes_through_all_phases() {
    let stage = Stage::specified();
    let first = stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    assert_snapshot!("sdd_report_transition", first.stdout);
    for step in 1..=5 {
        if step > 1 {
            stage.step(&step.to_string()).expect(0);
        }
        assert_snapshot!(
            format!("sdd_brief_step_{step}"),
            stage.brief(&format!("phase2-step{step}"))
        );
        assert_snapshot!(format!("sdd_state_step_{step}"), stage.state_text());
    }
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.transition("implementer", "reviewer", &[]).expect(0);
    assert_snapshot!("sdd_brief_review", stage.brief("phase3"));
    assert_snapshot!("sdd_state_review", stage.state_text());
    assert_snapshot!("sdd_dashboard_review", stage.dashboard());
    stage.copy("sdd/review-report.html", "review-report.html");
    let last = stage.run(&["finish"]).expect(0);
    assert_snapshot!("sdd_report_finish", last.stdout);
    assert_snapshot!("sdd_state_finish", stage.state_text());
    assert_eq!(stage.state()["overall_status"], "completed");
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let files = || {
        let stage = Stage::specified();
        let report = stage.step("3").expect(0).stdout;
        assert!(stage.state_text().contains(ID));
        (
            report,
            stage.brief("phase2-step3"),
            stage.state_text(),
            stage.dashboard(),
        )
    };
    assert_eq!(files(), files());
}

#[test]
fn without_an_id_every_pipeline_has_its_own() {
    let id = || {
        let stage = Stage::specified();
        let words = [
            "handoff",
            "transition",
            "--from",
            "spec-writer",
            "--to",
            "implementer",
            "--project",
            "shop",
        ];
        stage.dir.run_in(&stage.project(), words).expect(0);
        stage.state()["pipeline_id"].as_str().unwrap().to_owned()
    };
    let (one, other) = (id(), id());
    assert_ne!(one, other);
    // Version 4, variant of RFC 9562.
    assert_eq!((one.len(), &one[14..15]), (36, "4"), "{one}");
}

#[test]
fn a_lifecycle_of_an_interface_is_handed_over_in_full() {
    let stage = Stage::empty();
    stage.copy("ui/research-brief.md", "research-brief.md");
    let words = ["--pipeline", "ui-lifecycle"];
    stage
        .transition("ux-research", "info-arch", &words)
        .expect(0);
    assert_snapshot!("ui_brief", stage.brief("phase2"));
    assert_eq!(stage.state()["phases"].as_array().unwrap().len(), 5);
}

#[test]
fn a_pipeline_of_the_configuration_is_handed_over() {
    let stage = Stage::named("spring");
    stage.configure(
        &std::fs::read_to_string(super::stage::fixture("custom/pipeline-config.json")).unwrap(),
    );
    stage.copy(
        "custom/project/issues/spring/outline.md",
        "issues/spring/outline.md",
    );
    let words = ["--pipeline", "newsletter"];
    stage.transition("outline", "draft", &words).expect(0);
    let brief = stage.brief("phase2");
    assert_snapshot!("custom_brief", brief);
    assert!(
        !brief.contains("landlord"),
        "what is excluded is excluded from included sections too"
    );
}

#[test]
fn another_step_completes_the_one_before_and_moves_nothing_else() {
    let stage = Stage::implementing();
    let phases = |stage: &Stage| stage.state()["phases"].clone();
    let before = phases(&stage);
    let run = stage.step("4").expect(0);
    assert!(!run.stdout.contains("made before"), "{}", run.stdout);
    let state = stage.state();
    assert_eq!(state["current_phase"]["step_number"], 4);
    assert_eq!(state["current_phase"]["step_name"], "Order History");
    let statuses: Vec<&str> = state["phases"][1]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["status"].as_str().unwrap())
        .collect();
    assert_eq!(
        statuses,
        ["completed", "pending", "pending", "in-progress", "pending"]
    );
    assert_eq!(state["phases"][0], before[0]);
    assert_eq!(state["phases"][2], before[2]);
    // The same step again: nothing moves, and the report says so.
    let again = stage.step("4").expect(0);
    assert!(
        again.stdout.contains("⚠️ This transition was made before"),
        "{}",
        again.stdout
    );
    assert_eq!(
        stage.state()["phases"][1]["steps"],
        state["phases"][1]["steps"]
    );
}

#[test]
fn json_holds_the_facts_of_the_text() {
    let stage = Stage::specified();
    let report = stage
        .transition("spec-writer", "implementer", &["--step", "2", "--json"])
        .expect(0)
        .json();
    assert_snapshot!(
        "sdd_report_json",
        serde_json::to_string_pretty(&report).unwrap()
    );
}
