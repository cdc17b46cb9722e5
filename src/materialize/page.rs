//! What stands in `context.md`, and what does it cost?

use super::resolve::{Ref, Resolved};
use super::roles::{Role, trim_order};
use super::weight::{Weight, tokens, weight};
use crate::text::neutralise::one_line;
use crate::text::tokens::Tokenizer;
use askama::Template as _;
use std::cmp::Reverse;
use vibey_context_contracts::materialize::{Consumer, Counts, Cut};

mod section;
mod templates;

pub(crate) use section::Section;
pub(crate) use templates::{Broken, StaleRefs, yaml_text};

/// What stands above the lines of what a ceiling has trimmed, as the template has it.
const TRIMS_HEADING: &str = "## Budget trims\n\n";

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
    /// The sections in the order in which they give way to a ceiling.
    trim_order: Vec<usize>,
    /// What stands behind the header, but for the sections before the last part, costs as the end of the file.
    end: Weight,
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
        let mut page = Self {
            trim_order: order(&sections),
            facts,
            sections,
            unresolved,
            unresolved_text,
            end: Weight::default(),
        };
        page.end = page.weight_of_end();
        Ok(page)
    }

    /// The sections in the order in which they give way to a ceiling: by role, the longest first.
    pub(crate) fn trim_order(&self) -> &[usize] {
        &self.trim_order
    }

    /// Cuts one section further, where that makes it smaller. Returns what it was.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn lower(
        &mut self,
        section: usize,
        cut: Cut,
    ) -> Result<Option<Section>, askama::Error> {
        let Some(here) = self.sections.get_mut(section) else {
            return Ok(None);
        };
        let Some(lower) = here.lower(cut, self.facts.tokenizer)? else {
            return Ok(None);
        };
        let before = std::mem::replace(here, lower);
        self.changed(section);
        Ok(Some(before))
    }

    /// Takes a cut back.
    pub(crate) fn put_back(&mut self, section: usize, before: Section) {
        if let Some(here) = self.sections.get_mut(section) {
            *here = before;
        }
        self.changed(section);
    }

    fn changed(&mut self, section: usize) {
        if self.unresolved_text.is_empty() && section + 1 == self.sections.len() {
            self.end = self.weight_of_end();
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
        Ok(self.tokens_of(self.size_with(None)?))
    }

    /// What the file costs as it is written.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn size(&self) -> Result<Weight, askama::Error> {
        self.size_with(Some(self.token_estimate()?))
    }

    /// The same in tokens.
    pub(crate) fn tokens_of(&self, size: Weight) -> u64 {
        tokens(size, self.facts.tokenizer)
    }

    /// The file.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn text(&self) -> Result<String, askama::Error> {
        let trims = self.trimmed_by_ceiling().map(Section::trim_line).collect();
        let mut text = self.header(Some(self.token_estimate()?), trims)?;
        for section in &self.sections {
            text.push_str(&section.text);
        }
        text.push_str(&self.unresolved_text);
        Ok(ended(&text))
    }

    /// What the file costs with this figure in its header, from what its parts cost: thousands of links are trimmed step by
    /// step, and the whole can not be put together for each.
    fn size_with(&self, estimate: Option<u64>) -> Result<Weight, askama::Error> {
        let tokenizer = self.facts.tokenizer;
        let header = self.header(estimate, Vec::new())?;
        let alone = self.sections.is_empty() && self.unresolved_text.is_empty();
        let mut size = weight(&if alone { ended(&header) } else { header }, tokenizer);
        let mut trims = self.trimmed_by_ceiling().peekable();
        if trims.peek().is_some() {
            size = size + weight(TRIMS_HEADING, tokenizer);
        }
        while let Some(section) = trims.next() {
            let line = section.trim_weight;
            size = size
                + if trims.peek().is_some() {
                    line.inner
                } else {
                    line.last
                };
        }
        let whole = if self.unresolved_text.is_empty() {
            self.sections.len().saturating_sub(1)
        } else {
            self.sections.len()
        };
        let sections = self.sections.iter().take(whole);
        Ok(size + sections.map(|section| section.weight).sum() + self.end)
    }

    /// What the last part costs, which has no blank line behind it.
    fn weight_of_end(&self) -> Weight {
        let last = self.sections.last();
        let last = last.filter(|_| self.unresolved_text.is_empty());
        let text = last.map_or(&self.unresolved_text, |section| &section.text);
        if text.is_empty() {
            return Weight::default();
        }
        weight(&ended(text), self.facts.tokenizer)
    }

    fn trimmed_by_ceiling(&self) -> impl Iterator<Item = &Section> {
        let sections = self
            .trim_order
            .iter()
            .filter_map(|at| self.sections.get(*at));
        sections.filter(|section| section.is_trimmed_by_ceiling())
    }

    fn header(&self, estimate: Option<u64>, trims: Vec<String>) -> Result<String, askama::Error> {
        let facts = &self.facts;
        let counts = self.counts();
        let roles: Vec<&str> = facts.roles.iter().map(|role| role.label()).collect();
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
            trims,
        };
        Ok(format!("{}\n", ended(&header.render()?)))
    }
}

/// The places of sections in the order in which they give way.
fn order(sections: &[Section]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|at| {
        let section = &sections[*at];
        let longest_first = Reverse(section.tokens_before_ceiling);
        (trim_order(section.role), longest_first, *at)
    });
    order
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
