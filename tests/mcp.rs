//! Does `mcp` give an MCP client what the commands give a person, whatever the client does?

mod endings;
mod refusals;
pub(crate) mod served;

use crate::harness::{Dir, fixture};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};
use served::{Served, text};
use std::fmt::Write as _;
use vibey_context_contracts::canonical;

/// A corpus without a repository, so that its default index lies in the home folder, and the server over it.
fn served(dir: &Dir) -> (String, Served) {
    let root = fixture::write(dir);
    let served = Served::new(dir, &["--skills", &root, "mcp"]);
    (root, served)
}

/// What `vibey-context packet` writes: packet and manifest.
fn packet(dir: &Dir, root: &str, request: &Value) -> (String, String) {
    let request = dir.request("request.json", request);
    let output = dir.arg("packet.md");
    let args = [
        "--skills",
        root,
        "packet",
        "--request",
        &request,
        "--output",
        &output,
    ];
    let run = dir.run(args);
    assert!([0, 2].contains(&run.code), "{run:?}");
    (dir.read("packet.md"), dir.read("packet.json"))
}

/// Fails unless the structured part of an answer is what the tool's schema says.
#[track_caller]
fn fits(served: &Served, tool: &str, result: &CallToolResult) {
    assert_ne!(result.is_error, Some(true), "{result:?}");
    let tools = served.wait(served.client().list_all_tools()).unwrap();
    let tool = tools.into_iter().find(|one| one.name == tool).unwrap();
    let schema = Value::Object((*tool.output_schema.unwrap()).clone());
    let answer = result.structured_content.as_ref().unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    if let Err(error) = validator.validate(answer) {
        panic!("{}: {error}", tool.name);
    }
}

#[test]
fn the_server_names_itself_and_its_tools() {
    let dir = Dir::new();
    let (_, served) = served(&dir);
    let info = served.client().peer_info().unwrap();
    let us = info.server_info.as_ref().unwrap();
    assert_eq!(
        (us.name.as_str(), us.version.as_str()),
        ("vibey-context", env!("CARGO_PKG_VERSION"))
    );
    assert!(info.capabilities.tools.is_some() && info.capabilities.resources.is_none());
    let tools = served.wait(served.client().list_all_tools()).unwrap();
    let mut page = format!("{}\n", info.instructions.as_deref().unwrap());
    for tool in &tools {
        let input = Value::Object((*tool.input_schema).clone());
        let output = tool.output_schema.as_ref();
        let output = output.map(|schema| Value::Object((**schema).clone()));
        for schema in [Some(&input), output.as_ref()].into_iter().flatten() {
            jsonschema::draft202012::meta::validate(schema).unwrap();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert!(!schema.to_string().contains("$ref"), "{}", tool.name);
        }
        let keys = |schema: &Value| {
            let keys = schema["properties"].as_object().unwrap().keys();
            keys.cloned().collect::<Vec<_>>().join(" ")
        };
        let _ = write!(
            page,
            "\n{}\n  {}\n  {}\n  takes: {}, needs {}\n",
            tool.name,
            tool.title.as_deref().unwrap(),
            tool.description.as_deref().unwrap(),
            keys(&input),
            input["required"],
        );
        if let Some(output) = &output {
            let _ = writeln!(page, "  gives: {}", keys(output));
        }
    }
    insta::assert_snapshot!(page);
}

#[test]
fn a_packet_is_that_of_the_command() {
    let dir = Dir::new();
    let (root, served) = served(&dir);
    for mut request in fixture::requests() {
        request["maximum_context_tokens"] = json!(32_000);
        let result = served.call("compile_packet", request.clone());
        fits(&served, "compile_packet", &result);
        let (packet, manifest) = packet(&dir, &root, &request);
        assert!(packet.len() > 100, "{request}");
        assert_eq!(text(&result), packet);
        let structured = result.structured_content.unwrap();
        assert_eq!(canonical::pretty(&structured).unwrap(), manifest);
    }
}

#[test]
fn a_request_without_a_packet_is_an_answer() {
    let dir = Dir::new();
    let (root, served) = served(&dir);
    let crowded =
        json!({"required_plugins": ["atlas", "forge", "relay"], "maximum_context_tokens": 1000});
    for (request, status) in [
        (json!({"objective": "xyzzy plugh"}), "low_confidence"),
        (crowded, "budget_insufficient"),
    ] {
        let result = served.call("compile_packet", request.clone());
        fits(&served, "compile_packet", &result);
        let (_, manifest) = packet(&dir, &root, &request);
        let structured = result.structured_content.as_ref().unwrap();
        assert_eq!(structured["status"], status);
        assert_eq!(canonical::pretty(structured).unwrap(), manifest);
        assert!(text(&result).starts_with(&format!("note: {status}")));
    }
}

