//! What can be told of a block that is too large to be read as YAML? The plain `key: value` lines of its first part.

use super::lines::{self, Key};
use super::yaml::{Node, Pair, Value};

/// Keys that are worth a look: those that name, describe or refuse a skill.
const KEYS: &[&str] = &["name", "description", "retrieval_version"];

/// Pairs of the plain lines within the first `limit` bytes of `block`.
pub(super) fn pairs(block: &str, first_line: u32, limit: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut end = 0;
    for line in lines::of(block, first_line) {
        end += line.text.len() + 1;
        if end > limit {
            break;
        }
        if let Some(key) = lines::key_of(line.text, 0)
            && KEYS.contains(&key.name.as_str())
            && is_plain(key.rest)
        {
            pairs.push(pair(key, line.number));
        }
    }
    pairs
}

/// Neither a block scalar nor a collection, an anchor, an alias or a tag.
fn is_plain(rest: &str) -> bool {
    !rest.is_empty() && !rest.starts_with(['|', '>', '[', '{', '&', '*', '!', '#'])
}

fn pair(key: Key<'_>, line: u32) -> Pair {
    Pair {
        place: key.place(line),
        value: Node {
            place: key.rest_place(line),
            value: Value::Raw(lines::unquoted(key.rest).to_owned()),
        },
        key: key.name,
    }
}
