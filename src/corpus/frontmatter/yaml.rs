//! Strict YAML: a block becomes key-value pairs, or the place of its first fault.
//!
//! Reads parser events, so that scalars keep their source text and anchors, aliases and tags are seen before
//! anything is built from them: an alias is never expanded.

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, Span, StrInput, StructureStyle};
use vibey_context_contracts::diagnostic::{Code, Finding};

use super::scalar::{self, shown};
pub(super) use crate::text::yaml::Place;
use crate::text::yaml::reason_of;

/// Collections inside collections. Frontmatter needs three levels; the limit bounds the recursion below.
const NESTING_LIMIT: usize = 64;

impl Place {
    /// A finding here.
    pub(super) fn finding(self, code: Code, message: impl Into<String>) -> Finding {
        Finding::at(code, self.line, self.column, message)
    }
}

/// A value and where it starts; for a refused one, where the reason of the refusal stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) value: Value,
}

/// What stands behind a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// A scalar by its text; a plain one could mean something other than text.
    Scalar { text: String, plain: bool },
    /// A list.
    List(Vec<Node>),
    /// A mapping. `line` is its source text where it is an item `- key: value` of a list, which is meant as text
    /// more often than not.
    Map {
        pairs: Vec<Pair>,
        line: Option<String>,
    },
    /// Not valid YAML, or not meant as YAML: the source text.
    Raw(String),
    /// Uses what is named here, and is not read.
    Refused(&'static str),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) value: Node,
}

/// A block that is valid YAML.
#[derive(Debug)]
pub(super) struct Document {
    /// Top-level pairs in source order, duplicates included.
    pub(super) pairs: Vec<Pair>,
    /// What was found although it is valid: tabs, placeholders.
    pub(super) findings: Vec<Finding>,
}

impl Document {
    /// A top-level key starts in the line.
    pub(super) fn has_key_in(&self, line: u32) -> bool {
        self.pairs.iter().any(|pair| pair.place.line == line)
    }
}

/// Why a text is not valid.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: Place,
    /// A short fragment, in the parser's words.
    pub(super) reason: String,
    /// The name of an alias without anchor, if that is the reason.
    pub(super) alias: Option<String>,
}

impl Fault {
    pub(super) fn new(place: Place, reason: &str) -> Self {
        Self {
            place,
            reason: reason.to_owned(),
            alias: None,
        }
    }
}

/// Parses `source`, whose first line is line `first_line` of the file, as one mapping. Blank text and comments are
/// an empty mapping.
pub(super) fn parse(source: &str, first_line: u32) -> Result<Document, Fault> {
    let mut builder = Builder {
        source,
        first_line,
        parser: Parser::new_from_str_with_options(source, options()),
        end: Marker::new(0, 1, 0).with_byte_offset(Some(0)),
        refusal: None,
        findings: Vec::new(),
    };
    let pairs = builder.document()?;
    Ok(Document {
        pairs,
        findings: builder.findings,
    })
}

fn options() -> Options {
    granit_parser::options! {
        disallow_directives: true,
        // The reader has stripped the mark of the file; another one is data.
        bom_inside_document_as_content: true,
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        emit_comments: false,
        flow_nesting_limit: NESTING_LIMIT,
        block_nesting_limit: NESTING_LIMIT,
    }
}

struct Builder<'s> {
    source: &'s str,
    first_line: u32,
    parser: Parser<'s, StrInput<'s>>,
    /// Where the last node ended.
    end: Marker,
    /// The first thing to refuse within the current top-level pair.
    refusal: Option<(Place, &'static str)>,
    findings: Vec<Finding>,
}

