//! Command lines that are not `OPERATION --manifest FILE`: refused as JSON with exit code 2, and nothing is written.

use super::project::{OPERATIONS, Project};
use vibey_context_contracts::markers::result::Operation;

/// Fails unless the words are refused for being none of ours.
#[track_caller]
fn assert_refused(project: &Project, words: &[&str]) {
    let fault = project.refused(words);
    assert_eq!(fault, "usage", "{words:?}");
}

#[test]
fn anything_beside_the_manifest_is_refused() {
    let project = Project::new();
    for operation in OPERATIONS {
        let good = [operation, "--manifest", "m.json"];
        for more in [
            &["--unheard-of"][..],
            &["--force"],
            &["--json"],
            &["--dir", "."],
            &["--cwd", "."],
            &["--guidance", "docs/g.md"],
            &["--manifest", "m.json"],
            &["--manifest=m.json"],
            &["-m", "m.json"],
            &["-v"],
            &["unheard-of"],
            &["out"],
            &["m.json"],
            &["--", "out"],
            &["--skills", "docs"],
            &["--skills=docs"],
            &["--embedded"],
            &["apply"],
            &["check"],
            &["generate"],
            &["markers"],
            &[""],
        ] {
            let behind = [&good[..], more].concat();
            assert_refused(&project, &behind);
            if more[0].starts_with("--") && more[0] != "--" {
                let between = [&[operation][..], more, &["--manifest", "m.json"]].concat();
                assert_refused(&project, &between);
                let before = [more, &good[..]].concat();
                assert_refused(&project, &before);
            }
        }
    }
}

#[test]
fn a_call_without_manifest_is_refused() {
    let project = Project::new();
    for operation in OPERATIONS {
        for words in [
            &[operation][..],
            &[operation, "--manifest"],
            &[operation, "m.json"],
            &[operation, "--manifests", "m.json"],
            &[operation, "--mani", "m.json"],
            &[operation, "--", "--manifest", "m.json"],
        ] {
            assert_refused(&project, words);
        }
    }
}

#[test]
fn an_operation_that_is_none_is_refused() {
    let project = Project::new();
    for words in [
        &[][..],
        &["--manifest", "m.json"],
        &["delete", "--manifest", "m.json"],
        &["unheard-of", "--manifest", "m.json"],
        &["Apply", "--manifest", "m.json"],
        &["appl", "--manifest", "m.json"],
        &["", "--manifest", "m.json"],
        &["--manifest", "m.json", "apply"],
    ] {
        assert_refused(&project, words);
    }
}

#[test]
fn the_report_of_a_refused_call_names_its_operation_where_there_is_one() {
    let project = Project::new();
    let of = |words: &[&str]| project.call(words).result.operation;
    assert_eq!(of(&["apply"]), Some(Operation::Apply));
    assert_eq!(of(&["check", "--force"]), Some(Operation::Check));
    let twice = ["generate", "apply", "--manifest", "m.json"];
    assert_eq!(of(&twice), Some(Operation::Generate));
    assert_eq!(of(&["delete"]), None);
    assert_eq!(of(&[]), None);
}

#[test]
fn global_options_before_the_command_are_refused_too() {
    let project = Project::new();
    for options in [
        &["--skills", "docs"][..],
        &["--embedded"],
        &["--unheard-of"],
    ] {
        for operation in OPERATIONS {
            let before = project.tree();
            let words = [options, &["markers", operation, "--manifest", "m.json"]].concat();
            let run = project.dir.run_in(&project.root(), words);
            super::report::Report::of(&project.dir, &run).is("2 invalid");
            before.assert_still(&project.dir.path());
        }
    }
}

#[cfg(unix)]
#[test]
fn words_that_are_not_unicode_are_refused_in_json() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let project = Project::new();
    let odd = OsStr::from_bytes(b"\xff\xfe");
    let [apply, flag, file] = ["apply", "--manifest", "m.json"].map(OsStr::new);
    for words in [[odd, flag, file], [apply, odd, file]] {
        project.refused(words);
    }
    project.refused([apply, flag, file, odd]);
}

#[test]
fn the_equals_sign_is_another_way_to_name_the_manifest() {
    let project = Project::new();
    let report = project.call(["check", "--manifest=m.json"]);
    report.is("1 checkFailed, out missing");
}
