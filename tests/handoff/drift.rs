//! Artifacts of completed phases that change afterwards are told of, and block nothing.

use super::stage::{Stage, warnings};

const SPEC: &str = "specs/shop/spec.md";

fn drift(stage: &Stage) -> Vec<String> {
    stage.run(&["refresh"]).expect(0);
    let brief = stage.brief("phase2-step1");
    let told: Vec<String> = warnings(&brief)
        .into_iter()
        .filter(|line| line.starts_with("- Drift"))
        .map(str::to_owned)
        .collect();
    let status = stage.run(&["status"]).expect(0).stdout;
    assert_eq!(status.contains("⚠️ Drift"), !told.is_empty(), "{status}");
    told
}

#[test]
fn a_touch_and_a_checkout_are_silent() {
    let stage = Stage::implementing();
    assert_eq!(drift(&stage), [""; 0]);
    stage.touch(SPEC, 3_600);
    assert_eq!(drift(&stage), [""; 0]);
    // A checkout writes the same content anew.
    let content = stage.read(SPEC);
    stage.remove(SPEC);
    stage.file(SPEC, content);
    stage.touch(SPEC, 7_200);
    assert_eq!(drift(&stage), [""; 0]);
}

#[test]
fn a_change_is_told_with_both_times() {
    let stage = Stage::implementing();
    stage.file(SPEC, stage.read(SPEC).replace("Argon2id", "bcrypt"));
    stage.touch(SPEC, 60);
    assert_eq!(
        drift(&stage),
        [
            "- Drift: specs/shop/spec.md of completed phase spec-writer was changed (recorded 2026-11-29T08:00:00Z, now 2026-11-29T08:01:00Z)"
        ]
    );
    // It warns and never blocks.
    stage.step("2").expect(0);
    assert!(stage.dashboard().contains("Drift: specs/shop/spec.md"));
}

#[test]
fn a_change_that_keeps_size_and_time_is_seen() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    // The phase was completed before the kernel saw the change, whatever the clock of this machine says.
    state["phases"][0]["completed_at"] = "2000-01-01T00:00:00Z".into();
    stage.write_state(&state);
    assert_eq!(drift(&stage), [""; 0]);
    stage.file(SPEC, stage.read(SPEC).replace("Argon2id", "Argon2xx"));
    assert_eq!(drift(&stage).len(), 1);
}

#[test]
fn a_removal_and_a_replacement_are_told() {
    let stage = Stage::implementing();
    let times = "(recorded 2026-11-29T08:00:00Z, looked at 2026-11-30T10:00:00Z)";
    stage.remove(SPEC);
    assert_eq!(
        drift(&stage),
        [format!(
            "- Drift: {SPEC} of completed phase spec-writer was removed {times}"
        )]
    );
    std::fs::create_dir(stage.project().join(SPEC)).unwrap();
    let replaced = "was replaced by something that is not read";
    assert_eq!(
        drift(&stage),
        [format!(
            "- Drift: {SPEC} of completed phase spec-writer {replaced} {times}"
        )]
    );
    std::fs::remove_dir(stage.project().join(SPEC)).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", stage.project().join(SPEC)).unwrap();
    assert_eq!(
        drift(&stage),
        [format!(
            "- Drift: {SPEC} of completed phase spec-writer {replaced} {times}"
        )]
    );
}

#[test]
fn an_artifact_of_the_phase_in_progress_is_no_drift() {
    let stage = Stage::implementing();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    assert_eq!(drift(&stage), [""; 0]);
}

#[test]
fn drift_can_be_switched_off() {
    let stage = Stage::implementing();
    stage.configure(r#"{"defaults": {"enable_drift_detection": false}}"#);
    stage.file(SPEC, stage.read(SPEC).replace("Argon2id", "bcrypt"));
    stage.step("1").expect(0);
    assert_eq!(drift(&stage), [""; 0]);
}

#[test]
fn a_path_in_the_state_leads_nowhere_outside_the_project() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    state["phases"][0]["artifacts"][0]["path"] = "../../../etc/passwd".into();
    stage.write_state(&state);
    assert!(drift(&stage)[0].contains("was replaced by something that is not read"));
}

#[test]
fn a_changed_source_is_taken_over_by_the_next_step_and_told_once() {
    let stage = Stage::implementing();
    let text = stage.read("specs/shop/spec.md");
    let text = text.replace(
        "- Deleted accounts",
        "- New decisions count.\n- Deleted accounts",
    );
    stage.file("specs/shop/spec.md", &text);
    let run = stage.step("2").expect(0);
    assert!(
        run.stdout.contains("⚠️ Drift: specs/shop/spec.md"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("Changed since this transition was made, and taken over: specs/shop/spec.md"),
        "{}",
        run.stdout
    );
    assert!(stage.state_text().contains("New decisions count."));
    let run = stage.step("3").expect(0);
    assert!(
        !run.stdout.contains("Drift") && !run.stdout.contains("taken over"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_time_of_completion_in_the_future_is_not_trusted() {
    let stage = Stage::implementing();
    for time in ["2099-01-01T00:00:00Z", "2026-11-30T10:00:01Z"] {
        let mut state = stage.state();
        state["phases"][0]["completed_at"] = time.into();
        stage.write_state(&state);
        let text = stage.read(SPEC);
        stage.file(SPEC, text.replace("Argon2id", "Argon2xx"));
        assert_eq!(drift(&stage).len(), 1, "{time}");
        stage.file(SPEC, text);
        assert_eq!(drift(&stage), [""; 0], "{time}");
    }
}
