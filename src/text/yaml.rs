//! What does a YAML mapping say, read strictly, and where does it go wrong?
//!
//! For files that people write for us: the frontmatter of an artifact, `config.yaml`, a registry. YAML 1.2 by parser
//! events, so that every value knows its place and anchors, aliases, tags and merge keys are refused before anything is
//! built from them: an alias can multiply a few hundred bytes to gigabytes. Skills are read by a reader of their own,
//! which repairs (`corpus::frontmatter`).

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, Span, StrInput};

/// Bytes of a document at most. Real ones have a few KiB; the bound keeps the cost of a hostile one flat.
pub(crate) const LIMIT_BYTES: usize = 64 * 1024;

/// Collections inside collections. Ours need four levels; the limit bounds the recursion below.
const NESTING_LIMIT: usize = 32;

/// A place in the file: line and column in Unicode scalar values, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    /// The place of a parser's marker in a text whose first line is line `first_line` of its file.
    pub(crate) fn of(marker: &Marker, first_line: u32) -> Self {
        let line = u32::try_from(marker.line().saturating_sub(1)).unwrap_or(u32::MAX);
        let column = u32::try_from(marker.col()).unwrap_or(u32::MAX);
        Self {
            line: first_line.saturating_add(line),
            column: column.saturating_add(1),
        }
    }
}

/// What a parser finds wrong, in its words.
pub(crate) fn reason_of(error: &ScanError) -> String {
    let text = error.kind().to_string();
    // "while parsing a node, did not find …": the part behind the comma says it all.
    match text.split_once(", ") {
        Some((head, tail)) if head.starts_with("while ") => tail.to_owned(),
        _ => text,
    }
}

/// Why a text is not read, and where that shows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) reason: String,
}

/// A value and where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// What stands behind a key or in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    /// Numbers and booleans too, by their text.
    Text(String),
    List(Vec<Node>),
    Map(Mapping),
}

/// Keys with their values, in the order of the file; no key stands twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mapping {
    pairs: Vec<(String, Node)>,
}

impl Mapping {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let found = self.pairs.iter().find(|(name, _)| name == key);
        found.map(|(_, node)| node)
    }

    /// The text of a key; `None` where it is missing, null or no scalar.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// Keys and values in the order of the file.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.pairs.iter().map(|(key, node)| (key.as_str(), node))
    }
}

impl Node {
    /// The text of a scalar without the blanks around it; `None` for null, an empty text, a list or a mapping.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    /// What stands where a text is expected; `None` where it is one, or nothing.
    pub(crate) fn not_a_text(&self) -> Option<&'static str> {
        match self.value {
            Value::List(_) => Some("a list"),
            Value::Map(_) => Some("a mapping"),
            Value::Null | Value::Text(_) => None,
        }
    }

    /// The mapping, where it is one.
    pub(crate) fn map(&self) -> Option<&Mapping> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }
}

/// Reads `source`, whose first line is line `first_line` of its file, as one mapping. Blank text, comments alone and
/// null are an empty mapping.
///
/// # Errors
/// The first fault, in the words of the parser or ours.
pub(crate) fn mapping(source: &str, first_line: u32) -> Result<Mapping, Fault> {
    let mut reader = Reader {
        first_line,
        parser: Parser::new_from_str_with_options(source, options()),
        end: Marker::new(0, 1, 0),
    };
    if source.len() > LIMIT_BYTES {
        let reason = format!("the YAML is larger than {LIMIT_BYTES} bytes");
        return Err(reader.fault(&reader.end, &reason));
    }
    reader.document()
}

fn options() -> Options {
    granit_parser::options! {
        disallow_directives: true,
        bom_inside_document_as_content: true,
        emit_unresolved_aliases: true,
        emit_anchor_events: false,
        emit_comments: false,
        flow_nesting_limit: NESTING_LIMIT,
        block_nesting_limit: NESTING_LIMIT,
    }
}

struct Reader<'s> {
    first_line: u32,
    parser: Parser<'s, StrInput<'s>>,
    /// Where the last event ended.
    end: Marker,
}

