//! `search`.

use super::args::SearchArgs;
use super::failure::Failure;
use super::locate::{Meant, Opened};
use super::output::{json, stdout};
use crate::packet::explain::{
    OwnWords, explanation, heading, missed, scale, section_line, table, totals,
};
use crate::text::neutralise::plain_line;
use std::cmp::Reverse;
use std::fmt::Write as _;
use vibey_context_contracts::exit;
use vibey_context_contracts::report::SearchHit;
use vibey_context_contracts::request::Request;
use vibey_context_index::rank::{Explained, Ranking, explain, rank};
use vibey_context_index::reader::Reader;
use vibey_context_index::record::SkillRecord;

/// A section that is printed.
struct Found {
    /// Position of the skill's record.
    skill: usize,
    record: SkillRecord,
    /// Place of the section in it.
    section: usize,
    hit: SearchHit,
}

/// What was found for a query.
pub(super) struct Answer {
    ranking: Ranking,
    found: Vec<Found>,
    /// Where the scores come from; empty where nobody asked.
    explained: Vec<Explained>,
    own: OwnWords,
}

/// Runs the command.
pub(super) fn run(args: &SearchArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let opened = meant.open(args.index.as_deref())?;
    let answer = answer(&args.query, args.limit, args.explain, &opened)?;
    if args.json {
        json(&answer.hits())?;
    } else if answer.found.is_empty() {
        stdout("no section matches\n")?;
    } else if args.explain {
        stdout(&explanations(&answer))?;
    } else {
        stdout(&listing(&answer.found))?;
    }
    Ok(exit::DONE)
}

/// The best sections for the words of `query`, at most `limit`, with where their scores come from if `with_scores`.
pub(super) fn answer(
    query: &str,
    limit: usize,
    with_scores: bool,
    opened: &Opened,
) -> Result<Answer, Failure> {
    let reader = &opened.reader;
    let request = Request {
        objective: query.to_owned(),
        ..Request::default()
    };
    let query = crate::packet::query(&request).query;
    let ranking = rank(reader, &query, None)?;
    let found = found(reader, &ranking, limit)?;
    let (mut explained, mut own) = (Vec::new(), OwnWords::new());
    if with_scores {
        own = crate::packet::own_words(&request);
        // Best skills first.
        let mut skills = ranking
            .skills
            .iter()
            .map(|skill| skill.at)
            .collect::<Vec<_>>();
        skills.retain(|at| found.iter().any(|one| one.skill == *at));
        explained = explain(reader, &query, None, &skills)?;
    }
    Ok(Answer {
        ranking,
        found,
        explained,
        own,
    })
}

impl Answer {
    /// The rows that `--json` prints.
    pub(super) fn hits(self) -> Vec<SearchHit> {
        let hits = self.found.into_iter().map(|one| {
            let of_skill = self.explained.iter().find(|skill| skill.at == one.skill);
            let explanation = of_skill.and_then(|skill| {
                explanation(&self.ranking, skill, &one.record, one.section, &self.own)
            });
            SearchHit {
                explanation,
                ..one.hit
            }
        });
        hits.collect()
    }
}

/// The best sections of the candidate skills: a section counts with its own score and that of its skill.
fn found(reader: &Reader, ranking: &Ranking, limit: usize) -> Result<Vec<Found>, Failure> {
    let best = ranking.skills.first().map_or(0, |skill| skill.score).max(1);
    let mut rows = Vec::new();
    for skill in &ranking.skills {
        for (section, ranked) in skill.ranked_sections.iter().enumerate() {
            if ranked.score > 0 {
                rows.push((
                    Reverse(ranked.score * skill.score / best),
                    skill.at,
                    section,
                    ranked,
                ));
            }
        }
    }
    rows.sort_by_key(|(score, skill, section, _)| (*score, *skill, *section));
    let mut found = Vec::new();
    for (Reverse(score), at, section, ranked) in rows {
        if found.len() == limit {
            break;
        }
        let record = reader.skill(at)?;
        let Some(chunk) = record.sections.get(section) else {
            continue;
        };
        if chunk.bare {
            continue;
        }
        let reasons = ranked.matched.iter().map(|(term, fields)| {
            let fields: Vec<&str> = fields.iter().map(|field| field.as_str()).collect();
            let word = ranking
                .terms
                .get(*term)
                .map_or("", |term| term.term.as_str());
            format!("{word}:{}", fields.join("+"))
        });
        let hit = SearchHit {
            id: chunk.id.clone(),
            plugin: record.plugin.clone(),
            skill: record.skill.clone(),
            heading_path: chunk.heading_path.clone(),
            source_path: record.address(),
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            score,
            reasons: reasons.collect(),
            explanation: None,
        };
        found.push(Found {
            skill: at,
            record,
            section,
            hit,
        });
    }
    Ok(found)
}

fn listing(found: &[Found]) -> String {
    let mut text = String::new();
    for Found { hit, .. } in found {
        let heading = hit
            .heading_path
            .last()
            .map(|heading| plain_line(heading))
            .unwrap_or_default();
        text.push_str(&format!(
            "{:>6}  {}/{}  {}\n        {}:{}-{}\n",
            hit.score,
            plain_line(&hit.plugin),
            plain_line(&hit.skill),
            heading,
            plain_line(&hit.source_path),
            hit.line_start,
            hit.line_end
        ));
    }
    text
}

/// Each skill with what its score is made of, and below it those of its sections that were found.
fn explanations(answer: &Answer) -> String {
    let Answer {
        ranking,
        found,
        explained,
        own,
    } = answer;
    let mut text = format!("{}\n", scale());
    let best = ranking.skills.first().map_or(0, |skill| skill.score);
    for (place, skill) in ranking.skills.iter().enumerate() {
        let Some(explained) = explained.iter().find(|one| one.at == skill.at) else {
            continue;
        };
        let mut sections = found.iter().filter(|one| one.skill == skill.at).peekable();
        let Some(Found { record, .. }) = sections.peek() else {
            continue;
        };
        let _ = write!(
            text,
            "\n{}. {}  {}\n   {}\n{}   {}\n   sections:\n",
            place + 1,
            plain_line(&record.qualified()),
            plain_line(&record.address()),
            totals(skill, explained, record),
            table(explained, own, "   "),
            missed(ranking, &skill.matched, own)
        );
        for one in sections {
            let rows = explained.sections.get(one.section);
            let rows = rows.map_or(&[][..], Vec::as_slice);
            let words: i64 = rows.iter().map(|row| row.points).sum();
            let _ = write!(
                text,
                "   {:>6}  {}  lines {}-{}\n           {words} by its own words, times {}/{best} by its skill: {}\n",
                one.hit.score,
                heading(record, one.section),
                one.hit.line_start,
                one.hit.line_end,
                skill.score,
                section_line(rows, own)
            );
        }
    }
    text
}
