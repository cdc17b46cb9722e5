//! What a review finds wrong, and what an artifact itself knows of, reaches whoever has to mend it.

use super::stage::{Stage, warnings};

/// A project whose review asks for more work.
fn reviewed() -> Stage {
    let stage = Stage::implementing();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    stage.transition("implementer", "reviewer", &[]).expect(0);
    stage.copy("sdd/review-report.html", "review-report.html");
    let text = stage.read("review-report.html");
    stage.file(
        "review-report.html",
        text.replace(
            "<strong>APPROVED</strong>",
            "<strong>NEEDS REVISION</strong>",
        ),
    );
    stage
}

const NEGATIVE: &str = "Negative verdict in review-report.html: NEEDS REVISION";

#[test]
fn a_negative_verdict_stands_until_it_is_another() {
    let stage = reviewed();
    for words in [
        &["status"][..],
        &["dashboard"],
        &["finish"],
        &["status"],
        &["restart", "--phase", "implementer"],
        &["status"],
        &["resume"],
    ] {
        let run = stage.run(words).expect(0);
        assert_eq!(
            run.stdout.matches(NEGATIVE).count(),
            1,
            "{words:?}: {}",
            run.stdout
        );
    }
    let line = format!("- {NEGATIVE}");
    assert!(warnings(&stage.brief("phase2-step1")).contains(&line.as_str()));
    assert!(stage.dashboard().contains(NEGATIVE));
    stage.step("2").expect(0);
    assert!(warnings(&stage.brief("phase2-step2")).contains(&line.as_str()));
    stage.copy("sdd/review-report.html", "review-report.html");
    let run = stage.step("3").expect(0);
    assert!(!run.stdout.contains("Negative verdict"), "{}", run.stdout);
}

#[test]
fn a_review_of_another_time_is_none_of_this_pipeline() {
    let stage = Stage::specified();
    stage.file(
        "review-report.html",
        format!(
            "<html><h1>Verdict</h1><p>rejected</p>{}",
            "<p>x</p>".repeat(200)
        ),
    );
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    assert!(!run.stdout.contains("Negative verdict"), "{}", run.stdout);
}

#[test]
fn issues_that_an_artifact_knows_of_are_warnings() {
    let stage = Stage::implementing();
    stage.copy("sdd/completion-report.md", "completion-report.md");
    let issues: String = (1..=7)
        .map(|one| format!("- Issue {one} is open.\n"))
        .collect();
    let text = format!(
        "{}\n## Known Issues\n\n{issues}\n## Limitations\n\nNone.\n",
        stage.read("completion-report.md")
    );
    stage.file("completion-report.md", text);
    stage.transition("implementer", "reviewer", &[]).expect(0);
    let brief = stage.brief("phase3");
    let told: Vec<&str> = warnings(&brief)
        .into_iter()
        .filter(|line| line.contains("ssue"))
        .collect();
    assert_eq!(told.len(), 6, "{told:?}");
    assert_eq!(
        told[4],
        "- Known issue of completion-report.md: Issue 5 is open."
    );
    assert_eq!(
        told[5],
        "- completion-report.md knows of 2 more issues, from line 36 on"
    );
}
