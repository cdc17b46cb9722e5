//! Is every block of commands in README.md and docs run by a test, or said why not?
//!
//! A block of `sh` has a mark in the line above, which no reader sees: `<!-- run -->` has it run here, `<!-- run by FILE -->` names
//! the file that runs it, and `<!-- not run: WHY -->` is for what a test can not do. Blocks of `console` hold output too; their
//! pages have tests of their own.

use super::{documents, repository, text};
use crate::harness::{BIN, Dir, outcome};
use std::path::Path;

/// Pages with blocks of `console`, and the test that runs each.
const CONSOLE: [(&str, &str); 4] = [
    ("docs/conductor.md", "conductor-shim/tests/docs.rs"),
    ("docs/handoff.md", "tests/handoff/example.rs"),
    ("docs/markers.md", "tests/docs/markers.rs"),
    ("docs/materialize.md", "tests/materialize/docs.rs"),
];
/// Fewer blocks than these would be pages that are not read.
const BLOCKS_MIN: usize = 14;
/// A skill of the starter corpus, where a page says `SKILL`.
const SKILL: &str = "safe-database-migrations";

/// A block of commands, and what is said of it above.
struct Block {
    page: String,
    mark: String,
    script: String,
}

/// Every block of `sh` in what people read to use the program.
fn blocks() -> Vec<Block> {
    let pages = documents().into_iter();
    let pages = pages.filter(|name| name == "README.md" || name.starts_with("docs/"));
    pages.flat_map(|name| blocks_of(&name)).collect()
}

fn blocks_of(name: &str) -> Vec<Block> {
    let page = text(name);
    let lines: Vec<&str> = page.lines().collect();
    let mut blocks = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if *line != "```sh" {
            continue;
        }
        let script = lines[at + 1..].iter().take_while(|line| **line != "```");
        blocks.push(Block {
            page: name.to_owned(),
            mark: at
                .checked_sub(1)
                .map_or("", |above| lines[above])
                .to_owned(),
            script: script.map(|line| format!("{line}\n")).collect(),
        });
    }
    blocks
}

/// The text between two others.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

#[test]
fn every_block_of_commands_is_run_or_says_why_not() {
    let blocks = blocks();
    assert!(blocks.len() >= BLOCKS_MIN, "only {} blocks", blocks.len());
    for Block { page, mark, script } in blocks {
        if let Some(file) = between(&mark, "<!-- run by ", " -->") {
            let runner = text(file);
            // A test finds its block by the mark; a script holds the command itself.
            let program = script
                .split_whitespace()
                .take(2)
                .collect::<Vec<_>>()
                .join(" ");
            assert!(
                runner.contains("```sh")
                    || runner.contains("docs::commands")
                    || runner.contains(&program),
                "`{page}`: `{file}` does not run\n{script}"
            );
        } else if let Some(why) = between(&mark, "<!-- not run: ", " -->") {
            assert!(why.len() > 10, "`{page}`: {why}");
        } else {
            assert_eq!(mark, "<!-- run -->", "`{page}`: above\n{script}");
            run(&page, &script);
        }
    }
}

/// Runs a block in a folder with what pages speak of: skills, a request, cases.
fn run(page: &str, script: &str) {
    let dir = Dir::new();
    let starter = repository().join("src/corpus/starter/skills");
    for entry in starter.read_dir().unwrap() {
        let skill = entry.unwrap();
        let name = skill.file_name().into_string().unwrap();
        let body = std::fs::read(skill.path().join("SKILL.md")).unwrap();
        dir.file(&format!("path/to/skills/{name}/SKILL.md"), body);
    }
    for (from, to) in [
        ("contracts/examples/request.json", "request.json"),
        ("tests/fixtures/starter-cases.json", "cases.json"),
    ] {
        dir.file(to, text(from));
    }
    let programs = Path::new(BIN).parent().unwrap();
    let mut command = dir.program(&dir.path(), "/bin/sh");
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    let script = script.replace("SKILL ", &format!("{SKILL} "));
    let done = outcome(command.args(["-e", "-c", &script]));
    assert_eq!(done.code, 0, "`{page}`\n{script}\n{done:?}");
}

#[test]
fn blocks_with_output_are_on_pages_that_a_test_runs() {
    for name in documents() {
        if text(&name).contains("\n```console\n") {
            let found = CONSOLE.iter().find(|(page, _)| *page == name);
            let (_, file) = found.unwrap_or_else(|| panic!("no test runs `{name}`"));
            assert!(text(file).contains(&name), "{file}");
        }
    }
}
