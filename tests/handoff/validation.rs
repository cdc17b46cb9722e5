//! What is not good enough blocks its phase, with every reason; what is mended goes on.

use super::stage::{Stage, warnings};
use crate::harness::Output;
use insta::assert_snapshot;

/// A completion report that is long enough.
const LONG: &str = "The rest of this report is here so that it has the two hundred bytes that a completion report has to \
                    have: which parts were changed, who has read them, how and on which machines they were tried, and what is still to be done by somebody, when, and who has been told that it is.\n";

/// A specification with these headings, long enough.
fn spec(headings: &[&str]) -> String {
    headings
        .iter()
        .map(|heading| format!("{heading}\n\n{LONG}\n"))
        .collect()
}

const GOOD: [&str; 3] = ["## User Stories", "## Requirements", "## Success Criteria"];

/// Numbered failures of a report.
fn failures(run: &Output) -> Vec<&str> {
    let lines = run
        .stdout
        .lines()
        .skip_while(|line| *line != "Failures:")
        .skip(1);
    lines
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_once(". ").unwrap().1)
        .collect()
}

#[test]
fn what_fails_is_listed_numbered_and_blocks_the_phase() {
    let stage = Stage::empty();
    stage.file(
        "specs/shop/spec.md",
        "# Spec\n\n## Non-Functional Requirements\n\nFast.\n",
    );
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(1);
    assert_snapshot!("validation_failed", run.stdout);
    let state = stage.state();
    assert_eq!(state["overall_status"], "blocked");
    assert_eq!(state["phases"][0]["status"], "blocked");
    assert_eq!(state["phases"][0]["blockers"].as_array().unwrap().len(), 4);
    assert_eq!(state["current_phase"]["phase_name"], "spec-writer");
    assert!(!stage.has_brief("phase2") && !stage.has_brief("phase2-step1"));
    let dashboard = stage.dashboard();
    assert!(
        dashboard.contains("badge blocked") && dashboard.contains("Blocked: File is too small")
    );

    stage.copy("sdd/specs/shop/spec.md", "specs/shop/spec.md");
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    let state = stage.state();
    assert_eq!(state["overall_status"], "in-progress");
    assert_eq!(state["phases"][0]["status"], "completed");
    assert_eq!(state["phases"][0]["blockers"], serde_json::json!([]));
    assert!(stage.has_brief("phase2-step1"));
}

#[test]
fn a_specification_needs_its_sections() {
    let no_stories =
        "Required section 'User Stories' OR 'User Scenarios' not found in specs/shop/spec.md";
    let no_requirements = "Required section 'Functional Requirements' OR 'Requirements' not found in specs/shop/spec.md";
    let fenced = format!("```\n## User Stories\n```\n\n{}", spec(&GOOD[1..]));
    let hidden = format!("<!--\n## User Stories\n-->\n\n{}", spec(&GOOD[1..]));
    for (text, expected) in [
        (spec(&GOOD), &[][..]),
        (
            spec(&[
                "## 1. User Scenarios & Testing *(mandatory)*",
                "### ✅ 2.1 Requirements",
                "IV. Success Criteria 🚀\n---",
            ]),
            &[],
        ),
        (
            spec(&[
                "# **User Stories** (draft)",
                "## functional requirements",
                "## ACCEPTANCE CRITERIA:",
            ]),
            &[],
        ),
        (spec(&GOOD).replace('\n', "\r\n"), &[]),
        (format!("\u{feff}{}", spec(&GOOD)), &[]),
        (
            spec(&[
                "## User Stories",
                "## Non-Functional Requirements",
                "## Success Criteria",
            ]),
            &[no_requirements],
        ),
        (
            spec(&[
                "## Our User Stories",
                "## Requirements",
                "## Success Criteria",
            ]),
            &[no_stories],
        ),
        (
            spec(&[
                "## User Storiesque",
                "## Requirements",
                "## Success Criteria",
            ]),
            &[no_stories],
        ),
        (fenced, &[no_stories]),
        (hidden, &[no_stories]),
        (String::new(), &["File is empty: specs/shop/spec.md"]),
        (" \n\t\n".to_owned(), &["File is empty: specs/shop/spec.md"]),
        (
            "## User Stories\n## Requirements\n## Success Criteria\n".to_owned(),
            &["File is too small: specs/shop/spec.md (52 bytes, at least 500 required)"],
        ),
    ] {
        let stage = Stage::empty();
        stage.file("specs/shop/spec.md", &text);
        let run = stage.transition("spec-writer", "implementer", &[]);
        assert_eq!(
            run.code,
            i32::from(!expected.is_empty()),
            "{text}\n{}",
            run.stdout
        );
        assert_eq!(failures(&run), expected, "{text}");
    }
}

