//! What is suggested where the artifact is not there?

use super::rig::{Rig, text};
use crate::harness::outcome;
use std::path::Path;

#[test]
fn an_artifact_that_is_not_there_has_neighbours() {
    let rig = Rig::new();
    rig.links(&[]);
    for name in ["login/thread.md", "logout/thread.md", "billing/thread.md"] {
        rig.file(&format!("threads/{name}"), "---\nsoft_links: []\n---\n");
    }
    let run = rig.plain(&["threads/logn/thread.md", "--json"]);
    let error = run.fails("artifact_missing").error();
    let help = error.help.unwrap();
    assert!(
        help.starts_with("nearby paths in the brain: `threads/login/thread.md`"),
        "{help}"
    );
    assert_eq!(
        error.path,
        Some(text(&rig.brain().join("threads/logn/thread.md")))
    );
    let shown = rig.plain(&["threads/logn/thread.md"]).expect(1).stderr;
    assert!(
        shown.contains("`threads/login/thread.md`, `threads/logout/thread.md`"),
        "{shown}"
    );
}

#[test]
fn neighbours_are_found_by_what_people_call_them_and_can_be_typed() {
    let rig = Rig::new();
    rig.links(&[]);
    let empty = "---\nsoft_links: []\n---\n";
    for name in [
        "threads/checkout/thread.md",
        "tree/deep/down/limits.md",
        "tree/deep/checkin.md",
    ] {
        rig.file(name, empty);
    }
    // What this tool has written is nothing to start from.
    rig.run(&["--out", "checkout.md"]).expect(0);
    let near = |cwd: &Path, wanted: &str| {
        let mut command = rig.dir.command(cwd);
        let brain = text(&rig.brain());
        let run = outcome(command.args(["materialize", wanted, "--brain", &brain, "--json"]));
        let help = run.fails("artifact_missing").error().help.unwrap();
        let (_, first) = help.split_once(": `").unwrap();
        assert!(
            !help.contains("/checkout.md") && !help.contains("`checkout.md"),
            "{help}"
        );
        first.split('`').next().unwrap().to_owned()
    };
    let brain = rig.brain();
    assert_eq!(near(&brain, "checkout"), "threads/checkout/thread.md");
    assert_eq!(
        near(&brain, "threads/checkuot/thread.md"),
        "threads/checkout/thread.md"
    );
    assert_eq!(near(&brain, "limits.md"), "tree/deep/down/limits.md");
    assert_eq!(
        near(&brain.join("tree"), "limits.md"),
        "deep/down/limits.md"
    );
    assert_eq!(
        near(&rig.dir.at("app"), "checkout"),
        "project-brain/threads/checkout/thread.md"
    );
    let absolute = text(&brain.join("threads/checkout/thread.md"));
    assert_eq!(near(&brain.join("tree"), "checkout"), absolute);
    assert_eq!(near(&rig.dir.home(), "checkout"), absolute);
}

#[test]
fn what_can_be_no_path_has_no_neighbours() {
    let rig = Rig::new();
    rig.links(&[]);
    let long = "a/".repeat(50_000);
    let run = rig.plain(&[&long, "--json"]);
    let error = run.fails("artifact_missing").error();
    assert!(error.message.len() < 5_000 && error.path.unwrap().len() < 5_000);
    assert_eq!(
        error.help.as_deref(),
        Some("check the path and the working directory")
    );
}

#[test]
fn neighbours_are_found_in_a_large_brain() {
    let rig = Rig::new();
    rig.links(&[]);
    for number in 0..10_000 {
        rig.file(&format!("tree/a/{number:05}-a-leaf-among-many.md"), "");
    }
    // By name they come last.
    rig.file("tree/zebra/stripes.md", "");
    rig.file("tree/zebra/.stripes.md", "");
    rig.file("tree/zoo/closed/.agent-no-read.md", "");
    rig.file("tree/zoo/closed/stripe.md", "");
    let error = rig
        .plain(&["stripe", "--json"])
        .fails("artifact_missing")
        .error();
    let help = error.help.unwrap();
    assert!(
        help.starts_with("nearby paths in the brain: `tree/zebra/stripes.md`"),
        "{help}"
    );
    assert!(!help.contains("closed") && !help.contains("/."), "{help}");
}
