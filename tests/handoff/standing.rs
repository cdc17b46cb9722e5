//! Where does a pipeline stand, and what comes next? The command that is named is one that works.

use super::stage::{ID, NOW, Stage};
use crate::harness::Output;
use insta::assert_snapshot;

fn next(stage: &Stage) -> Option<String> {
    let report = stage.run(&["status", "--json"]).expect(0).json();
    report["next_command"].as_str().map(str::to_owned)
}

/// Types the command that `status` names.
fn type_next(stage: &Stage) -> Output {
    let next = next(stage).unwrap();
    let words: Vec<&str> = next
        .split(' ')
        .skip(1)
        .chain(["--now", NOW, "--id", ID])
        .collect();
    stage.dir.run_in(&stage.project(), words)
}

#[test]
fn the_next_command_leads_to_the_end() {
    let stage = Stage::implementing();
    assert_eq!(
        next(&stage).as_deref(),
        Some(
            "vibey-context handoff transition --from spec-writer --to implementer --step 2 --project shop"
        )
    );
    for _ in 2..=5 {
        type_next(&stage).expect(0);
    }
    type_next(&stage).expect(1);
    stage.copy("sdd/completion-report.md", "completion-report.md");
    type_next(&stage).expect(0);
    stage.run(&["pause"]).expect(0);
    assert_eq!(
        next(&stage).as_deref(),
        Some("vibey-context handoff resume --project shop")
    );
    type_next(&stage).expect(0);
    stage.copy("sdd/review-report.html", "review-report.html");
    type_next(&stage).expect(0);
    assert_eq!(stage.state()["overall_status"], "completed");
    assert_eq!(next(&stage), None);
}

#[test]
fn another_home_is_a_part_of_the_next_command() {
    let stage = Stage::specified();
    let home = stage.dir.home().join("my states");
    let words = ["--home", home.to_str().unwrap()];
    stage
        .transition("spec-writer", "implementer", &words)
        .expect(0);
    let run = stage
        .run(&[&["status", "--json"], &words[..]].concat())
        .expect(0);
    let next = run.json()["next_command"].as_str().unwrap().to_owned();
    let real = home.canonicalize().unwrap();
    assert!(
        next.ends_with(&format!(" --home '{}'", real.display())),
        "{next}"
    );
}

#[test]
fn status_names_steps_files_budget_and_what_comes_next() {
    let stage = Stage::implementing();
    stage.step("2").expect(0);
    assert_snapshot!("status_text", stage.run(&["status"]).expect(0).stdout);
    let report = stage.run(&["status", "--json"]).expect(0).json();
    assert_snapshot!(
        "status_json",
        serde_json::to_string_pretty(&report).unwrap()
    );
    let written = stage.run(&["refresh", "--json"]).expect(0).json();
    for known in [
        "tokens",
        "raw_tokens",
        "limit",
        "window",
        "used_percent",
        "status",
    ] {
        assert_eq!(report["budget"][known], written["budget"][known], "{known}");
    }
}

#[test]
fn validate_names_the_file_and_its_rule() {
    let stage = Stage::implementing();
    stage.copy("sdd/tasks.md", "tasks.md");
    let run = stage.run(&["validate"]).expect(0);
    assert!(
        run.stdout.contains(
            "✅ Artifacts valid for phase: implementer\nJudged: tasks.md by rule tasks.md: at least 200 bytes; '[X]' OR '[✓]'\n"
        ),
        "{}",
        run.stdout
    );
    stage.file("tasks.md", "short");
    let judged = stage.run(&["validate", "--json"]).expect(1).json()["judged"].clone();
    assert_eq!(judged[0]["path"], "tasks.md");
    assert_eq!(judged[0]["rule"], "tasks.md");
    assert_eq!(judged[0]["is_valid"], false);
}

#[test]
fn restart_says_what_writes_the_brief_and_shows_drift() {
    let stage = Stage::implementing();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.transition("implementer", "reviewer", &[]).expect(0);
    let text = stage.read("specs/shop/spec.md");
    stage.file("specs/shop/spec.md", text + "\nMore.\n");
    let run = stage.run(&["restart", "--phase", "implementer"]).expect(0);
    assert!(
        run.stdout
            .contains("➡️ The brief is written by: vibey-context handoff resume --project shop\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("⚠️ Drift: specs/shop/spec.md"),
        "{}",
        run.stdout
    );
    assert!(stage.dashboard().contains("Drift: specs/shop/spec.md"));
}

#[test]
fn restart_begins_with_the_first_step_and_status_finds_its_brief() {
    let stage = Stage::implementing();
    stage.step("3").expect(0);
    let run = stage.run(&["restart", "--phase", "implementer"]).expect(0);
    let position = "📍 Current position: Phase 2 (implementer), Step 1 (User Authentication)";
    assert!(run.stdout.contains(position), "{}", run.stdout);
    let resumed = stage.run(&["resume", "--json"]).expect(0).json();
    let status = stage.run(&["status", "--json"]).expect(0).json();
    assert_eq!(status["brief_path"], resumed["brief_path"]);
    assert_eq!(status["budget"]["tokens"], resumed["budget"]["tokens"]);
    let steps = stage.state()["phases"][1]["steps"].clone();
    let at_work = |step: &&serde_json::Value| step["status"] == "in-progress";
    assert_eq!(steps.as_array().unwrap().iter().filter(at_work).count(), 1);
}

#[test]
fn a_reconstruction_of_a_whole_pipeline_names_finish() {
    let stage = Stage::specified();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.copy("sdd/review-report.html", "review-report.html");
    let run = stage.run(&["resume"]).expect(0);
    assert!(
        run.stdout.contains(
            "⚠️ All phases are complete: `vibey-context handoff finish --project shop` ends the pipeline"
        ),
        "{}",
        run.stdout
    );
    type_next(&stage).expect(0);
    assert_eq!(stage.state()["overall_status"], "completed");
}

#[test]
fn the_dashboard_names_the_stories() {
    let stage = Stage::implementing();
    stage.step("2").expect(0);
    let page = stage.dashboard();
    for story in [
        "<li>1. User Authentication (completed)</li>",
        "<li>2. User Registration (in-progress)</li>",
        "<li>5. Account Deletion (pending)</li>",
    ] {
        assert!(page.contains(story), "{story}\n{page}");
    }
}