#[test]
fn what_is_no_text_or_no_file_fails() {
    let stage = Stage::empty();
    let fails = |expected: &str| {
        let run = stage
            .transition("spec-writer", "implementer", &[])
            .expect(1);
        assert_eq!(failures(&run).len(), 1, "{}", run.stdout);
        assert!(failures(&run)[0].starts_with(expected), "{}", run.stdout);
    };
    fails("File not found: specs/shop/spec.md");
    stage.file("specs/shop/spec.md", b"\xff\xfe\x00");
    fails("File is not UTF-8: specs/shop/spec.md");
    stage.file("specs/shop/spec.md", [0; 600]);
    fails("File holds NUL bytes: specs/shop/spec.md");
    stage.remove("specs/shop/spec.md");
    std::fs::create_dir(stage.project().join("specs/shop/spec.md")).unwrap();
    fails("File not read: specs/shop/spec.md (");
    std::fs::remove_dir(stage.project().join("specs/shop/spec.md")).unwrap();
    // A link out of the project is not followed, one inside is.
    stage.dir.file("outside.md", spec(&GOOD));
    std::os::unix::fs::symlink(
        stage.dir.at("outside.md"),
        stage.project().join("specs/shop/spec.md"),
    )
    .unwrap();
    fails("File not read: specs/shop/spec.md (");
    stage.remove("specs/shop/spec.md");
    stage.file("elsewhere.md", spec(&GOOD));
    std::os::unix::fs::symlink(
        "../../elsewhere.md",
        stage.project().join("specs/shop/spec.md"),
    )
    .unwrap();
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
}

#[test]
fn a_marker_keeps_an_artifact_from_being_read() {
    let stage = Stage::specified();
    stage.file("specs/.agent-no-read.md", "");
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(1);
    assert_eq!(
        failures(&run),
        ["File not read: specs/shop/spec.md (excluded-by-marker: specs/.agent-no-read.md)"]
    );
}

#[test]
fn a_completion_report_or_tasks_say_that_the_work_is_done() {
    let summary = format!("## Summary\n\n{LONG}");
    let no_any = "Required section 'User Stories Implemented' OR '[X]' OR '[✓]' not found in completion-report.md";
    let missing = "File not found: tasks.md (in place of completion-report.md)";
    for (text, expected) in [
        (format!("{summary}\n## User Stories Implemented\n"), &[][..]),
        (format!("{summary}\n- [X] done\n"), &[]),
        (format!("{summary}\n* [x] done\n"), &[]),
        (format!("{summary}\n1. [✓] done\n"), &[]),
        (format!("{summary}\n- [ ] open\n"), &[no_any, missing]),
        (
            format!("{summary}\n```\n- [x] done\n```\n"),
            &[no_any, missing],
        ),
        (format!("{summary}\nSee [X] there.\n"), &[no_any, missing]),
        (
            format!("## Result\n\n{LONG}\n- [X] done\n"),
            &[
                "Required section 'Summary' not found in completion-report.md",
                missing,
            ],
        ),
    ] {
        let stage = Stage::implementing();
        stage.file("completion-report.md", &text);
        let run = stage.transition("implementer", "reviewer", &[]);
        assert_eq!(
            run.code,
            i32::from(!expected.is_empty()),
            "{text}\n{}",
            run.stdout
        );
        assert_eq!(failures(&run), expected, "{text}");
    }
}

#[test]
fn tasks_need_one_completed_marker_of_any_form() {
    for (item, is_done) in [
        ("- [X] a", true),
        ("* [x] a", true),
        ("+ [✓] a", true),
        ("1. [X] a", true),
        ("2) [x] a", true),
        ("- outer\n  - [x] a", true),
        ("- [ ] a", false),
        ("- [-] a", false),
        ("```\n- [X] a\n```", false),
        ("    - [X] a", false),
    ] {
        let stage = Stage::implementing();
        stage.file("tasks.md", format!("# Tasks\n\n{LONG}\n{item}\n"));
        let run = stage.transition("implementer", "reviewer", &[]);
        assert_eq!(run.code == 0, is_done, "{item}\n{}", run.stdout);
        if !is_done {
            let marker = "Completed task marker '[X]' OR '[✓]' not found in tasks.md (in place of completion-report.md)";
            assert_eq!(
                failures(&run),
                ["File not found: completion-report.md", marker]
            );
        }
    }
}

#[test]
fn tasks_stand_in_for_a_report_that_is_not_good_enough() {
    let stage = Stage::implementing();
    stage.file("completion-report.md", "too short");
    stage.copy("sdd/tasks.md", "tasks.md");
    let run = stage.transition("implementer", "reviewer", &[]).expect(0);
    assert!(
        run.stdout
            .contains("⚠️ tasks.md is taken instead: File is too small: completion-report.md"),
        "{}",
        run.stdout
    );
    assert_eq!(stage.state()["phases"][1]["artifacts"][0]["type"], "tasks");
}

