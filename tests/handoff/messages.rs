//! A message names the file, the place and the remedy that its reader needs.

use super::stage::{Stage, warnings};
use serde_json::json;

#[test]
fn a_project_that_lies_elsewhere_is_told_with_the_way_there() {
    let stage = Stage::implementing();
    let other = stage.dir.home().join("projects/other");
    std::fs::create_dir(&other).unwrap();
    let words = ["--project-path", other.to_str().unwrap(), "--json"];
    let help = stage
        .run(&[&["status"], &words[..]].concat())
        .expect(2)
        .error()
        .help
        .unwrap();
    assert!(
        help.starts_with("run it in `~/projects/shop`, or say `--project-path ~/projects/shop`; if the project has moved, `handoff resume --adopt-path`"),
        "{help}"
    );
}

#[test]
fn a_project_whose_folder_is_gone_is_not_looked_for_there() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    state["project_path"] = json!("~/projects/before");
    stage.write_state(&state);
    let error = stage.run(&["status", "--json"]).expect(2).error();
    let help = error.help.unwrap();
    assert!(
        help.starts_with(
            "that folder is gone: if the project has moved, `handoff resume --adopt-path`"
        ),
        "{help}"
    );
}

#[test]
fn a_project_that_is_adopted_is_told_from_where_to_where() {
    let stage = Stage::implementing();
    let other = stage.dir.home().join("projects/other");
    std::fs::rename(stage.project(), &other).unwrap();
    std::fs::create_dir(stage.project()).unwrap();
    for words in [
        &["pause"][..],
        &["resume"],
        &["restart", "--phase", "spec-writer"],
    ] {
        let mut state = stage.state();
        state["project_path"] = json!("~/projects/shop");
        stage.write_state(&state);
        let path = ["--project-path", other.to_str().unwrap(), "--adopt-path"];
        let run = stage.run(&[words, &path].concat()).expect(0);
        assert!(
            run.stdout.contains(
                "⚠️ The project has moved: its state named ~/projects/shop and names ~/projects/other now"
            ),
            "{words:?}: {}",
            run.stdout
        );
    }
}

#[test]
fn a_state_that_is_torn_names_every_file_of_it() {
    let stage = Stage::implementing();
    stage.step("2").expect(0);
    std::fs::write(stage.state_path(), "{\"torn").unwrap();
    let run = stage.run(&["status"]).expect(0);
    let line = run
        .stdout
        .lines()
        .find(|line| line.contains("recovered"))
        .unwrap();
    for part in [
        "State was recovered from ~/.claude/sdd/pipeline-state-shop.json.bak, which is one change older",
        "since ~/.claude/sdd/pipeline-state-shop.json can not be used: it is not valid JSON",
        "what lies there goes to ~/.claude/sdd/pipeline-state-shop.json.corrupt-",
    ] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn phases_edited_by_hand_are_told_with_field_values_and_file() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    state["phases"][2]["phase_name"] = json!("nobody");
    stage.write_state(&state);
    let message = "`phases[2].phase_name` in the state is `nobody`; pipeline `sdd` has `spec-writer`, `implementer`, `reviewer`";
    for words in [
        &["resume", "--json"][..],
        &["refresh", "--json"],
        &["validate", "--json"],
    ] {
        let error = stage.run(words).expect(2).error();
        assert_eq!(error.message, message, "{words:?}");
        assert!(error.path.unwrap().ends_with("/pipeline-state-shop.json"));
    }
    // `status` shows what there is, and says the same.
    let run = stage.run(&["status"]).expect(0);
    assert!(
        run.stdout.contains(&format!(
            "⚠️ {message} (~/.claude/sdd/pipeline-state-shop.json)"
        )),
        "{}",
        run.stdout
    );
    // A position that is none of its phases makes the whole file none; with its backup it is told in the same words.
    let mut state = stage.state();
    state["phases"][2]["phase_name"] = json!("reviewer");
    state["current_phase"]["phase_name"] = json!("nobody");
    stage.write_state(&state);
    let run = stage.run(&["status"]).expect(0);
    assert!(
        run.stdout.contains("`current_phase` is 2 `nobody`, none of `phases`: 1 `spec-writer`, 2 `implementer`, 3 `reviewer`"),
        "{}",
        run.stdout
    );
}

#[test]
fn help_names_no_option_that_the_command_lacks() {
    let stage = Stage::implementing();
    let mut state = stage.state();
    state["pipeline_type"] = json!("waterfall");
    stage.write_state(&state);
    for words in [
        &["restart", "--phase", "spec-writer"][..],
        &["resume"],
        &["refresh"],
        &["finish"],
        &["pause"],
        &["status"],
        &["validate"],
    ] {
        let error = stage.run(&[words, &["--json"]].concat()).expect(2).error();
        assert_eq!(error.code, "state_value", "{words:?}");
        let text = format!("{} {}", error.message, error.help.unwrap());
        assert!(!text.contains("--"), "{words:?}: {text}");
    }
}

