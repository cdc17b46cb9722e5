//! What the other commands do to a pipeline, and what they refuse.

use super::stage::{Stage, warnings};

#[test]
fn refresh_changes_the_brief_and_nothing_else() {
    let stage = Stage::implementing();
    let dashboard = stage.home("dashboards/shop/dashboard.html");
    let stamp = || dashboard.metadata().unwrap().modified().unwrap();
    let (state, before) = (stage.state_text(), stamp());
    stage.file(
        "specs/shop/spec.md",
        stage
            .read("specs/shop/spec.md")
            .replace("twelve hours", "ten hours"),
    );
    let run = stage.run_at("2026-12-01T09:00:00Z", &["refresh"]).expect(0);
    assert!(run.stdout.starts_with(
        "🔄 Context refreshed for project: shop\n📍 Position: Phase 2 (implementer), Step 1 (User Authentication)\n\
         ✅ Context brief generated: ~/.claude/sdd/context-briefs/shop/phase2-step1.md\n\n\
         ⚠️ No pipeline advancement (refresh only)\n"
    ));
    assert_eq!((stage.state_text(), stamp()), (state, before));
    let brief = stage.brief("phase2-step1");
    assert!(
        brief.contains("ten hours") && brief.contains("**Mode**: refresh\n"),
        "{brief}"
    );
}

#[test]
fn resume_says_where_the_pipeline_stands_and_leaves_the_state() {
    let stage = Stage::implementing();
    let state = stage.state_text();
    let run = stage.run_at("2026-12-01T09:00:00Z", &["resume"]).expect(0);
    assert!(run.stdout.starts_with(
        "🔄 Pipeline resumed for project: shop\n📍 Current position: Phase 2 (implementer), Step 1 (User Authentication)\n\
         ✅ Context brief generated: ~/.claude/sdd/context-briefs/shop/phase2-step1.md\n\
         📊 Pipeline dashboard updated: ~/.claude/sdd/dashboards/shop/dashboard.html\n"
    ));
    assert_eq!(stage.state_text(), state);
    assert!(stage.brief("phase2-step1").contains("**Mode**: resume\n"));
    // The phase in progress has produced nothing yet; what it has produced and is not good enough is a warning.
    stage.file("completion-report.md", "short");
    let run = stage.run(&["resume"]).expect(0);
    assert!(
        run.stdout
            .contains("⚠️ Not good enough yet: File is too small: completion-report.md"),
        "{}",
        run.stdout
    );
    assert!(
        warnings(&stage.brief("phase2-step1"))
            .iter()
            .any(|warning| warning.contains("Not good enough yet"))
    );
}

#[test]
fn a_pause_ends_with_resume() {
    let stage = Stage::implementing();
    stage.run(&["pause"]).expect(0);
    assert_eq!(stage.state()["overall_status"], "on-hold");
    assert!(stage.dashboard().contains("badge on-hold"));
    let error = stage
        .transition("implementer", "reviewer", &["--json"])
        .expect(2)
        .error();
    assert_eq!(error.code, "on_hold");
    assert_eq!(
        stage.run(&["pause", "--json"]).expect(2).error().code,
        "on_hold"
    );
    stage.run(&["resume"]).expect(0);
    assert_eq!(stage.state()["overall_status"], "in-progress");
}

#[test]
fn restart_goes_back_and_keeps_what_was_found() {
    let stage = Stage::implementing();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.transition("implementer", "reviewer", &[]).expect(0);
    let before = stage.state();
    let run = stage.run(&["restart", "--phase", "spec-writer"]).expect(0);
    assert!(
        run.stdout.contains(
            "⚠️ specs/shop/spec.md of the last time is still there and would pass at once"
        ),
        "{}",
        run.stdout
    );
    let state = stage.state();
    let statuses: Vec<&str> = state["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| phase["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["in-progress", "pending", "pending"]);
    for kept in [
        "/accumulated_context",
        "/phases/0/artifacts",
        "/phases/1/artifacts",
        "/phases/1/summary",
    ] {
        assert_eq!(state.pointer(kept), before.pointer(kept), "{kept}");
    }
    assert!(
        stage.read("completion-report.md").contains("Summary"),
        "no file is deleted"
    );
    let error = stage
        .run(&["restart", "--phase", "reviewer", "--json"])
        .expect(2)
        .error();
    assert_eq!(error.code, "phase_not_begun");
}

