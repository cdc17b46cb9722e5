//! Do the written documents still tell the truth? What they quote is generated, what they name exists.
//!
//! `VIBEY_BLESS=1 cargo test --test integration docs` writes the generated parts anew.

mod commands;
mod markers;
mod mcp;
mod reliability;

use crate::harness::Dir;
use crate::harness::runs::runs;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use vibey_context_contracts::diagnostic::{Code, Severity};
use vibey_context_contracts::{canonical, exit};

/// The request that README.md compiles in its first command.
const REQUEST: &str = "contracts/examples/request.json";

/// Keys of the manifest that README.md shows; the others stand in docs/packet.md.
const SHOWN_KEYS: &[&str] = &[
    "confidence",
    "corpus_sha256",
    "maximum_context_tokens",
    "omitted_by_reason",
    "packet_sha256",
    "packet_token_estimate",
    "query_sha256",
    "selected_skills",
    "status",
];

/// Sections of the packet's first run that README.md shows.
const SHOWN_SECTIONS: usize = 2;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(name: &str) -> String {
    let path = repository().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every Markdown file that people read, relative to the repository.
fn documents() -> Vec<String> {
    // By name at the root, where the README's first command leaves a packet too.
    let mut found: Vec<String> = ["ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "README"]
        .map(|name| format!("{name}.md"))
        .into();
    for folder in ["docs", "docs/adr"] {
        for entry in repository().join(folder).read_dir().unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                let path = Path::new(folder).join(name);
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    assert!(found.len() >= 10, "documents are missing: {found:?}");
    found
}

/// Compares what stands between the marks of each block with what it should be, or writes it anew.
#[track_caller]
pub(crate) fn generated(name: &str, blocks: &[(&str, String)]) {
    let mut now = text(name);
    for (block, content) in blocks {
        let open = format!("<!-- generated: {block} -->\n");
        let close = format!("<!-- end: {block} -->\n");
        let (before, rest) = now
            .split_once(&open)
            .unwrap_or_else(|| panic!("`{name}` has no mark `{}`", open.trim()));
        let (_, after) = rest
            .split_once(&close)
            .unwrap_or_else(|| panic!("`{name}` has no mark `{}`", close.trim()));
        now = format!("{before}{open}{content}{close}{after}");
    }
    if std::env::var_os("VIBEY_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(repository().join(name), &now).unwrap();
    }
    let committed = text(name);
    for (at, (old, new)) in committed.lines().zip(now.lines()).enumerate() {
        assert_eq!(
            old,
            new,
            "`{name}` line {}: left stands there, right is generated; VIBEY_BLESS=1 writes it anew",
            at + 1
        );
    }
    assert_eq!(committed.lines().count(), now.lines().count(), "`{name}`");
}

/// The tables of `benches/RESULTS.md` without its title and the sentence below; nothing before they are measured.
fn measurements() -> String {
    let path = "benches/RESULTS.md";
    if !repository().join(path).is_file() {
        return String::new();
    }
    let body = text(path).splitn(3, "\n\n").nth(2).unwrap().to_owned();
    assert!(body.contains("| --- |"), "`{path}` has no table");
    format!("\n{body}\n")
}

/// Packet and manifest of README.md's first command.
fn compiled() -> (String, Value) {
    let dir = Dir::new();
    let request = repository().join(REQUEST);
    let request = request.to_str().unwrap();
    let output = dir.arg("packet.md");
    let args = [
        "--embedded",
        "packet",
        "--request",
        request,
        "--output",
        &output,
    ];
    dir.run(args).expect(0);
    (dir.read("packet.md"), dir.json("packet.json"))
}

/// The packet up to the end of its first run, of which only the first sections are shown.
fn excerpt(packet: &str) -> String {
    let end = "<!-- vibey-context:end -->\n";
    let run = runs(packet).swap_remove(0);
    let shown: String = run
        .iter()
        .take(SHOWN_SECTIONS)
        .map(|section| section.content.as_str())
        .collect();
    let (before, rest) = packet.split_once(&shown).unwrap();
    assert!(rest.contains(end));
    let more = run.len() - SHOWN_SECTIONS;
    assert!(more > 1, "the example shows how sections share a frame");
    format!("{before}{shown}[… {more} more sections of this skill …]\n\n{end}")
}

/// Some keys of the manifest, and the first section that had to be in the packet.
fn shown(manifest: &Value) -> String {
    let mut some = serde_json::Map::new();
    for key in SHOWN_KEYS {
        let value = manifest.get(key).unwrap_or_else(|| panic!("no key {key}"));
        some.insert((*key).to_owned(), value.clone());
    }
    let chunks = manifest["included_chunks"].as_array().unwrap();
    let chunk = chunks
        .iter()
        .find(|chunk| chunk["content_class"] == "mandatory")
        .expect("the example shows mandatory text");
    some.insert("included_chunks".to_owned(), json!([chunk]));
    canonical::pretty(&some).unwrap()
}

#[test]
fn the_packet_and_the_tables_in_the_documents_are_real() {
    let (packet, manifest) = compiled();
    let fenced = |language: &str, text: &str| format!("````{language}\n{text}````\n");
    generated(
        "README.md",
        &[
            ("packet", fenced("markdown", &excerpt(&packet))),
            ("manifest", fenced("json", &shown(&manifest))),
            ("exit codes", exit::markdown()),
            ("measurements", measurements()),
        ],
    );
    generated(
        "docs/packet-example.md",
        &[
            ("request", fenced("json", &text(REQUEST))),
            ("packet", fenced("markdown", &packet)),
        ],
    );
}

/// The cells of the rows of every table of `name` whose first cell is code.
fn rows(name: &str) -> Vec<Vec<String>> {
    text(name)
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let inner = line.trim_start_matches("| ").trim_end_matches(" |");
            inner.split(" | ").map(str::to_owned).collect()
        })
        .collect()
}

#[test]
fn every_diagnostic_is_documented_once_with_its_severity_and_help() {
    let documented: Vec<[String; 3]> = rows("docs/diagnostics.md")
        .into_iter()
        .map(|cells| {
            assert_eq!(cells.len(), 4, "{cells:?}");
            assert!(!cells[2].trim().is_empty(), "{cells:?}");
            [cells[0].clone(), cells[1].clone(), cells[3].clone()]
        })
        .collect();
    let known: Vec<[String; 3]> = Code::ALL
        .iter()
        .map(|code| {
            let severity = match code.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            [
                format!("`{}`", code.as_str()),
                severity.to_owned(),
                code.help().to_owned(),
            ]
        })
        .collect();
    assert_eq!(documented, known);
}

#[test]
fn every_request_field_and_manifest_key_is_documented() {
    let page = rows("docs/packet.md");
    let names: Vec<&str> = page.iter().map(|cells| cells[0].as_str()).collect();
    let documented = |name: &str| {
        names
            .iter()
            .any(|cell| cell.split(", ").any(|one| one == format!("`{name}`")))
    };
    for field in vibey_context_contracts::request::parse::FIELDS {
        assert!(documented(field), "request field `{field}`");
    }
    let (_, manifest) = compiled();
    for key in manifest.as_object().unwrap().keys() {
        assert!(documented(key), "manifest key `{key}`");
    }
}

#[test]
fn every_command_stands_in_the_readme() {
    let help = Dir::new().run(["--help"]).expect(0).stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 10, "{help}");
    let listed = rows("README.md");
    for command in commands {
        let start = format!("`{command}");
        assert!(
            listed
                .iter()
                .any(|cells| cells.len() == 2 && cells[0].starts_with(&start)),
            "`{command}` is in --help and not in README.md"
        );
    }
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut checked = 0;
    for name in documents() {
        let folder = repository().join(&name).parent().unwrap().to_owned();
        let page = text(&name);
        // Inside a fence nothing is a link; an odd number of fences would hide the rest of the page.
        let mut fence: Option<&str> = None;
        for line in page.lines() {
            let marks = line.len() - line.trim_start_matches('`').len();
            if marks >= 3 {
                let mark = &line[..marks];
                match fence {
                    None => fence = Some(mark),
                    Some(open) if open == mark => fence = None,
                    Some(_) => {}
                }
                continue;
            }
            if fence.is_some() {
                continue;
            }
            for piece in line.split("](").skip(1) {
                let target = piece.split([')', '#']).next().unwrap();
                if target.is_empty() || target.contains("://") {
                    continue;
                }
                assert!(
                    folder.join(target).exists(),
                    "`{name}` links to `{target}`, which is not there"
                );
                checked += 1;
            }
        }
        assert!(fence.is_none(), "`{name}` has an open code fence");
    }
    assert!(checked >= 20, "only {checked} links were found");
}

#[test]
fn every_source_file_that_a_document_names_exists() {
    let mut checked = 0;
    for name in documents() {
        for (at, code) in text(&name).split('`').enumerate() {
            let path = at % 2 == 1 && code.contains('/') && !code.contains(char::is_whitespace);
            if path && code.ends_with(".rs") {
                assert!(
                    repository().join(code).is_file(),
                    "`{name}` names `{code}`, which is not there"
                );
                checked += 1;
            }
        }
    }
    assert!(checked >= 40, "only {checked} files are named");
}
