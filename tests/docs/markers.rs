//! Does docs/markers.md still tell the truth? Its commands are run in their order, in the project that it shows.

use super::{generated, text};
use crate::harness::{BIN, BOUND, Dir, outcome};
use std::fmt::Write as _;

const PAGE: &str = "docs/markers.md";

const MANIFEST: &str = r#"{
  "version": 1,
  "markers": [
    {"directory": "generated", "guidanceFile": "docs/generated-guidance.md"}
  ],
  "generator": {"executable": "sh", "args": ["scripts/generate.sh"], "timeoutMs": 60000}
}
"#;

const FILES: &[(&str, &str)] = &[
    ("context-markers.json", MANIFEST),
    (
        "docs/generated-guidance.md",
        "# Generated runtime\n\n- Read docs/runtime-api.md for the public interface.\n- Edit src/ for changes.\n",
    ),
    (
        "scripts/generate.sh",
        "rm -rf generated\nmkdir generated\ncp src/answer.txt generated/runtime.txt\n",
    ),
    ("src/answer.txt", "42\n"),
];

/// The commands, as they are typed: those of `markers`, or of a shell.
const TYPED: &[&str] = &[
    "cat context-markers.json",
    "cat scripts/generate.sh",
    "vibey-context markers generate --manifest context-markers.json",
    "vibey-context markers generate --manifest context-markers.json",
    "cat generated/.agent-no-read.md",
    "vibey-context markers explain generated/runtime.txt",
    "vibey-context markers explain src/answer.txt",
    "rm generated/.agent-no-read.md",
    "vibey-context markers check --manifest context-markers.json",
    "vibey-context markers apply --manifest context-markers.json",
    "vibey-context markers check --manifest context-markers.json",
    "vibey-context markers orphans --manifest context-markers.json",
];

#[test]
fn the_worked_example_is_real() {
    let dir = Dir::new();
    for (name, content) in FILES {
        dir.file(name, content);
    }
    let mut console = String::from("```console\n");
    for typed in TYPED {
        let mut words = typed.split(' ');
        let program = words.next().unwrap();
        let program = if program == "vibey-context" {
            BIN
        } else {
            program
        };
        let mut command = assert_cmd::Command::new(program);
        // The generator is a script, which needs the programs of a system.
        command.args(words).current_dir(dir.path()).timeout(BOUND);
        let run = outcome(&mut command);
        assert_eq!(run.stderr, "", "{typed}");
        let _ = writeln!(console, "$ {typed}\n{}", run.stdout.trim_end());
        if run.code != 0 {
            let _ = writeln!(console, "(exit code {})", run.code);
        }
    }
    let console = console.replace("\n\n$", "\n$");
    generated(PAGE, &[("example", format!("{console}```\n"))]);
}

#[test]
fn the_build_script_works() {
    let dir = Dir::new();
    for (name, content) in FILES {
        dir.file(name, content);
    }
    let page = text(PAGE);
    let (_, block) = page
        .split_once("<!-- run by tests/docs/markers.rs -->\n```sh\n")
        .unwrap();
    let (script, _) = block.split_once("```\n").unwrap();
    let script = dir.file("build.sh", script);
    let programs = std::path::Path::new(BIN).parent().unwrap();
    let mut command = dir.program(&dir.home(), "/bin/sh");
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    outcome(command.arg(script)).expect(0);
    assert!(dir.has("generated/.agent-no-read.md"));
}

#[test]
fn every_word_of_the_result_is_explained() {
    let page = text(PAGE);
    let schema: serde_json::Value =
        serde_json::from_str(&text("contracts/schemas/markers-result.v1.json")).unwrap();
    let mut words = 0;
    for kind in ["Status", "MarkerStatus", "GeneratorStatus"] {
        for value in schema["$defs"][kind]["oneOf"].as_array().unwrap() {
            let word = value["const"].as_str().unwrap();
            assert!(page.contains(&format!("`{word}`")), "{kind} `{word}`");
            words += 1;
        }
    }
    assert!(words >= 19, "{words}");
    for key in schema["properties"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("`{key}`")), "key `{key}`");
    }
}