#[test]
fn a_search_is_that_of_the_command() {
    let dir = Dir::new();
    let (root, served) = served(&dir);
    for (arguments, form) in [
        (json!({"query": "retry backoff"}), &["retry backoff"][..]),
        (
            json!({"query": "lock timeout", "limit": 3, "explain": true}),
            &["lock timeout", "--limit", "3", "--explain"],
        ),
        (json!({"query": "xyzzy"}), &["xyzzy"]),
    ] {
        let result = served.call("search_skills", arguments);
        fits(&served, "search_skills", &result);
        let args = ["--skills", &root, "search", "--json"];
        let printed = dir.run(args.iter().chain(form)).expect(0).stdout;
        assert_eq!(text(&result), printed);
        let hits = &result.structured_content.unwrap()["hits"];
        assert_eq!(canonical::pretty(hits).unwrap(), printed);
    }
}

#[test]
fn an_explanation_is_that_of_the_command() {
    let dir = Dir::new();
    let (root, served) = served(&dir);
    let request = fixture::migration();
    let file = dir.request("request.json", &request);
    for skill in ["postgres-migrations", "relay/http-retry"] {
        let run = dir.run(["--skills", &root, "why", skill, "--request", &file]);
        let arguments = json!({"skill": skill, "request": request.clone()});
        let result = served.call("explain_skill", arguments);
        assert_eq!(text(&result), run.expect(0).stdout);
        assert!(result.structured_content.is_none());
    }
}

#[test]
fn who_asks_whether_a_path_may_be_read_gets_the_rule_of_markers() {
    let dir = Dir::new();
    dir.file("generated/.agent-no-read.md", "Read docs/ instead.\n");
    dir.link("generated", "way");
    let (_, served) = served(&dir);
    for (path, readable) in [
        ("generated/deep/file.rs", false),
        ("way/file.rs", false),
        ("src/main.rs", true),
        (".", true),
    ] {
        let result = served.call("may_read", json!({"path": path}));
        fits(&served, "may_read", &result);
        let run = dir.run(["markers", "explain", path, "--json"]).expect(0);
        assert_eq!(text(&result), run.stdout);
        assert_eq!(result.structured_content.unwrap()["readable"], readable);
    }
}

#[test]
fn skills_that_change_are_seen_by_the_next_call() {
    let dir = Dir::new();
    let (_, served) = served(&dir);
    let request = json!({"objective": "calibrate the orrery before the eclipse"});
    let before = served.call("compile_packet", request.clone());
    let status =
        |result: &CallToolResult| result.structured_content.as_ref().unwrap()["status"].clone();
    assert_eq!(status(&before), "low_confidence");
    let description = "Calibrate an orrery before an eclipse: gears, planets, and the ecliptic.";
    dir.skill(
        "corpus/plugins/garden/skills/orrery",
        "orrery",
        description,
        "",
        "# Orrery\n\nTurn the crank of the orrery before the eclipse.\n",
    );
    let root = dir.at(fixture::ROOT);
    assert!(
        root.join("plugins/garden").is_dir(),
        "the corpus of the fixture"
    );
    let after = served.call("compile_packet", request);
    assert_eq!(status(&after), "ok");
    assert!(text(&after).contains("Turn the crank"));
}

#[test]
fn calls_at_once_get_the_bytes_of_single_ones() {
    let dir = Dir::new();
    let (root, served) = served(&dir);
    // Nothing is indexed yet: they build it at once, too.
    let mut calls = Vec::new();
    for _ in 0..4 {
        for request in fixture::requests() {
            calls.push(("compile_packet", request));
        }
        calls.push(("search_skills", json!({"query": "retry backoff"})));
        calls.push(("may_read", json!({"path": "src"})));
    }
    let together = served.together(calls.clone());
    for ((tool, arguments), result) in calls.into_iter().zip(together) {
        let single = served.call(tool, arguments.clone());
        assert_eq!(text(&result), text(&single), "{tool} {arguments}");
        assert_eq!(result.structured_content, single.structured_content);
        if tool == "compile_packet" {
            let (_, manifest) = packet(&dir, &root, &arguments);
            let structured = result.structured_content.unwrap();
            assert_eq!(canonical::pretty(&structured).unwrap(), manifest);
        }
    }
}

#[test]
fn an_index_and_a_tokenizer_that_are_named_are_used() {
    let dir = Dir::new();
    let root = fixture::indexed(&dir);
    let index = dir.arg("index");
    let served = Served::new(
        &dir,
        &["mcp", "--index", &index, "--tokenizer", "o200k_base"],
    );
    // Taken as it is: what changes behind it is not looked at.
    std::fs::remove_dir_all(&root).unwrap();
    let result = served.call("compile_packet", fixture::migration());
    let manifest = result.structured_content.unwrap();
    assert_eq!(manifest["status"], "ok");
    assert_eq!(manifest["tokenizer"], "o200k_base");
}
