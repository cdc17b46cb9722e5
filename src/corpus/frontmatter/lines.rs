//! Which lines of a block belong together? Entries of `key:` with the lines below them, without a YAML parser.

use super::keys::KEYS;
use super::yaml::Place;

/// One line without its line feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    /// Number in the file, from 1.
    pub(super) number: u32,
}

/// The `key:` of a line and what stands behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key<'t> {
    pub(super) name: String,
    /// What follows the colon, trimmed.
    pub(super) rest: &'t str,
    /// No blank stands between the colon and the rest, so that it is no key in YAML.
    pub(super) tight: bool,
    column: u32,
    rest_column: u32,
}

impl Key<'_> {
    /// Where the key starts, in the line numbered `line`.
    pub(super) fn place(&self, line: u32) -> Place {
        Place {
            line,
            column: self.column,
        }
    }

    /// Where the rest starts, in the line numbered `line`.
    pub(super) fn rest_place(&self, line: u32) -> Place {
        Place {
            line,
            column: self.rest_column,
        }
    }

    /// Nothing but a comment stands behind the colon.
    pub(super) fn is_bare(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with('#')
    }

    fn opens_block_scalar(&self) -> bool {
        self.rest.starts_with(['|', '>'])
    }
}

/// A key line with the lines that belong to it.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    pub(super) key: Key<'t>,
    /// The key line first.
    pub(super) lines: Vec<Line<'t>>,
    /// Lines that belong to nothing follow, so that the value may be cut short.
    pub(super) frayed: bool,
}

/// A block taken apart.
#[derive(Debug)]
pub(super) struct Entries<'t> {
    pub(super) entries: Vec<Entry<'t>>,
    /// First and last number of each run of lines that belong to no key.
    pub(super) strays: Vec<(u32, u32)>,
}

enum Kind<'t> {
    Blank,
    Comment,
    Key(Key<'t>),
    More,
    Stray,
}

/// The lines of `text`, the first of which is numbered `first`.
pub(super) fn of(text: &str, first: u32) -> impl Iterator<Item = Line<'_>> {
    text.split_inclusive('\n')
        .zip(first..=u32::MAX)
        .map(|(line, number)| Line {
            text: line.strip_suffix('\n').unwrap_or(line),
            number,
        })
}

/// Takes a block apart whose keys are indented by `indent` spaces.
pub(super) fn entries<'t>(lines: &[Line<'t>], indent: usize) -> Entries<'t> {
    let mut entries: Vec<Entry<'t>> = Vec::new();
    let mut strays: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match kind(line.text, indent, entries.last().map(|entry| &entry.key)) {
            Kind::Key(key) => entries.push(Entry {
                key,
                lines: vec![line],
                frayed: false,
            }),
            Kind::Stray => {
                match strays.last_mut() {
                    Some((_, last)) if *last + 1 == line.number => *last = line.number,
                    _ => strays.push((line.number, line.number)),
                }
                if let Some(entry) = entries.last_mut() {
                    entry.frayed = true;
                }
            }
            Kind::Blank | Kind::Comment | Kind::More => {
                if let Some(entry) = entries.last_mut() {
                    entry.lines.push(line);
                }
            }
        }
    }
    Entries { entries, strays }
}

/// Spaces before the first line that says something.
pub(super) fn indent_of(lines: &[Line<'_>]) -> usize {
    lines
        .iter()
        .map(|line| line.text)
        .find(|text| !text.trim().is_empty() && !text.trim_start().starts_with('#'))
        .map_or(0, |text| text.len() - text.trim_start_matches(' ').len())
}

/// The key of a line that is indented by `indent` spaces.
///
/// A key is one word or quoted; known keys are seen without a blank behind their colon, too (`name:demo`).
pub(super) fn key_of(line: &str, indent: usize) -> Option<Key<'_>> {
    let (margin, body) = line.split_at_checked(indent)?;
    if margin.contains(|character| character != ' ') {
        return None;
    }
    let (name, after) = quoted_key(body)
        .or_else(|| plain_key(body))
        .or_else(|| if indent == 0 { tight_key(body) } else { None })?;
    let blanks = after.len() - after.trim_start().len();
    Some(Key {
        name: name.to_owned(),
        rest: after.trim(),
        tight: !is_separated(after),
        column: count(margin) + 1,
        rest_column: count(line).saturating_sub(count(after)) + count(after.get(..blanks)?) + 1,
    })
}

/// Where the body of an unclosed block begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BodyStart {
    /// Line of the heading.
    pub(super) heading: u32,
    /// Line of the text below it.
    pub(super) text: u32,
}

