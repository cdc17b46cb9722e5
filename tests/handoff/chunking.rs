//! A specification is cut by user story.

use super::stage::{Stage, section, warnings};

/// A specification with these stories, and everything else that it needs.
fn spec(stories: &str) -> String {
    let filler = "Everything that follows is only here so that the specification has the size that it has to have.\n".repeat(5);
    format!(
        "# Spec\n\n{filler}\n## User Stories\n\nIntro.\n\n{stories}\n\n## Requirements\n\n- One.\n\n## Success Criteria\n\n- Fast.\n"
    )
}

fn stage(stories: &str) -> Stage {
    let stage = Stage::empty();
    stage.file("specs/shop/spec.md", spec(stories));
    stage
}

/// The lines of a part of the curated context, by its heading.
fn part<'a>(brief: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = brief.lines().skip_while(|line| !line.starts_with(heading));
    lines
        .skip(1)
        .take_while(|line| !line.starts_with("### ") && !line.starts_with("## "))
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn numbers_are_compared_as_numbers() {
    let stage = stage("### US-10\n\nTenth.\n\n### US-1\n\nFirst.\n");
    // The first of the document, where no step is named.
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    assert_eq!(
        part(
            &stage.brief("phase2-step10"),
            "### Current Step: User Story 10"
        )[1],
        "Tenth."
    );
    stage.step("1").expect(0);
    let brief = stage.brief("phase2-step1");
    assert_eq!(part(&brief, "### Current Step: User Story 1")[1], "First.");
    assert_eq!(
        part(&brief, "### Prior Stories")[1],
        "- **US-10**: Tenth. [✓ Completed]"
    );
}

#[test]
fn headings_of_every_form_are_stories() {
    let stage = stage(
        "## User Story 1: Log in\n\nOne.\n\n### User Story 3 — Profiles (Priority: P2)\n\nThree.\n\n#### Inner\n\nIn.\n\n\
         ```\n### User Story 4\n\nfenced\n```\n\n### US_7 - Last (P1)\n\nSeven.\n",
    );
    stage.step("3").expect(0);
    let brief = stage.brief("phase2-step3");
    assert!(
        brief.contains("### Current Step: User Story 3 — Profiles (P2)\n"),
        "{brief}"
    );
    assert!(brief.contains("\n#### Inner\n\nIn.\n"), "{brief}");
    let fence = "```\n### User Story 4\n\nfenced\n```\n";
    assert!(brief.contains(fence), "{brief}");
    assert!(!brief.contains("Seven."), "later stories are left out");
    stage.step("7").expect(0);
    assert!(
        stage
            .brief("phase2-step7")
            .contains("### Current Step: User Story 7 — Last (P1)\n")
    );
}

#[test]
fn a_step_that_is_none_is_an_error_after_the_validation() {
    let stage = stage("### US-1\n\nOne.\n\n### US-3\n\nThree.\n");
    let run = stage
        .transition("spec-writer", "implementer", &["--step", "2", "--json"])
        .expect(2);
    let error = run.error();
    assert_eq!(error.code, "step_unknown");
    assert_eq!(
        error.message,
        "no user story has the number 2; there are 1, 3"
    );
    assert!(!stage.state_path().exists(), "nothing is written");
    stage.file("specs/shop/spec.md", "short");
    stage.step("2").expect(1);
}

#[test]
fn without_stories_everything_goes_over_in_full() {
    let stage = stage("Nobody told any.");
    stage.step("2").expect(0);
    let brief = stage.brief("phase2");
    assert!(brief.contains("### User Stories\n"), "{brief}");
    assert!(
        warnings(&brief).contains(&"- No user stories found: what is included is included in full")
    );
    assert_eq!(
        stage.state()["current_phase"]["step_number"],
        serde_json::Value::Null
    );
}

#[test]
fn of_two_stories_with_one_number_the_first_counts_loudly() {
    let stage = stage("### US-2\n\nTwo.\n\n### US-1\n\nFirst.\n\n### US-1 again\n\nSecond.\n");
    stage.step("1").expect(0);
    let brief = stage.brief("phase2-step1");
    assert_eq!(part(&brief, "### Current Step")[1], "First.");
    assert!(
        warnings(&brief)[0]
            .starts_with("- User story 1 stands 2 times in specs/shop/spec.md (lines "),
        "{brief}"
    );
    assert_eq!(
        stage.state()["phases"][1]["steps"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn dependencies_are_told_from_prose_with_their_sentence() {
    let stage = stage(
        "### US-1\n\nOne.\n\n### US-2 Middle\n\nGive us 3 options. It needs the session of US-1, e.g. its token. \
         Later ones follow in User Story 3; US-12 is missing.\n\n- Not in `code`: US-2 itself.\n\n```\nUS-4\n```\n\n\
         ### US-3 Late\n\nThree. This is not told.\n\n### US-4\n\nFour.\n",
    );
    stage.step("2").expect(0);
    let brief = stage.brief("phase2-step2");
    let dependencies = part(&brief, "### Dependencies");
    assert_eq!(
        dependencies[1..],
        [
            "- **US-1**: It needs the session of US-1, e.g. its token.",
            "- **US-3**: Later ones follow in User Story 3; US-12 is missing."
        ]
    );
    assert!(
        !brief.contains("This is not told."),
        "a later story is named, not told"
    );
    let missing = "- User story 2 refers to story 12, which specs/shop/spec.md does not tell";
    assert!(warnings(&brief).contains(&missing), "{brief}");
}

#[test]
fn prior_stories_are_told_in_two_sentences_of_their_own() {
    let long = "word ".repeat(100);
    let stage = stage(&format!(
        "### US-1 Short\n\n**Priority**: P1\n\nOne. Two! Three?\n\n### US-2 Long\n\nFirst {long}. Second.\n\n### US-3\n\nNow.\n"
    ));
    stage.step("1").expect(0);
    stage.step("2").expect(0);
    stage.step("3").expect(0);
    let brief = stage.brief("phase2-step3");
    let prior = part(&brief, "### Prior Stories (Completed)");
    assert_eq!(prior[1], "- **US-1 (Short)**: One. Two! [✓ Completed]");
    let summary = prior[2]
        .strip_prefix("- **US-2 (Long)**: ")
        .unwrap()
        .strip_suffix(" [✓ Completed]")
        .unwrap();
    assert!(
        summary.ends_with('…') && summary.chars().count() <= 240,
        "{summary}"
    );
}

#[test]
fn other_keys_do_not_bring_back_what_later_stories_say() {
    let stage = Stage::implementing();
    let brief = stage.brief("phase2-step1");
    assert!(!brief.contains("Given three orders"), "{brief}");
    assert_eq!(
        section(&brief, "### Acceptance Criteria")[1],
        "- Logging in takes less than 300 ms at the 95th percentile."
    );
    assert!(
        brief.contains("Source: `specs/shop/spec.md`, “4. Success Criteria”, lines 74-77\n"),
        "{brief}"
    );
}
