//! Which tools does `allowed-tools` list? What can not be read for certain is unknown, never "all".

use super::AllowedTools;
use super::scalar::{self, Kind};
use super::yaml::{Node, Value};

/// Reads the value of the key: one text, or a list of texts.
pub(super) fn read(value: &Node) -> AllowedTools {
    listed(value).map_or(AllowedTools::Unknown, AllowedTools::Listed)
}

fn listed(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::List(nodes) => {
            let lists: Option<Vec<_>> = nodes.iter().map(tools_in).collect();
            Some(lists?.concat())
        }
        _ => tools_in(node),
    }
}

fn tools_in(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::Scalar { text, plain } if !plain || scalar::kind_of(text) == Kind::Text => {
            split(text)
        }
        _ => None,
    }
}

/// Splits at blanks and commas outside parentheses: `Bash(git add:*), Read` are two. `None` where a parenthesis has
/// no partner, since the tools could then be cut anywhere.
fn split(text: &str) -> Option<Vec<String>> {
    let mut tools = Vec::new();
    let mut tool = String::new();
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 && (character == ',' || character.is_whitespace()) {
            if !tool.is_empty() {
                tools.push(std::mem::take(&mut tool));
            }
        } else {
            tool.push(character);
        }
    }
    if !tool.is_empty() {
        tools.push(tool);
    }
    (depth == 0).then_some(tools)
}
