//! Where does the score of a skill come from? Word by word and field by field, for people who write skills.
//!
//! Nothing is scored here: the rows are the summands of the ranking, each split over its fields by their frequencies and
//! rounded so that rows add up to the score that the ranking prints. Computed only when asked for.

use super::pairs::Pair;
use super::sections::Held;
use super::skills::{self, Candidate, best, share};
use super::terms::{self, by_field};
use super::{Query, Scored, Term, milli, score, sections, weights};
use crate::error::IndexError;
use crate::reader::Reader;
use crate::schema::{SectionField, SkillField};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A stem in a field of the skill.
    Word,
    /// A word's own form in a field of the skill.
    Form,
    /// Two words that stand near each other in a field of the skill.
    Pair,
    /// A stem in a section.
    Section,
    /// A word of the circumstances in a field of the skill.
    Signal,
}

/// One summand of a score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it is about.
    pub kind: Kind,
    /// The index term; two of them for a pair.
    pub terms: Vec<String>,
    /// How many skills hold it (sections for [`Kind::Section`]; extrapolated for a pair).
    pub holders: u32,
    /// Inverse document frequency, in thousandths of nats.
    pub idf: i64,
    /// The saturated frequency over all fields, from 0 to 1, in thousandths.
    pub gain: i64,
    /// What it adds to the score, in thousandths.
    pub points: i64,
    /// The fields that hold it, in their order; their points add up to those of the row.
    pub fields: Vec<Part>,
}

/// What one field adds to a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Name of the field.
    pub field: &'static str,
    /// Weighted, length-normalised frequency, in thousandths.
    pub frequency: i64,
    /// Its share of the row's points, in thousandths.
    pub points: i64,
}

/// The plugin whose mean counts for a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Siblings {
    /// Name of the plugin: of the best one, where copies of the skill stand in several.
    pub plugin: String,
    /// Number of its skills.
    pub skills: usize,
}

/// Where the score of a skill comes from. Rows are sorted by points, most first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Position of the record.
    pub at: usize,
    /// Words, forms and pairs; they add up to [`super::RankedSkill::words`].
    pub words: Vec<Row>,
    /// Whose mean [`super::RankedSkill::siblings`] is.
    pub siblings: Option<Siblings>,
    /// The best section, by place in source order; nothing where no section holds a word.
    pub best_section: Option<usize>,
    /// The words of that section; they add up to [`super::RankedSkill::sections`].
    pub best_section_words: Vec<Row>,
    /// The circumstances; they add up to [`super::RankedSkill::signals`].
    pub signals: Vec<Row>,
    /// For each section in source order its words; they add up to [`super::RankedSection::score`].
    pub sections: Vec<Vec<Row>>,
}

/// Explains the skills in `wanted`, in that order: as [`super::rank_with`] ranks them where they are those that it also
/// takes in. One that holds no word has nothing to explain and is left out.
///
/// # Errors
/// As [`super::rank`].
pub fn explain(
    reader: &Reader,
    query: &Query,
    eligible: Option<&BTreeSet<usize>>,
    wanted: &[usize],
) -> Result<Vec<Explained>, IndexError> {
    explained(reader, query, eligible, wanted).map_err(|error| reader.damaged(error))
}

fn explained(
    reader: &Reader,
    query: &Query,
    eligible: Option<&BTreeSet<usize>>,
    wanted: &[usize],
) -> Result<Vec<Explained>, IndexError> {
    let also = wanted.iter().copied().collect();
    let scored = score(reader, query, eligible, &also)?;
    let explainer = Explainer {
        reader,
        best_words: best(&scored.candidates, |one| scored.scores[one.at]),
        best_section: best(&scored.candidates, |one| one.best_section),
        scored,
    };
    let candidates = &explainer.scored.candidates;
    let places = wanted
        .iter()
        .filter_map(|at| candidates.binary_search_by_key(at, |one| one.at).ok());
    places
        .map(|place| explainer.skill(&candidates[place]))
        .collect()
}

/// A row before it is rounded.
struct Raw {
    kind: Kind,
    terms: Vec<String>,
    holders: u32,
    idf: f64,
    /// What it adds, in the unit of its level.
    worth: f64,
    /// Weighted frequency in each field.
    fields: Vec<(&'static str, f64)>,
    /// Saturation of the level.
    k1: f64,
}

struct Explainer<'a> {
    reader: &'a Reader,
    scored: Scored,
    best_words: f64,
    best_section: f64,
}

