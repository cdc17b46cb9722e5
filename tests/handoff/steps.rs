//! Stories are steps: what is passed over, gone back from or left open is told, and blocks nothing.

use super::stage::{Stage, warnings};

fn steps(stage: &Stage) -> Vec<String> {
    let state = stage.state();
    let steps = state["phases"][1]["steps"].as_array().unwrap().iter();
    steps
        .map(|step| step["status"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_step_that_passes_stories_over_names_them() {
    let stage = Stage::implementing();
    stage.step("4").expect(0);
    let told = "- Step 4 passes over stories that are not completed: 2 (User Registration), 3 (User Profile Management)";
    let brief = stage.brief("phase2-step4");
    assert!(warnings(&brief).contains(&told), "{brief}");
    // The same step again passes nothing over, nor does the next one.
    for step in ["4", "5"] {
        let run = stage.step(step).expect(0);
        assert!(!run.stdout.contains("passes over"), "{}", run.stdout);
    }
    // A phase that begins in the middle passes over what stands before.
    let stage = Stage::specified();
    let run = stage.step("2").expect(0);
    assert!(
        run.stdout
            .contains("Step 2 passes over stories that are not completed: 1 (User Authentication)"),
        "{}",
        run.stdout
    );
}

#[test]
fn who_goes_back_has_not_completed_what_is_left() {
    let stage = Stage::implementing();
    stage.step("2").expect(0);
    stage.step("3").expect(0);
    let run = stage.step("2").expect(0);
    assert_eq!(
        steps(&stage),
        ["completed", "in-progress", "pending", "pending", "pending"]
    );
    assert!(!run.stdout.contains("passes over"), "{}", run.stdout);
    stage.step("3").expect(0);
    assert_eq!(
        steps(&stage),
        [
            "completed",
            "completed",
            "in-progress",
            "pending",
            "pending"
        ]
    );
}

#[test]
fn a_phase_that_is_left_with_open_steps_and_boxes_says_so() {
    let stage = Stage::implementing();
    stage.step("2").expect(0);
    stage.copy("sdd/tasks.md", "tasks.md");
    let run = stage.transition("implementer", "reviewer", &[]).expect(0);
    for told in [
        "⚠️ Steps of implementer that were not completed: 3 (User Profile Management), 4 (Order History), 5 (Account Deletion)",
        "⚠️ Unchecked in tasks.md: 1 of 5 boxes, first in line 12",
    ] {
        assert!(run.stdout.contains(told), "{told}\n{}", run.stdout);
    }
    // Told when the phase is left, not whenever the brief is made again.
    let run = stage.transition("implementer", "reviewer", &[]).expect(0);
    assert!(
        !run.stdout.contains("Steps of implementer"),
        "{}",
        run.stdout
    );
}

#[test]
fn phases_that_are_skipped_are_named() {
    let stage = Stage::specified();
    let run = stage.transition("spec-writer", "reviewer", &[]).expect(0);
    assert!(
        run.stdout.contains("⚠️ Marked as skipped: implementer\n"),
        "{}",
        run.stdout
    );
    let stage = Stage::implementing();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.run(&["restart", "--phase", "spec-writer"]).expect(0);
    let run = stage
        .transition("implementer", "reviewer", &["--force"])
        .expect(0);
    assert!(
        run.stdout.contains("⚠️ Marked as skipped: spec-writer\n"),
        "{}",
        run.stdout
    );
    let run = stage.transition("implementer", "reviewer", &[]).expect(0);
    assert!(!run.stdout.contains("Marked as skipped"), "{}", run.stdout);
}

#[test]
fn a_title_of_a_page_is_cut_where_it_is_shown_and_whole_in_the_state() {
    let stage = Stage::specified();
    let long = "Authentication ".repeat(400);
    let text = stage
        .read("specs/shop/spec.md")
        .replace("User Authentication", long.trim());
    stage.file("specs/shop/spec.md", text);
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    stage.step("2").expect(0);
    let status = stage.run(&["status"]).expect(0);
    for shown in [
        &run.stdout,
        &status.stdout,
        &stage.brief("phase2-step1"),
        &stage.brief("phase2-step2"),
        &stage.dashboard(),
    ] {
        assert!(!shown.contains(&"Authentication ".repeat(20)), "{shown}");
    }
    assert!(stage.brief("phase2-step1").contains("Authentication…"));
    assert!(stage.state_text().contains(long.trim()));
}
