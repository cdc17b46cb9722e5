//! Which texts does a retrieval key such as `domains` list?

use vibey_context_contracts::diagnostic::{Code, Finding};

use super::lines;
use super::scalar::{self, Kind, shown};
use super::yaml::{Pair, Value, source_of};

/// The texts of a list, each with its line in the file. An entry that is no text costs only itself.
///
/// One text in place of a list is taken for its only entry, or, where it holds commas, for several.
pub(super) fn read(pair: &Pair, findings: &mut Vec<Finding>) -> Vec<(String, u32)> {
    let (key, place) = (&pair.key, pair.value.place);
    match &pair.value.value {
        Value::List(nodes) => {
            let mut entries = Vec::new();
            for node in nodes {
                match source_of(node) {
                    Some(text) => {
                        if matches!(node.value, Value::Map { .. }) {
                            let message = format!(
                                "an entry of `{key}` is a mapping in YAML; read as plain text"
                            );
                            findings.push(node.place.finding(Code::FmRecovered, message));
                        }
                        entries.push((text, node.place.line));
                    }
                    None => {
                        let message = format!("an entry of `{key}` is not a text; ignored");
                        findings.push(node.place.finding(Code::FmNotList, message));
                    }
                }
            }
            entries
        }
        Value::Scalar { text, plain } => {
            if *plain && scalar::kind_of(text) == Kind::Null {
                return Vec::new();
            }
            let message = format!("`{key}` is one text: `{}`", shown(text));
            findings.push(place.finding(Code::FmNotList, message));
            split(&source_of(&pair.value).unwrap_or_default(), place.line)
        }
        // Reported already, as the reason why it is raw.
        Value::Raw(text) => {
            let inner = text.strip_prefix('[').unwrap_or(text);
            split(inner.strip_suffix(']').unwrap_or(inner), place.line)
        }
        Value::Map { .. } => {
            let message = format!("`{key}` is a mapping; ignored");
            findings.push(place.finding(Code::FmNotList, message));
            Vec::new()
        }
        Value::Refused(_) => Vec::new(),
    }
}

fn split(text: &str, line: u32) -> Vec<(String, u32)> {
    text.split(',')
        .map(lines::unquoted)
        .filter(|part| !part.is_empty())
        .map(|part| (part.to_owned(), line))
        .collect()
}
