//! A state that is damaged, foreign, newer, of another place, or changed by somebody else meanwhile.

use super::stage::{Stage, warnings};
use serde_json::json;
use std::io::Read as _;

/// Names in the folder of states that hold a state moved aside.
fn aside(stage: &Stage) -> Vec<String> {
    let names = stage
        .home("")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".corrupt-")).collect()
}

#[test]
fn a_torn_state_gives_way_to_the_one_before() {
    let stage = Stage::implementing();
    stage.step("2").expect(0);
    let whole = stage.state_text();
    for torn in [
        whole.as_bytes()[..whole.len() / 2].to_vec(),
        vec![0; whole.len()],
        Vec::new(),
        b"{}".to_vec(),
    ] {
        std::fs::write(stage.state_path(), &torn).unwrap();
        // What writes nothing recovers without writing.
        let status = stage.run(&["status"]).expect(0);
        assert!(
            status
                .stdout
                .contains("⚠️ State was recovered from ~/.claude/sdd/pipeline-state-shop.json.bak"),
            "{}",
            status.stdout
        );
        stage.run(&["refresh"]).expect(0);
        assert_eq!(std::fs::read(stage.state_path()).unwrap(), torn);
        let run = stage.run(&["resume"]).expect(0);
        assert!(
            run.stdout.contains("⚠️ State was recovered from"),
            "{}",
            run.stdout
        );
        // The state before the last change: step 1.
        assert_eq!(stage.state()["current_phase"]["step_number"], 1);
        assert_eq!(aside(&stage).len(), 1, "{:?}", aside(&stage));
        assert_eq!(std::fs::read(stage.home(&aside(&stage)[0])).unwrap(), torn);
        std::fs::remove_file(stage.home(&aside(&stage)[0])).unwrap();
        stage.step("2").expect(0);
    }
}

#[test]
fn a_state_that_is_lost_is_moved_aside_and_inferred_loudly() {
    let stage = Stage::implementing();
    std::fs::write(stage.state_path(), "not json").unwrap();
    std::fs::write(stage.home("pipeline-state-shop.json.bak"), "[]").unwrap();
    let error = stage.run(&["refresh", "--json"]).expect(2).error();
    assert_eq!(error.code, "state_invalid");
    let run = stage.run(&["resume"]).expect(0);
    assert!(
        run.stdout
            .starts_with("⚠️ Pipeline state was reconstructed from disk artifacts.\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("⚠️ State was not usable (it is not valid JSON"),
        "{}",
        run.stdout
    );
    assert_eq!(stage.state()["reconstructed"], true);
    assert_eq!(
        std::fs::read_to_string(stage.home(&aside(&stage)[0])).unwrap(),
        "not json"
    );
}

#[test]
fn a_newer_state_is_never_touched() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    state["schema_version"] = json!(2);
    stage.write_state(&state);
    let before = stage.state_text();
    for words in [
        &["status", "--json"][..],
        &["resume", "--json"],
        &["refresh", "--json"],
        &["pause", "--json"],
    ] {
        assert_eq!(stage.run(words).expect(2).error().code, "state_newer");
    }
    let error = stage
        .transition("implementer", "reviewer", &["--json"])
        .expect(2)
        .error();
    assert_eq!(error.code, "state_newer");
    assert_eq!(stage.state_text(), before);
}

#[test]
fn unknown_fields_survive() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    state["owner"] = json!({"team": ["shop"], "weight": 0.25});
    state["phases"][0]["reviewed_by"] = json!("ada");
    state["phases"][0]["artifacts"][0]["language"] = json!("en");
    state["current_phase"]["since"] = json!(3);
    state["config"]["theme"] = json!("dark");
    state["accumulated_context"]["notes"] = json!([1, null]);
    state["accumulated_context"]["test_results"]["ci"] = json!({"passed": 4});
    stage.write_state(&state);
    stage.step("2").expect(0);
    let after = stage.state();
    for pointer in [
        "/owner",
        "/phases/0/reviewed_by",
        "/phases/0/artifacts/0/language",
        "/current_phase/since",
        "/config/theme",
        "/accumulated_context/notes",
        "/accumulated_context/test_results/ci",
    ] {
        assert_eq!(after.pointer(pointer), state.pointer(pointer), "{pointer}");
    }
    assert!(
        stage
            .brief("phase2-step2")
            .contains("  - ci: {\"passed\":4}\n")
    );
}

