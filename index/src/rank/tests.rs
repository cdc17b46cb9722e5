#![allow(clippy::unwrap_used)]
use super::*;
use crate::analysis::Analyzer;
use crate::record::{IndexedSkill, SectionRecord, SkillRecord};
use crate::segment;
use std::collections::BTreeMap;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::packet::ContentClass;

mod explain;

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
    sharded(&[skills])
}

/// A generation of these shards.
fn sharded(shards: &[&[IndexedSkill]]) -> Reader {
    let mut files = crate::reader::Files::new();
    let (mut keys, mut copies, mut first) = (Vec::new(), Vec::new(), 0);
    for (at, skills) in shards.iter().enumerate() {
        let key = sha256_hex(&[at as u8]);
        let name = segment::shard_file(&key);
        files.insert(name, segment::build(skills, &key, &mut |_| {}).unwrap());
        keys.push(key);
        for (place, skill) in skills.iter().enumerate() {
            if !skill.record.copies.is_empty() {
                copies.push((first + place, skill.record.copies.clone()));
            }
        }
        first += skills.len();
    }
    let corpus = crate::corpus::write(&keys, copies);
    files.insert(crate::corpus::FILE.to_owned(), corpus);
    Reader::in_memory(files).unwrap()
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    Analyzer::default().terms(text, |term| words.push(term.to_owned()));
    words
}

fn signals(text: &str) -> Vec<Signal> {
    let signal = |term| Signal { term, weight: 1.0 };
    words(text).into_iter().map(signal).collect()
}

fn query(text: &str) -> Query {
    Query {
        words: words(text),
        ..Query::default()
    }
}

fn order(query: &Query) -> Vec<usize> {
    let ranking = rank(&reader(&corpus()), query, None).unwrap();
    ranking.skills.iter().map(|skill| skill.at).collect()
}

#[test]
fn the_skill_that_holds_the_words_comes_first_and_others_do_not_come() {
    assert_eq!(order(&query("backfill a schema migration in batches")), [0]);
    assert_eq!(order(&query("zzkx")), Vec::<usize>::new());
}

#[test]
fn signals_decide_between_equals_and_find_nothing_alone() {
    let plain = query("index");
    let tipped = Query {
        signals: signals("queries"),
        ..plain.clone()
    };
    assert_eq!(order(&tipped)[0], 1);
    assert_eq!(order(&plain).len(), 2);
    let alone = Query {
        signals: signals("queries"),
        ..Query::default()
    };
    assert_eq!(order(&alone), Vec::<usize>::new());
}

#[test]
fn signals_never_outweigh_the_words() {
    let query = Query {
        signals: signals("schema migrations queries index plan batches"),
        ..query("validate form labels")
    };
    assert_eq!(order(&query)[0], 2);
}

#[test]
fn sections_know_their_words_and_fields() {
    let ranking = rank(&reader(&corpus()), &query("locks concurrently"), None).unwrap();
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
fn the_own_form_of_a_word_decides_between_equal_stems() {
    let skills = [
        skill(0, "a", "x", "About mine rescue", &[("T", "text")]),
        skill(1, "b", "y", "About mining rescue", &[("T", "text")]),
    ];
    let first = |form: &str| {
        let query = Query {
            forms: vec![form.to_owned()],
            ..query("mining")
        };
        rank(&reader(&skills), &query, None).unwrap().skills[0].at
    };
    assert_eq!((first("=mining"), first("mine")), (1, 0));
}

#[test]
fn words_that_stand_together_count_more_than_words_apart() {
    let filler = "alpha beta gamma delta epsilon zeta theta kappa";
    let apart = format!("power {filler} automate");
    let together = format!("{filler} power automate");
    let skills = [
        skill(0, "a", "x", &apart, &[("T", "text")]),
        skill(1, "b", "y", &together, &[("T", "text")]),
    ];
    let with = Query {
        pairs: vec![("autom".to_owned(), "power".to_owned())],
        ..query("power automate")
    };
    let best = |query: &Query| rank(&reader(&skills), query, None).unwrap().skills[0].at;
    assert_eq!((best(&query("power automate")), best(&with)), (0, 1));
}

#[test]
fn siblings_that_know_the_words_speak_for_a_skill() {
    let text = "a kiln needs a glaze";
    let skills = [
        skill(0, "alone", "x", text, &[("T", "text")]),
        skill(1, "pottery", "y", text, &[("T", "text")]),
        skill(2, "pottery", "z", "glaze recipes", &[("T", "text")]),
    ];
    let ranking = rank(&reader(&skills), &query("kiln glaze"), None).unwrap();
    assert_eq!(ranking.skills[0].at, 1);
    assert!(ranking.skills[0].siblings > ranking.skills[1].siblings);
}

#[test]
fn only_eligible_skills_are_ranked() {
    let only = rank(
        &reader(&corpus()),
        &query("index"),
        Some(&BTreeSet::from([1])),
    )
    .unwrap();
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

#[test]
fn a_ranking_does_not_depend_on_how_skills_are_cut_into_shards() {
    let mut skills = corpus();
    skills[2].record.copies = vec![crate::record::Copy {
        plugin: "db".into(),
        skill: "other".into(),
        folder: "o".into(),
    }];
    let asked = Query {
        words: words("index the schema migration and its form labels, zzkx"),
        forms: words("queries forms"),
        pairs: vec![("label".into(), "error".into())],
        signals: signals("slow rows"),
    };
    let whole = sharded(&[&skills]);
    let expected = rank(&whole, &asked, None).unwrap();
    assert_eq!(expected.skills.len(), 3);
    let all = [0, 1, 2];
    for cut in [[0, 1], [1, 1], [1, 2], [0, 3], [2, 3]] {
        let parts = [
            &skills[..cut[0]],
            &skills[cut[0]..cut[1]],
            &skills[cut[1]..],
        ];
        let reader = sharded(&parts);
        assert_eq!(rank(&reader, &asked, None).unwrap(), expected, "{cut:?}");
        assert_eq!(
            explain(&reader, &asked, None, &all).unwrap(),
            explain(&whole, &asked, None, &all).unwrap()
        );
        for name in ["migrations", "db/other", "web/forms", "zzkx"] {
            let found = |reader: &Reader| reader.skills_named(name).unwrap();
            assert_eq!(found(&reader), found(&whole), "{name}");
        }
        assert_eq!(reader.skills_of_plugin("db").unwrap(), [0, 1, 2]);
        assert_eq!(reader.all_plugins().unwrap(), ["db", "web"]);
        assert_eq!(
            reader.all_skill_names().unwrap(),
            whole.all_skill_names().unwrap()
        );
        for (at, skill) in skills.iter().enumerate() {
            assert_eq!(reader.skill(at).unwrap(), skill.record);
            assert_eq!(reader.text(at).unwrap(), skill.text);
        }
        assert!(reader.skill(3).is_err());
    }
}

#[test]
fn an_empty_corpus_answers_with_nothing() {
    for reader in [sharded(&[]), sharded(&[&[]])] {
        assert_eq!(reader.skill_count(), 0);
        let ranking = rank(&reader, &Query::default(), None).unwrap();
        assert!(ranking.skills.is_empty());
        let ranking = rank(&reader, &query("word"), None).unwrap();
        assert!(ranking.skills.is_empty());
    }
}

#[test]
fn building_twice_gives_the_same_bytes() {
    let build = || segment::build(&corpus(), &sha256_hex(b"key"), &mut |_| {}).unwrap();
    assert!(build() == build());
}
