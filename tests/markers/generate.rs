//! `generate` with generators that behave: what they see, how they end, and the markers afterwards.

use super::project::{GUIDANCE, MARKER, Project, manifest};
use super::report::Report;
use super::tree::identity;
use crate::harness::outcome;
use serde_json::json;

/// Deletes and rebuilds `out`.
const REBUILD: &str = "rm -rf out; mkdir out; echo canary >out/generated";

/// What must hold after any generate that restored its markers.
#[track_caller]
fn assert_restored(project: &Project) {
    assert_eq!(project.marker("out"), GUIDANCE);
    project.run("check").is("0 ok, out unchanged");
    project.run("apply").is("0 ok, out unchanged");
}

#[test]
fn a_generator_that_leaves_markers_alone_costs_them_nothing() {
    let project = Project::generating("echo canary >out/generated; touch ran");
    project
        .run("generate")
        .is("0 ok, out created, generator ok 0");
    assert!(project.has("ran"));
    let before = identity(&project.at("out").join(MARKER));
    let state = project.state();
    project
        .run("generate")
        .is("0 ok, out unchanged, generator ok 0");
    assert_eq!(identity(&project.at("out").join(MARKER)), before);
    assert_eq!(project.state(), state);
    assert_restored(&project);
    assert_eq!(project.state(), state, "no journal is left");
}

#[test]
fn markers_are_there_before_the_generator_runs() {
    let script = format!("cat out/{MARKER} >seen; cat a/b/{MARKER} >>seen; {REBUILD}");
    let project = Project::generating(&script);
    project.manifest(&manifest(&["out", "a/b"]));
    let report = project.run("generate");
    report.is("0 ok, out restored, a/b created, generator ok 0");
    assert_eq!(project.read("seen"), GUIDANCE.repeat(2));
}

#[test]
fn a_folder_that_is_deleted_and_rebuilt_gets_its_marker_back() {
    let project = Project::generating(REBUILD);
    for _ in 0..2 {
        project
            .run("generate")
            .is("0 ok, out restored, generator ok 0");
        assert_eq!(project.read("out/generated"), "canary\n");
        assert_restored(&project);
    }
}

#[test]
fn a_folder_that_is_deleted_and_not_rebuilt_comes_back_with_its_marker() {
    let project = Project::generating("rm -rf out a");
    project.manifest(&manifest(&["out", "a/b/c", "a"]));
    let expected = "0 ok, out restored, a/b/c restored, a restored, generator ok 0";
    project.run("generate").is(expected);
    assert_eq!(project.marker("a/b/c"), GUIDANCE);
    assert!(!project.has("out/generated"));
    project
        .run("check")
        .is("0 ok, out unchanged, a/b/c unchanged, a unchanged");
}

#[test]
fn a_marker_that_is_rewritten_or_removed_is_restored() {
    for script in [
        format!("echo canary >out/{MARKER}"),
        format!("rm out/{MARKER}"),
        format!(": >out/{MARKER}"),
        format!("echo canary >x; mv x out/{MARKER}"),
        // The marker and its guidance become one file.
        format!("ln -f docs/g.md out/{MARKER}; echo canary >>out/{MARKER}"),
    ] {
        let project = Project::generating(&script);
        project
            .run("generate")
            .is("0 ok, out restored, generator ok 0");
        assert_eq!(project.marker("out"), GUIDANCE, "{script}");
    }
}

