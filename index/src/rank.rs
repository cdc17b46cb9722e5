//! Ranking in two levels: skills by BM25F over weighted fields, then the sections of the best skills.
//!
//! The engine supplies postings, frequencies and field lengths; the scores are computed here in `f64` with the `libm`
//! logarithm, since platform logarithms differ in the last bit, and rounded to integers where they decide an order.
//! Ties are broken by the order of records (root, source path), then by line.

mod explain;
mod lengths;
mod pairs;
mod places;
mod scores;
mod sections;
mod skills;
mod terms;
pub mod weights;

pub use self::explain::{Explained, Kind, Part, Row, Siblings, explain};
pub use crate::schema::{SectionField, SkillField};

use crate::error::IndexError;
use crate::reader::Reader;
use std::collections::BTreeSet;

/// What is looked for. Terms are as the analysis makes them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Stems of the task's words, each once: by them skills are found.
    pub words: Vec<String>,
    /// The same words in their own forms, each once: the form's term, or the stem where they do not differ.
    pub forms: Vec<String>,
    /// Stems that stand near each other in the task, each pair once, the smaller one first.
    pub pairs: Vec<(String, String)>,
    /// Words of the circumstances (languages, phase, paths …): they tip the scales between skills that the task's
    /// words have found, and find none by themselves.
    pub signals: Vec<Signal>,
}

/// A word of the circumstances.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// The index term.
    pub term: String,
    /// How much it counts among the signals.
    pub weight: f64,
}

/// A word of the query as the corpus knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The index term.
    pub term: String,
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
    /// Weight of all those words: the sum of their idf, in thousandths of nats.
    pub asked: i64,
    /// The skills, best first; at most [`weights::CANDIDATES`].
    pub skills: Vec<RankedSkill>,
}

/// A skill and why it stands where it does. Scores are in thousandths.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSkill {
    /// Position of the record.
    pub at: usize,
    /// The score by which skills are sorted: `words`, `siblings`, `sections` and `signals` added up.
    pub score: i64,
    /// What words, their forms and pairs in the skill's fields contribute, relative to the best skill.
    pub words: i64,
    /// What the skills of the same plugin contribute, relative to the best plugin.
    pub siblings: i64,
    /// What the skill's best section contributes, relative to the best section of all.
    pub sections: i64,
    /// What the circumstances contribute.
    pub signals: i64,
    /// How much of [`Ranking::asked`] the skill explains: the sum of idf times gain (0 to 1, by field and frequency) over
    /// the words that it holds, in thousandths of nats.
    pub explained: i64,
    /// Positions in [`Ranking::terms`] of the words that the skill holds, with the fields that hold them.
    pub matched: Vec<(usize, Vec<SkillField>)>,
    /// What each of those words adds to `explained`, in the same order.
    pub gains: Vec<i64>,
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
    rank_with(reader, query, eligible, &BTreeSet::new())
}

/// As [`rank`], as if the skills in `also` were eligible and among the candidates; one that holds no word is not ranked.
///
/// # Errors
/// As [`rank`].
pub fn rank_with(
    reader: &Reader,
    query: &Query,
    eligible: Option<&BTreeSet<usize>>,
    also: &BTreeSet<usize>,
) -> Result<Ranking, IndexError> {
    let ranking = score(reader, query, eligible, also)
        .and_then(|one| skills::ranking(reader, one.postings, &one.scores, one.candidates));
    ranking.map_err(|error| reader.damaged(error))
}

/// The levels before they are added up.
struct Scored {
    postings: terms::Postings,
    /// BM25F of every skill; pairs count in it for candidates only.
    scores: Vec<f64>,
    /// In record order.
    candidates: Vec<skills::Candidate>,
    pairs: Vec<pairs::Pair>,
}

fn score(
    reader: &Reader,
    query: &Query,
    eligible: Option<&BTreeSet<usize>>,
    also: &BTreeSet<usize>,
) -> Result<Scored, IndexError> {
    let (mut postings, mut scores) = terms::read(reader, query)?;
    let mut best = skills::candidates(&scores, eligible);
    for at in skills::candidates(&scores, Some(also)) {
        if let Err(place) = best.binary_search(&at) {
            best.insert(place, at);
        }
    }
    postings.look_at(reader, &best)?;
    let candidate = |at| skills::candidate(&postings, at);
    let mut candidates: Vec<skills::Candidate> = best.into_iter().map(candidate).collect();
    let pairs = pairs::find(reader, &postings, query, &candidates)?;
    pairs::score(&pairs, &mut scores);
    sections::score(reader, &postings, &mut candidates)?;
    Ok(Scored {
        postings,
        scores,
        candidates,
        pairs,
    })
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