#[test]
fn a_specification_of_another_name_is_found_for_its_author() {
    let stage = Stage::empty();
    stage.copy("sdd/specs/shop/spec.md", "specs/accounts/spec.md");
    stage.file("specs/notes/other.md", "x");
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(1);
    assert!(
        run.stdout.contains(
            "⚠️ specs/shop/spec.md is looked for because of `--project shop`; there is specs/accounts/spec.md\n"
        ),
        "{}",
        run.stdout
    );
    let run = stage.run(&["validate", "--phase", "spec-writer"]).expect(1);
    assert!(
        run.stdout.contains("because of `--project shop`"),
        "{}",
        run.stdout
    );
    // What its phase has yet to produce is not looked for.
    let run = stage.run(&["resume"]).expect(0);
    assert!(!run.stdout.contains("because of"), "{}", run.stdout);
}

#[test]
fn headings_that_are_there_are_told_where_one_is_missing() {
    let stage = Stage::empty();
    let headings: String = (1..=9)
        .map(|one| format!("## Part {one}\n\n{}\n\n", "word ".repeat(20)))
        .collect();
    stage.file("specs/shop/spec.md", headings);
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(1);
    assert!(
        run.stdout.contains("⚠️ Headings of specs/shop/spec.md: “Part 1”, “Part 2”, “Part 3”, “Part 4”, “Part 5”, “Part 6”, “Part 7”, “Part 8”, …\n"),
        "{}",
        run.stdout
    );
    // A title is not shown at any length.
    let long = format!("## {}\n\n{}\n", "title ".repeat(800), "word ".repeat(200));
    stage.file("specs/shop/spec.md", long);
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(1);
    let told = run.stdout.lines().find(|line| line.contains("Headings of"));
    assert!(told.unwrap().len() < 1000, "{}", run.stdout);
}

#[test]
fn an_include_key_without_a_section_says_what_would_be_one() {
    let stage = Stage::specified();
    let text = stage.read("specs/shop/spec.md");
    let text = text.replace("## 3. Tech Stack", "## 3. Machines").replace(
        "## 4. Success Criteria",
        "## 4. Success Criteria\n\n### Decisions\n\n- One.\n",
    );
    stage.file(
        "specs/shop/spec.md",
        text.replace("## 5. Key Decisions", "## 5. More"),
    );
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    let brief = stage.brief("phase2-step1");
    let told: Vec<&str> = warnings(&brief)
        .into_iter()
        .filter(|line| line.contains("include key"))
        .collect();
    assert_eq!(
        told,
        [
            "- Nothing found for include key tech_stack: no section of specs/shop/spec.md is called Tech Stack, Technology Stack, \
          Technical Stack, Technical Context, Technologies, Technology"
        ],
        "decisions stand in the brief under acceptance criteria"
    );
}

#[test]
fn a_configuration_that_makes_no_sense_is_told_with_pipeline_field_and_place() {
    let stage = Stage::specified();
    for (json, message, place) in [
        (
            "{\"pipelines\": {\"x\": {\"phases\": [\n  {\"name\": \"a\"},\n  {\"name\": \"a\"}]}}}",
            "`pipelines.x.phases[1].name`: phase `a` stands twice in pipeline `x`",
            (3, 12),
        ),
        (
            "{\"pipelines\": {\"x\": {\"phases\": [{\"name\": \"a\"}, {\"name\": \"b\"}],\n\"transitions\": [{\"from\": \"a\", \"to\": \"b\"},\n {\"from\": \"a\", \"to\": \"b\"}]}}}",
            "`pipelines.x.transitions[1]`: the transition from `a` to `b` stands twice in pipeline `x`",
            (3, 2),
        ),
        (
            "{\"validation_rules\": {\n\"a.md\": {\"paths\": [\"/etc/a.md\"]}}}",
            "`validation_rules.a.md.paths[0]`: path `/etc/a.md` must be relative to the project, without `..`",
            (2, 20),
        ),
        (
            "{\"pipelines\": {\"x\": {\"phases\": [{\"name\": \"a\", \"artifacts\": [\"../a.md\"]}]}}}",
            "`pipelines.x.phases[0].artifacts[0]`: path `../a.md` must be relative to the project, without `..`",
            (1, 61),
        ),
    ] {
        stage.configure(json);
        let run = stage
            .transition("spec-writer", "implementer", &["--json"])
            .expect(2);
        let error = run.error();
        assert_eq!(error.message, message);
        assert_eq!(
            (error.line, error.column),
            (Some(place.0), Some(place.1)),
            "{json}"
        );
    }
}