impl<'s> Builder<'s> {
    fn document(&mut self) -> Result<Vec<Pair>, Fault> {
        let mut pairs = Vec::new();
        let mut documents = 0;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(pairs),
                Event::DocumentStart(..) if documents > 0 => {
                    return Err(self.fault(&span.start, "a second document begins here"));
                }
                Event::DocumentStart(..) => documents += 1,
                Event::StreamStart | Event::DocumentEnd => {}
                Event::MappingStart(..) => {
                    self.properties(&event, &span)?;
                    // Properties of the block as a whole do not touch the values in it.
                    if let Some((place, what)) = self.refusal.take() {
                        let message = format!("the block uses {what}, which is ignored");
                        self.findings.push(place.finding(Code::FmRefused, message));
                    }
                    pairs = self.mapping(true)?;
                }
                Event::Scalar(..) if span.is_empty() => {}
                _ => return Err(self.fault(&span.start, "the block is not a list of `key: value`")),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'s>, Span), Fault> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, span)),
            Some(Err(error)) => Err(self.fault(error.marker(), &reason_of(&error))),
            None => {
                let end = self.end;
                Err(self.fault(&end, "the text ends too early"))
            }
        }
    }

    fn mapping(&mut self, top: bool) -> Result<Vec<Pair>, Fault> {
        let mut pairs = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                self.close(&span);
                return Ok(pairs);
            }
            let place = self.place(&span.start);
            let key_start = span.start.byte_offset();
            let merge =
                matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let key = self.node(event, &span)?;
            if merge {
                self.refuse("a merge key", place);
            }
            let key = match key.value {
                Value::Scalar { text, .. } => text,
                _ => self.slice(key_start).to_owned(),
            };
            self.tab_behind_key();

            let (event, span) = self.next()?;
            let start = span.start.byte_offset();
            let placeholder = top
                && matches!(event, Event::MappingStart(StructureStyle::Flow, ..))
                && start.is_some_and(|start| self.after(start).starts_with("{{"));
            let mut value = self.node(event, &span)?;
            if placeholder {
                // `{{ name }}` is a template's placeholder; that it also is a mapping in a mapping means nothing.
                value.value = Value::Raw(self.slice(start).to_owned());
                let message = format!(
                    "`{{{{` in `{}` opens a YAML mapping; read as plain text",
                    shown(&key)
                );
                self.findings
                    .push(value.place.finding(Code::FmRecovered, message));
            }
            if top && let Some((place, what)) = self.refusal.take() {
                value = Node {
                    place,
                    value: Value::Refused(what),
                };
            }
            pairs.push(Pair { key, place, value });
        }
    }

    fn sequence(&mut self) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                self.close(&span);
                return Ok(nodes);
            }
            let block = matches!(event, Event::MappingStart(StructureStyle::Block, ..));
            let mut node = self.node(event, &span)?;
            if let Value::Map { line, .. } = &mut node.value {
                let mut source = self.slice(span.start.byte_offset()).trim_end().to_owned();
                if self.rest().starts_with(':') {
                    // A value that is not there ends before the colon.
                    source.push(':');
                }
                *line = (block && !source.contains('\n')).then_some(source);
            }
            nodes.push(node);
        }
    }

    /// Moves to the end of a collection. One without brackets ends with its last node, wherever its end is noticed.
    fn close(&mut self, span: &Span) {
        if !span.is_empty() {
            self.end = span.end;
        }
    }

    fn node(&mut self, event: Event<'s>, span: &Span) -> Result<Node, Fault> {
        let place = self.place(&span.start);
        self.end = span.end;
        self.properties(&event, span)?;
        let value = match event {
            Event::Scalar(text, style, ..) => Value::Scalar {
                // The parser writes `~` for a value that is not there.
                text: if span.is_empty() {
                    String::new()
                } else {
                    text.into_owned()
                },
                plain: style == ScalarStyle::Plain,
            },
            Event::SequenceStart(..) => Value::List(self.sequence()?),
            Event::MappingStart(..) => Value::Map {
                pairs: self.mapping(false)?,
                line: None,
            },
            Event::Alias(_) => {
                self.refuse("an alias", place);
                Value::Refused("an alias")
            }
            Event::UnresolvedAlias(name) => {
                let mut fault = self.fault(&span.start, "an alias without anchor");
                fault.alias = Some(name.into_owned());
                return Err(fault);
            }
            _ => return Err(self.fault(&span.start, "a value is missing")),
        };
        Ok(Node { place, value })
    }

    /// Notes the tag and the anchor of a node; the parser reports an anchor directly behind its node.
    fn properties(&mut self, event: &Event<'s>, span: &Span) -> Result<(), Fault> {
        if event.tag().is_some() {
            let place = self.place(&span.tag_start().unwrap_or(span.start));
            self.refuse("a tag", place);
        }
        if event.anchor_id().is_some() && !event.is_alias() {
            let (anchor, anchor_span) = self.next()?;
            if !matches!(anchor, Event::Anchor(..)) {
                return Err(self.fault(&anchor_span.start, "an anchor without node"));
            }
            let place = self.place(&anchor_span.start);
            self.refuse("an anchor", place);
        }
        Ok(())
    }

    fn refuse(&mut self, what: &'static str, place: Place) {
        if self.refusal.is_none_or(|(first, _)| place < first) {
            self.refusal = Some((place, what));
        }
    }

    /// A tab between a key and its value: valid in YAML 1.2, and a syntax error for most loaders of skills.
    fn tab_behind_key(&mut self) {
        let mut colon = false;
        let mut tab = None;
        for (index, character) in self.rest().chars().enumerate() {
            match character {
                '\t' => tab = tab.or(Some(index)),
                ' ' => {}
                ':' if !colon => colon = true,
                '\n' => return,
                _ => break,
            }
        }
        if let Some(index) = tab {
            let mut place = self.place(&self.end);
            place.column = place
                .column
                .saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
            self.findings
                .push(place.finding(Code::FmTab, "a tab stands between key and value"));
        }
    }

    fn after(&self, start: usize) -> &'s str {
        self.source.get(start..).unwrap_or_default()
    }

    /// The source behind the last node.
    fn rest(&self) -> &'s str {
        self.end.byte_offset().map_or("", |end| self.after(end))
    }

    /// The source from `start` to the end of the last node.
    fn slice(&self, start: Option<usize>) -> &'s str {
        start
            .zip(self.end.byte_offset())
            .and_then(|(start, end)| self.source.get(start..end))
            .unwrap_or_default()
    }

    fn place(&self, marker: &Marker) -> Place {
        Place::of(marker, self.first_line)
    }

    fn fault(&self, marker: &Marker, reason: &str) -> Fault {
        Fault::new(self.place(marker), reason)
    }
}

/// A value by its source text, without the blanks around it; `None` for nulls, lists and mappings (save an item
/// `- key: value` of a list).
pub(super) fn source_of(node: &Node) -> Option<String> {
    match &node.value {
        Value::Scalar { text, plain } if *plain && scalar::kind_of(text) == scalar::Kind::Null => {
            None
        }
        Value::Scalar { text, .. }
        | Value::Raw(text)
        | Value::Map {
            line: Some(text), ..
        } => {
            // An escape in double quotes can bring back what the reader has removed.
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_owned())
        }
        Value::List(_) | Value::Map { .. } | Value::Refused(_) => None,
    }
}
