//! Which tools does `allowed-tools` list? What can not be read for certain is unknown, never "all".

use vibey_context_contracts::diagnostic::{Code, Finding};

use super::lines::Line;
use super::scalar::{self, Kind};
use super::yaml::{Node, Pair, Place, Value};
use super::{AllowedTools, keys};

/// The key.
pub(super) const KEY: &str = keys::TOOLS;

/// Reads the value of the key: one text, or a list of texts.
pub(super) fn read(value: &Node) -> AllowedTools {
    listed(value).map_or(AllowedTools::Unknown, AllowedTools::Listed)
}

/// Where a text that could not be parsed seems to hold the key.
///
/// An indentation gone wrong can make the key a part of the value above it. Absent would then mean that the skill
/// does not restrict its tools, which is more than it says.
pub(super) fn mentioned<'t>(lines: impl IntoIterator<Item = Line<'t>>) -> Option<Place> {
    lines.into_iter().find_map(|line| {
        let (before, after) = line.text.split_once(KEY)?;
        let after = after.trim_start_matches(['"', '\'', ' ', '\t']);
        let column = u32::try_from(before.chars().count()).ok()?;
        after.starts_with(':').then_some(Place {
            line: line.number,
            column: column.saturating_add(1),
        })
    })
}

/// The pair that stands for a key which could not be read.
pub(super) fn unreadable(place: Place) -> Pair {
    Pair {
        key: KEY.to_owned(),
        place,
        value: Node {
            place,
            value: Value::Raw(String::new()),
        },
    }
}

/// The finding for a key which could not be read.
pub(super) fn unknown(place: Place) -> Finding {
    place.finding(
        Code::ToolsUnknown,
        "`allowed-tools` could not be read; which tools are allowed is not known",
    )
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
