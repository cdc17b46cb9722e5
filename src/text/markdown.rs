//! Where are the headings, the places to split and the open fences of a Markdown text?
//!
//! CommonMark with tables, by a real parser: a `#` in a code block, an HTML block, a quote or a list opens no
//! section. All offsets are bytes of the text that was given, and lie on character boundaries.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// A heading of the document itself: not one inside a quote, a list, HTML or code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Plain text: emphasis, code and links flattened, whitespace collapsed, a trailing `{#id}` removed.
    pub text: String,
    /// Offset of the start of its first line.
    pub start: usize,
    /// Offset just after its last line, newline and setext underline included.
    pub end: usize,
}

/// How good a place is for a split, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// The start of a line inside a paragraph, a quote or HTML.
    Line,
    /// The start of a block or list item inside a list or a quote.
    Inner,
    /// The start of an item of a list that stands in the document itself.
    Item,
    /// The start of a block of the document itself.
    Block,
}

/// The start of a line that is neither blank nor inside a code block or table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Offset of the start of the line.
    pub at: usize,
    /// How little a split here tears apart.
    pub strength: Strength,
}

/// A link or image with its destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Destination, with escapes and entities resolved; of a reference, that of its definition.
    pub target: String,
    /// Offset of the first byte of the link.
    pub start: usize,
    /// Offset just after the link.
    pub end: usize,
}

/// The structure of a Markdown text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Headings of the document itself, in order, on lines of their own.
    pub headings: Vec<Heading>,
    /// Places to split, in order; several on one line count as the strongest of them.
    pub cuts: Vec<Cut>,
    /// Whole lines that hold one code block or table each, in order: never split.
    pub atoms: Vec<Range<usize>>,
    /// Start of the opening line of a fence that runs to the end of the text without a closing line.
    pub unclosed_fence: Option<usize>,
    /// Inline and reference links and images outside code, in order; autolinks and footnote marks are not.
    pub links: Vec<Link>,
}

/// The structure of a text without frontmatter.
#[must_use]
pub fn outline(text: &str) -> Outline {
    let source = with_newline(text);
    let mut builder = Builder::new(&source);
    for (event, range) in parser(&source).into_offset_iter() {
        builder.event(&event, range);
    }
    builder.finish(text.len())
}

/// The plain text of one line of inline Markdown, as [`Heading::text`] would have it.
#[must_use]
pub fn plain_line(line: &str) -> String {
    let line = collapse(line);
    outline(&format!("# {line}"))
        .headings
        .pop()
        .map_or(line, |heading| heading.text)
}

/// The line that closes the code fence which `content`, taken alone, leaves open at its end; `None` if it leaves
/// none. The line goes on a line of its own and comes without newline.
///
/// A fence in a list item or a quote counts too, although the end of its container would end it: what follows the
/// content may look like a part of the container. The line then carries the indentation and the `>` of the opening.
#[must_use]
pub fn open_fence(content: &str) -> Option<String> {
    if !content.contains("```") && !content.contains("~~~") {
        return None;
    }
    let source = with_newline(content);
    let fence = parser(&source)
        .into_offset_iter()
        .find_map(|(event, range)| {
            let is_open = is_fence(&event) && runs_out(&source, &range);
            is_open.then_some(range.start)
        })?;
    closing_line(&source, fence)
}

fn parser(source: &str) -> Parser<'_> {
    // Tables must not be split. No other extension: footnotes and the like would only move headings into containers
    // that a reader of plain CommonMark does not see.
    Parser::new_ext(source, Options::ENABLE_TABLES)
}

fn is_fence(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)))
    )
}

/// The text with a newline at its end: only then does the parser tell a closing fence from the end of the text.
fn with_newline(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{text}\n"))
    }
}

/// Whether a fenced block at `range` goes to the end of the source without a closing line. A closing line's newline
/// does not belong to the range; any other last line's does.
fn runs_out(source: &str, range: &Range<usize>) -> bool {
    range.end == source.len()
}

