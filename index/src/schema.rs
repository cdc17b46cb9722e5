//! The fields of the engine's documents.
//!
//! Skill documents come first, one for each skill in record order; then one document for each section, in the order
//! of skills and of sections within them. A document's number therefore says what it is, and nothing is stored.

use crate::analysis::FORM_MARK;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Name of the tokenizer that takes terms as [`crate::analysis::Analyzer::lines`] writes them.
pub(crate) const TOKENIZER: &str = "lines";

/// A field of skill documents that is searched by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillField {
    /// Name of the skill and of its folder.
    Name,
    /// Name of the plugin.
    Plugin,
    /// Description.
    Description,
    /// Values of the retrieval keys.
    Tags,
    /// All headings.
    Headings,
    /// The whole text, headings included.
    Body,
}

impl SkillField {
    /// Every field, in the order of the schema.
    pub const ALL: [SkillField; 6] = [
        Self::Name,
        Self::Plugin,
        Self::Description,
        Self::Tags,
        Self::Headings,
        Self::Body,
    ];

    /// Whether the index knows where in the field a word stands: what pairs of neighbouring words are looked up in.
    pub(crate) fn has_positions(self) -> bool {
        !matches!(self, Self::Plugin | Self::Tags)
    }

    /// Name of the field, as explanations print it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Plugin => "plugin",
            Self::Description => "description",
            Self::Tags => "tags",
            Self::Headings => "headings",
            Self::Body => "body",
        }
    }
}

/// A field of section documents that is searched by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionField {
    /// The section's own heading and those above it.
    Heading,
    /// The section's text.
    Text,
}

impl SectionField {
    /// Every field, in the order of the schema.
    pub const ALL: [SectionField; 2] = [Self::Heading, Self::Text];

    /// Name of the field, as explanations print it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Heading => "heading",
            Self::Text => "text",
        }
    }
}

/// The fields of the schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// One per [`SkillField`].
    pub(crate) skill: [Field; 6],
    /// One per [`SectionField`].
    pub(crate) section: [Field; 2],
}

/// Number of fields: those of skills, then those of sections.
pub(crate) const FIELDS: usize = SkillField::ALL.len() + SectionField::ALL.len();

/// What a name says of a skill; its first character in the dictionary of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// The skill is in this plugin.
    Plugin,
    /// The skill answers to this name: frontmatter name, folder name, or `plugin/skill`.
    Skill,
}

impl Key {
    /// The name as the dictionary has it.
    pub(crate) fn term(self, name: &str) -> String {
        match self {
            Self::Plugin => format!("p{name}"),
            Self::Skill => format!("s{name}"),
        }
    }
}

/// The keys of a skill, and of a copy, by what it is called.
pub(crate) fn keys(plugin: &str, skill: &str, folder: &str) -> [String; 5] {
    [
        Key::Plugin.term(plugin),
        Key::Skill.term(skill),
        Key::Skill.term(folder),
        Key::Skill.term(&format!("{plugin}/{skill}")),
        Key::Skill.term(&format!("{plugin}/{folder}")),
    ]
}

/// The schema; field numbers follow the order of this function.
pub(crate) fn schema() -> (Schema, Fields) {
    let words = |option| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(option)
            .set_fieldnorms(true);
        TextOptions::default().set_indexing_options(indexing)
    };
    let mut builder = Schema::builder();
    let skill = SkillField::ALL.map(|field| {
        let option = if field.has_positions() {
            IndexRecordOption::WithFreqsAndPositions
        } else {
            IndexRecordOption::WithFreqs
        };
        builder.add_text_field(&format!("skill_{}", field.as_str()), words(option))
    });
    let section = SectionField::ALL.map(|field| {
        let option = words(IndexRecordOption::WithFreqs);
        builder.add_text_field(&format!("section_{}", field.as_str()), option)
    });
    (builder.build(), Fields { skill, section })
}

/// Takes text that is already analysed: one term per line. A word's own form stands at the place of its stem.
#[derive(Clone, Default)]
pub(crate) struct LineTokenizer {
    token: Token,
}

/// The stream of [`LineTokenizer`].
pub(crate) struct LineStream<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for LineTokenizer {
    type TokenStream<'a> = LineStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LineStream<'a> {
        self.token.reset();
        LineStream {
            rest: text,
            token: &mut self.token,
        }
    }
}

impl TokenStream for LineStream<'_> {
    fn advance(&mut self) -> bool {
        // Byte by byte: a term is a few bytes long, and a search that is made for long texts costs more to begin.
        let rest = self.rest.trim_start_matches('\n');
        let end = rest.bytes().take_while(|byte| *byte != b'\n').count();
        let Some((line, rest)) = rest.split_at_checked(end).filter(|_| end > 0) else {
            return false;
        };
        self.rest = rest;
        self.token.text.clear();
        self.token.text.push_str(line);
        if !line.starts_with(FORM_MARK) {
            self.token.position = self.token.position.wrapping_add(1);
        }
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