impl<'s> Reader<'s> {
    fn document(&mut self) -> Result<Mapping, Fault> {
        let mut found = None;
        let mut documents = 0;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(found.unwrap_or_default()),
                Event::DocumentStart(..) if documents > 0 => {
                    return Err(self.fault(&span.start, "a second document begins here"));
                }
                Event::DocumentStart(..) => documents += 1,
                Event::StreamStart | Event::DocumentEnd => {}
                event => {
                    found = match self.node(event, &span)?.value {
                        Value::Null => None,
                        Value::Map(map) => Some(map),
                        _ => return Err(self.fault(&span.start, "this is no list of `key: value`")),
                    };
                }
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'s>, Span), Fault> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.end = span.end;
                Ok((event, span))
            }
            Some(Err(error)) => Err(self.fault(error.marker(), &reason_of(&error))),
            None => Err(self.fault(&self.end, "the text ends too early")),
        }
    }

    fn node(&mut self, event: Event<'s>, span: &Span) -> Result<Node, Fault> {
        self.refuse(&event, span)?;
        let place = self.place(&span.start);
        let value = match event {
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                if plain && (span.is_empty() || is_null(&text)) {
                    Value::Null
                } else {
                    Value::Text(text.into_owned())
                }
            }
            Event::SequenceStart(..) => Value::List(self.list()?),
            Event::MappingStart(..) => Value::Map(self.map()?),
            _ => return Err(self.fault(&span.start, "a value is missing")),
        };
        Ok(Node { place, value })
    }

    fn list(&mut self) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok(nodes);
            }
            nodes.push(self.node(event, &span)?);
        }
    }

    fn map(&mut self) -> Result<Mapping, Fault> {
        let mut map = Mapping::default();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(map);
            }
            let merge =
                matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            if merge {
                return Err(self.fault(&span.start, "merge keys are not read"));
            }
            let Value::Text(key) = self.node(event, &span)?.value else {
                return Err(self.fault(&span.start, "a key must be text"));
            };
            if map.get(&key).is_some() {
                let reason = format!("key `{}` stands twice", key.escape_debug());
                return Err(self.fault(&span.start, &reason));
            }
            let (event, span) = self.next()?;
            let value = self.node(event, &span)?;
            map.pairs.push((key, value));
        }
    }

    /// Refuses what could multiply or disguise a value.
    fn refuse(&self, event: &Event<'s>, span: &Span) -> Result<(), Fault> {
        let what = match event {
            Event::Alias(_) | Event::UnresolvedAlias(_) => "aliases are not read",
            event if event.anchor_id().is_some() => "anchors are not read",
            event if event.tag().is_some() => "tags are not read",
            _ => return Ok(()),
        };
        let at = span.tag_start().unwrap_or(span.start);
        Err(self.fault(&at, what))
    }

    fn place(&self, marker: &Marker) -> Place {
        Place::of(marker, self.first_line)
    }

    fn fault(&self, marker: &Marker, reason: &str) -> Fault {
        Fault {
            place: self.place(marker),
            reason: reason.to_owned(),
        }
    }
}

/// The spellings of null in YAML 1.2's core schema.
fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fault(source: &str) -> (u32, u32, String) {
        let fault = mapping(source, 10).unwrap_err();
        (fault.place.line, fault.place.column, fault.reason)
    }

    #[test]
    fn values_keep_their_text_and_their_place() {
        let map = mapping("a: 010\nb: [x, {c: yes}]\nd: ~\ne:\nf: \"~\"\n", 3).unwrap();
        assert_eq!(map.text("a"), Some("010"));
        assert_eq!(map.text("f"), Some("~"));
        for null in ["d", "e"] {
            assert_eq!(map.get(null).unwrap().value, Value::Null);
        }
        let Value::List(items) = &map.get("b").unwrap().value else {
            panic!("{map:?}");
        };
        assert_eq!(items[0].text(), Some("x"));
        assert_eq!(items[1].place, Place { line: 4, column: 8 });
        assert_eq!(items[1].map().unwrap().text("c"), Some("yes"));
    }

    #[test]
    fn nothing_is_an_empty_mapping() {
        for source in ["", "\n\n", "# only a comment\n", "---\n", "~\n"] {
            assert_eq!(
                mapping(source, 1).unwrap(),
                Mapping::default(),
                "{source:?}"
            );
        }
    }

    #[test]
    fn what_is_refused_is_named_with_its_place() {
        for (source, line, column, word) in [
            ("a: 1\nb: 2\na: 3\n", 12, 1, "twice"),
            ("a: &x 1\n", 10, 7, "anchors"),
            ("a: *x\n", 10, 4, "aliases"),
            ("a: !!str 1\n", 10, 4, "tags"),
            ("<<: {a: 1}\n", 10, 1, "merge"),
            ("? [a]\n: 1\n", 10, 3, "key"),
            ("- a\n", 10, 1, "no list"),
            ("a: 1\n---\nb: 2\n", 11, 1, "second document"),
        ] {
            let (at_line, at_column, reason) = fault(source);
            assert!(reason.contains(word), "{source:?}: {reason}");
            assert_eq!((at_line, at_column), (line, column), "{source:?}: {reason}");
        }
    }

    #[test]
    fn a_syntax_error_has_its_place() {
        let (line, _, _) = fault("a: 1\nb: [1, 2\nc: 3\n");
        assert!((11..=13).contains(&line), "{line}");
    }

    #[test]
    fn a_large_or_deep_document_is_refused() {
        let large = format!("a: {}\n", "x".repeat(LIMIT_BYTES));
        assert!(fault(&large).2.contains("larger than"));
        let deep = format!("a: {}{}\n", "[".repeat(200), "]".repeat(200));
        assert!(mapping(&deep, 1).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(source in "[a-c:\\-{}\\[\\]&*!<?#'\"~, \n]{0,60}|.*") {
            let _ = mapping(&source, 1);
        }

        #[test]
        fn quoted_text_comes_back(text in "[ -~]{0,40}") {
            let source = format!("k: {}\n", serde_json::to_string(&text).unwrap());
            let map = mapping(&source, 1).unwrap();
            prop_assert_eq!(&map.get("k").unwrap().value, &Value::Text(text));
        }
    }
}
