//! Generators that put something else where a folder or a marker was: not replaced, not followed, and not called a success.

use super::project::{GUIDANCE, MARKER, Project, manifest};
use super::report::Report;
use super::tree::Tree;
use crate::corpus::unprivileged::Unprivileged;
use serde_json::json;

/// Fails unless `generate` says that maintenance failed although its generator did not, and touches nothing outside.
#[track_caller]
fn assert_not_restored(project: &Project) -> Report {
    let outside = Tree::of(&project.dir.at("outside"));
    let report = project.run("generate");
    let shown = report.shown();
    assert!(shown.starts_with("1 maintenanceFailed"), "{shown}");
    assert!(shown.contains("generator ok 0"), "{shown}");
    outside.assert_still(&project.dir.at("outside"));
    report
}

#[test]
fn a_target_that_became_something_else_is_not_replaced() {
    for (make, still) in [
        ("ln -s ../outside out", "readlink"),
        ("mkdir inside; ln -s inside out", "readlink"),
        ("ln -s nowhere out", "readlink"),
        ("ln -s out out", "readlink"),
        ("echo canary >out", "file"),
        ("mkfifo out", "fifo"),
    ] {
        let project = Project::generating(&format!("rm -rf out; {make}"));
        project.manifest(&manifest(&["good", "out"]));
        let report = assert_not_restored(&project);
        let shown = report.shown();
        assert!(shown.contains("out failed"), "{make}: {shown}");
        let kind = project.at("out").symlink_metadata().unwrap().file_type();
        match still {
            "readlink" => assert!(kind.is_symlink(), "{make}"),
            "file" => assert_eq!(project.read("out"), "canary\n"),
            _ => assert!(!kind.is_dir() && !kind.is_symlink() && !kind.is_file()),
        }
        assert!(!project.has(&format!("inside/{MARKER}")) && !project.has("nowhere"));
        // What can be restored is.
        assert_eq!(project.marker("good"), GUIDANCE);
        // Until somebody mends it, nothing reports success.
        assert_ne!(project.run("check").code, 0);
        std::fs::remove_file(project.at("out")).unwrap();
        project.run("apply").is("0 ok, good unchanged, out created");
        project
            .run("check")
            .is("0 ok, good unchanged, out unchanged");
    }
}

#[test]
fn a_folder_above_a_target_that_became_something_else_is_not_replaced() {
    for make in [
        "ln -s ../outside a",
        "mkdir inside; ln -s inside a",
        "echo canary >a",
        "mkfifo a",
    ] {
        let project = Project::generating(&format!("rm -rf a; {make}"));
        project.manifest(&manifest(&["a/b/c", "out"]));
        let shown = assert_not_restored(&project).shown();
        assert!(shown.contains("a/b/c failed"), "{make}: {shown}");
        assert!(
            !project.at("a").symlink_metadata().unwrap().is_dir(),
            "{make}"
        );
        assert!(!project.has("../outside/b") && !project.has("inside/b"));
        assert_eq!(project.marker("out"), GUIDANCE);
    }
}

#[test]
fn a_marker_that_became_something_else_is_restored_or_not_as_the_report_says() {
    for make in [
        "ln -s ../../outside/kept",
        "ln -s nowhere",
        "mkfifo",
        "mkdir",
    ] {
        let project = Project::generating(&format!("rm out/{MARKER}; {make} out/{MARKER}"));
        let outside = Tree::of(&project.dir.at("outside"));
        let shown = project.run("generate").shown();
        outside.assert_still(&project.dir.at("outside"));
        assert!(!project.has("out/nowhere"));
        let kind = project
            .at(&format!("out/{MARKER}"))
            .symlink_metadata()
            .unwrap()
            .file_type();
        if kind.is_file() {
            assert_eq!(shown, "0 ok, out restored, generator ok 0", "{make}");
            assert_eq!(project.marker("out"), GUIDANCE);
        } else {
            assert_eq!(
                shown, "1 maintenanceFailed, out failed, generator ok 0, interrupted",
                "{make}"
            );
        }
    }
}

