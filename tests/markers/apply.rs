//! `apply`: what is missing or outdated is written, and what is right or not ours is left alone.

use super::project::{GUIDANCE, MARKER, Project, manifest};
use super::tree::{Tree, identity};
use serde_json::json;
use std::os::unix::fs::MetadataExt as _;

#[test]
fn what_is_missing_is_created_with_its_folders() {
    let project = Project::new();
    project.manifest(&manifest(&["out", "new", "a/b/c", "z y/ü"]));
    let report = project.run("apply");
    report.is("0 ok, out created, new created, a/b/c created, z y/ü created");
    for directory in ["out", "new", "a/b/c", "z y/ü"] {
        assert_eq!(project.marker(directory), GUIDANCE);
    }
    assert!(!project.has("ran"), "apply runs no generator");
    assert_eq!(project.read(".vibey/markers/.gitignore").trim(), "*");
}

#[test]
fn a_second_apply_changes_nothing() {
    let project = Project::new();
    project.manifest(&manifest(&["out", "a/b"]));
    project.run("apply");
    let markers = ["out", "a/b"].map(|directory| project.at(&format!("{directory}/{MARKER}")));
    let before = markers.each_ref().map(|marker| identity(marker));
    let (out, deep) = (Tree::of(&project.at("out")), Tree::of(&project.at("a")));
    for _ in 0..2 {
        project
            .run("apply")
            .is("0 ok, out unchanged, a/b unchanged");
    }
    assert_eq!(markers.each_ref().map(|marker| identity(marker)), before);
    out.assert_still(&project.at("out"));
    deep.assert_still(&project.at("a"));
}

#[test]
fn only_what_is_outdated_is_replaced() {
    let project = Project::new();
    project.file("docs/other.md", "canary one\n");
    project.manifest(&json!({
        "version": 1,
        "markers": [
            {"directory": "out", "guidanceFile": "docs/g.md"},
            {"directory": "lib", "guidanceFile": "docs/other.md"}
        ]
    }));
    project.run("apply").is("0 ok, out created, lib created");
    let out = Tree::of(&project.at("out"));
    let lib = project.at("lib").join(MARKER);
    let before = identity(&lib);

    project.file("docs/other.md", "canary two\r\n");
    project.run("apply").is("0 ok, out unchanged, lib updated");
    assert_eq!(project.marker("lib"), "canary two\n");
    out.assert_still(&project.at("out"));
    assert_ne!(
        identity(&lib).0,
        before.0,
        "it is replaced, not rewritten in place"
    );

    // One byte more, one less, another one, none at all.
    for wrong in ["canary two\n\n", "canary two", "canary Two\n", ""] {
        std::fs::write(&lib, wrong).unwrap();
        project.run("apply").is("0 ok, out unchanged, lib updated");
        assert_eq!(project.marker("lib"), "canary two\n");
    }
    std::fs::write(&lib, b"\xff\0canary").unwrap();
    project.run("apply").is("0 ok, out unchanged, lib updated");
    std::fs::write(&lib, "canary".repeat(1 << 20)).unwrap();
    project.run("apply").is("0 ok, out unchanged, lib updated");
    assert_eq!(project.marker("lib"), "canary two\n");
}

#[test]
fn nothing_but_the_marker_is_touched() {
    let project = Project::new();
    project.file("out/sub/deep", "generated");
    project.file("out/.agent-no-read.md.bak", "mine");
    project.link("../../outside/kept", "out/link");
    let names = [
        "docs/g.md",
        "m.json",
        "gen.sh",
        "out/generated",
        "out/sub",
        "out/.agent-no-read.md.bak",
        "out/link",
    ];
    let before: Vec<Tree> = names
        .iter()
        .map(|name| Tree::of(&project.at(name)))
        .collect();
    let outside = Tree::of(&project.dir.at("outside"));
    project.run("apply").is("0 ok, out created");
    for (name, tree) in names.iter().zip(before) {
        tree.assert_still(&project.at(name));
    }
    outside.assert_still(&project.dir.at("outside"));
    let mut left: Vec<_> = project
        .at("out")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let expected = [MARKER, ".agent-no-read.md.bak", "generated", "link", "sub"];
    assert_eq!(left, expected, "no temporary file stays");
}

#[test]
fn another_name_of_a_marker_keeps_its_text() {
    let project = Project::new();
    let kept = project.dir.at("outside/kept");
    std::fs::hard_link(&kept, project.at("out").join(MARKER)).unwrap();
    project.run("apply").is("0 ok, out updated");
    assert_eq!(project.dir.read("outside/kept"), "kept");
    assert_eq!(kept.metadata().unwrap().nlink(), 1);
    assert_eq!(project.marker("out"), GUIDANCE);
}

#[test]
fn an_entry_that_is_taken_away_leaves_its_marker() {
    let project = Project::new();
    project.manifest(&manifest(&["out", "gone"]));
    project.run("apply").is("0 ok, out created, gone created");
    project.manifest(&manifest(&["out"]));
    project.run("apply").is("0 ok, out unchanged");
    project.run("check").is("0 ok, out unchanged");
    assert_eq!(project.marker("gone"), GUIDANCE);
}

#[test]
fn the_manifest_may_lie_anywhere_outside_of_what_is_generated() {
    let project = Project::new();
    project.file("conf/deep/markers", manifest(&["out"]).to_string());
    let args = ["apply", "--manifest", "conf/deep/markers"];
    // Its paths start at the root all the same.
    project.call(args).is("0 ok, out created");
    assert_eq!(project.marker("out"), GUIDANCE);
    assert!(!project.has("conf/deep/out"));
}

#[test]
fn a_folder_that_is_no_repository_and_a_bare_environment_suffice() {
    let project = Project::new();
    let mut command = project.command(["apply", "--manifest", "m.json"]);
    command.env_clear();
    let run = crate::harness::outcome(&mut command);
    super::report::Report::of(&project.dir, &run).is("0 ok, out created");
    assert_eq!(run.stderr, "");
}
