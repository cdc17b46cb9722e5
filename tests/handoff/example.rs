//! Does docs/handoff.md still tell the truth? Its commands are run in their order, in the project that it describes, and what
//! they print is compared with what stands there; its tables are compared with what is built in.
//!
//! `VIBEY_BLESS=1 cargo test --test integration handoff::example` writes the output anew.

use super::stage::{Stage, fixture};
use crate::harness::BIN;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Fewer commands than these would be a page that is not read.
const COMMANDS_MIN: usize = 10;

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/handoff.md")
}

/// What a shell prints for `words` in the project.
fn shell(stage: &Stage, words: &str) -> String {
    let bin = stage.dir.home().join("bin");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{words}")])
        .current_dir(stage.project())
        .env_clear()
        .env("PATH", path)
        .env("HOME", stage.dir.home())
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        !printed.contains("```"),
        "the output ends its block: {printed}"
    );
    printed
}

#[test]
fn the_project_of_the_example_is_made_by_its_block() {
    let stage = Stage::empty();
    let page = std::fs::read_to_string(page()).unwrap();
    let (_, rest) = page.split_once("```sh\nFILES=...").unwrap();
    let (block, _) = rest.split_once("```\n").unwrap();
    let printed = shell(
        &stage,
        &format!("set -e\nFILES={}{block}", env!("CARGO_MANIFEST_DIR")),
    );
    assert_eq!(printed, "");
    assert!(stage.project().join("specs/shop/spec.md").is_file());
    assert!(stage.dir.home().join("completion-report.md").is_file());
}

#[test]
fn the_example_is_real() {
    let stage = Stage::specified();
    for name in ["completion-report.md", "tasks.md", "review-report.html"] {
        std::fs::copy(fixture("sdd").join(name), stage.dir.home().join(name)).unwrap();
    }
    std::fs::create_dir(stage.dir.home().join("bin")).unwrap();
    std::os::unix::fs::symlink(BIN, stage.dir.home().join("bin/vibey-context")).unwrap();
    let committed = std::fs::read_to_string(page()).unwrap();
    let (mut now, mut commands, mut inside) = (String::new(), 0, false);
    for line in committed.split_inclusive('\n') {
        let fence = line.trim_end();
        if inside && fence != "```" {
            if let Some(words) = line.strip_prefix("$ ") {
                commands += 1;
                now.push_str(line);
                now.push_str(&shell(&stage, words));
            }
            continue;
        }
        inside = fence == "```console";
        now.push_str(line);
    }
    assert!(
        commands >= COMMANDS_MIN,
        "only {commands} commands were found"
    );
    if std::env::var_os("VIBEY_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(page(), &now).unwrap();
        return;
    }
    for (old, new) in committed.lines().zip(now.lines()) {
        assert_eq!(
            old, new,
            "left stands in the page, right is printed; VIBEY_BLESS=1 writes it anew"
        );
    }
    assert_eq!(committed.lines().count(), now.lines().count());
}

#[test]
fn every_built_in_is_explained() {
    let page = std::fs::read_to_string(page()).unwrap();
    let builtin: Value =
        serde_json::from_str(include_str!("../../src/handoff/builtin.json")).unwrap();
    let pipelines = builtin["pipelines"].as_object().unwrap();
    for (name, pipeline) in pipelines {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("pipeline `{name}` has no row"));
        for phase in pipeline["phases"].as_array().unwrap() {
            assert!(row.contains(phase["name"].as_str().unwrap()), "{row}");
        }
    }
    for (artifact, rule) in builtin["validation_rules"].as_object().unwrap() {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{artifact}` |")));
        let row = row.unwrap_or_else(|| panic!("artifact `{artifact}` has no row"));
        assert!(row.contains(&rule["min_bytes"].to_string()), "{row}");
    }
    for key in builtin["sections"].as_object().unwrap().keys() {
        assert!(
            page.contains(&format!("| `{key}` |")),
            "include key `{key}` has no row"
        );
    }
}
