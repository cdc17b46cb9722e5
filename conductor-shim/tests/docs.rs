//! Does docs/conductor.md still tell the truth? Its commands are run in their order, in a repository like the one that it
//! describes, and what they print is compared with what stands there; its tables are compared with the code.
//!
//! `VIBEY_BLESS=1 cargo test -p vibey-conductor-shim docs` writes the output anew. Times, ids, digests of rows and
//! milliseconds are those of the run that wrote them; all else has to be the same in every run.

mod example;
mod masked;
mod page;

use crate::stage::{BIN, Stage};
use example::Example;
use masked::masked;
use page::{Piece, pieces, rows};
use serde_json::Value;
use std::path::{Path, PathBuf};
use vibey_context_contracts::conductor::config::SkillsContext;
use vibey_context_contracts::conductor::event::FailureCode;

const PAGE: &str = "docs/conductor.md";
/// Fewer commands than these would be a page that is not read.
const COMMANDS_MIN: usize = 20;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn text(name: &str) -> String {
    let path = repository().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_example_is_real() {
    let example = Example::new();
    let committed = text(PAGE);
    let mut now = String::new();
    let mut commands = 0;
    for piece in pieces(&committed) {
        match piece {
            Piece::Text(line) => now.push_str(line),
            Piece::Command { typed, words, .. } => {
                commands += 1;
                now.push_str(&typed);
                now.push_str(&example.run(&words));
            }
        }
    }
    assert!(
        commands >= COMMANDS_MIN,
        "only {commands} commands were found"
    );
    if masked(&committed) == masked(&now) {
        return;
    }
    if std::env::var_os("VIBEY_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(repository().join(PAGE), &now).unwrap();
        return;
    }
    for (old, new) in masked(&committed).lines().zip(masked(&now).lines()) {
        assert_eq!(
            old, new,
            "left stands in `{PAGE}`, right is printed; VIBEY_BLESS=1 writes it anew"
        );
    }
    panic!("`{PAGE}` ends too early or too late; VIBEY_BLESS=1 writes it anew");
}

#[test]
fn blocks_of_shell_work() {
    /// In README.md and on this page.
    const BLOCKS: usize = 3;

    let mut blocks = 0;
    for page in ["README.md", PAGE] {
        let page = text(page);
        for rest in page
            .split("<!-- run by conductor-shim/tests/docs.rs -->\n```sh\n")
            .skip(1)
        {
            let (script, _) = rest.split_once("```\n").unwrap();
            Example::new().script(script);
            blocks += 1;
        }
    }
    assert_eq!(blocks, BLOCKS);
}

#[test]
fn every_failure_code_is_explained() {
    let page = text(PAGE);
    let explained: Vec<String> = rows(&page, "error_code")
        .into_iter()
        .map(|cells| cells[0].trim_matches('`').to_owned())
        .collect();
    let schema: Value =
        serde_json::from_str(&text("contracts/schemas/ledger-event.v1.json")).unwrap();
    let codes = schema["$defs"]["FailureCode"]["oneOf"].as_array().unwrap();
    let codes: Vec<String> = codes
        .iter()
        .map(|code| code["const"].as_str().unwrap().to_owned())
        .collect();
    assert!(codes.contains(&"timed_out".to_owned()));
    assert_eq!(
        serde_json::to_value(FailureCode::TimedOut).unwrap(),
        "timed_out"
    );
    assert_eq!(explained, codes);
}

#[test]
fn every_key_of_the_configuration_is_explained() {
    let page = text(PAGE);
    let table = rows(&page, "key");
    let schema: Value =
        serde_json::from_str(&text("contracts/schemas/project-config.v1.json")).unwrap();
    let keys = schema["$defs"]["SkillsContext"]["properties"]
        .as_object()
        .unwrap();
    let explained: Vec<&str> = table.iter().map(|cells| cells[0].as_str()).collect();
    for key in keys.keys().map(String::as_str).chain(["ledger_url_file"]) {
        assert!(
            explained.iter().any(|cell| cell.trim_matches('`') == key),
            "key `{key}`"
        );
    }
    assert_eq!(table.len(), keys.len() + 1, "{explained:?}");
    let default = SkillsContext::default();
    for (key, value) in [
        ("budget", default.budget.to_string()),
        ("command", format!("[\"{}\"]", default.command[0])),
        ("index_path", default.index_path.clone()),
        ("kill_grace_seconds", default.kill_grace_seconds.to_string()),
        ("mode", default.mode.as_str().to_owned()),
        ("timeout_seconds", default.timeout_seconds.to_string()),
    ] {
        let row = table.iter().find(|cells| cells[0] == format!("`{key}`"));
        let shown = row.unwrap()[1].trim_matches('`').replace(',', "");
        assert_eq!(shown, value.replace(',', ""), "default of `{key}`");
    }
}

#[test]
fn every_command_stands_in_the_readme() {
    let stage = Stage::new();
    let help = String::from_utf8(stage.run(&["--help"]).expect(0).stdout).unwrap();
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 7, "{BIN}: {help}");
    let readme = text("README.md");
    for command in commands {
        let start = format!("| `vibey-conductor {command}");
        assert!(
            readme.lines().any(|line| line.starts_with(&start)),
            "`vibey-conductor {command}` is in --help and not in README.md"
        );
    }
}
