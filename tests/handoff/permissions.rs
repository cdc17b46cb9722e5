//! What may not be read or written ends a command with a reason, and changes nothing that was there.

use super::stage::{Stage, warnings};
use crate::corpus::unprivileged::{Unprivileged, mode};
use crate::harness::Output;
use std::path::Path;

/// A transition of a user without rights to a story.
fn step(stage: &Stage, user: &Unprivileged<'_>, step: &str) -> Output {
    let words = [
        "handoff",
        "transition",
        "--project",
        "shop",
        "--from",
        "spec-writer",
        "--to",
        "implementer",
        "--step",
        step,
    ];
    user.program(&stage.project(), words)
}

/// With a folder that may not be written, a transition fails and the state is what it was; then the folder may be written
/// again.
#[track_caller]
fn refused(stage: &Stage, user: &Unprivileged<'_>, folder: &Path) {
    let before = stage.state_text();
    mode(folder, 0o555);
    user.assert_unwritable(folder);
    let run = step(stage, user, "2").expect(2);
    assert!(run.stderr.contains("ermission denied"), "{}", run.stderr);
    assert_eq!((run.stdout.as_str(), stage.state_text()), ("", before));
    mode(folder, 0o755);
}

#[test]
fn an_artifact_that_may_not_be_read_fails_the_validation() {
    let stage = Stage::specified();
    let user = Unprivileged::new(&stage.dir);
    let spec = stage.project().join("specs/shop/spec.md");
    mode(&spec, 0);
    user.assert_unreadable(&spec);
    let run = step(&stage, &user, "1").expect(1);
    let failure = "\n1. File not read: specs/shop/spec.md (";
    assert!(run.stdout.contains(failure), "{}", run.stdout);
    assert!(!stage.has_brief("phase2-step1"));
    mode(&spec, 0o644);
    step(&stage, &user, "1").expect(0);
    // Of a completed phase it is drift.
    mode(&spec, 0);
    let words = ["handoff", "refresh", "--project", "shop"];
    user.program(&stage.project(), words).expect(0);
    let brief = stage.brief("phase2-step1");
    let told = "- Drift: specs/shop/spec.md of completed phase spec-writer was replaced";
    let told = warnings(&brief).iter().any(|one| one.starts_with(told));
    mode(&spec, 0o644);
    assert!(told, "{brief}");
}

#[test]
fn a_folder_that_may_not_be_written_leaves_the_state() {
    let stage = Stage::implementing();
    let user = Unprivileged::new(&stage.dir);
    for folder in ["", "context-briefs/shop"] {
        refused(&stage, &user, &stage.home(folder));
    }
    step(&stage, &user, "2").expect(0);
    assert_eq!(stage.state()["current_phase"]["step_number"], 2);
}

#[test]
fn a_state_that_may_not_be_read_is_no_missing_one() {
    let stage = Stage::implementing();
    let user = Unprivileged::new(&stage.dir);
    let before = stage.state_text();
    mode(&stage.state_path(), 0);
    user.assert_unreadable(&stage.state_path());
    for command in ["status", "resume", "refresh"] {
        let words = ["handoff", command, "--project", "shop"];
        let run = user.program(&stage.project(), words).expect(2);
        assert!(run.stderr.contains("ermission denied"), "{}", run.stderr);
    }
    step(&stage, &user, "2").expect(2);
    mode(&stage.state_path(), 0o644);
    assert_eq!(stage.state_text(), before);
}
