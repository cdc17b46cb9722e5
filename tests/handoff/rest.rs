//! What was not handed over is named with its lines, as long as there is room.

use super::stage::{Stage, section, warnings};

#[test]
fn the_curated_context_ends_with_what_is_not_in_it() {
    let stage = Stage::implementing();
    let brief = stage.brief("phase2-step1");
    let curated = section(&brief, "## Curated Context");
    assert_eq!(
        *curated.last().unwrap(),
        "Not handed over of `specs/shop/spec.md`: Feature Specification: Shop accounts (lines 1-4), \
         1. User Scenarios & Testing (mandatory) (lines 6-8), 2. Functional Requirements (lines 61-64)"
    );
    assert!(
        !brief.contains("6. Reasoning ("),
        "reasoning is not to be read"
    );
}

#[test]
fn it_is_the_first_to_go() {
    let stage = Stage::implementing();
    let report = stage.run(&["refresh", "--json"]).expect(0).json();
    let tokens = report["budget"]["tokens"].as_u64().unwrap();
    // Just not enough.
    let window = (tokens - 1) * 10 / 6;
    stage.configure(&format!(
        r#"{{"defaults": {{"context_window": {window}}}}}"#
    ));
    stage.run(&["refresh"]).expect(0);
    let brief = stage.brief("phase2-step1");
    assert!(!brief.contains("Not handed over of"), "{brief}");
    let told: Vec<&str> = warnings(&brief)
        .into_iter()
        .filter(|line| line.contains("Left out"))
        .collect();
    assert_eq!(
        told[0],
        "- Left out for the budget: which sections were not handed over"
    );
}

#[test]
fn what_is_excluded_is_not_named() {
    let stage = Stage::named("spring");
    stage.configure(
        &std::fs::read_to_string(super::stage::fixture("custom/pipeline-config.json")).unwrap(),
    );
    stage.copy(
        "custom/project/issues/spring/outline.md",
        "issues/spring/outline.md",
    );
    let words = ["--pipeline", "newsletter"];
    stage.transition("outline", "draft", &words).expect(0);
    assert!(!stage.brief("phase2").contains("Private notes ("));
}
