//! Where does the frontmatter block begin and end?
//!
//! Only a block at the start of the file counts: a `---` further down is a rule of the body. Blank lines, HTML
//! comments and one opening code fence before it are tolerated.

use super::lines::line_of;

/// Info strings of a fence that people wrap a whole file, or its block, in.
const WRAPPERS: &[&str] = &["", "markdown", "md", "yaml", "yml"];

/// The line that opens the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Line of the `---`, from 1.
    pub(crate) line: u32,
    /// Byte offset of the line below it.
    pub(crate) content_start: usize,
    /// Number of that line.
    pub(crate) content_line: u32,
    /// Something stands before the block.
    pub(crate) leading: bool,
    /// The fence around the block, if one was opened before it.
    fence: Option<Fence>,
}

/// The end of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closing {
    /// Byte offset of the closing line.
    pub(crate) block_end: usize,
    /// Byte offset of the body.
    pub(crate) body_start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
}

/// Finds the opening `---`, or `None` if the file starts with anything else.
pub(crate) fn opening(text: &str) -> Option<Opening> {
    let mut fence = None;
    let mut start = 0;
    loop {
        let rest = text.get(start..)?;
        let line = first_line(rest);
        if is_rule(line, &["---"]) {
            let content_start = start + line.len();
            let number = line_of(text, start);
            return Some(Opening {
                line: number,
                content_start,
                content_line: line_of(text, content_start),
                leading: start > 0,
                fence,
            });
        }
        if line.is_empty() {
            return None;
        }
        if line.trim().is_empty() {
            start += line.len();
        } else if rest.trim_start().starts_with("<!--") {
            start += comment_lines(rest)?;
        } else if fence.is_none() {
            fence = Some(fence_of(line).filter(|(_, info)| {
                WRAPPERS
                    .iter()
                    .any(|wrapper| info.eq_ignore_ascii_case(wrapper))
            })?)
            .map(|(fence, _)| fence);
            start += line.len();
        } else {
            return None;
        }
    }
}

/// Finds the closing line of an opened block.
pub(crate) fn closing(text: &str, opening: &Opening) -> Option<Closing> {
    let mut start = opening.content_start;
    for line in text.get(start..)?.split_inclusive('\n') {
        let end = start + line.len();
        if is_rule(line, &["---", "..."]) {
            return Some(Closing {
                block_end: start,
                body_start: end + wrapper_end(text.get(end..)?, opening.fence),
            });
        }
        start = end;
    }
    None
}

/// The first line with its line feed; empty at the end of the text.
fn first_line(text: &str) -> &str {
    text.split_inclusive('\n').next().unwrap_or_default()
}

fn is_rule(line: &str, rules: &[&str]) -> bool {
    let line = line.strip_suffix('\n').unwrap_or(line);
    // A document that is passed on verbatim keeps its carriage returns.
    rules.contains(&line.trim_end_matches([' ', '\t', '\r']))
}

/// Bytes of the lines that are nothing but HTML comments, from the start of `text`.
fn comment_lines(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let content = rest.get(blanks..)?;
        if content.is_empty() || content.starts_with('\n') {
            return Some(at + blanks + first_line(content).len());
        }
        let inner = content.strip_prefix("<!--")?;
        at += blanks + "<!--".len() + inner.find("-->")? + "-->".len();
    }
}

/// The fence that a line opens or closes, and its info string.
fn fence_of(line: &str) -> Option<(Fence, &str)> {
    let line = line.trim();
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    (length >= 3).then_some((Fence { mark, length }, info.trim()))
}

/// Bytes of the closing fence where it wraps the block alone: left in the body, it would turn all of it into code.
fn wrapper_end(rest: &str, fence: Option<Fence>) -> usize {
    let line = first_line(rest);
    match (fence, fence_of(line)) {
        (Some(open), Some((close, "")))
            if close.mark == open.mark && close.length >= open.length =>
        {
            line.len()
        }
        _ => 0,
    }
}
