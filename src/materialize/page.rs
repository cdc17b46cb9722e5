//! What stands in `context.md`, and what does it cost?

use super::resolve::{Ref, Resolved};
use super::roles::{Role, trim_order};
use super::weight::{tokens, weight};
use crate::text::neutralise::one_line;
use crate::text::tokens::Tokenizer;
use askama::Template as _;
use std::cmp::Reverse;
use vibey_context_contracts::materialize::{Consumer, Counts, Cut};

mod section;
mod templates;

pub(crate) use section::{Section, shorten};
pub(crate) use templates::{Broken, StaleRefs, yaml_text};

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
            ended(&list.render()?)
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
        Ok(ended(&text))
    }

    fn tokens_with(&self, header: &str) -> u64 {
        let tokenizer = self.facts.tokenizer;
        let mut weights = vec![weight(header, tokenizer)];
        weights.extend(self.sections.iter().map(|section| section.weight));
        let last = if self.unresolved_text.is_empty() {
            // It is in the list already, with a blank line behind it that is not written.
            weights.pop();
            self.sections.last().map_or(header, |section| &section.text)
        } else {
            &self.unresolved_text
        };
        weights.push(weight(&ended(last), tokenizer));
        tokens(weights.into_iter(), tokenizer)
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
            title: one_line(&section::short_title(&facts.title)),
            count_line: count_line(counts),
            trims: trimmed.map(Section::trim_line).collect(),
        };
        Ok(format!("{}\n", ended(&header.render()?)))
    }
}

/// A text with one line end at its end.
fn ended(text: &str) -> String {
    format!("{}\n", text.trim_end_matches('\n'))
}

/// The counts in the words of the original skill.
pub(crate) fn count_line(counts: Counts) -> String {
    format!(
        "{} refs total — {} resolved, {} unresolved, {} trimmed for budget.",
        counts.total, counts.resolved, counts.unresolved, counts.trimmed
    )
}
