//! Without a state, what lies in the project says where the pipeline stands, and how far that can be trusted.

use super::stage::Stage;
use insta::assert_snapshot;

const SPEC: (&str, &str) = ("sdd/specs/shop/spec.md", "specs/shop/spec.md");
const REPORT: (&str, &str) = ("sdd/completion-report.md", "completion-report.md");
const REVIEW: (&str, &str) = ("sdd/review-report.html", "review-report.html");
const BRIEF: (&str, &str) = ("ui/research-brief.md", "research-brief.md");

/// A project with these artifacts, each changed an hour after the one before.
fn project(artifacts: &[(&str, &str)]) -> Stage {
    let stage = Stage::empty();
    for (hour, (from, to)) in (0..).zip(artifacts) {
        stage.copy(from, to);
        stage.touch(to, hour * 3_600);
    }
    stage
}

/// Confidence, type, current phase and statuses of what `resume` infers.
fn inferred(stage: &Stage) -> (String, String, String, Vec<String>) {
    stage.run(&["resume"]).expect(0);
    let state = stage.state();
    assert_eq!(state["reconstructed"], true);
    let text = |pointer: &str| state.pointer(pointer).unwrap().as_str().unwrap().to_owned();
    let statuses = state["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| phase["status"].as_str().unwrap().to_owned());
    (
        text("/reconstruction_confidence"),
        text("/pipeline_type"),
        text("/current_phase/phase_name"),
        statuses.collect(),
    )
}

#[track_caller]
fn assert_inferred(
    artifacts: &[(&str, &str)],
    confidence: &str,
    kind: &str,
    current: &str,
    statuses: &[&str],
) {
    let (level, found, phase, found_statuses) = inferred(&project(artifacts));
    assert_eq!(
        (level.as_str(), found.as_str(), phase.as_str()),
        (confidence, kind, current),
        "{artifacts:?}"
    );
    assert_eq!(found_statuses[..statuses.len()], *statuses, "{artifacts:?}");
}

#[test]
fn three_levels_of_confidence() {
    assert_inferred(
        &[SPEC],
        "high",
        "sdd",
        "implementer",
        &["completed", "in-progress", "pending"],
    );
    assert_inferred(
        &[SPEC, REPORT],
        "high",
        "sdd",
        "reviewer",
        &["completed", "completed", "in-progress"],
    );
    assert_inferred(
        &[SPEC, REPORT, REVIEW],
        "high",
        "sdd",
        "reviewer",
        &["completed", "completed", "completed"],
    );
    // One of three is missing.
    assert_inferred(
        &[SPEC, REVIEW],
        "medium",
        "sdd",
        "reviewer",
        &["completed", "skipped", "completed"],
    );
    // Half is missing.
    assert_inferred(
        &[REPORT],
        "medium",
        "sdd",
        "reviewer",
        &["skipped", "completed", "in-progress"],
    );
    // Times are out of order.
    assert_inferred(
        &[REPORT, SPEC],
        "medium",
        "sdd",
        "reviewer",
        &["completed", "completed", "in-progress"],
    );
    // Two of three are missing.
    assert_inferred(
        &[REVIEW],
        "low",
        "sdd",
        "reviewer",
        &["skipped", "skipped", "completed"],
    );
    assert_inferred(
        &[BRIEF],
        "high",
        "ui-lifecycle",
        "info-arch",
        &["completed", "in-progress", "pending"],
    );
}

#[test]
fn two_pipelines_at_once_are_a_matter_of_little_confidence() {
    assert_inferred(
        &[SPEC, REPORT, BRIEF],
        "low",
        "sdd",
        "reviewer",
        &["completed", "completed", "in-progress"],
    );
    let stage = project(&[SPEC, REPORT, BRIEF]);
    let run = stage.run(&["resume"]).expect(0);
    assert!(
        run.stdout
            .contains("⚠️ Artifacts of other pipelines were found too: ui-lifecycle"),
        "{}",
        run.stdout
    );
}

#[test]
fn the_report_says_what_was_inferred() {
    let stage = project(&[SPEC, REPORT]);
    assert_snapshot!(
        "reconstruction_report",
        stage.run(&["resume"]).expect(0).stdout
    );
    assert_snapshot!("reconstruction_state", stage.state_text());
    assert!(
        stage
            .dashboard()
            .contains("This state was reconstructed from files, confidence HIGH.")
    );
}

#[test]
fn nothing_is_inferred_from_nothing() {
    let stage = Stage::empty();
    stage.file("src/main.rs", "fn main() {}\n");
    let error = stage.run(&["resume", "--json"]).expect(2).error();
    assert_eq!(error.code, "nothing_found");
    assert!(!stage.state_path().exists());
    // What holds nothing is nothing.
    stage.file("specs/shop/spec.md", "");
    stage.file("completion-report.md", [0; 400]);
    assert_eq!(
        stage.run(&["resume", "--json"]).expect(2).error().code,
        "nothing_found"
    );
}

#[test]
fn what_is_no_text_is_not_trusted() {
    let stage = project(&[SPEC]);
    stage.file("completion-report.md", [0; 400]);
    let run = stage.run(&["resume"]).expect(0);
    assert!(
        run.stdout
            .contains("⚠️ Not taken for an artifact: completion-report.md holds NUL bytes"),
        "{}",
        run.stdout
    );
    assert_eq!(stage.state()["current_phase"]["phase_name"], "implementer");
}

#[test]
fn refresh_infers_nothing() {
    let stage = project(&[SPEC, REPORT]);
    for command in ["refresh", "status", "pause", "finish", "dashboard"] {
        assert_eq!(
            stage.run(&[command, "--json"]).expect(2).error().code,
            "state_missing",
            "{command}"
        );
    }
    assert!(!stage.home("").exists());
}

#[test]
fn a_transition_from_the_first_phase_begins_and_from_another_infers() {
    let stage = project(&[SPEC, REPORT]);
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    assert_eq!(stage.state()["reconstructed"], false);

    let stage = project(&[SPEC, REPORT]);
    let run = stage.transition("implementer", "reviewer", &[]).expect(0);
    assert!(
        run.stdout
            .starts_with("⚠️ Pipeline state was reconstructed from disk artifacts.\n"),
        "{}",
        run.stdout
    );
    let state = stage.state();
    assert_eq!(state["reconstruction_confidence"], "high");
    assert_eq!(state["current_phase"]["phase_name"], "reviewer");
    assert_eq!(state["phases"][0]["status"], "completed");

    let stage = project(&[REPORT]);
    stage.transition("implementer", "reviewer", &[]).expect(0);
    assert_eq!(stage.state()["phases"][0]["status"], "skipped");
    assert_eq!(stage.state()["reconstruction_confidence"], "low");

    let error = Stage::empty()
        .transition("implementer", "reviewer", &["--json"])
        .expect(2)
        .error();
    assert_eq!(error.code, "nothing_found");
}

#[test]
fn what_is_not_good_enough_lowers_the_confidence_and_is_told() {
    let stage = project(&[SPEC, REPORT]);
    stage.file("specs/shop/spec.md", "# Spec\n\nShort.\n");
    let run = stage.run(&["resume"]).expect(0);
    assert!(
        run.stdout.contains("Reconstruction confidence: MEDIUM"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains(
            "⚠️ Taken for an artifact and not good enough: File is too small: specs/shop/spec.md"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn tasks_of_which_none_is_done_complete_nothing() {
    let stage = project(&[SPEC]);
    stage.file(
        "tasks.md",
        format!("# Tasks\n\n- [ ] T1\n\n{}", "Words about it. ".repeat(20)),
    );
    let run = stage.run(&["resume"]).expect(0);
    assert!(
        run.stdout
            .contains("⚠️ Not taken for an artifact: tasks.md has no completed task"),
        "{}",
        run.stdout
    );
    assert_eq!(stage.state()["current_phase"]["phase_name"], "implementer");
    assert_eq!(stage.state()["phases"][1]["status"], "in-progress");
}