impl Explainer<'_> {
    fn skill(&self, candidate: &Candidate) -> Result<Explained, IndexError> {
        let at = candidate.at;
        let postings = &self.scored.postings;
        let mut words = Vec::new();
        for (place, (weight, term, holders)) in skills::counted(postings).enumerate() {
            let kind = if place < postings.terms.len() {
                Kind::Word
            } else {
                Kind::Form
            };
            words.extend(self.held(kind, weight, term, holders, at)?);
        }
        for pair in &self.scored.pairs {
            words.extend(self.pair(pair, at));
        }
        let mut signals = Vec::new();
        let mut all = 0.0;
        for (weight, term, holders) in &postings.signals {
            all += weight * term.idf;
            signals.extend(self.held(Kind::Signal, *weight, term, holders, at)?);
        }
        let found = sections::find(self.reader, postings, std::iter::once(at))?;
        let raw = |held: &Held| Raw {
            kind: Kind::Section,
            terms: vec![postings.terms[held.word].term.clone()],
            holders: found.holding[held.word],
            idf: found.idf[held.word],
            worth: held.worth(&found.idf),
            fields: named(SectionField::ALL.map(SectionField::as_str), held.fields),
            k1: weights::SECTION_K1,
        };
        let sections: Vec<Vec<Raw>> = found
            .skills
            .iter()
            .flatten()
            .map(|held| held.iter().map(raw).collect())
            .collect();
        let best_section = sections
            .iter()
            .position(|words| !words.is_empty() && total(words) == candidate.best_section);
        let of_best = best_section.map_or(&[][..], |place| sections[place].as_slice());
        Ok(Explained {
            at,
            words: rounded(&words, |sum| share(sum, self.best_words)),
            siblings: self.siblings(at)?,
            best_section,
            best_section_words: rounded(of_best, |sum| {
                weights::SECTIONS_WEIGHT * share(sum, self.best_section)
            }),
            signals: rounded(&signals, |sum| weights::SIGNALS_WEIGHT * share(sum, all)),
            sections: sections.iter().map(|raw| rounded(raw, |sum| sum)).collect(),
        })
    }

    /// A word as skill `at` holds it.
    fn held(
        &self,
        kind: Kind,
        weight: f64,
        term: &Term,
        holders: &terms::Held,
        at: usize,
    ) -> Result<Option<Raw>, IndexError> {
        let Some(holding) = holders.get(at) else {
            return Ok(None);
        };
        let fields = by_field(self.reader, &self.scored.postings, holders, at)?;
        Ok(Some(Raw {
            kind,
            terms: vec![term.term.clone()],
            holders: term.skills,
            idf: term.idf,
            worth: weight * term.idf * holding.gain(),
            fields: named(SkillField::ALL.map(SkillField::as_str), fields),
            k1: weights::SKILL_K1,
        }))
    }

    fn pair(&self, pair: &Pair, at: usize) -> Option<Raw> {
        let (_, fields) = pair.holders.iter().find(|(holder, _)| *holder == at)?;
        let term = |place: usize| self.scored.postings.terms[place].term.clone();
        Some(Raw {
            kind: Kind::Pair,
            terms: vec![term(pair.words.0), term(pair.words.1)],
            holders: pair.skills,
            idf: pair.idf,
            worth: pair.worth(fields),
            fields: named(SkillField::ALL.map(SkillField::as_str), *fields),
            k1: weights::SKILL_K1,
        })
    }

    fn siblings(&self, at: usize) -> Result<Option<Siblings>, IndexError> {
        let mut best: Option<(f64, Siblings)> = None;
        let record = self.reader.skill(at)?;
        let copies = record.copies.into_iter().map(|copy| copy.plugin);
        let plugins: BTreeSet<String> = copies.chain([record.plugin]).collect();
        for plugin in plugins {
            let members = self.reader.skills_of_plugin(&plugin)?;
            let sum = members.iter().map(|&at| self.scored.scores[at]).sum();
            let mean = skills::mean(sum, members.len());
            if best.as_ref().is_none_or(|(most, _)| mean > *most) {
                let skills = members.len();
                best = Some((mean, Siblings { plugin, skills }));
            }
        }
        Ok(best.map(|(_, siblings)| siblings))
    }
}

/// The fields that hold something, with their names.
fn named<const N: usize>(names: [&'static str; N], held: [f64; N]) -> Vec<(&'static str, f64)> {
    let fields = names.into_iter().zip(held);
    fields.filter(|(_, frequency)| *frequency > 0.0).collect()
}

/// What the rows add up to. In the order of the ranking, so that the last bit is the same.
fn total(rows: &[Raw]) -> f64 {
    rows.iter().fold(0.0, |sum, row| sum + row.worth)
}

/// The rows in thousandths of a level's score; `level` turns the sum of what they are worth into that score.
fn rounded(raw: &[Raw], level: impl Fn(f64) -> f64) -> Vec<Row> {
    let worth: Vec<f64> = raw.iter().map(|row| row.worth).collect();
    let points = apportion(milli(level(total(raw))), &worth);
    let row = |(raw, points): (&Raw, i64)| {
        let held: Vec<f64> = raw.fields.iter().map(|(_, frequency)| *frequency).collect();
        let frequency: f64 = held.iter().sum();
        let parts = raw.fields.iter().zip(apportion(points, &held));
        Row {
            kind: raw.kind,
            terms: raw.terms.clone(),
            holders: raw.holders,
            idf: milli(raw.idf),
            gain: milli(frequency / (raw.k1 + frequency)),
            points,
            fields: parts
                .map(|(&(field, frequency), points)| Part {
                    field,
                    frequency: milli(frequency),
                    points,
                })
                .collect(),
        }
    };
    let mut rows: Vec<Row> = raw.iter().zip(points).map(row).collect();
    rows.sort_by(|a, b| {
        let key = |row: &Row| (Reverse(row.points), row.kind);
        key(a).cmp(&key(b)).then_with(|| a.terms.cmp(&b.terms))
    });
    rows
}

/// Splits `whole` into integers in proportion to `parts`, by largest remainders: they add up to `whole`, and none is off by
/// one or more. Of equal remainders the first one counts.
fn apportion(whole: i64, parts: &[f64]) -> Vec<i64> {
    let sum: f64 = parts.iter().sum();
    if sum <= 0.0 {
        return vec![0; parts.len()];
    }
    let exact: Vec<f64> = parts.iter().map(|part| whole as f64 * part / sum).collect();
    let mut shares: Vec<i64> = exact.iter().map(|share| share.floor() as i64).collect();
    let missing = whole - shares.iter().sum::<i64>();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let remainder = |at: usize| exact[at] - exact[at].floor();
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    for at in order.into_iter().take(missing.max(0) as usize) {
        shares[at] += 1;
    }
    shares
}
