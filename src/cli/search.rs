//! `search`.

use super::args::SearchArgs;
use super::failure::Failure;
use super::locate::Meant;
use super::output::{json, stdout};
use crate::text::neutralise::plain_line;
use std::cmp::Reverse;
use vibey_context_contracts::exit;
use vibey_context_contracts::report::SearchHit;
use vibey_context_contracts::request::Request;
use vibey_context_index::rank::{Ranking, rank};
use vibey_context_index::reader::Reader;

/// Runs the command.
pub(super) fn run(args: &SearchArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let opened = meant.open(args.index.as_deref())?;
    let request = Request {
        objective: args.query.clone(),
        ..Request::default()
    };
    let asked = crate::packet::query(&request);
    let ranking = rank(&opened.reader, &asked.query, None)?;
    let hits = hits(&opened.reader, &ranking, args.limit)?;
    if args.json {
        json(&hits)?;
    } else {
        stdout(&table(&hits, args.explain))?;
    }
    Ok(exit::DONE)
}

/// The best sections of the candidate skills: a section counts with its own score and that of its skill.
fn hits(reader: &Reader, ranking: &Ranking, limit: usize) -> Result<Vec<SearchHit>, Failure> {
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
    let mut hits = Vec::new();
    for (Reverse(score), at, section, ranked) in rows {
        if hits.len() == limit {
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
        hits.push(SearchHit {
            id: chunk.id.clone(),
            plugin: record.plugin.clone(),
            skill: record.skill.clone(),
            heading_path: chunk.heading_path.clone(),
            source_path: record.address(),
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            score,
            reasons: reasons.collect(),
        });
    }
    Ok(hits)
}

fn table(hits: &[SearchHit], explain: bool) -> String {
    if hits.is_empty() {
        return "no section matches\n".to_owned();
    }
    let mut text = String::new();
    for hit in hits {
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
        if explain {
            text.push_str(&format!("        {}\n", hit.reasons.join(" ")));
        }
    }
    text
}
