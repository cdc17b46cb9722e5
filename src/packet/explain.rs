//! How the score of a skill is shown to whoever wrote it: a table for people, rows for programs.

use crate::text::neutralise::{excerpt, plain_line};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use vibey_context_contracts::report::{
    Explanation, ExplanationField, ExplanationKind, ExplanationRow,
};
use vibey_context_index::analysis::FORM_MARK;
use vibey_context_index::rank::{Explained, Kind, RankedSkill, Ranking, Row, SkillField, weights};
use vibey_context_index::record::SkillRecord;

/// Rows of a table: a request of thousands of characters has two hundred, and the first ones decide.
const ROWS_SHOWN: usize = 24;
/// Words shown of those that lead to one stem, and characters of a column: what fits a terminal of 100 columns.
const WORDS_SHOWN: usize = 3;
const WORD_WIDTH: usize = 28;
const HEADING_WIDTH: usize = 60;

/// Stems and the user's words that led to them, see [`super::own_words`].
pub type OwnWords = BTreeMap<String, BTreeSet<String>>;

/// One line that says what the figures mean.
#[must_use]
pub fn scale() -> String {
    let points = |weight: f64| (weight * 1000.0).round() as i64;
    format!(
        "scores: 1000 is what the skill that the words fit best gets for its fields; plugin, best section and signals add at \
         most {}, {} and {}",
        points(weights::SIBLINGS_WEIGHT),
        points(weights::SECTIONS_WEIGHT),
        points(weights::SIGNALS_WEIGHT)
    )
}

/// One line that says what a skill's score is made of.
#[must_use]
pub fn totals(skill: &RankedSkill, explained: &Explained, record: &SkillRecord) -> String {
    let plugin = explained.siblings.as_ref().map_or(String::new(), |one| {
        let noun = if one.skills == 1 { "skill" } else { "skills" };
        let name = excerpt(&one.plugin, HEADING_WIDTH);
        format!(" ({name}, {} {noun})", one.skills)
    });
    let section = explained.best_section.map_or(String::new(), |section| {
        format!(" ({})", heading(record, section))
    });
    format!(
        "score {} = {} from its fields + {} from its plugin{plugin} + {} from its best section{section} + {} from signals",
        skill.score, skill.words, skill.siblings, skill.sections, skill.signals
    )
}

/// Heading of a section, as a line shows it.
#[must_use]
pub fn heading(record: &SkillRecord, section: usize) -> String {
    let path = record.sections.get(section).map(|one| &one.heading_path);
    match path.and_then(|path| path.last()) {
        Some(heading) => excerpt(heading, HEADING_WIDTH),
        None => "text above the first heading".to_owned(),
    }
}

/// The summands of a skill's score, those with most points first, each line after `indent`.
#[must_use]
pub fn table(explained: &Explained, own: &OwnWords, indent: &str) -> String {
    let rows = merged(explained);
    let telling = rows.iter().filter(|row| row.points > 0).take(ROWS_SHOWN);
    let shown = telling.clone().count();
    let mut text = format!(
        "{indent}{:>6}  {:<7}  {:>5}  {:>5}  {:<WORD_WIDTH$}  fields\n",
        "points", "kind", "idf", "gain", "word"
    );
    for row in telling {
        let _ = writeln!(
            text,
            "{indent}{:>6}  {:<7}  {:>5}  {:>5}  {:<WORD_WIDTH$}  {}",
            row.points,
            name(row.kind),
            decimal(row.idf),
            decimal(row.gain),
            label(row, own),
            parts(row)
        );
    }
    if let Some(rest) = rows.get(shown..).filter(|rest| !rest.is_empty()) {
        let points: i64 = rest.iter().map(|row| row.points).sum();
        let noun = if rest.len() == 1 { "row" } else { "rows" };
        let _ = writeln!(text, "{indent}{points:>6}  in {} more {noun}", rest.len());
    }
    text
}

/// The summands of a section's own score in one line.
#[must_use]
pub fn section_line(rows: &[Row], own: &OwnWords) -> String {
    let word = |row: &Row| format!("{} {} ({})", label(row, own), row.points, parts(row));
    let mut words: Vec<String> = rows.iter().take(ROWS_SHOWN).map(word).collect();
    if let Some(rest) = rows.get(ROWS_SHOWN..).filter(|rest| !rest.is_empty()) {
        words.push(format!("{} more", rest.len()));
    }
    words.join(", ")
}

/// A stem as the user wrote it.
fn own_word(term: &str, own: &OwnWords) -> String {
    let words = words(term, own);
    let mut shown = words
        .iter()
        .take(WORDS_SHOWN)
        .map(|word| plain_line(word))
        .collect::<Vec<_>>()
        .join("/");
    if words.len() > WORDS_SHOWN {
        shown.push_str("/…");
    }
    shown
}

