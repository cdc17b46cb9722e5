//! What stands in the section of a resolved link, and what does it cost?

use super::templates;
use crate::materialize::envelope::{NO_ROLE, envelope, harmless};
use crate::materialize::resolve::{Ref, Resolved};
use crate::materialize::roles::{Role, apply};
use crate::materialize::weight::{Weight, weight};
use crate::text::neutralise::{excerpt, one_line};
use crate::text::tokens::Tokenizer;
use askama::Template as _;
use vibey_context_contracts::materialize::Cut;
use vibey_context_contracts::redact::secret_kinds;
use vibey_context_contracts::visible::count_hidden;

/// Characters of a title. It stands in a heading, and a document may call itself anything.
const TITLE_MAX_CHARS: usize = 120;

/// A resolved link in the file.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// Place among all links.
    pub(crate) index: usize,
    pub(crate) uri: String,
    pub(crate) label: Option<String>,
    pub(crate) role: Option<Role>,
    pub(crate) resolved: Resolved,
    /// What is left of the document.
    pub(crate) cut: Cut,
    /// What the role table left before a ceiling took more.
    before_ceiling: Cut,
    /// Tokens of the content before a ceiling took more.
    pub(super) tokens_before_ceiling: u64,
    /// Tokens of the whole document.
    tokens_whole: u64,
    /// Tokens of what is left.
    pub(crate) tokens: u64,
    /// Imitated markers in it.
    pub(crate) neutralised: u64,
    /// Kinds of the shapes of secrets in the whole document, one for each.
    pub(crate) secrets: Vec<&'static str>,
    /// Invisible characters in the whole document.
    pub(crate) hidden: u64,
    /// The content as it stands in the envelope.
    content: String,
    /// The section as it stands in the file.
    pub(super) text: String,
    pub(super) weight: Weight,
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

/// What of a document would be left by a cut.
struct Shortened {
    cut: Cut,
    body: String,
}

/// The cut of a document; all of it where the cut is not smaller.
fn shorten(resolved: &Resolved, cut: Cut, tokenizer: Tokenizer) -> Shortened {
    let whole = &resolved.document.body;
    let body = apply(
        cut,
        &resolved.document,
        &short_title(&resolved.title),
        tokenizer,
    );
    if cut != Cut::Full && body.len() < whole.len() {
        return Shortened { cut, body };
    }
    Shortened {
        cut: Cut::Full,
        body: whole.clone(),
    }
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
        tokenizer: Tokenizer,
    ) -> Result<Self, askama::Error> {
        let whole = &resolved.document.body;
        let mut section = Self {
            index,
            uri: one.uri.clone(),
            label: one.label.clone(),
            role: one.role,
            resolved: resolved.clone(),
            cut: Cut::Full,
            before_ceiling: Cut::Full,
            tokens_before_ceiling: 0,
            tokens_whole: tokenizer.count(whole),
            tokens: 0,
            neutralised: 0,
            secrets: secret_kinds(whole),
            hidden: count_hidden(whole).map_or(0, |(_, count)| u64::from(count)),
            content: String::new(),
            text: String::new(),
            weight: Weight::default(),
            trim_weight: LineWeight::default(),
        };
        section.put(shorten(resolved, cut, tokenizer), tokenizer)?;
        section.before_ceiling = section.cut;
        section.tokens_before_ceiling = section.tokens;
        Ok(section)
    }

    /// The same cut further; `None` where that would not be smaller.
    pub(super) fn lower(
        &self,
        cut: Cut,
        tokenizer: Tokenizer,
    ) -> Result<Option<Self>, askama::Error> {
        let shortened = shorten(&self.resolved, cut, tokenizer);
        if shortened.cut != cut || shortened.body.len() >= self.content.len() {
            return Ok(None);
        }
        let mut lower = self.clone();
        lower.put(shortened, tokenizer)?;
        let line = format!("- {}\n", lower.trim_line());
        lower.trim_weight = LineWeight {
            inner: weight(&line, tokenizer),
            last: weight(&format!("{line}\n"), tokenizer),
        };
        Ok(Some(lower))
    }

    fn put(&mut self, shortened: Shortened, tokenizer: Tokenizer) -> Result<(), askama::Error> {
        let (content, neutralised) = harmless(&shortened.body);
        self.content = content.into_owned();
        self.neutralised = neutralised;
        self.cut = shortened.cut;
        self.tokens = tokenizer.count(&self.content);
        let fetched = &self.resolved.fetched_at;
        let envelope = envelope(&self.uri, self.label.as_deref(), fetched, &self.content);
        let section = templates::RefSection {
            title: one_line(&short_title(&self.resolved.title)),
            uri: one_line(&self.uri),
            role: one_line(self.label.as_deref().unwrap_or(NO_ROLE)),
            status: self.status(),
            source: one_line(&self.resolved.source),
            envelope: envelope.trim_end_matches('\n'),
        };
        self.text = format!("{}\n\n", section.render()?.trim_end_matches('\n'));
        self.weight = weight(&self.text, tokenizer);
        Ok(())
    }

    fn status(&self) -> String {
        match self.cut {
            Cut::Full => "resolved".to_owned(),
            cut => format!(
                "resolved, {} ({} of {} tokens)",
                cut.label(),
                self.tokens,
                self.tokens_whole
            ),
        }
    }

    /// Whether a ceiling has cut it further.
    pub(super) fn is_trimmed_by_ceiling(&self) -> bool {
        self.cut != self.before_ceiling
    }

    /// Its line in `## Budget trims`.
    pub(super) fn trim_line(&self) -> String {
        format!(
            "{} ({}): {} → {}, {} → {} tokens",
            one_line(&self.uri),
            one_line(self.label.as_deref().unwrap_or(NO_ROLE)),
            self.before_ceiling.label(),
            self.cut.label(),
            self.tokens_before_ceiling,
            self.tokens
        )
    }
}