#[test]
fn a_review_needs_html_and_a_verdict() {
    let filler = "<p>Every file was read, every test was run.</p>\n".repeat(25);
    let no_html = "Required pattern '<html' OR '<!DOCTYPE html' not found in review-report.html";
    let no_verdict = "Required pattern 'Compliance' OR 'Verdict' OR 'APPROVED' OR 'NEEDS REVISION' not found in review-report.html";
    for (text, expected, warning) in [
        (format!("<HTML>\n{filler}<h2>verdict</h2>"), &[][..], ""),
        (format!("<!doctype html>\n{filler}Approved"), &[], ""),
        (
            format!("<html>{filler}Verdict: NEEDS REVISION"),
            &[],
            "⚠️ Negative verdict in review-report.html: NEEDS REVISION",
        ),
        (format!("{filler}<p>APPROVED</p>"), &[no_html], ""),
        (format!("<html>{filler}<!-- Verdict -->"), &[no_verdict], ""),
        (
            "<html>Verdict</html>".to_owned(),
            &["File is too small: review-report.html (20 bytes, at least 1000 required)"],
            "",
        ),
    ] {
        let stage = Stage::implementing();
        stage.copy("sdd/completion-report.md", "completion-report.md");
        stage.transition("implementer", "reviewer", &[]).expect(0);
        stage.file("review-report.html", &text);
        let run = stage.run(&["finish"]);
        assert_eq!(run.code, i32::from(!expected.is_empty()), "{}", run.stdout);
        assert_eq!(failures(&run), expected);
        assert!(run.stdout.contains(warning), "{}", run.stdout);
        let status = stage.state()["overall_status"].clone();
        assert_eq!(
            status,
            if expected.is_empty() {
                "completed"
            } else {
                "blocked"
            }
        );
    }
}

#[test]
fn an_unfilled_template_is_a_warning() {
    let stage = Stage::specified();
    let text = stage.read("specs/shop/spec.md");
    let text = text.replace(
        "# Feature Specification: Shop accounts",
        "# Feature Specification: [FEATURE NAME]",
    );
    let text = text.replace(
        "**Owner**: the shop team",
        "**Owner**: [NEEDS CLARIFICATION: who?] [NEEDS CLARIFICATION: since when?]",
    );
    stage.file("specs/shop/spec.md", text);
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    let brief = stage.brief("phase2-step1");
    let warnings = warnings(&brief);
    assert!(
        warnings.contains(
            &"- Unfilled template in specs/shop/spec.md: 1 × [FEATURE NAME], first in line 1"
        ),
        "{warnings:?}"
    );
    assert!(
        warnings.contains(&"- Unfilled template in specs/shop/spec.md: 2 × [NEEDS CLARIFICATION…], first in line 4"),
        "{warnings:?}"
    );
}

#[test]
fn an_artifact_that_breaks_later_blocks_its_phase_until_it_is_mended() {
    let stage = Stage::implementing();
    let good = stage.read("specs/shop/spec.md");
    stage.file("specs/shop/spec.md", "gone");
    let run = stage.step("2").expect(1);
    assert!(
        run.stdout
            .contains("Pipeline blocked at phase: spec-writer"),
        "{}",
        run.stdout
    );
    assert_eq!(stage.state()["phases"][0]["status"], "blocked");
    assert_eq!(stage.state()["current_phase"]["phase_name"], "implementer");
    assert!(!stage.has_brief("phase2-step2"));
    stage.file("specs/shop/spec.md", good);
    stage.step("2").expect(0);
    let state = stage.state();
    assert_eq!(state["phases"][0]["status"], "completed");
    assert_eq!(state["overall_status"], "in-progress");
    assert_eq!(state["current_phase"]["step_number"], 2);
}

#[test]
fn validate_judges_and_writes_nothing() {
    let stage = Stage::empty();
    let words = ["validate", "--phase", "spec-writer", "--pipeline", "sdd"];
    let run = stage.run(&words).expect(1);
    assert!(
        run.stdout
            .starts_with("❌ HANDOFF VALIDATION FAILED: spec-writer → implementer\n"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("Pipeline blocked"), "{}", run.stdout);
    stage.copy("sdd/specs/shop/spec.md", "specs/shop/spec.md");
    assert_eq!(
        stage.run(&words).expect(0).stdout,
        "✅ Artifacts valid for phase: spec-writer\nJudged: specs/shop/spec.md by rule spec.md: at least 500 bytes; \
         a section 'User Stories' OR 'User Scenarios'; a section 'Functional Requirements' OR 'Requirements'; \
         a section 'Success Criteria' OR 'Acceptance Criteria'\n"
    );
    assert!(!stage.home("").exists());
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    let before = stage.state_text();
    let run = stage.run(&["validate"]).expect(1);
    assert!(
        run.stdout.contains("FAILED: implementer → reviewer"),
        "{}",
        run.stdout
    );
    assert_eq!(stage.state_text(), before);
}