#[test]
fn two_folders_of_one_name_do_not_share_a_state() {
    let stage = Stage::implementing();
    let other = stage.dir.home().join("projects/other");
    std::fs::create_dir_all(other.join("specs/shop")).unwrap();
    std::fs::copy(
        stage.project().join("specs/shop/spec.md"),
        other.join("specs/shop/spec.md"),
    )
    .unwrap();
    let path = other.to_str().unwrap();
    let before = stage.state_text();
    for words in [
        &["status"][..],
        &["resume"],
        &["refresh"],
        &["transition", "--from", "spec-writer", "--to", "implementer"],
    ] {
        let error = stage
            .run(&[words, &["--project-path", path, "--json"]].concat())
            .expect(2)
            .error();
        assert_eq!(error.code, "project_path_differs");
        assert_eq!(
            error.message,
            "project `shop` lies in `~/projects/shop`, not in `~/projects/other`"
        );
    }
    assert_eq!(stage.state_text(), before);
    stage
        .run(&["resume", "--project-path", path, "--adopt-path"])
        .expect(0);
    assert_eq!(stage.state()["project_path"], "~/projects/other");
    let error = stage.run(&["status", "--json"]).expect(2).error();
    assert_eq!(error.code, "project_path_differs");
}

#[test]
fn of_two_transitions_at_once_one_wins_and_the_other_says_so() {
    let stage = Stage::specified();
    let start = || {
        let mut command =
            stage.command(&["transition", "--from", "spec-writer", "--to", "implementer"]);
        command
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut runs: Vec<_> = (0..4).map(|_| start()).collect();
    let mut advanced = 0;
    for run in &mut runs {
        let mut text = String::new();
        run.stdout
            .take()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert!(run.wait().unwrap().success(), "{text}");
        advanced += usize::from(!text.contains("This transition was made before"));
    }
    assert_eq!(advanced, 1);
    assert_eq!(stage.state()["current_phase"]["phase_name"], "implementer");
}

#[test]
fn a_state_of_another_project_is_none() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    state["project_name"] = json!("other");
    stage.write_state(&state);
    std::fs::remove_file(stage.home("pipeline-state-shop.json.bak")).unwrap();
    let error = stage.run(&["status", "--json"]).expect(2).error();
    assert_eq!(error.code, "state_invalid");
    assert!(
        error.message.contains("its `project_name` is `other`"),
        "{}",
        error.message
    );
}

#[test]
fn what_accumulates_only_grows() {
    let stage = Stage::implementing();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.transition("implementer", "reviewer", &[]).expect(0);
    let before = stage.state()["accumulated_context"].clone();
    assert_eq!(before["files_modified"].as_array().unwrap().len(), 5);
    assert_eq!(
        before["test_results"]["implementer"],
        json!([
            "61 unit tests passed, 0 failed",
            "14 browser tests passed, 1 skipped"
        ])
    );
    assert_eq!(before["deviations"].as_array().unwrap().len(), 1);
    stage.run(&["restart", "--phase", "implementer"]).expect(0);
    let report = stage.read("completion-report.md");
    stage.file(
        "completion-report.md",
        report.replace(
            "- `src/orders/history.rs`: order history\n",
            "- `src/orders/list.rs`\n",
        ),
    );
    stage.transition("implementer", "reviewer", &[]).expect(0);
    let after = stage.state()["accumulated_context"].clone();
    let files: Vec<&str> = after["files_modified"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap())
        .collect();
    assert_eq!(files.len(), 6, "{files:?}");
    assert_eq!(files[5], "src/orders/list.rs");
    assert_eq!(after["key_decisions"], before["key_decisions"]);
    assert!(
        warnings(&stage.brief("phase3"))
            .iter()
            .all(|warning| !warning.starts_with("- Drift"))
    );
}

#[test]
fn a_backup_of_a_later_version_is_never_written_over() {
    let stage = Stage::implementing();
    let mut newer = stage.state();
    newer["schema_version"] = json!(99);
    let backup = stage.home("pipeline-state-shop.json.bak");
    let text = newer.to_string();
    for torn in [Some("{\"torn"), None] {
        std::fs::write(&backup, &text).unwrap();
        match torn {
            Some(torn) => std::fs::write(stage.state_path(), torn).unwrap(),
            None => std::fs::remove_file(stage.state_path()).unwrap(),
        }
        let error = stage.run(&["resume", "--json"]).expect(2).error();
        assert_eq!(error.code, "state_newer", "{torn:?}");
        assert_eq!(std::fs::read_to_string(&backup).unwrap(), text, "{torn:?}");
    }
}

#[test]
fn a_backup_without_its_state_is_kept_under_a_name_of_its_own() {
    let stage = Stage::implementing();
    stage.step("2").expect(0);
    let backup = std::fs::read(stage.home("pipeline-state-shop.json.bak")).unwrap();
    std::fs::remove_file(stage.state_path()).unwrap();
    let run = stage.run(&["resume"]).expect(0);
    let line = run
        .stdout
        .lines()
        .find(|line| line.contains("State was missing; its backup was kept as"));
    let name = line
        .unwrap()
        .split("kept as ")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap();
    let name = name.rsplit('/').next().unwrap();
    assert!(name.starts_with("pipeline-state-shop.json.bak-"), "{name}");
    assert_eq!(std::fs::read(stage.home(name)).unwrap(), backup);
}
