//! What no call may print: guidance, markers, the output of a generator, and paths outside of the project.
//!
//! Every report that a test of this folder reads is looked through for them (`report.rs`); here they are fed through all
//! channels at once.

use super::project::{MARKER, OPERATIONS, Project, manifest};
use super::report::{CANARY, assert_discreet, assert_one_line};
use crate::harness::outcome;
use serde_json::json;

/// Fails if a run of these words prints what it may not.
#[track_caller]
fn assert_silent(project: &Project, words: &[&str]) {
    let run = outcome(
        project
            .command(words)
            .env("VIBEY_TEST", CANARY)
            .env("RUST_BACKTRACE", "1")
            .env("RUST_LOG", "trace")
            .write_stdin(CANARY),
    );
    assert_discreet(&project.dir, &run);
    if OPERATIONS.contains(&words[0]) {
        assert_one_line(&run);
    }
}

/// Text in every file that a call reads or a generator writes.
fn loud() -> Project {
    let project = Project::generating(
        "echo \"canary of stdout\"; echo canary of stderr >&2; echo canary >out/generated; pwd; pwd >&2; exit 3",
    );
    project.file(&format!("out/{MARKER}"), "canary of an old marker");
    project.file("out/deep/.agent-no-read.md", "canary of an orphan");
    let mut value = manifest(&["out"]);
    value["generator"]["args"] = json!(["gen.sh", "canary of an argument"]);
    project.manifest(&value);
    project
}

#[test]
fn calls_that_work_and_calls_that_fail_are_silent() {
    let project = loud();
    for words in [
        &["check", "--manifest", "m.json"][..],
        &["apply", "--manifest", "m.json"],
        &["generate", "--manifest", "m.json"],
        &["check", "--manifest", "m.json"],
        &["orphans", "--manifest", "m.json"],
        &["orphans", "--manifest", "m.json", "--json"],
    ] {
        assert_silent(&project, words);
    }
}

#[test]
fn a_file_that_is_named_as_manifest_by_mistake_is_not_quoted() {
    let project = loud();
    project.file("docs/lines.md", "line one\n{\"canary\": canary}\n");
    project.file(
        "docs/object.json",
        r#"{"version": "canary", "markers": ["canary"]}"#,
    );
    project.file("docs/keys.json", r#"{"canary of a key: a sentence": 1}"#);
    project.file(
        "docs/entry.json",
        r#"{"version":1,"markers":[{"directory":"out","guidanceFile":"docs/g.md","/tmp/canary":1}]}"#,
    );
    project.file("docs/bytes.md", b"canary \xff canary");
    for file in [
        "docs/g.md",
        "docs/lines.md",
        "docs/object.json",
        "docs/keys.json",
        "docs/entry.json",
        "docs/bytes.md",
        "gen.sh",
    ] {
        for operation in ["apply", "check", "generate", "orphans"] {
            assert_silent(&project, &[operation, "--manifest", file]);
        }
    }
}

#[test]
fn a_path_outside_is_not_named_even_where_the_manifest_names_it() {
    let project = loud();
    let absolute = project.dir.arg("outside");
    let root = project.at("out").to_str().unwrap().to_owned();
    for path in [absolute.as_str(), root.as_str()] {
        project.manifest(&manifest(&[path]));
        for operation in ["apply", "check", "generate", "orphans"] {
            assert_silent(&project, &[operation, "--manifest", "m.json"]);
        }
    }
    for operation in ["apply", "check", "generate", "orphans"] {
        assert_silent(&project, &[operation, "--manifest", &absolute]);
    }
    // Nor where a link leads there.
    std::fs::remove_dir_all(project.at("out")).unwrap();
    project.link(&absolute, "out");
    project.manifest(&manifest(&["out"]));
    for operation in ["apply", "check", "generate", "orphans"] {
        assert_silent(&project, &[operation, "--manifest", "m.json"]);
    }
    assert_silent(&project, &["explain", "out/kept"]);
    assert_silent(&project, &["explain", "out/kept", "--json"]);
}

#[test]
fn a_generator_that_can_not_start_is_not_named_by_its_place() {
    let project = loud();
    let mut value = manifest(&["out"]);
    let absolute = project.dir.arg("outside/canary-program");
    value["generator"] = json!({"executable": absolute, "args": ["canary"]});
    project.manifest(&value);
    assert_silent(&project, &["generate", "--manifest", "m.json"]);
}

#[test]
fn a_generator_inherits_no_descriptor_of_the_call() {
    let script =
        "for fd in 0 1 2 3 4 5 6 7 8 9; do eval \"echo canary >&$fd\" 2>/dev/null; done; exit 0";
    let project = Project::generating(script);
    project
        .run("generate")
        .is("0 ok, out created, generator ok 0");
}

#[test]
fn a_left_journal_says_nothing_either() {
    let project = Project::generating("touch ready; while :; do sleep 0.05; done");
    let mut begun = project.begin("generate");
    begun.wait_for("ready");
    begun.child.kill().unwrap();
    begun.child.wait().unwrap();
    drop(begun);
    for operation in ["check", "apply", "check"] {
        assert_silent(&project, &[operation, "--manifest", "m.json"]);
    }
}
