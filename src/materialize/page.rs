//! What stands in `context.md`, and what does it cost?

use super::resolve::{Ref, Resolved};
use super::roles::{Role, trim_order};
use super::weight::{Weight, tokens, weight};
use crate::text::neutralise::one_line;
use crate::text::tokens::Tokenizer;
use askama::Template as _;
use content::Shelf;
use std::cmp::Reverse;
use vibey_context_contracts::materialize::{Consumer, Counts, Cut};

mod content;
mod section;
mod templates;

pub(crate) use section::Section;
pub(crate) use templates::{Broken, StaleRefs, field, yaml_text};

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
    unresolved_weight: Weight,
    /// The sections in the order in which they give way to a ceiling.
    trim_order: Vec<usize>,
    /// Those that a ceiling has cut, in that order.
    trimmed: Vec<usize>,
    /// What was made of documents.
    shelf: Shelf,
    /// What all sections and the list of the others cost.
    body: Weight,
    /// What the lines of those that a ceiling has cut cost, none of them as the last one.
    trims: Weight,
    /// How many sections are not whole.
    not_whole: u64,
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
        let mut shelf = Shelf::new(facts.tokenizer);
        for (index, one) in refs.iter().enumerate() {
            match &one.outcome {
                Ok(resolved) => {
                    let cut = cut(one.role);
                    let tokenizer = facts.tokenizer;
                    let section = Section::new(index, one, resolved, cut, &mut shelf, tokenizer)?;
                    sections.push(section);
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
        let whole = |section: &&Section| section.cut() == Cut::Full;
        let not_whole = sections.len() - sections.iter().filter(whole).count();
        Ok(Self {
            trim_order: order(&sections),
            trimmed: Vec::new(),
            body: sections.iter().map(|section| section.weight).sum(),
            trims: Weight::default(),
            not_whole: not_whole as u64,
            facts,
            sections,
            unresolved,
            unresolved_weight: weight(&unresolved_text, shelf.tokenizer()),
            unresolved_text,
            shelf,
        })
    }

    /// The sections in the order in which they give way to a ceiling: by role, the longest first.
    pub(crate) fn trim_order(&self) -> &[usize] {
        &self.trim_order
    }

    /// Cuts the next section further, where that makes it smaller; sections come in the order of [`Page::trim_order`]. Returns
    /// what it was.
    ///
    /// # Errors
    /// A template fails.
    pub(crate) fn lower(&mut self, at: usize, cut: Cut) -> Result<Option<Section>, askama::Error> {
        let tokenizer = self.facts.tokenizer;
        let Some(here) = self.sections.get(at) else {
            return Ok(None);
        };
        let lower = here.lower(cut, &mut self.shelf, tokenizer)?;
        Ok(lower.and_then(|lower| self.replace(at, lower)))
    }

    /// Takes a cut back.
    pub(crate) fn put_back(&mut self, at: usize, before: Section) {
        self.replace(at, before);
    }

    fn replace(&mut self, at: usize, section: Section) -> Option<Section> {
        let here = self.sections.get_mut(at)?;
        let (was_trimmed, is_trimmed) = (
            here.is_trimmed_by_ceiling(),
            section.is_trimmed_by_ceiling(),
        );
        let (was_whole, is_whole) = (here.cut() == Cut::Full, section.cut() == Cut::Full);
        self.body = self.body + section.weight - here.weight;
        self.trims = self.trims + section.trim_weight.inner - here.trim_weight.inner;
        self.not_whole = self.not_whole + u64::from(was_whole) - u64::from(is_whole);
        let before = std::mem::replace(here, section);
        match (was_trimmed, is_trimmed) {
            (false, true) => self.trimmed.push(at),
            (true, false) => {
                self.trimmed.pop();
            }
            _ => {}
        }
        Some(before)
    }

    /// How many links there are.
    pub(crate) fn counts(&self) -> Counts {
        let (resolved, unresolved) = (self.sections.len() as u64, self.unresolved.len() as u64);
        Counts {
            total: resolved + unresolved,
            resolved,
            unresolved,
            trimmed: self.not_whole,
        }
    }

    /// Whether a ceiling has cut anything.
    pub(crate) fn ceiling_hit(&self) -> bool {
        !self.trimmed.is_empty()
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
            section.write(&mut text);
        }
        text.push_str(&self.unresolved_text);
        // The text may be too large to be copied.
        text.truncate(text.trim_end_matches('\n').len());
        text.push('\n');
        Ok(text)
    }

    /// What the file costs with this figure in its header, from what its parts cost: thousands of links are trimmed step by
    /// step, and the whole can not be put together for each.
    fn size_with(&self, estimate: Option<u64>) -> Result<Weight, askama::Error> {
        let tokenizer = self.facts.tokenizer;
        let header = self.header(estimate, Vec::new())?;
        let alone = self.sections.is_empty() && self.unresolved_text.is_empty();
        let mut size = weight(&if alone { ended(&header) } else { header }, tokenizer);
        if let Some(last) = self.trimmed.last().and_then(|at| self.sections.get(*at)) {
            let line = last.trim_weight;
            size = size + weight(TRIMS_HEADING, tokenizer) + self.trims - line.inner + line.last;
        }
        let last = self.sections.last();
        Ok(match last.filter(|_| self.unresolved_text.is_empty()) {
            Some(last) => size + self.body - last.weight + last.weight_at_end,
            None => size + self.body + self.unresolved_weight,
        })
    }

    fn trimmed_by_ceiling(&self) -> impl Iterator<Item = &Section> {
        let sections = self.trimmed.iter();
        sections.filter_map(|at| self.sections.get(*at))
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