/// The closing line for the fence that opens at `fence`: what stands before the fence, so that its containers go
/// on, with list markers as spaces, and as many fence characters as the opening has.
fn closing_line(source: &str, fence: usize) -> Option<String> {
    let (before, opening) = source.split_at_checked(fence)?;
    let prefix = before.rsplit(['\n', '\r']).next()?;
    let mark = opening.chars().next()?;
    let ticks = opening.chars().take_while(|c| *c == mark);
    Some(
        prefix
            .chars()
            .map(|c| if matches!(c, '>' | '\t') { c } else { ' ' })
            .chain(ticks)
            .collect(),
    )
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a heading while its events go by.
#[derive(Default)]
struct HeadingText {
    text: String,
    /// Inline HTML, which is no text; it stands in where there is no other.
    html: String,
    /// Length of `text` up to which it is code, which is never an attribute.
    code_end: usize,
}

impl HeadingText {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) => self.text.push_str(text),
            Event::Code(code) => {
                self.text.push_str(code);
                self.code_end = self.text.len();
            }
            Event::InlineHtml(html) => self.html.push_str(html),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            _ => {}
        }
    }

    fn finish(mut self) -> String {
        if let Some(kept) = self.before_id() {
            self.text.truncate(kept);
        }
        let text = collapse(&self.text);
        if text.is_empty() {
            collapse(&self.html)
        } else {
            text
        }
    }

    /// Length of the text without a trailing `{#id}`, which some renderers take as the heading's anchor.
    fn before_id(&self) -> Option<usize> {
        let (before, id) = self.text.trim_end().strip_suffix('}')?.rsplit_once("{#")?;
        let is_id = !id.is_empty() && id.chars().all(|c| !c.is_whitespace() && !"{}#".contains(c));
        (is_id && before.len() >= self.code_end).then_some(before.len())
    }
}