#[test]
fn alternatives_of_one_rule_read_as_such() {
    let stage = Stage::implementing();
    stage.file("tasks.md", "short");
    let run = stage.transition("implementer", "reviewer", &[]).expect(1);
    assert!(
        run.stdout.contains("1. File not found: completion-report.md\n2. File is too small: tasks.md (5 bytes, at least 200 required) (in place of completion-report.md)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_link_in_the_place_of_a_state_is_refused() {
    let stage = Stage::implementing();
    let real = stage.dir.home().join("kept.json");
    std::fs::rename(stage.state_path(), &real).unwrap();
    std::os::unix::fs::symlink(&real, stage.state_path()).unwrap();
    let before = std::fs::read(&real).unwrap();
    for words in [
        &["status", "--json"][..],
        &["pause", "--json"],
        &["resume", "--json"],
    ] {
        let error = stage.run(words).expect(2).error();
        assert!(error.message.ends_with("is a symlink"), "{}", error.message);
        assert!(error.help.unwrap().contains("in the place of the link"));
    }
    assert!(stage.state_path().symlink_metadata().unwrap().is_symlink());
    // A dangling one too, and one in the place of the backup.
    std::fs::remove_file(&real).unwrap();
    stage
        .transition("spec-writer", "implementer", &["--json"])
        .expect(2);
    assert!(!real.exists());
    std::fs::remove_file(stage.state_path()).unwrap();
    std::fs::write(stage.state_path(), &before).unwrap();
    let backup = stage.home("pipeline-state-shop.json.bak");
    std::fs::remove_file(&backup).unwrap();
    std::os::unix::fs::symlink(&real, &backup).unwrap();
    stage.run(&["pause"]).expect(2);
    let brief = stage.home("context-briefs/shop/phase2-step1.md");
    std::fs::remove_file(&brief).unwrap();
    // Refused before a brief is written to which no state belongs.
    stage.run(&["resume"]).expect(2);
    assert!(!brief.exists());
    assert_eq!(std::fs::read(stage.state_path()).unwrap(), before);
}

#[test]
fn a_configuration_that_a_link_misses_is_an_error() {
    let stage = Stage::specified();
    std::fs::create_dir_all(stage.home("")).unwrap();
    std::os::unix::fs::symlink("nowhere.json", stage.home("pipeline-config.json")).unwrap();
    let error = stage
        .transition("spec-writer", "implementer", &["--json"])
        .expect(2)
        .error();
    assert_eq!(error.code, "not_found");
    assert!(error.path.unwrap().ends_with("pipeline-config.json"));
}

#[test]
fn what_hides_in_a_path_or_poses_as_a_heading_is_seen() {
    let stage = Stage::specified();
    stage.configure(
        r###"{"pipelines": {"sdd": {"phases": [{"name": "spec-writer", "artifacts": ["spec.md"]},
            {"name": "implementer", "mission": "## References\n\nnothing"}], "transitions": []}}}"###,
    );
    let home = stage.dir.home().join("a\u{202e}b");
    std::fs::create_dir(&home).unwrap();
    std::fs::copy(
        stage.home("pipeline-config.json"),
        home.join("pipeline-config.json"),
    )
    .unwrap();
    let words = ["--home", home.to_str().unwrap()];
    stage
        .transition("spec-writer", "implementer", &words)
        .expect(0);
    let brief = std::fs::read_to_string(home.join("context-briefs/shop/phase2.md")).unwrap();
    assert!(
        !brief.contains('\u{202e}') && brief.contains("a<U+202E>b"),
        "{brief}"
    );
    assert_eq!(brief.matches("\n## References").count(), 1, "{brief}");
    assert!(
        brief.contains("## Mission\n\n#### References nothing\n"),
        "{brief}"
    );
    let page = std::fs::read_to_string(home.join("dashboards/shop/dashboard.html")).unwrap();
    assert!(!page.contains('\u{202e}'), "{page}");
}

#[test]
fn front_matter_is_no_heading() {
    let stage = Stage::implementing();
    let text = stage_report(&stage);
    stage.file(
        "completion-report.md",
        format!("---\nsummary: all done\n---\n{text}"),
    );
    let run = stage.transition("implementer", "reviewer", &[]).expect(1);
    assert!(
        run.stdout
            .contains("Required section 'Summary' not found in completion-report.md"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("⚠️ Headings of completion-report.md: “Completion Report”, “In short”"),
        "{}",
        run.stdout
    );
}

/// The report of the example without its summary.
fn stage_report(stage: &Stage) -> String {
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage
        .read("completion-report.md")
        .replace("## Summary", "## In short")
}
