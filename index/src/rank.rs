//! Ranking in two levels: skills by BM25F over weighted fields, then the sections of the best skills.
//!
//! The engine supplies postings, frequencies and field lengths; the scores are computed here in `f64` with the `libm`
//! logarithm, since platform logarithms differ in the last bit, and rounded to integers where they decide an order.
//! Ties are broken by the order of records (root, source path), then by line.

mod sections;
mod skills;
mod terms;
pub mod weights;

pub use crate::schema::{SectionField, SkillField};

use crate::error::IndexError;
use crate::reader::Reader;
use std::collections::BTreeSet;

/// A word of the request, analysed, with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The index term.
    pub term: String,
    /// How much it counts; 1 for a word that stands once in a field of weight 1.
    pub weight: f64,
}

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Words of the task, by which skills are found.
    pub words: Vec<Word>,
    /// Words of the circumstances (languages, phase, paths …): they tip the scales between skills that the task's
    /// words have found, and find none by themselves.
    pub signals: Vec<Word>,
}

/// A word of the query as the corpus knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The index term.
    pub term: String,
    /// Its weight in the query.
    pub weight: f64,
    /// Number of skills that hold it; 0 for a word unknown to the corpus.
    pub skills: u32,
    /// Inverse document frequency over skills, in nats.
    pub idf: f64,
}

/// The best skills for a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The words that counted: those that the corpus knows, most telling first, then those that it does not.
    pub terms: Vec<Term>,
    /// Weight of all those words: the sum of weight times idf, in thousandths of nats.
    pub asked: i64,
    /// The skills, best first; at most [`weights::CANDIDATES`].
    pub skills: Vec<RankedSkill>,
}

/// A skill and why it stands where it does. Scores are in thousandths.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSkill {
    /// Position of the record.
    pub at: usize,
    /// The score by which skills are sorted: `words`, `sections` and `signals` added up.
    pub score: i64,
    /// What the skill's fields contribute, relative to the best skill.
    pub words: i64,
    /// What the skill's best sections contribute, relative to the best skill.
    pub sections: i64,
    /// What the circumstances contribute.
    pub signals: i64,
    /// Weight of the query's words that the skill holds: the sum of weight times idf, in thousandths of nats.
    pub held: i64,
    /// Positions in [`Ranking::terms`] of the words that the skill holds, with the fields that hold them.
    pub matched: Vec<(usize, Vec<SkillField>)>,
    /// The skill's sections, in source order.
    pub ranked_sections: Vec<RankedSection>,
}

/// A section and how well it matches.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSection {
    /// Score in thousandths; 0 where no word matches.
    pub score: i64,
    /// Positions in [`Ranking::terms`] of the words that the section holds, with the fields that hold them.
    pub matched: Vec<(usize, Vec<SectionField>)>,
}

/// Ranks the skills in `eligible`, or all.
///
/// # Errors
/// [`IndexError::Corrupt`], or the engine's own.
pub fn rank(
    reader: &Reader,
    query: &Query,
    eligible: Option<&BTreeSet<usize>>,
) -> Result<Ranking, IndexError> {
    let postings = terms::read(reader, query)?;
    let mut candidates = skills::candidates(reader, &postings, eligible)?;
    sections::score(reader, &postings, &mut candidates)?;
    Ok(skills::ranking(postings, candidates))
}

/// Inverse document frequency of a term that `holding` of `all` documents hold, in nats.
///
/// Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the `1 +` inside the
/// logarithm that Lucene adds so that a term in most documents never counts against them. A small corpus counts as one of
/// [`weights::SMALL_CORPUS`] documents.
#[must_use]
pub(crate) fn idf(all: u32, holding: u32) -> f64 {
    let all = all.max(weights::SMALL_CORPUS);
    let (all, holding) = (f64::from(all), f64::from(holding.min(all)));
    libm::log(1.0 + (all - holding + 0.5) / (holding + 0.5))
}

/// Weight of a word that no skill of the corpus holds, in thousandths of nats.
#[must_use]
pub fn unknown_word(reader: &Reader) -> i64 {
    milli(idf(reader.skill_count() as u32, 0))
}

/// A score as an integer in thousandths: what is sorted and printed.
#[must_use]
pub(crate) fn milli(score: f64) -> i64 {
    // Rounding half away from zero is exact in IEEE 754, so every platform agrees.
    (score * 1000.0).round() as i64
}

#[cfg(test)]
mod tests;