/// Collects an outline from the parser's events.
struct Builder<'a> {
    source: &'a str,
    /// Start of every line: a block may stand far behind it on an enormous line.
    lines: Vec<usize>,
    outline: Outline,
    /// Number of open blocks and inlines.
    depth: usize,
    /// Number of open quotes, lists and list items.
    containers: usize,
    heading: Option<HeadingText>,
    /// Line starts with more than [`Strength::Line`].
    marks: Vec<Cut>,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str) -> Self {
        let newlines = source.match_indices('\n');
        Self {
            source,
            lines: std::iter::once(0)
                .chain(newlines.map(|(at, _)| at + 1))
                .collect(),
            outline: Outline::default(),
            depth: 0,
            containers: 0,
            heading: None,
            marks: Vec::new(),
        }
    }

    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => {
                self.start(tag, range);
                self.depth += 1;
            }
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(*end);
            }
            Event::Rule => self.mark(range.start),
            _ => {
                if let Some(heading) = &mut self.heading {
                    heading.event(event);
                }
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.mark(range.start);
                if self.depth == 0 {
                    self.open_heading(*level as u8, &range);
                }
            }
            Tag::CodeBlock(kind) => {
                self.mark(range.start);
                let is_fence = matches!(kind, CodeBlockKind::Fenced(_));
                if is_fence && runs_out(self.source, &range) {
                    self.outline.unclosed_fence = Some(self.line_start(range.start));
                }
                self.atom(&range);
            }
            Tag::Table(_) => {
                self.mark(range.start);
                self.atom(&range);
            }
            Tag::Paragraph | Tag::HtmlBlock => self.mark(range.start),
            Tag::BlockQuote(_) | Tag::List(_) => {
                self.mark(range.start);
                self.containers += 1;
            }
            Tag::Item => {
                let strength = if self.containers == 1 {
                    Strength::Item
                } else {
                    Strength::Inner
                };
                self.mark_as(range.start, strength);
                self.containers += 1;
            }
            Tag::Link {
                link_type,
                dest_url,
                ..
            }
            | Tag::Image {
                link_type,
                dest_url,
                ..
            } => self.link(*link_type, dest_url, range),
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.containers = self.containers.saturating_sub(1);
            }
            TagEnd::Heading(_) => {
                let text = self.heading.take().map(HeadingText::finish);
                if let (Some(text), Some(heading)) = (text, self.outline.headings.last_mut()) {
                    heading.text = text;
                }
            }
            _ => {}
        }
    }

    /// Offset of the start of the line that holds `at`.
    fn line_start(&self, at: usize) -> usize {
        let nth = self.lines.partition_point(|start| *start <= at);
        let before = nth.checked_sub(1).and_then(|nth| self.lines.get(nth));
        before.copied().unwrap_or(0)
    }

    /// Offset just after the line that ends at or holds `at`: `at` itself if a line starts there.
    fn line_end(&self, at: usize) -> usize {
        let nth = self.lines.partition_point(|start| *start < at);
        self.lines.get(nth).copied().unwrap_or(self.source.len())
    }

    fn open_heading(&mut self, level: u8, range: &Range<usize>) {
        let start = self.line_start(range.start);
        if let Some(last) = self.outline.headings.last_mut() {
            // Two on one line: a carriage return alone, which the reader never leaves, ends one for the parser.
            if last.start >= start {
                return;
            }
            last.end = last.end.min(start);
        }
        self.outline.headings.push(Heading {
            level,
            text: String::new(),
            start,
            end: self.line_end(range.end),
        });
        self.heading = Some(HeadingText::default());
    }

    fn link(&mut self, link_type: LinkType, target: &str, range: Range<usize>) {
        let is_auto = matches!(link_type, LinkType::Autolink | LinkType::Email);
        // `[^1]: word` is a link definition to CommonMark and a footnote to everybody else.
        let is_footnote = self
            .source
            .get(range.start..)
            .is_some_and(|rest| rest.starts_with("[^"));
        if !is_auto && !is_footnote {
            self.outline.links.push(Link {
                target: target.to_owned(),
                start: range.start,
                end: range.end,
            });
        }
    }

    fn atom(&mut self, range: &Range<usize>) {
        self.outline
            .atoms
            .push(self.line_start(range.start)..self.line_end(range.end));
    }

    fn mark(&mut self, at: usize) {
        let strength = if self.depth == 0 {
            Strength::Block
        } else {
            Strength::Inner
        };
        self.mark_as(at, strength);
    }

    fn mark_as(&mut self, at: usize, strength: Strength) {
        self.marks.push(Cut {
            at: self.line_start(at),
            strength,
        });
    }

    /// The outline, with offsets up to `len`: the length before a newline was added.
    fn finish(mut self, len: usize) -> Outline {
        self.outline.cuts = self.cuts();
        let outline = &mut self.outline;
        outline
            .headings
            .iter_mut()
            .for_each(|heading| heading.end = heading.end.min(len));
        outline
            .atoms
            .iter_mut()
            .for_each(|atom| atom.end = atom.end.min(len));
        self.outline
    }

    /// Every line that may start a part, with the strongest mark on it.
    fn cuts(&mut self) -> Vec<Cut> {
        self.marks.sort_by_key(|mark| mark.at);
        let mut marks = self.marks.iter().peekable();
        let mut atoms = self.outline.atoms.iter().peekable();
        let mut cuts = Vec::new();
        let mut at = 0;
        for line in self.source.split_inclusive('\n') {
            let mut strength = Strength::Line;
            while let Some(mark) = marks.next_if(|mark| mark.at <= at) {
                if mark.at == at {
                    strength = strength.max(mark.strength);
                }
            }
            while atoms.next_if(|atom| atom.end <= at).is_some() {}
            let is_inside = atoms.peek().is_some_and(|atom| atom.start < at);
            if !is_inside && !line.trim().is_empty() {
                cuts.push(Cut { at, strength });
            }
            at += line.len();
        }
        cuts
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
pub(crate) mod tests;
