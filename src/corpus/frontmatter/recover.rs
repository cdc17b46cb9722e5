//! What can be saved of a block that is not valid YAML? Every entry is parsed alone; one that fails is taken by its
//! source text, and every repair is a finding.

use std::collections::BTreeSet;

use vibey_context_contracts::diagnostic::{Code, Finding};

use super::fields::Reading;
use super::lines::{self, Entry, Line};
use super::scalar::shown;
use super::tools;
use super::yaml::{self, Fault, Node, Pair, Place, Value};

/// Reads the lines of a block that failed with `fault` as a whole; one finding per repair, at least one.
pub(super) fn block(lines: &[Line<'_>], fault: &Fault) -> Reading {
    let mut recovered = level(lines, lines::indent_of(lines), &anchors(lines));
    if recovered.findings.is_empty() {
        let message = format!("not valid YAML ({}); read key by key", fault.reason);
        recovered
            .findings
            .push(fault.place.finding(Code::FmRecovered, message));
    }
    recovered
}

fn level(lines: &[Line<'_>], indent: usize, anchors: &BTreeSet<&str>) -> Reading {
    let taken = lines::entries(lines, indent);
    let mut recovered = Reading {
        pairs: Vec::new(),
        findings: Vec::new(),
        complete: true,
    };
    for entry in &taken.entries {
        let pair = pair(entry, anchors, &mut recovered.findings);
        recovered.pairs.push(pair);
    }
    for (first, last) in taken.strays {
        let message = if first == last {
            "the line belongs to no key; ignored".to_owned()
        } else {
            format!("the lines {first} to {last} belong to no key; ignored")
        };
        let place = Place {
            line: first,
            column: 1,
        };
        recovered
            .findings
            .push(place.finding(Code::FmRecovered, message));
    }
    recovered
}

fn pair(entry: &Entry<'_>, anchors: &BTreeSet<&str>, findings: &mut Vec<Finding>) -> Pair {
    let key = &entry.key;
    let line = entry.lines.first().map_or(1, |line| line.number);
    let text = text_of(&entry.lines);
    let is_tools = key.name == tools::KEY;

    let fault = match yaml::parse(&text, line) {
        _ if key.tight => Fault::new(key.rest_place(line), "no blank behind the colon"),
        Ok(document) => match one(document.pairs) {
            Some(pair) => {
                findings.extend(document.findings);
                if !(is_tools && entry.frayed) {
                    return pair;
                }
                // The line that belongs to nothing may have been one of its tools.
                return with(entry, line, Value::Raw(raw(entry)));
            }
            None => Fault::new(key.place(line), "more than one value"),
        },
        Err(fault) => fault,
    };

    if fault
        .alias
        .as_deref()
        .is_some_and(|name| anchors.contains(name))
    {
        let mut pair = with(entry, line, Value::Refused("an alias"));
        pair.value.place = fault.place;
        return pair;
    }
    if let Some((place, replaced)) = without_tabs(entry)
        && let Ok(document) = yaml::parse(&replaced, line)
        && let Some(pair) = one(document.pairs)
    {
        let message = format!("a tab in `{}` is read as spaces", shown(&key.name));
        findings.push(place.finding(Code::FmTab, message));
        // What a tab stands for is a guess, and a list of permissions is not guessed.
        return if is_tools {
            with(entry, line, Value::Raw(raw(entry)))
        } else {
            pair
        };
    }

    if key.name == "metadata" && key.is_bare() {
        let below = entry.lines.get(1..).unwrap_or_default();
        let inner = level(below, lines::indent_of(below), anchors);
        // The faults of the entries in it are the ones to be named.
        if !inner.pairs.is_empty() && !inner.findings.is_empty() {
            findings.extend(inner.findings);
            let value = Value::Map {
                pairs: inner.pairs,
                line: None,
            };
            return with(entry, line, value);
        }
    }
    let message = format!(
        "`{}` is not valid YAML ({}); read as plain text",
        shown(&key.name),
        fault.reason
    );
    findings.push(fault.place.finding(Code::FmRecovered, message));
    let items = if key.is_bare() && !is_tools {
        items(entry)
    } else {
        None
    };
    let value = items.map_or_else(|| Value::Raw(raw(entry)), Value::List);
    with(entry, line, value)
}

fn with(entry: &Entry<'_>, line: u32, value: Value) -> Pair {
    Pair {
        key: entry.key.name.clone(),
        place: entry.key.place(line),
        value: Node {
            place: entry.key.rest_place(line),
            value,
        },
    }
}

fn one(mut pairs: Vec<Pair>) -> Option<Pair> {
    if pairs.len() == 1 { pairs.pop() } else { None }
}

fn text_of(lines: &[Line<'_>]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.text);
        text.push('\n');
    }
    text
}

/// The source text of an entry: the rest of its key line and the lines below, folded; without the quotes around all
/// of it and without the header of a block scalar.
fn raw(entry: &Entry<'_>) -> String {
    let rest = entry.key.rest;
    let header = is_block_header(rest);
    let mut parts = Vec::new();
    if !header && !entry.key.is_bare() {
        parts.push(rest);
    }
    parts.extend(
        entry
            .lines
            .iter()
            .skip(1)
            .filter(|line| !line.text.starts_with('#'))
            .map(|line| line.text.trim())
            .filter(|text| !text.is_empty()),
    );
    let joint = if header && rest.starts_with('|') {
        "\n"
    } else {
        " "
    };
    lines::unquoted(&parts.join(joint)).to_owned()
}

fn is_block_header(rest: &str) -> bool {
    let (header, comment) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    let comment = comment.trim_start();
    header.strip_prefix(['|', '>']).is_some_and(|signs| {
        signs.len() <= 2 && signs.chars().all(|c| matches!(c, '+' | '-' | '1'..='9'))
    }) && (comment.is_empty() || comment.starts_with('#'))
}

/// The items of an entry whose lines below the key are a list.
fn items(entry: &Entry<'_>) -> Option<Vec<Node>> {
    let mut groups: Vec<(usize, Vec<Line<'_>>)> = Vec::new();
    for &line in entry.lines.iter().skip(1) {
        let content = line.text.trim_start_matches(' ');
        let depth = line.text.len() - content.len();
        if content.trim().is_empty() || content.starts_with('#') {
            continue;
        }
        match groups.last_mut() {
            Some((indent, group)) if depth > *indent => group.push(line),
            Some((indent, _)) if depth < *indent => return None,
            _ if lines::is_item(content) => groups.push((depth, vec![line])),
            _ => return None,
        }
    }
    let items: Vec<_> = groups
        .into_iter()
        .filter_map(|(indent, group)| item(indent, &group))
        .collect();
    (!items.is_empty()).then_some(items)
}

/// One item, by YAML where that works and by its text where not.
fn item(indent: usize, lines: &[Line<'_>]) -> Option<Node> {
    let line = lines.first()?;
    // A key in front makes a mapping of it, which is what the parser takes.
    let document = yaml::parse(&format!("item:\n{}", text_of(lines)), line.number - 1);
    if let Ok(document) = document
        && let Some(pair) = one(document.pairs)
        && let Value::List(mut nodes) = pair.value.value
    {
        return nodes.pop();
    }
    let mut parts = vec![line.text.trim_start().trim_start_matches('-').trim()];
    parts.extend(lines.iter().skip(1).map(|line| line.text.trim()));
    let column = u32::try_from(indent).unwrap_or(u32::MAX - 1) + 1;
    Some(Node {
        place: Place {
            line: line.number,
            column,
        },
        value: Value::Raw(lines::unquoted(&parts.join(" ")).to_owned()),
    })
}

/// The text of an entry with spaces for the tabs of its indentation and behind its colon, and the first such tab.
fn without_tabs(entry: &Entry<'_>) -> Option<(Place, String)> {
    let mut first = None;
    let mut replaced = String::new();
    for (index, line) in entry.lines.iter().enumerate() {
        let start = if index == 0 {
            line.text.find(':').map_or(0, |colon| colon + 1)
        } else {
            0
        };
        let (head, tail) = line.text.split_at_checked(start)?;
        let content = tail.trim_start_matches([' ', '\t']);
        let blanks = tail.strip_suffix(content).unwrap_or_default();
        if let Some(at) = blanks.find('\t') {
            let before = head.chars().count() + at;
            first.get_or_insert(Place {
                line: line.number,
                column: u32::try_from(before).unwrap_or(u32::MAX - 1) + 1,
            });
        }
        replaced.push_str(head);
        replaced.push_str(&blanks.replace('\t', "  "));
        replaced.push_str(content);
        replaced.push('\n');
    }
    first.map(|place| (place, replaced))
}

/// Names of everything in the block that looks like an anchor: an alias is refused only where it could be one.
fn anchors<'t>(lines: &[Line<'t>]) -> BTreeSet<&'t str> {
    lines
        .iter()
        .flat_map(|line| line.text.split(is_separator))
        .filter_map(|word| word.strip_prefix('&'))
        .collect()
}

fn is_separator(character: char) -> bool {
    character.is_whitespace() || matches!(character, ',' | '[' | ']' | '{' | '}')
}
