//! `check`: says how markers are, and writes nothing, not even where it could.

use super::project::{MARKER, Project, manifest};
use super::report::Report;
use crate::corpus::unprivileged::{Unprivileged, mode};

/// Runs `check`, which must leave everything as it is.
#[track_caller]
fn checked(project: &Project, expected: &str) -> Report {
    let before = project.tree();
    let report = project.run("check").is(expected);
    before.assert_still(&project.dir.path());
    report
}

#[test]
fn every_state_is_told_and_nothing_is_made() {
    let project = Project::new();
    project.manifest(&manifest(&["out", "a/b", "none"]));
    checked(
        &project,
        "1 checkFailed, out missing, a/b missing, none missing",
    );
    assert!(!project.has(".vibey") && !project.has("a") && !project.has("ran"));
    project.run("apply");
    checked(
        &project,
        "0 ok, out unchanged, a/b unchanged, none unchanged",
    );

    project.file(&format!("out/{MARKER}"), "canary of an old text\n");
    std::fs::remove_file(project.at(&format!("a/b/{MARKER}"))).unwrap();
    std::fs::remove_dir_all(project.at("none")).unwrap();
    checked(
        &project,
        "1 checkFailed, out outdated, a/b missing, none missing",
    );
    project
        .run("apply")
        .is("0 ok, out updated, a/b created, none created");
    checked(
        &project,
        "0 ok, out unchanged, a/b unchanged, none unchanged",
    );

    project.file("docs/g.md", "other canary\n");
    checked(
        &project,
        "1 checkFailed, out outdated, a/b outdated, none outdated",
    );
}

#[test]
fn a_marker_counts_only_to_the_byte() {
    let project = Project::new();
    project.run("apply");
    let text = project.marker("out");
    let path = format!("out/{MARKER}");
    for wrong in [
        String::new(),
        format!("{text}\n"),
        format!(" {text}"),
        text.trim_end().to_owned(),
        text.replace('\n', "\r\n"),
        text.to_uppercase(),
        text.repeat(3000),
    ] {
        project.file(&path, wrong);
        checked(&project, "1 checkFailed, out outdated");
    }
    project.file(&path, b"canary \xff");
    checked(&project, "1 checkFailed, out outdated");
    project.file(&path, text);
    checked(&project, "0 ok, out unchanged");
}

#[test]
fn a_read_only_tree_can_be_checked() {
    let project = Project::new();
    project.manifest(&manifest(&["out", "a/b"]));
    let args = ["markers", "check", "--manifest", "m.json"];
    for applied in [false, true] {
        if applied {
            project.run("apply").is("0 ok, out created, a/b created");
        } else {
            project.folder("a/b");
        }
        let nobody = Unprivileged::new(&project.dir);
        let folders = ["out", "a/b", "a", "docs", ".vibey/markers", ".vibey", "."];
        for folder in folders.iter().filter(|folder| project.has(folder)) {
            mode(&project.at(folder), 0o555);
            nobody.assert_unwritable(&project.at(folder));
        }
        let before = project.tree();
        let run = nobody.program(&project.root(), args);
        let expected = if applied {
            "0 ok, out unchanged, a/b unchanged"
        } else {
            "1 checkFailed, out missing, a/b missing"
        };
        Report::of(&project.dir, &run).is(expected);
        before.assert_still(&project.dir.path());
    }
}

#[test]
fn what_may_not_be_read_is_a_fault_and_not_a_verdict() {
    let project = Project::new();
    project.run("apply");
    let path = project.at(&format!("out/{MARKER}"));
    let guidance = project.at("docs/g.md");
    let nobody = Unprivileged::new(&project.dir);
    for closed in [&path, &guidance] {
        mode(closed, 0o000);
        nobody.assert_unreadable(closed);
        let args = ["markers", "check", "--manifest", "m.json"];
        let run = nobody.program(&project.root(), args);
        let report = Report::of(&project.dir, &run);
        assert_ne!(report.code, 0, "{}", report.shown());
        let said = report.shown();
        assert!(
            !said.contains("unchanged") && !said.contains("missing"),
            "{said}"
        );
        mode(closed, 0o644);
    }
}