#[test]
fn a_rewritten_manifest_and_guidance_change_nothing_in_this_call() {
    let other = manifest(&["other"]).to_string();
    for script in [
        format!("{REBUILD}; echo canary new >docs/g.md; echo '{other}' >m.json"),
        format!("{REBUILD}; rm -rf docs m.json gen.sh"),
        format!("{REBUILD}; rm -rf docs m.json; ln -s out docs; mkfifo m.json"),
        format!("{REBUILD}; echo 'canary {{' >m.json; : >docs/g.md"),
    ] {
        let project = Project::generating(&script);
        project
            .run("generate")
            .is("0 ok, out restored, generator ok 0");
        assert_eq!(project.marker("out"), GUIDANCE, "{script}");
        assert!(!project.has("other"));
    }
    // The next call goes by the new ones.
    let project = Project::generating("echo canary new >docs/g.md");
    project
        .run("generate")
        .is("0 ok, out created, generator ok 0");
    project.run("check").is("1 checkFailed, out outdated");
    project.run("apply").is("0 ok, out updated");
    assert_eq!(project.marker("out"), "canary new\n");
}

#[test]
fn a_generator_that_fails_is_a_failure_and_its_markers_are_restored() {
    for (end, shown) in [
        ("exit 3", "failed 3"),
        ("exit 1", "failed 1"),
        ("exit 255", "failed 255"),
        ("kill -9 $$", "failed"),
        ("kill -TERM $$", "failed"),
        ("exit 0", "ok 0"),
    ] {
        let project = Project::generating(&format!("{REBUILD}; echo canary >&2; {end}"));
        let (code, status) = if end == "exit 0" {
            (0, "ok")
        } else {
            (1, "generatorFailed")
        };
        let expected = format!("{code} {status}, out restored, generator {shown}");
        project.run("generate").is(&expected);
        assert_restored(&project);
    }
}

#[test]
fn a_generator_that_can_not_start_is_a_failure_after_apply() {
    let project = Project::new();
    project.file("no-program", "canary");
    let long = "x".repeat(5000);
    for executable in [
        "/nowhere/canary",
        "no-such-program-anywhere",
        "./none",
        "./no-program",
        "./docs",
        long.as_str(),
    ] {
        let mut value = manifest(&["out"]);
        value["generator"]["executable"] = json!(executable);
        project.manifest(&value);
        std::fs::remove_dir_all(project.at("out")).unwrap();
        let expected = "1 generatorFailed, out created, generator spawnFailed";
        project.run("generate").is(expected);
        assert_restored(&project);
    }
}

#[test]
fn a_generator_runs_without_shell_in_the_root_with_the_environment_and_no_input() {
    let project = Project::new();
    let script = "pwd -P >seen; echo \"$VIBEY_TEST\" >>seen; printf '%s\\n' \"$@\" >>seen\n\
                  if read line; then echo \"input $line\" >>seen; fi";
    project.script(script);
    let mut value = manifest(&["out"]);
    let args = [
        "gen.sh",
        "$(touch ran)",
        "`touch ran`; touch ran",
        "a  b",
        "",
        "*",
        "--manifest",
    ];
    value["generator"]["args"] = json!(args);
    // Found by PATH.
    value["generator"]["executable"] = json!("sh");
    project.manifest(&value);
    project.dir.link("project", "linked");
    let mut command = project.command(["generate", "--manifest", "m.json"]);
    command
        .current_dir(project.dir.at("linked"))
        .env("VIBEY_TEST", "handed on")
        .write_stdin("canary\n".repeat(10));
    let run = outcome(&mut command);
    Report::of(&project.dir, &run).is("0 ok, out created, generator ok 0");
    let root = project.root().canonicalize().unwrap();
    let expected = format!("{}\nhanded on\n{}\n", root.display(), args[1..].join("\n"));
    assert_eq!(project.read("seen"), expected);
    assert!(!project.has("ran"));
}

#[test]
fn a_program_of_the_project_can_be_the_generator() {
    use crate::corpus::unprivileged::{copy, mode};
    let project = Project::new();
    let text = project.file("tools/text", "#!/bin/sh\n: >ran\n");
    mode(&text, 0o755);
    copy(&text, &project.at("tools/gen"));
    let mut value = manifest(&["out"]);
    value["generator"] = json!({"executable": "tools/gen"});
    project.manifest(&value);
    project
        .run("generate")
        .is("0 ok, out created, generator ok 0");
    assert!(project.has("ran"), "it runs in the root");
}