#[test]
fn failed_maintenance_beats_every_end_of_the_generator() {
    for (end, generator) in [
        ("exit 3", "failed 3"),
        ("sleep 1000", "timedOut"),
        ("yes canary", "outputLimit"),
    ] {
        let project = Project::generating(&format!("rm -rf out; echo canary >out; {end}"));
        let mut value = manifest(&["out"]);
        value["generator"]["timeoutMs"] = json!(2000);
        project.manifest(&value);
        let expected =
            format!("1 maintenanceFailed, out failed, generator {generator}, interrupted");
        project.run("generate").is(&expected);
        assert_eq!(project.read("out"), "canary\n");
    }
}

#[test]
fn another_root_at_the_same_place_is_not_written_to() {
    for make in [
        "mkdir ../project",
        "ln -s outside ../project",
        "cp -R ../moved ../project",
    ] {
        let script = format!("mv ../project ../moved; {make}; rm -rf ../moved/out");
        let project = Project::generating(&script);
        assert_not_restored(&project);
        assert!(
            !project.has(&format!("out/{MARKER}")) || make.starts_with("cp"),
            "{make}"
        );
        assert!(!project.dir.has(&format!("outside/out/{MARKER}")));
        if make.starts_with("mkdir") {
            assert_eq!(project.root().read_dir().unwrap().count(), 0);
        }
    }
}

#[test]
fn a_folder_that_may_no_longer_be_written_is_a_failed_restore() {
    let project = Project::generating(&format!(
        "rm out/{MARKER}; chmod 555 out; touch out/probe || touch closed"
    ));
    let nobody = Unprivileged::new(&project.dir);
    let run = nobody.program(
        &project.root(),
        ["markers", "generate", "--manifest", "m.json"],
    );
    assert!(project.has("closed"), "the folder could be written");
    let report = Report::of(&project.dir, &run);
    report.is("1 maintenanceFailed, out failed, generator ok 0, interrupted");
    assert!(!project.has(&format!("out/{MARKER}")));
    assert_eq!(
        project.at("out").read_dir().unwrap().count(),
        1,
        "a temporary file stays"
    );
}

/// What may stand in the state folder.
const STATE: [&str; 3] = [".gitignore", "journal.json", "lock"];

#[test]
fn a_generator_that_attacks_the_state_folder_reaches_nothing_outside() {
    for attack in [
        "rm -rf .vibey",
        "rm -rf .vibey/markers",
        "rm -rf .vibey/markers/*",
        "rm -rf .vibey; ln -s ../outside .vibey",
        "rm -rf .vibey/markers; ln -s ../../outside .vibey/markers",
        "rm -rf .vibey; echo canary >.vibey",
        "for f in .vibey/markers/*; do rm -f $f; ln -s ../../../outside/kept $f; done",
        "for f in .vibey/markers/*; do rm -f $f; mkdir $f; done",
    ] {
        let project = Project::generating(&format!("rm -rf out; {attack}"));
        // What a link that was followed would hit.
        for name in STATE {
            project.dir.file(&format!("outside/markers/{name}"), "kept");
            project.dir.file(&format!("outside/{name}"), "kept");
        }
        let outside = Tree::of(&project.dir.at("outside"));
        let report = project.run("generate");
        outside.assert_still(&project.dir.at("outside"));
        let shown = report.shown();
        assert!(shown.contains("generator ok 0"), "{attack}: {shown}");
        if shown.contains("out restored") {
            assert_eq!(project.marker("out"), GUIDANCE, "{attack}");
        } else {
            assert!(
                shown.starts_with("1 maintenanceFailed"),
                "{attack}: {shown}"
            );
        }
        // A state folder that every further call refuses is no success.
        let refused =
            project.at(".vibey").is_symlink() || project.at(".vibey/markers").is_symlink();
        assert!(!(refused && report.code == 0), "{attack}: {shown}");
    }
}
