//! What stands in `context.md`, and what does it cost?

use super::envelope::{NO_ROLE, envelope, harmless};
use super::resolve::{Ref, Resolved};
use super::roles::{Role, apply, trim_order};
use super::weight::{Weight, tokens, weight};
use crate::text::neutralise::{excerpt, one_line};
use crate::text::tokens::Tokenizer;
use askama::Template as _;
use std::cmp::Reverse;
use vibey_context_contracts::materialize::{Consumer, Counts, Cut};
use vibey_context_contracts::redact::count_secrets;
use vibey_context_contracts::visible::count_hidden;

mod templates;

pub(crate) use templates::{Broken, StaleRefs, yaml_text};

/// Characters of a title. It stands in a heading, and a document may call itself anything.
const TITLE_MAX_CHARS: usize = 120;

/// What is said about the artifact and the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) artifact: String,
    pub(crate) artifact_id: String,
    pub(crate) primary_project: String,
    pub(crate) title: String,
    /// RFC 3339.
    pub(crate) generated_at: String,
    pub(crate) consumer: Consumer,
    /// Empty for all.
    pub(crate) roles: Vec<Role>,
    /// Tokens of the whole file at most.
    pub(crate) max_tokens: Option<u64>,
    pub(crate) tokenizer: Tokenizer,
}

/// The file while it is put together.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) facts: Facts,
    /// One for each resolved link, in order.
    pub(crate) sections: Vec<Section>,
    /// The others, as they are listed.
    unresolved: Vec<Broken>,
    unresolved_text: String,
}

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
    tokens_before_ceiling: u64,
    /// Tokens of the whole document.
    tokens_whole: u64,
    /// Tokens of what is left.
    pub(crate) tokens: u64,
    /// Imitated markers in it.
    pub(crate) neutralised: u64,
    /// Shapes of secrets in the whole document.
    pub(crate) secrets: u64,
    /// Invisible characters in the whole document.
    pub(crate) hidden: u64,
    /// The content as it stands in the envelope.
    content: String,
    /// The section as it stands in the file.
    text: String,
    weight: Weight,
}

/// What of a document would be left by a cut.
pub(crate) struct Shortened {
    cut: Cut,
    body: String,
}