/// The place that shows a block to be unclosed and to run on into the body: a blank line, a Markdown heading, then
/// text that no frontmatter holds. (In YAML a heading is a comment, so that a rule further down would close the block.)
pub(super) fn body_start(lines: &[Line<'_>]) -> Option<BodyStart> {
    let indent = indent_of(lines);
    let mut key = None;
    let mut heading = None;
    let mut after_blank = false;
    for line in lines {
        match kind(line.text, indent, key.as_ref()) {
            Kind::Blank => {}
            Kind::Comment => {
                if after_blank && heading.is_none() && is_heading(line.text) {
                    heading = Some(line.number);
                }
            }
            Kind::Stray => {
                if let Some(heading) = heading {
                    return Some(BodyStart {
                        heading,
                        text: line.number,
                    });
                }
            }
            Kind::Key(found) => {
                key = Some(found);
                heading = None;
            }
            Kind::More => heading = None,
        }
        after_blank = line.text.trim().is_empty();
    }
    None
}

/// Bytes of the key lines at the start of an unclosed block, each with a line feed. Behind a blank line only known keys count: `Usage: …`
/// may be the body.
pub(super) fn leading_keys_end(lines: &[Line<'_>]) -> usize {
    let indent = indent_of(lines);
    let mut key: Option<Key<'_>> = None;
    let mut after_blank = false;
    let mut offset = 0;
    let mut end = 0;
    for line in lines {
        offset += line.text.len() + 1;
        match kind(line.text, indent, key.as_ref()) {
            Kind::Blank => {
                after_blank = true;
                continue;
            }
            Kind::Key(found) if !after_blank || KEYS.contains(&found.name.as_str()) => {
                key = Some(found);
            }
            Kind::Comment if !after_blank => {}
            Kind::More
                if !after_blank
                    || key
                        .as_ref()
                        .is_some_and(|key| key.is_bare() || key.opens_block_scalar()) => {}
            _ => break,
        }
        after_blank = false;
        end = offset;
    }
    end
}

/// The lines of an unclosed block before anything that looks like a body: some may be keys that
/// [`leading_keys_end`] passes over.
pub(super) fn before_body<'l, 't>(lines: &'l [Line<'t>]) -> &'l [Line<'t>] {
    let indent = indent_of(lines);
    let mut key = None;
    let mut after_blank = false;
    for (index, line) in lines.iter().enumerate() {
        match kind(line.text, indent, key.as_ref()) {
            Kind::Stray => return lines.get(..index).unwrap_or_default(),
            Kind::Comment if after_blank && is_heading(line.text) => {
                return lines.get(..index).unwrap_or_default();
            }
            Kind::Key(found) => key = Some(found),
            Kind::Blank | Kind::Comment | Kind::More => {}
        }
        after_blank = line.text.trim().is_empty();
    }
    lines
}

/// `text` trimmed and without the one pair of quotes around all of it.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['"', '\'']
        .into_iter()
        .find_map(|quote| {
            let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
            (!closes_inside(inner, quote)).then_some(inner)
        })
        .unwrap_or(text)
}

/// Whether `inner` holds a quote that is neither escaped by `\` nor doubled.
fn closes_inside(inner: &str, quote: char) -> bool {
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\\' && quote == '"' {
            // An escape at the end means that the outer quote is the escaped one.
            if characters.next().is_none() {
                return true;
            }
        } else if character == quote {
            if quote == '"' || characters.peek() != Some(&quote) {
                return true;
            }
            characters.next();
        }
    }
    false
}

fn kind<'t>(text: &'t str, indent: usize, open: Option<&Key<'_>>) -> Kind<'t> {
    let content = text.trim_start_matches([' ', '\t']);
    let depth = text.len() - content.len();
    if content.trim().is_empty() {
        return Kind::Blank;
    }
    if content.starts_with('#') && depth <= indent {
        return Kind::Comment;
    }
    if let Some(key) = key_of(text, indent) {
        return Kind::Key(key);
    }
    let belongs = open.is_some_and(|key| {
        depth > indent
            || text.starts_with('\t')
            || (depth == indent && is_item(content) && key.is_bare())
            || (depth == indent
                && content.starts_with([']', '}'])
                && key.rest.starts_with(['[', '{']))
    });
    if belongs { Kind::More } else { Kind::Stray }
}

/// Whether a line, without its indentation, is an item of a list.
pub(super) fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ") || content.starts_with("-\t")
}

fn is_heading(text: &str) -> bool {
    let after = text.trim_start_matches('#');
    let level = text.len() - after.len();
    (1..=6).contains(&level) && after.starts_with([' ', '\t'])
}

fn quoted_key(body: &str) -> Option<(&str, &str)> {
    let quote = body.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (name, after) = body.strip_prefix(quote)?.split_once(quote)?;
    let after = after.trim_start_matches([' ', '\t']).strip_prefix(':')?;
    is_separated(after).then_some((name, after))
}

fn plain_key(body: &str) -> Option<(&str, &str)> {
    let (name, after) = body
        .match_indices(':')
        .filter_map(|(at, _)| Some((body.get(..at)?, body.get(at + 1..)?)))
        .find(|(_, after)| is_separated(after))?;
    let name = name.trim_end_matches([' ', '\t']);
    let indicator = name.starts_with([
        '#', '?', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`',
    ]);
    let word = !name.is_empty() && name != "-" && !name.contains(char::is_whitespace);
    (word && !indicator).then_some((name, after))
}

fn tight_key(body: &str) -> Option<(&str, &str)> {
    body.split_once(':').filter(|(name, _)| KEYS.contains(name))
}

fn is_separated(after: &str) -> bool {
    after.is_empty() || after.starts_with([' ', '\t'])
}

fn count(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX - 1)
}
