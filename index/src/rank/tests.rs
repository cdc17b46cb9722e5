#![allow(clippy::unwrap_used)]
use super::*;
use crate::analysis::Analyzer;
use crate::record::{IndexedSkill, SectionRecord, SkillRecord};
use crate::segment;
use std::collections::BTreeMap;
use vibey_context_contracts::packet::ContentClass;

/// A skill whose sections are the given texts.
fn skill(
    at: u32,
    plugin: &str,
    name: &str,
    description: &str,
    sections: &[(&str, &str)],
) -> IndexedSkill {
    let mut text = String::new();
    let mut records = Vec::new();
    for (heading, body) in sections {
        let start = text.len() as u32;
        text.push_str(&format!("# {heading}\n{body}\n"));
        records.push(SectionRecord {
            id: format!("{name}-{start}"),
            heading_path: vec![(*heading).to_owned()],
            line_start: 1,
            line_end: 2,
            start,
            end: text.len() as u32,
            content_sha256: String::new(),
            class: ContentClass::Procedure,
            part: None,
            bare: false,
            token_estimate: 10,
        });
    }
    let record = SkillRecord {
        root: 0,
        source_path: format!("plugins/{plugin}/skills/{at}-{name}/SKILL.md"),
        source_sha256: format!("{at}"),
        plugin: plugin.to_owned(),
        skill: name.to_owned(),
        folder: format!("{at}-{name}"),
        version: String::new(),
        description: description.to_owned(),
        tags: BTreeMap::new(),
        copies: vec![],
        token_estimate: 10,
        sections: records,
    };
    IndexedSkill { record, text }
}

fn corpus() -> Vec<IndexedSkill> {
    vec![
        skill(
            0,
            "db",
            "migrations",
            "Change schemas without downtime",
            &[
                ("Locks", "an index is built concurrently"),
                ("Backfill", "copy rows in batches"),
            ],
        ),
        skill(
            1,
            "db",
            "queries",
            "Tune slow queries",
            &[("Plans", "read the plan of the query and its index")],
        ),
        skill(
            2,
            "web",
            "forms",
            "Validate forms",
            &[("Fields", "labels and errors")],
        ),
    ]
}

fn reader(skills: &[IndexedSkill]) -> Reader {
    let name = segment::generation_name("c");
    Reader::in_memory(segment::build(skills, &name, &mut |_| {}).unwrap()).unwrap()
}

fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    Analyzer::default().terms(text, |term| {
        words.push(Word {
            term: term.to_owned(),
            weight: 1.0,
        })
    });
    words
}

fn order(query: &Query) -> Vec<usize> {
    let ranking = rank(&reader(&corpus()), query, None).unwrap();
    ranking.skills.iter().map(|skill| skill.at).collect()
}

#[test]
fn the_skill_that_holds_the_words_comes_first_and_others_do_not_come() {
    let query = Query {
        words: words("backfill a schema migration in batches"),
        signals: vec![],
    };
    assert_eq!(order(&query), [0]);
    assert_eq!(
        order(&Query {
            words: words("zzkx"),
            signals: vec![]
        }),
        Vec::<usize>::new()
    );
}

#[test]
fn signals_decide_between_equals_and_find_nothing_alone() {
    let both = words("index");
    let plain = Query {
        words: both.clone(),
        signals: vec![],
    };
    let tipped = Query {
        words: both,
        signals: words("queries"),
    };
    assert_eq!(order(&tipped)[0], 1);
    assert_eq!(order(&plain).len(), 2);
    assert_eq!(
        order(&Query {
            words: vec![],
            signals: words("queries")
        }),
        Vec::<usize>::new()
    );
}

#[test]
fn signals_never_outweigh_the_words() {
    let query = Query {
        words: words("validate form labels"),
        signals: words("schema migrations queries index plan batches"),
    };
    assert_eq!(order(&query)[0], 2);
}

#[test]
fn sections_know_their_words_and_fields() {
    let ranking = rank(
        &reader(&corpus()),
        &Query {
            words: words("locks concurrently"),
            signals: vec![],
        },
        None,
    )
    .unwrap();
    let sections = &ranking.skills[0].ranked_sections;
    assert_eq!(sections.len(), 2);
    assert!(sections[0].score > 0 && sections[1].score == 0);
    let fields: Vec<_> = sections[0]
        .matched
        .iter()
        .flat_map(|(_, fields)| fields.clone())
        .collect();
    assert!(fields.contains(&SectionField::Heading) && fields.contains(&SectionField::Text));
}

#[test]
fn only_eligible_skills_are_ranked() {
    let query = Query {
        words: words("index"),
        signals: vec![],
    };
    let only = rank(&reader(&corpus()), &query, Some(&BTreeSet::from([1]))).unwrap();
    assert_eq!(
        only.skills.iter().map(|skill| skill.at).collect::<Vec<_>>(),
        [1]
    );
}

#[test]
fn idf_falls_with_the_number_of_holders_and_never_below_zero() {
    assert!(idf(100, 0) > idf(100, 1) && idf(100, 1) > idf(100, 99));
    assert!(idf(100, 100) > 0.0 && idf(0, 0) > 0.0);
    assert!(idf(1, 1) > idf(weights::SMALL_CORPUS, 5));
}

#[test]
fn names_lead_to_skills_in_every_form() {
    let reader = reader(&corpus());
    for name in [
        "migrations",
        "0-migrations",
        "db/migrations",
        "db/0-migrations",
        "plugins/db/skills/0-migrations/SKILL.md",
    ] {
        assert_eq!(reader.skills_named(name).unwrap(), [0], "{name}");
    }
    assert_eq!(
        reader.skills_named("Migrations").unwrap(),
        Vec::<usize>::new()
    );
    assert_eq!(reader.skills_of_plugin("db").unwrap(), [0, 1]);
    assert_eq!(reader.all_plugins().unwrap(), ["db", "web"]);
}