#[test]
fn a_transition_from_elsewhere_needs_force_and_marks_what_it_skips() {
    let stage = Stage::specified();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    stage.run(&["restart", "--phase", "spec-writer"]).expect(0);
    let error = stage
        .transition("implementer", "reviewer", &["--json"])
        .expect(2)
        .error();
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        (
            "position_differs",
            "the pipeline stands at phase `spec-writer`, not `implementer`"
        )
    );
    stage
        .transition("implementer", "reviewer", &["--force"])
        .expect(0);
    let state = stage.state();
    let statuses: Vec<&str> = state["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| phase["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["skipped", "completed", "in-progress"]);
}

#[test]
fn a_phase_that_is_jumped_over_is_skipped() {
    let stage = Stage::specified();
    let run = stage.transition("spec-writer", "reviewer", &[]).expect(0);
    assert!(run.stdout.contains("⚠️ Pipeline sdd has no transition from spec-writer to reviewer: that from implementer was used"), "{}", run.stdout);
    assert_eq!(stage.state()["phases"][1]["status"], "skipped");
}

#[test]
fn what_is_finished_stays_finished() {
    let stage = Stage::implementing();
    assert_eq!(
        stage.run(&["finish", "--json"]).expect(2).error().code,
        "phase_not_last"
    );
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.copy("sdd/review-report.html", "review-report.html");
    stage.transition("implementer", "reviewer", &[]).expect(0);
    stage.run(&["finish"]).expect(0);
    for words in [
        &["finish", "--json"][..],
        &["resume", "--json"],
        &["pause", "--json"],
    ] {
        assert_eq!(
            stage.run(words).expect(2).error().code,
            "completed",
            "{words:?}"
        );
    }
    let error = stage
        .transition("implementer", "reviewer", &["--json"])
        .expect(2)
        .error();
    assert_eq!(error.code, "completed");
    stage.run(&["restart", "--phase", "reviewer"]).expect(0);
    assert_eq!(stage.state()["overall_status"], "in-progress");
}

#[test]
fn words_that_mean_nothing_are_errors_and_write_nothing() {
    let stage = Stage::specified();
    for (words, code) in [
        (
            &[
                "transition",
                "--from",
                "spec-writer",
                "--to",
                "implementer",
                "--pipeline",
                "waterfall",
            ][..],
            "pipeline_unknown",
        ),
        (
            &[
                "transition",
                "--from",
                "spec-writer",
                "--to",
                "nobody",
                "--pipeline",
                "sdd",
            ],
            "phase_unknown",
        ),
        (&["transition", "--from", "a", "--to", "b"], "phase_unknown"),
        (
            &["transition", "--from", "ux-research", "--to", "info-arch"],
            "pipeline_ambiguous",
        ),
        (
            &["transition", "--from", "implementer", "--to", "spec-writer"],
            "phase_order",
        ),
        (
            &["transition", "--from", "spec-writer", "--to", "spec-writer"],
            "phase_order",
        ),
        (&["transition", "--from", "spec-writer"], "usage"),
        (&["leap"], "usage"),
        (&["resume", "--project-path", "nowhere"], "not_found"),
    ] {
        let run = stage.run(&[words, &["--json"]].concat()).expect(2);
        assert_eq!(run.error().code, code, "{words:?}");
        assert!(!stage.home("").exists(), "{words:?}");
    }
    let error = stage.run(&[
        "transition",
        "--from",
        "spec-writer",
        "--to",
        "implementer",
        "--pipeline",
        "waterfall",
        "--json",
    ]);
    assert_eq!(
        error.error().message,
        "pipeline type `waterfall` does not exist; there are `debug`, `full-product`, `sdd`, `ui-lifecycle`"
    );
}

#[test]
fn names_times_and_ids_are_checked() {
    let stage = Stage::specified();
    for (words, code) in [
        (
            ["--project", "../x", "--now", "2026-11-30T10:00:00Z"],
            "project_name",
        ),
        (
            ["--project", ".hidden", "--now", "2026-11-30T10:00:00Z"],
            "project_name",
        ),
        (["--project", "shop", "--now", "yesterday"], "usage"),
        (["--project", "shop", "--id", "1234"], "id_invalid"),
    ] {
        let words = ["handoff", "status", "--json"].iter().chain(&words);
        assert_eq!(
            stage
                .dir
                .run_in(&stage.project(), words)
                .expect(2)
                .error()
                .code,
            code
        );
    }
}

#[test]
fn a_pipeline_keeps_its_type() {
    let stage = Stage::implementing();
    let error = stage
        .transition(
            "spec-writer",
            "implementer",
            &["--pipeline", "full-product", "--json"],
        )
        .expect(2)
        .error();
    assert_eq!(error.code, "pipeline_differs");
}

