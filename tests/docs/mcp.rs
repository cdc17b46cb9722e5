//! Does docs/mcp.md still tell the truth? Its configuration starts a server, and its table names what that server offers.

use super::text;
use crate::harness::{Dir, fixture};
use crate::mcp::served::Served;
use serde_json::Value;

const PAGE: &str = "docs/mcp.md";

/// The block of JSON on the page.
fn configuration() -> Value {
    let page = text(PAGE);
    let block = page.split_once("```json\n").unwrap().1;
    serde_json::from_str(block.split_once("```").unwrap().0).unwrap()
}

#[test]
fn the_configuration_starts_a_server_and_the_table_names_its_tools() {
    let dir = Dir::new();
    let root = fixture::write(&dir);
    let server = &configuration()["mcpServers"]["skills"];
    assert_eq!(server["command"], "vibey-context");
    let args: Vec<&str> = server["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| match word.as_str().unwrap() {
            "/srv/skills" => root.as_str(),
            word => word,
        })
        .collect();
    assert!(args.contains(&root.as_str()));
    let served = Served::new(&dir, &args);
    let tools = served.wait(served.client().list_all_tools()).unwrap();
    let mut rows: Vec<Vec<String>> = super::rows(PAGE);
    rows.retain(|cells| cells.len() == 4);
    assert_eq!(rows.len(), tools.len());
    for (tool, cells) in tools.iter().zip(rows) {
        assert_eq!(cells[0], format!("`{}`", tool.name));
        if tool.name == "compile_packet" {
            continue;
        }
        for argument in tool.input_schema["properties"].as_object().unwrap().keys() {
            assert!(cells[1].contains(&format!("`{argument}`")), "{argument}");
        }
    }
}

#[test]
fn every_option_is_explained() {
    let help = Dir::new().run(["mcp", "--help"]).expect(0).stdout;
    let page = text(PAGE);
    let options = help
        .split_whitespace()
        .filter(|word| word.starts_with("--"));
    for option in options.filter(|option| *option != "--help" && *option != "--version") {
        assert!(page.contains(&format!("`{option}")), "{option}");
    }
}
