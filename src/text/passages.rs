//! What do the paragraphs, list items and table rows of a Markdown text say, one line each?

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What a passage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A paragraph.
    Paragraph,
    /// The first paragraph of a list item.
    Item,
    /// A row of a table, its head left out.
    Row,
}

/// A paragraph, list item or table row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// What it is.
    pub kind: Kind,
    /// Plain text in one line: emphasis, links and code flattened, whitespace collapsed; cells of a row with ` — ` between.
    pub text: String,
    /// Its code spans, in order.
    pub codes: Vec<String>,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset just after it; of an item, after everything that belongs to it.
    pub end: usize,
}

/// The passages of a text, in order. What stands in headings, code blocks and HTML is none.
#[must_use]
pub fn passages(text: &str) -> Vec<Passage> {
    let mut reader = Reader::default();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        reader.event(&event, range);
    }
    reader.close();
    reader.passages
}

#[derive(Default)]
struct Reader {
    passages: Vec<Passage>,
    /// The passage that is being read.
    open: Option<Passage>,
    /// Whether what goes by is the text of a heading, a code block or the head of a table.
    outside: bool,
}

impl Reader {
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(end) => self.end(*end),
            _ if self.outside => {}
            Event::Text(text) => self.push(text),
            Event::Code(code) => {
                self.push(code);
                if let Some(open) = &mut self.open {
                    open.codes.push(code.to_string());
                }
            }
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Item => self.begin(Kind::Item, range),
            Tag::TableRow => self.begin(Kind::Row, range),
            // The first paragraph of a loose item is the item's own text.
            Tag::Paragraph if self.open.as_ref().is_some_and(|open| open.text.is_empty()) => {}
            Tag::Paragraph => self.begin(Kind::Paragraph, range),
            Tag::TableCell => self.separate(),
            Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::TableHead => {
                self.close();
                self.outside = true;
            }
            Tag::List(_) | Tag::BlockQuote(_) | Tag::Table(_) => self.close(),
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::TableHead => {
                self.outside = false
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::TableRow => self.close(),
            _ => {}
        }
    }

    fn begin(&mut self, kind: Kind, range: Range<usize>) {
        self.close();
        self.open = Some(Passage {
            kind,
            text: String::new(),
            codes: Vec::new(),
            start: range.start,
            end: range.end,
        });
    }

    fn push(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
        }
    }

    /// A mark between two cells of a row.
    fn separate(&mut self) {
        if self.open.as_ref().is_some_and(|open| !open.text.is_empty()) {
            self.push(" — ");
        }
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        open.text = open.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !open.text.is_empty() {
            self.passages.push(open);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(text: &str) -> Vec<(Kind, String)> {
        passages(text)
            .into_iter()
            .map(|one| (one.kind, one.text))
            .collect()
    }

    #[test]
    fn paragraphs_items_and_rows_are_lines() {
        let text = "# Head\n\nOne *two*\nthree.\n\n- [x] `a.rs`: done\n  - inner\n- loose\n\n  more\n\n1) [✓] last\n\n\
                    | File | Why |\n| --- | --- |\n| `b.rs` | new |\n\n```\n- [x] code\n```\n<!-- - [x] hidden -->\n";
        assert_eq!(
            told(text),
            [
                (Kind::Paragraph, "One two three.".to_owned()),
                (Kind::Item, "[x] a.rs: done".to_owned()),
                (Kind::Item, "inner".to_owned()),
                (Kind::Item, "loose".to_owned()),
                (Kind::Paragraph, "more".to_owned()),
                (Kind::Item, "[✓] last".to_owned()),
                (Kind::Row, "b.rs — new".to_owned()),
            ]
        );
        let codes: Vec<_> = passages(text)
            .into_iter()
            .flat_map(|one| one.codes)
            .collect();
        assert_eq!(codes, ["a.rs", "b.rs"]);
    }

    proptest! {
        #[test]
        fn every_passage_is_one_line_of_the_text(text in "[-*>|`#\\[\\]x a\n]{0,60}") {
            for passage in passages(&text) {
                prop_assert!(!passage.text.is_empty() && !passage.text.contains('\n'));
                prop_assert!(text.get(passage.start..passage.end).is_some());
            }
        }
    }
}