/// Overall status, and the status of each phase.
fn statuses(stage: &Stage) -> (String, Vec<String>) {
    let state = stage.state();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let phases = state["phases"].as_array().unwrap().iter();
    (
        text(&state["overall_status"]),
        phases.map(|phase| text(&phase["status"])).collect(),
    )
}

#[test]
fn a_blocked_phase_is_never_waved_through() {
    let stage = Stage::implementing();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.copy("sdd/review-report.html", "review-report.html");
    stage.transition("implementer", "reviewer", &[]).expect(0);
    stage.remove("completion-report.md");
    stage.transition("implementer", "reviewer", &[]).expect(1);
    let before = stage.state_text();
    let error = stage.run(&["finish", "--json"]).expect(2).error();
    assert_eq!(error.code, "phase_blocked");
    assert!(
        error
            .message
            .contains("`implementer` is blocked: File not found: completion-report.md"),
        "{}",
        error.message
    );
    assert_eq!(stage.state_text(), before, "nothing is written");
    // Mended, it goes on by itself.
    stage.copy("sdd/completion-report.md", "completion-report.md");
    let run = stage.run(&["finish"]).expect(0);
    assert!(
        run.stdout
            .contains("⚠️ Phase implementer was blocked and is mended"),
        "{}",
        run.stdout
    );
    let (overall, phases) = statuses(&stage);
    assert_eq!(overall, "completed");
    assert_eq!(phases, ["completed", "completed", "completed"]);
}

#[test]
fn a_transition_passes_a_blocked_phase_over_by_force_alone() {
    let stage = Stage::implementing();
    stage.file("specs/shop/spec.md", "x");
    stage.step("2").expect(1);
    stage.copy("sdd/completion-report.md", "completion-report.md");
    let refused = stage
        .transition("implementer", "reviewer", &["--json"])
        .expect(2);
    assert_eq!(refused.error().code, "phase_blocked");
    let run = stage.run(&["restart", "--phase", "implementer"]).expect(0);
    assert!(
        run.stdout.contains("Phase spec-writer is blocked still"),
        "{}",
        run.stdout
    );
    assert_eq!(statuses(&stage).0, "blocked");
    let forced = stage
        .transition("implementer", "reviewer", &["--force"])
        .expect(0);
    assert!(
        forced
            .stdout
            .contains("Phase spec-writer is blocked and was passed over by force"),
        "{}",
        forced.stdout
    );
    let (overall, phases) = statuses(&stage);
    assert_eq!(overall, "in-progress");
    assert_eq!(phases, ["skipped", "completed", "in-progress"]);
}

#[test]
fn restart_says_that_it_ends_a_pause() {
    let stage = Stage::implementing();
    stage.run(&["pause"]).expect(0);
    let run = stage.run(&["restart", "--phase", "spec-writer"]).expect(0);
    assert!(
        run.stdout.contains("was on hold and is no longer"),
        "{}",
        run.stdout
    );
    assert_eq!(statuses(&stage).0, "in-progress");
}

#[test]
fn a_failure_of_the_system_names_its_path() {
    let stage = Stage::implementing();
    std::fs::remove_file(stage.state_path()).unwrap();
    std::fs::create_dir(stage.state_path()).unwrap();
    let error = stage.run(&["status", "--json"]).expect(2).error();
    assert!(
        error.path.unwrap().ends_with("pipeline-state-shop.json"),
        "the path is told"
    );
}

#[test]
fn a_phase_of_no_pipeline_is_told_with_the_nearest_names() {
    let stage = Stage::specified();
    let error = stage
        .transition("spec-writer", "implement", &["--json"])
        .expect(2)
        .error();
    assert_eq!(error.message, "no pipeline has a phase `implement`");
    let help = error.help.unwrap();
    assert!(help.contains("`implementer`"), "{help}");
    let run = stage.step("two").expect(2);
    assert!(run.stderr.contains("a whole number"), "{}", run.stderr);
}

#[test]
fn a_state_edited_by_hand_is_told_with_field_and_values() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    state["pipeline_type"] = serde_json::json!("waterfall");
    stage.write_state(&state);
    for words in [&["status"][..], &["resume"], &["finish"]] {
        let error = stage.run(&[words, &["--json"]].concat()).expect(2).error();
        assert_eq!(
            error.message,
            "`pipeline_type` in the state is `waterfall`; there are `debug`, `full-product`, `sdd`, `ui-lifecycle`"
        );
        assert!(error.path.unwrap().ends_with("pipeline-state-shop.json"));
    }
}
