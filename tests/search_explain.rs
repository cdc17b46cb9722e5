//! Does `search --explain` say where scores come from: completely, legibly, and the same each time?
//!
//! `VIBEY_BLESS=1 cargo test --test integration search_explain` writes the generated parts of docs/authors.md anew.

use crate::docs::generated;
use crate::harness::{Dir, fixture};
use serde_json::json;
use std::collections::BTreeSet;
use vibey_context_contracts::report::{ExplanationKind, ExplanationRow, SearchHit};
use vibey_context_index::rank::{SkillField, weights};

const QUERY: &str = "retrying http requests with exponential backoff and jitter";

fn search(dir: &Dir, query: &str, more: &[&str]) -> String {
    let form = ["search", query, "--index", "index"];
    dir.run(form.iter().chain(more)).expect(0).stdout
}

fn hits(dir: &Dir, query: &str, more: &[&str]) -> Vec<SearchHit> {
    let form: Vec<&str> = more.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&search(dir, query, &form)).unwrap()
}

/// Points of the rows of some kinds.
fn points(rows: &[ExplanationRow], kinds: &[ExplanationKind]) -> i64 {
    let rows = rows.iter().filter(|row| kinds.contains(&row.kind));
    rows.map(|row| row.points).sum()
}

#[test]
fn rows_add_up_to_the_scores_of_every_hit() {
    use ExplanationKind::{Form, Pair, Section, Signal, Word};
    let dir = Dir::new();
    fixture::indexed(&dir);
    let explained = hits(&dir, QUERY, &["--explain", "--limit", "100"]);
    let best = explained
        .iter()
        .map(|hit| hit.explanation.as_ref().unwrap().skill_score)
        .max()
        .unwrap();
    for hit in &explained {
        let why = hit.explanation.as_ref().unwrap();
        let total = why.fields + why.siblings + why.best_section + why.signals;
        assert_eq!(total, why.skill_score, "{hit:?}");
        assert_eq!(points(&why.rows, &[Word, Form, Pair]), why.fields);
        assert_eq!(points(&why.rows, &[Section]), why.best_section);
        assert_eq!(points(&why.rows, &[Signal]), why.signals);
        assert_eq!(points(&why.section_rows, &[Section]), why.section_score);
        assert_eq!(hit.score, why.section_score * why.skill_score / best);
        assert_eq!(why.section_rows.len(), hit.reasons.len());
        for row in why.rows.iter().chain(&why.section_rows) {
            let parts: i64 = row.fields.iter().map(|field| field.points).sum();
            assert_eq!(parts, row.points, "{row:?}");
            assert_eq!(row.terms.len(), row.words.len());
        }
    }
    let why = explained[0].explanation.as_ref().unwrap();
    assert_eq!((why.rank, why.siblings_plugin.as_str()), (1, "relay"));
    let kinds: BTreeSet<String> = why
        .rows
        .iter()
        .map(|row| format!("{:?}", row.kind))
        .collect();
    assert_eq!(
        kinds.iter().collect::<Vec<_>>(),
        ["Form", "Pair", "Section", "Word"]
    );
    // Without the option the same hits, and no explanation.
    let mut plain = explained.clone();
    plain.iter_mut().for_each(|hit| hit.explanation = None);
    assert_eq!(hits(&dir, QUERY, &["--limit", "100"]), plain);
}

#[test]
fn people_read_their_own_words_in_a_table() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let text = search(&dir, QUERY, &["--explain"]);
    assert_eq!(text, search(&dir, QUERY, &["--explain"]));
    assert!(text.starts_with("scores: 1000 is "), "{text}");
    for needle in [
        "\n1. relay/http-retry  plugins/relay/skills/http-retry/SKILL.md\n   score ",
        " from its plugin (relay, ",
        "   points  kind ",
        "  retrying  ",
        "  \"jitter\"  ",
        "backoff + exponential",
        "   missed: nothing\n   sections:\n",
        "  Backoff  lines ",
    ] {
        assert!(text.contains(needle), "{needle}: {text}");
    }
    // The stem alone would be cryptic.
    assert!(!text.contains(" exponenti "), "{text}");
    assert_eq!(
        search(&dir, "blorptang", &["--explain"]),
        "no section matches\n"
    );
}

#[test]
fn a_long_query_gets_a_short_table() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let query = fixture::prose(
        "the backfill of a column in batches of a postgres migration",
        9,
    ) + "rust cargo build profile backoff jitter timeout signature plan index lock review rollback cluster restore drill";
    let text = search(&dir, &query, &["--explain", "--limit", "1"]);
    assert!(text.contains(" more rows\n"), "{text}");
    assert!(text.lines().count() < 40, "{text}");
}

#[test]
fn names_stay_text() {
    let dir = Dir::new();
    let name = "\"odd\\e[31m name\\u202E`x` %s {0}\"";
    dir.skill(
        "root/odd/skills/odd",
        name,
        "About the quokka.",
        "",
        "# Head\u{1B}[31m\u{202E} <!-- vibey-context:end -->\n\nMore about the quokka.\n",
    );
    dir.run(["--skills", "root", "index", "build", "--output", "index"])
        .expect(0);
    let request = dir.request("request.json", &json!({"objective": "the quokka"}));
    let why = dir.run(["why", "odd", "--request", &request, "--index", "index"]);
    let text = search(&dir, "quokka", &["--explain"]);
    for text in [&text, &why.expect(0).stdout] {
        assert!(text.contains("<U+001B>[31m"), "{text}");
        assert!(!text.contains(['\u{1B}', '\u{202E}']), "{text:?}");
    }
}

#[test]
fn why_shows_the_same_rows() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let request = dir.request(
        "request.json",
        &json!({"objective": format!("{QUERY} blorptangs"), "languages": ["rust"], "dependencies": ["http"]}),
    );
    let form = [
        "why",
        "http-retry",
        "--request",
        &request,
        "--index",
        "index",
    ];
    let text = dir.run(form).expect(0).stdout;
    for needle in [
        "rank: 1 of ",
        "\nscores: 1000 is ",
        "  points  kind ",
        "  signal  ",
        "  pair  ",
        "  section  ",
        "  form  ",
        "  retrying  ",
        "missed: blorptangs (in no skill)\n",
    ] {
        assert!(text.contains(needle), "{needle}: {text}");
    }
}

/// What an author writes into each field.
fn written(field: SkillField) -> &'static str {
    match field {
        SkillField::Name => "`name:` and the name of the folder",
        SkillField::Plugin => "name of the plugin",
        SkillField::Description => "`description:`",
        SkillField::Tags => "`phases:`, `languages:`, `technologies:` and the other retrieval keys",
        SkillField::Headings => "all headings",
        SkillField::Body => "the whole text, headings included",
    }
}

#[test]
fn the_authors_page_shows_what_is() {
    let mut fields = "\n| field | what it holds | weight |\n| --- | --- | ---: |\n".to_owned();
    for (field, weight) in SkillField::ALL.into_iter().zip(weights::SKILL_FIELDS) {
        let name = field.as_str();
        fields.push_str(&format!("| {name} | {} | {weight} |\n", written(field)));
    }
    fields.push('\n');
    let query = "retrying with exponential backoff";
    let form = ["--embedded", "search", query, "--explain", "--limit", "1"];
    let output = Dir::new().run(form).expect(0).stdout;
    let example = format!(
        "````text\n$ vibey-context --embedded search \"{query}\" --explain --limit 1\n{output}````\n"
    );
    generated(
        "docs/authors.md",
        &[("fields", fields), ("example", example)],
    );
}
