//! What would it cost to convert a tree? What converts it goes down by recursion, copies each text once for each element around
//! it, writes the indentation of lists and quotes before each line, fills the rows of a table up, and joins neighbours one by
//! one.

use super::tree::DEPTH_MAX;
use markup5ever_rcdom::{Node, NodeData};
use std::rc::Rc;

/// Bytes that may be copied: about a second.
const COPIED_BYTES_MAX: usize = 1_000_000_000;

/// Bytes that lists, quotes and tables may add.
const ADDED_BYTES_MAX: usize = 50_000_000;

/// Bytes that a list or a quote writes before a line.
const INDENT_BYTES: usize = 4;

/// Bytes of an empty cell.
const CELL_BYTES: usize = 4;

/// Whether a tree can be converted within the bounds.
pub(super) fn is_bearable(root: &Rc<Node>) -> bool {
    let (mut copied, mut added) = (0_usize, 0_usize);
    let mut open = vec![(Rc::clone(root), 0_usize, 0_usize)];
    while let Some((node, depth, indents)) = open.pop() {
        if depth > DEPTH_MAX {
            return false;
        }
        let mut indents = indents;
        match &node.data {
            NodeData::Text { contents } => {
                let text = contents.borrow();
                copied = copied.saturating_add(text.len() * depth);
                let lines = 1 + text.bytes().filter(|byte| *byte == b'\n').count();
                added = added.saturating_add(lines * indents * INDENT_BYTES);
            }
            NodeData::Element { name, .. } => {
                added = added.saturating_add(indents * INDENT_BYTES);
                match &*name.local {
                    "li" | "blockquote" => indents += 1,
                    "table" => added = added.saturating_add(filled_cells(&node) * CELL_BYTES),
                    _ => {}
                }
            }
            _ => {}
        }
        copied = copied.saturating_add(joining(&node));
        if copied > COPIED_BYTES_MAX || added > ADDED_BYTES_MAX {
            return false;
        }
        let children = node.children.borrow();
        open.extend(
            children
                .iter()
                .map(|child| (Rc::clone(child), depth + 1, indents)),
        );
    }
    true
}

/// The tag of an element.
pub(super) fn tag(node: &Node) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&*name.local),
        _ => None,
    }
}

/// Cells of a table whose rows are all as long as the longest.
fn filled_cells(table: &Node) -> usize {
    let (mut rows, mut longest) = (0_usize, 0_usize);
    let mut look = |node: &Node| {
        if tag(node) == Some("tr") {
            rows += 1;
            longest = longest.max(node.children.borrow().len());
        }
    };
    for child in table.children.borrow().iter() {
        look(child);
        for inner in child.children.borrow().iter() {
            look(inner);
        }
    }
    rows.saturating_mul(longest)
}

/// Bytes that are moved and copied to join neighbours that are alike and hold one text each.
fn joining(node: &Node) -> usize {
    let children = node.children.borrow();
    let (mut moved, mut joined) = (0_usize, 0_usize);
    for child in children.iter() {
        match only_text(child) {
            Some(bytes) => {
                joined += bytes;
                moved = moved.saturating_add(joined + children.len());
            }
            None => joined = 0,
        }
    }
    // A lone one is joined with nothing.
    if children.len() > 1 { moved } else { 0 }
}

/// Bytes of the text that is all that an element holds.
fn only_text(node: &Node) -> Option<usize> {
    tag(node)?;
    let children = node.children.borrow();
    match children.as_slice() {
        [only] => match &only.data {
            NodeData::Text { contents } => Some(contents.borrow().len()),
            _ => None,
        },
        _ => None,
    }
}
