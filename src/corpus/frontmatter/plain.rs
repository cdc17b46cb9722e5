//! What can be told of a block that is too large to be read as YAML? The plain `key: value` lines of its first part.

use super::lines;
use super::yaml::{Node, Pair, Value};

/// Keys that are worth a look: those that name, describe or refuse a skill.
const KEYS: &[&str] = &["name", "description", "retrieval_version"];

/// Pairs of the lines within the first `limit` bytes of `block`. `allowed-tools` is noticed anywhere, and not read.
pub(super) fn pairs(block: &str, first_line: u32, limit: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut end = 0;
    for line in lines::of(block, first_line) {
        end += line.text.len() + 1;
        let Some(key) = lines::key_of(line.text, 0) else {
            continue;
        };
        let text = lines::unquoted(key.rest);
        // A block scalar, a collection or an anchor is no plain value.
        let plain = end <= limit && !text.starts_with(['|', '>', '[', '{', '&', '*', '!']);
        let tools = key.name == "allowed-tools";
        if tools || (plain && !text.is_empty() && KEYS.contains(&key.name.as_str())) {
            pairs.push(Pair {
                place: key.place(line.number),
                value: Node {
                    place: key.rest_place(line.number),
                    value: Value::Raw(text.to_owned()),
                },
                key: key.name,
            });
        }
    }
    pairs
}
