//! What stands in the section of a resolved link, and what does it cost?

use super::content::{Content, Known, Shelf};
use super::templates;
use crate::materialize::envelope::{NO_ROLE, closing, opening};
use crate::materialize::resolve::{Ref, Resolved};
use crate::materialize::roles::Role;
use crate::materialize::uri::last_segment;
use crate::materialize::weight::{Weight, weight};
use crate::text::neutralise::{excerpt, one_line};
use crate::text::tokens::Tokenizer;
use askama::Template as _;
use std::sync::Arc;
use vibey_context_contracts::materialize::Cut;

/// Characters of a title. It stands in a heading, and a document may call itself anything.
const TITLE_MAX_CHARS: usize = 120;

/// Titles of sections that are no documents.
const OUR_HEADINGS: [&str; 2] = ["Budget trims", "Unresolved refs"];

/// A resolved link in the file.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// Place among all links.
    pub(crate) index: usize,
    pub(crate) uri: String,
    pub(crate) label: Option<String>,
    pub(crate) role: Option<Role>,
    pub(crate) resolved: Resolved,
    /// What is known of the whole document.
    pub(crate) known: Arc<Known>,
    /// What the role table left before a ceiling took more.
    before_ceiling: Cut,
    /// Tokens of the content before a ceiling took more.
    pub(super) tokens_before_ceiling: u64,
    /// What is left of the document.
    content: Arc<Content>,
    /// What stands before the content.
    head: String,
    /// What stands behind it, with a blank line at its end.
    tail: String,
    pub(super) weight: Weight,
    /// The same with nothing behind it.
    pub(super) weight_at_end: Weight,
    /// What its line in `## Budget trims` costs, once a ceiling has cut it.
    pub(super) trim_weight: LineWeight,
}

/// What a line of a list costs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineWeight {
    /// With another line behind it.
    pub(super) inner: Weight,
    /// As the last one, with a blank line behind it.
    pub(super) last: Weight,
}

/// A title that fits into a heading.
pub(super) fn short_title(title: &str) -> String {
    excerpt(title, TITLE_MAX_CHARS)
}

impl Section {
    pub(super) fn new(
        index: usize,
        one: &Ref<Resolved>,
        resolved: &Resolved,
        cut: Cut,
        shelf: &mut Shelf,
        tokenizer: Tokenizer,
    ) -> Result<Self, askama::Error> {
        let known = shelf.known(&resolved.document);
        let title = short_title(&resolved.title);
        let content = shelf.content(&resolved.document, &title, cut);
        let mut section = Self {
            index,
            uri: one.uri.clone(),
            label: one.label.clone(),
            role: one.role,
            resolved: resolved.clone(),
            known,
            before_ceiling: content.cut,
            tokens_before_ceiling: content.tokens,
            content,
            head: String::new(),
            tail: format!("\n\n{}\n\n", closing(&one.uri)),
            weight: Weight::default(),
            weight_at_end: Weight::default(),
            trim_weight: LineWeight::default(),
        };
        section.dress(tokenizer)?;
        Ok(section)
    }

    /// The same cut further; `None` where that would not be smaller.
    pub(super) fn lower(
        &self,
        cut: Cut,
        shelf: &mut Shelf,
        tokenizer: Tokenizer,
    ) -> Result<Option<Self>, askama::Error> {
        let title = short_title(&self.resolved.title);
        let content = shelf.content(&self.resolved.document, &title, cut);
        if content.cut != cut || content.text().len() >= self.content.text().len() {
            return Ok(None);
        }
        let mut lower = Self {
            content,
            ..self.clone()
        };
        lower.dress(tokenizer)?;
        let line = format!("- {}\n", lower.trim_line());
        lower.trim_weight = LineWeight {
            inner: weight(&line, tokenizer),
            last: weight(&format!("{line}\n"), tokenizer),
        };
        Ok(Some(lower))
    }

    /// Writes what stands around the content.
    fn dress(&mut self, tokenizer: Tokenizer) -> Result<(), askama::Error> {
        let fetched = &self.resolved.fetched_at;
        let section = templates::RefSection {
            title: one_line(&self.heading()),
            uri: one_line(&self.uri),
            role: one_line(self.label.as_deref().unwrap_or(NO_ROLE)),
            status: self.status(),
            source: one_line(&self.resolved.source),
            envelope: &opening(&self.uri, self.label.as_deref(), fetched),
        };
        self.head = format!("{}\n\n", section.render()?.trim_end_matches('\n'));
        (self.weight, self.weight_at_end) = self.weigh(tokenizer);
        Ok(())
    }

    /// What the section costs, with a blank line behind it and as the last one.
    fn weigh(&self, tokenizer: Tokenizer) -> (Weight, Weight) {
        if tokenizer == Tokenizer::Estimate {
            let parts = [self.head.as_str(), self.content.text(), &self.tail];
            let all: Weight = parts.iter().map(|part| weight(part, tokenizer)).sum();
            return (all, all.without_last_byte());
        }
        // What a vocabulary makes of parts is not what it makes of the whole.
        let mut text = String::new();
        self.write(&mut text);
        let all = weight(&text, tokenizer);
        text.pop();
        (all, weight(&text, tokenizer))
    }

    /// Writes the section, with a blank line behind it.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str(&self.head);
        out.push_str(self.content.text());
        out.push_str(&self.tail);
    }

    /// What is left of the document.
    pub(crate) fn cut(&self) -> Cut {
        self.content.cut
    }

    /// Tokens of that.
    pub(crate) fn tokens(&self) -> u64 {
        self.content.tokens
    }

    /// Imitated markers in it.
    pub(crate) fn neutralised(&self) -> u64 {
        self.content.neutralised
    }

    /// The title, told from the sections that are ours.
    fn heading(&self) -> String {
        let title = short_title(&self.resolved.title);
        if OUR_HEADINGS
            .iter()
            .any(|ours| title.eq_ignore_ascii_case(ours))
        {
            format!("{title} ({})", last_segment(&self.uri))
        } else {
            title
        }
    }

    fn status(&self) -> String {
        match self.cut() {
            Cut::Full => "resolved".to_owned(),
            cut => format!(
                "resolved, {} ({} of {} tokens)",
                cut.label(),
                self.tokens(),
                self.known.tokens
            ),
        }
    }

    /// Whether a ceiling has cut it further.
    pub(super) fn is_trimmed_by_ceiling(&self) -> bool {
        self.cut() != self.before_ceiling
    }

    /// Its line in `## Budget trims`.
    pub(super) fn trim_line(&self) -> String {
        format!(
            "{} ({}): {} → {}, {} → {} tokens",
            one_line(&self.uri),
            one_line(self.label.as_deref().unwrap_or(NO_ROLE)),
            self.before_ceiling.label(),
            self.cut().label(),
            self.tokens_before_ceiling,
            self.tokens()
        )
    }
}
