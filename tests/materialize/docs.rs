//! The example of docs/materialize.md is what the program makes of the fixture. `VIBEY_BLESS=1` writes it anew.

use super::rig::{NOW, made};
use crate::docs::generated;
use crate::harness::{Dir, outcome};
use std::path::Path;
use vibey_context_contracts::canonical;

const ARTIFACT: &str = "project-brain/threads/rate-limits/thread.md";

#[test]
fn the_example_in_the_documentation_is_real() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/brain/app");
    let dir = Dir::new();
    let run = |args: &[&str]| {
        let mut command = dir.command(&example);
        command.args(["materialize", ARTIFACT, "--consumer", "brief", "--now", NOW]);
        outcome(command.args(args)).expect(0)
    };
    let fenced = |language: &str, text: &str| format!("````{language}\n{text}````\n");
    let home = dir.home();
    let printed = run(&[]).stdout.replace(home.to_str().unwrap(), "~");
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/materialize.md"));
    let console =
        format!("$ vibey-context materialize {ARTIFACT} --consumer brief\n{printed}```\n");
    assert!(page.unwrap().contains(&console), "{console}");
    let made = made(run(&["--json"]));
    let artifact = std::fs::read_to_string(example.join(ARTIFACT)).unwrap();
    generated(
        "docs/materialize.md",
        &[
            ("artifact", fenced("markdown", &artifact)),
            ("plan", fenced("text", &run(&["--dry-run"]).stdout)),
            ("context", fenced("markdown", &made.text)),
            (
                "entry",
                fenced(
                    "json",
                    &canonical::pretty(made.entry("/gateway/limits.md")).unwrap(),
                ),
            ),
        ],
    );
}

#[test]
fn the_brain_to_copy_works() {
    let page = format!("{}/docs/materialize.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let (_, block) = page
        .split_once("<!-- run by tests/materialize/docs.rs -->\n```sh\n")
        .unwrap();
    let (script, _) = block.split_once("```\n").unwrap();
    let dir = Dir::new();
    let bin = Path::new(crate::harness::BIN).parent().unwrap();
    let mut command = dir.program(&dir.path(), "/bin/sh");
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let run = outcome(command.args(["-e", "-c", script])).expect(0);
    assert!(
        run.stdout.starts_with("Resolved 2 soft_links, wrote"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn the_place_for_a_job_works() {
    let page = format!("{}/docs/materialize.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let (_, block) = page.split_once("```sh\nXDG_CACHE_HOME=$JOB ").unwrap();
    let (script, _) = block.split_once("```\n").unwrap();
    let dir = Dir::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/brain/app");
    std::fs::create_dir(dir.at("job")).unwrap();
    let bin = Path::new(crate::harness::BIN).parent().unwrap();
    let mut command = dir.program(&example, "/bin/sh");
    command
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("JOB", dir.arg("job"))
        .env("ARTIFACT", ARTIFACT);
    let script = format!("XDG_CACHE_HOME=$JOB {script}");
    outcome(command.args(["-e", "-c", &script])).expect(0);
    let report = dir.json("job/materialize.json");
    let out = dir.arg("job/project-brain/context.md");
    assert_eq!(report["context_path"], out);
    assert_eq!(
        dir.files_below("job").len(),
        3,
        "the answer, the document and its sidecar"
    );
}

#[test]
fn every_reason_and_code_is_documented() {
    let page = format!("{}/docs/materialize.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let source = |path: &str| {
        let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    // Reasons stand in the attributes of the enum, up to the part that differs.
    let reasons = source("src/materialize/reason.rs");
    let reasons = reasons.split("#[error(\"").skip(1);
    let reasons: Vec<&str> = reasons
        .map(|rest| rest.split(['"', '{']).next().unwrap())
        .collect();
    assert!(reasons.len() >= 15, "{reasons:?}");
    let codes = source("src/cli/failure/materialize.rs");
    let codes = codes.split("refuse(").skip(1);
    let codes: Vec<&str> = codes.map(|rest| rest.split('"').nth(1).unwrap()).collect();
    assert!(codes.len() >= 15, "{codes:?}");
    for name in reasons
        .into_iter()
        .chain(codes)
        .filter(|name| *name != "internal")
    {
        assert!(
            page.contains(&format!("`{name}")),
            "`{name}` is not in docs/materialize.md"
        );
    }
}
