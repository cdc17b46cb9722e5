//! Is a state of an earlier version read and continued? `tests/fixtures/handoff/state-1.json` was written by version 0.1.0 at the
//! last step of the implementer. It is never written anew: a later version of the state gets a fixture of its own, beside this one.

use super::stage::{Stage, fixture};

/// The specification, and the old state of its pipeline.
fn old() -> Stage {
    let stage = Stage::specified();
    let path = stage.state_path();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::copy(fixture("state-1.json"), path).unwrap();
    stage
}

/// The same pipeline, from its beginning.
fn new() -> Stage {
    let stage = Stage::specified();
    for step in 1..=5 {
        stage.step(&step.to_string()).expect(0);
    }
    stage
}

#[test]
fn an_old_state_is_read_and_left_as_it_is() {
    let stage = old();
    let before = stage.state_text();
    // The state alone is old; what is made of it lies beside it in a new one.
    for again in ["refresh", "dashboard"] {
        stage.run(&[again]).expect(0);
    }
    let run = stage.run(&["status", "--json"]).expect(0);
    assert_eq!(
        run.stdout,
        new().run(&["status", "--json"]).expect(0).stdout
    );
    assert_eq!(stage.state_text(), before);
}

#[test]
fn an_old_state_is_continued_as_a_new_one() {
    let review = |stage: Stage| {
        stage.copy("sdd/completion-report.md", "completion-report.md");
        stage.transition("implementer", "reviewer", &[]).expect(0);
        (stage.state(), stage.brief("phase3"))
    };
    let (state, brief) = review(old());
    let (expected, expected_brief) = review(new());
    assert_eq!(state, expected);
    assert_eq!(brief, expected_brief);
    assert_eq!(state["current_phase"]["phase_name"], "reviewer");
}