/// The cut of a document; all of it where the cut is not smaller.
pub(crate) fn shorten(resolved: &Resolved, cut: Cut, tokenizer: Tokenizer) -> Shortened {
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

impl Shortened {
    /// Tokens of what is left.
    pub(crate) fn tokens(&self, tokenizer: Tokenizer) -> u64 {
        tokenizer.count(&self.body)
    }
}

fn short_title(title: &str) -> String {
    excerpt(title, TITLE_MAX_CHARS)
}

impl Section {
    fn new(
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
            secrets: count_secrets(whole),
            hidden: count_hidden(whole).map_or(0, |(_, count)| u64::from(count)),
            content: String::new(),
            text: String::new(),
            weight: Weight::default(),
        };
        section.put(shorten(resolved, cut, tokenizer), tokenizer)?;
        section.before_ceiling = section.cut;
        section.tokens_before_ceiling = section.tokens;
        Ok(section)
    }

    /// Cuts further. Returns whether that made it smaller; if not, it stays as it is.
    fn lower(&mut self, cut: Cut, tokenizer: Tokenizer) -> Result<bool, askama::Error> {
        let shortened = shorten(&self.resolved, cut, tokenizer);
        if shortened.cut != cut || shortened.body.len() >= self.content.len() {
            return Ok(false);
        }
        self.put(shortened, tokenizer)?;
        Ok(true)
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
    fn is_trimmed_by_ceiling(&self) -> bool {
        self.cut != self.before_ceiling
    }

    fn trim_line(&self) -> String {
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

impl Page {
    /// The file with what the role table gives each link.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn new(
        facts: Facts,
        refs: &[Ref<Resolved>],
        cut: impl Fn(Option<Role>) -> Cut,
    ) -> Result<Self, askama::Error> {
        let mut sections = Vec::new();
        let mut unresolved = Vec::new();
        for (index, one) in refs.iter().enumerate() {
            match &one.outcome {
                Ok(resolved) => {
                    let cut = cut(one.role);
                    sections.push(Section::new(index, one, resolved, cut, facts.tokenizer)?);
                }
                Err(why) => {
                    unresolved.push(Broken::new(&one.uri, one.label.as_deref(), &why.reason));
                }
            }
        }
        let unresolved_text = if unresolved.is_empty() {
            String::new()
        } else {
            let list = templates::UnresolvedSection { refs: &unresolved };
            format!("{}\n", list.render()?.trim_end_matches('\n'))
        };
        Ok(Self {
            facts,
            sections,
            unresolved,
            unresolved_text,
        })
    }

    /// The sections in the order in which they give way to a ceiling: by role, the longest first.
    pub(crate) fn trim_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sections.len()).collect();
        order.sort_by_key(|at| {
            let section = &self.sections[*at];
            let longest_first = Reverse(section.tokens_before_ceiling);
            (trim_order(section.role), longest_first, *at)
        });
        order
    }

    /// Cuts one section further. Returns whether that made it smaller.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn lower(&mut self, section: usize, cut: Cut) -> Result<bool, askama::Error> {
        let tokenizer = self.facts.tokenizer;
        match self.sections.get_mut(section) {
            Some(section) => section.lower(cut, tokenizer),
            None => Ok(false),
        }
    }

    /// How many links there are.
    pub(crate) fn counts(&self) -> Counts {
        let trimmed = self
            .sections
            .iter()
            .filter(|section| section.cut != Cut::Full);
        let (resolved, unresolved) = (self.sections.len() as u64, self.unresolved.len() as u64);
        Counts {
            total: resolved + unresolved,
            resolved,
            unresolved,
            trimmed: trimmed.count() as u64,
        }
    }

    /// Whether a ceiling has cut anything.
    pub(crate) fn ceiling_hit(&self) -> bool {
        self.sections.iter().any(Section::is_trimmed_by_ceiling)
    }

    /// Tokens of the file with its number fields left empty: the figure that it gives itself.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn token_estimate(&self) -> Result<u64, askama::Error> {
        Ok(self.tokens_with(&self.header(None)?))
    }

    /// Tokens of the file as it is written.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn tokens(&self) -> Result<u64, askama::Error> {
        let estimate = self.token_estimate()?;
        Ok(self.tokens_with(&self.header(Some(estimate))?))
    }

    /// The file.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn text(&self) -> Result<String, askama::Error> {
        let mut text = self.header(Some(self.token_estimate()?))?;
        for section in &self.sections {
            text.push_str(&section.text);
        }
        text.push_str(&self.unresolved_text);
        text.truncate(text.trim_end_matches('\n').len());
        text.push('\n');
        Ok(text)
    }

    fn tokens_with(&self, header: &str) -> u64 {
        let tokenizer = self.facts.tokenizer;
        let outer = [header, &self.unresolved_text].map(|text| weight(text, tokenizer));
        let sections = self.sections.iter().map(|section| section.weight);
        tokens(outer.into_iter().chain(sections), tokenizer)
    }

    fn header(&self, estimate: Option<u64>) -> Result<String, askama::Error> {
        let facts = &self.facts;
        let counts = self.counts();
        let roles: Vec<&str> = facts.roles.iter().map(|role| role.label()).collect();
        let trimmed = self
            .trim_order()
            .into_iter()
            .map(|at| &self.sections[at])
            .filter(|section| section.is_trimmed_by_ceiling());
        let header = templates::ContextHeader {
            artifact: yaml_text(&facts.artifact),
            artifact_id: yaml_text(&facts.artifact_id),
            primary_project: yaml_text(&facts.primary_project),
            generated_at: yaml_text(&facts.generated_at),
            consumer: facts.consumer.name(),
            roles: match roles.as_slice() {
                [] => "all".to_owned(),
                roles => format!("[{}]", roles.join(", ")),
            },
            numbers: match estimate {
                Some(estimate) => templates::Numbers::new(facts.max_tokens, estimate, counts),
                None => templates::Numbers::default(),
            },
            ceiling_hit: self.ceiling_hit(),
            title: one_line(&short_title(&facts.title)),
            count_line: count_line(counts),
            trims: trimmed.map(Section::trim_line).collect(),
        };
        Ok(format!("{}\n\n", header.render()?.trim_end_matches('\n')))
    }
}

/// The counts in the words of the original skill.
pub(crate) fn count_line(counts: Counts) -> String {
    format!(
        "{} refs total — {} resolved, {} unresolved, {} trimmed for budget.",
        counts.total, counts.resolved, counts.unresolved, counts.trimmed
    )
}