/// One line that names the words which a skill does not hold that holds those in `matched`.
#[must_use]
pub fn missed(ranking: &Ranking, matched: &[(usize, Vec<SkillField>)], own: &OwnWords) -> String {
    let terms = ranking.terms.iter().enumerate();
    let missed = terms.filter(|(position, _)| matched.iter().all(|(at, _)| at != position));
    let words: Vec<String> = missed
        .map(|(_, term)| {
            let note = if term.skills == 0 {
                " (in no skill)"
            } else {
                ""
            };
            format!("{}{note}", own_word(&term.term, own))
        })
        .collect();
    if words.is_empty() {
        "missed: nothing".to_owned()
    } else {
        format!("missed: {}", words.join(", "))
    }
}

/// The explanation of one section of a skill, for programs; nothing where the skill is not ranked.
#[must_use]
pub fn explanation(
    ranking: &Ranking,
    explained: &Explained,
    record: &SkillRecord,
    section: usize,
    own: &OwnWords,
) -> Option<Explanation> {
    let place = ranking
        .skills
        .iter()
        .position(|skill| skill.at == explained.at)?;
    let skill = &ranking.skills[place];
    let siblings = explained.siblings.as_ref();
    let best = explained.best_section;
    let rows = |rows: Vec<&Row>| rows.into_iter().map(|row| published(row, own)).collect();
    Some(Explanation {
        rank: place as u64 + 1,
        skill_score: skill.score,
        fields: skill.words,
        siblings: skill.siblings,
        best_section: skill.sections,
        signals: skill.signals,
        siblings_plugin: siblings.map_or(String::new(), |one| one.plugin.clone()),
        siblings_skills: siblings.map_or(0, |one| one.skills as u64),
        best_section_id: best
            .and_then(|best| record.sections.get(best))
            .map(|section| section.id.clone()),
        rows: rows(merged(explained)),
        section_score: skill
            .ranked_sections
            .get(section)
            .map_or(0, |section| section.score),
        section_rows: rows(explained.sections.get(section)?.iter().collect()),
    })
}

/// Every summand of the skill's score that is a word, those with most points first.
fn merged(explained: &Explained) -> Vec<&Row> {
    let rows = explained.words.iter().chain(&explained.best_section_words);
    let mut rows: Vec<&Row> = rows.chain(&explained.signals).collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.points), row.kind));
    rows
}

fn published(row: &Row, own: &OwnWords) -> ExplanationRow {
    let kind = match row.kind {
        Kind::Word => ExplanationKind::Word,
        Kind::Form => ExplanationKind::Form,
        Kind::Pair => ExplanationKind::Pair,
        Kind::Section => ExplanationKind::Section,
        Kind::Signal => ExplanationKind::Signal,
    };
    let bare = |term: &String| term.trim_start_matches(FORM_MARK).to_owned();
    let fields = row.fields.iter().map(|part| ExplanationField {
        field: part.field.to_owned(),
        frequency: part.frequency,
        points: part.points,
    });
    ExplanationRow {
        kind,
        terms: row.terms.iter().map(bare).collect(),
        words: row.terms.iter().map(|term| words(term, own)).collect(),
        holders: u64::from(row.holders),
        idf: row.idf,
        gain: row.gain,
        points: row.points,
        fields: fields.collect(),
    }
}

/// Thousandths with two decimals, cut.
fn decimal(thousandths: i64) -> String {
    format!("{}.{:02}", thousandths / 1000, thousandths % 1000 / 10)
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Word => "word",
        Kind::Form => "form",
        Kind::Pair => "pair",
        Kind::Section => "section",
        Kind::Signal => "signal",
    }
}

/// What a row is about, in the user's words; a form in quotes, since it counts letter for letter.
fn label(row: &Row, own: &OwnWords) -> String {
    let words: Vec<String> = row.terms.iter().map(|term| own_word(term, own)).collect();
    match row.kind {
        Kind::Form => format!("\"{}\"", words.concat()),
        _ => words.join(" + "),
    }
}

fn parts(row: &Row) -> String {
    let part = |part: &vibey_context_index::rank::Part| format!("{} {}", part.field, part.points);
    row.fields.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// The user's words behind an index term, sorted.
fn words(term: &str, own: &OwnWords) -> Vec<String> {
    match (term.strip_prefix(FORM_MARK), own.get(term)) {
        (Some(form), _) => vec![form.to_owned()],
        (None, Some(words)) => words.iter().cloned().collect(),
        (None, None) => vec![term.to_owned()],
    }
}
