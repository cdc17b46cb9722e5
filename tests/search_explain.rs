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
    let walk = walk();
    generated(
        "docs/authors.md",
        &[("fields", fields), ("example", example), ("walk", walk)],
    );
}

/// A skill that is not found, the words that it misses, and the same request after they have come into its description.
fn walk() -> String {
    let dir = Dir::new();
    let skill = |name: &str, description: &str, body: &str| {
        dir.skill(
            &format!("skills/{name}"),
            name,
            description,
            "",
            &format!("# {name}\n\n{body}\n"),
        );
    };
    let body = "Create the new one, copy in batches, drop the old one in a later release.";
    let before = "Conventions for relational work.";
    let after = "Changes a live database schema: rename, split or drop a column without downtime.";
    skill(
        "sheets",
        "Fills spreadsheets: formulas, charts, a column that is the sum of others.",
        "Name every column.",
    );
    skill(
        "paging",
        "Pages through long lists without gaps.",
        "Sort by a column that is unique.",
    );
    skill("schema-work", before, body);
    let request = json!({"objective": "rename a column without downtime"});
    dir.request("request.json", &request);
    let case = json!([{"id": "rename", "request": request, "expected_skills": ["schema-work"]}]);
    dir.request("cases.json", &case);

    let mut shown = format!("````text\n$ # description: {before}\n");
    let mut show = |args: &[&str], prefixes: &[&str]| {
        let args = [&["--skills", "skills"], args].concat();
        let output = dir.run(&args).expect(0).stdout;
        shown.push_str(&format!("$ vibey-context {}\n", args.join(" ")));
        for prefix in prefixes {
            let lines = output.lines().filter(|line| line.starts_with(prefix));
            let lines: Vec<&str> = lines.collect();
            assert!(!lines.is_empty(), "{prefix}: {output}");
            shown.push_str(&(lines.join("\n") + "\n"));
        }
        output
    };
    let why = ["why", "schema-work", "--request", "request.json"];
    show(&why, &["decision", "rank", "matched", "missed"]);
    let first = show(&["evaluate", "--cases", "cases.json", "--json"], &[]);
    dir.file("before.json", first);
    skill("schema-work", after, body);
    let again = [
        "evaluate",
        "--cases",
        "cases.json",
        "--baseline",
        "before.json",
    ];
    show(&again, &["against", "  improved"]);
    shown
        .replace(
            "--json\n",
            &format!("--json > before.json\n$ # description: {after}\n"),
        )
        .to_owned()
        + "````\n"
}

#[test]
fn why_explains_a_skill_that_is_no_candidate() {
    let dir = Dir::new();
    for at in 0..45 {
        let name = format!("glaze-{at}");
        let body = "# T\n\nGlaze and kiln.\n";
        dir.skill(
            &format!("skills/{name}"),
            &name,
            "Glazes a kiln.",
            "",
            &format!("{body}\n{at}\n"),
        );
    }
    // Words that only a part of all skills hold, so that they weigh something.
    for at in 0..100 {
        let name = format!("other-{at}");
        dir.skill(&format!("skills/{name}"), &name, "About sand.", "", "# T\n");
    }
    let body = format!(
        "# T\n\n{}\n\n## Firing\n\nThe kiln.\n",
        "Clay, water, sand. ".repeat(50)
    );
    dir.skill("skills/clay", "clay", "About clay.", "", &body);
    let request = json!({"objective": "glaze the kiln", "excluded_skills": ["glaze-3"]});
    dir.request("request.json", &request);
    let why = |skill: &str| {
        let args = [
            "--skills",
            "skills",
            "why",
            skill,
            "--request",
            "request.json",
        ];
        dir.run(args).expect(0).stdout
    };
    for (skill, needles) in [
        (
            "clay",
            [
                "decision: dropped: not among the first 10 skills\n",
                "rank: not among the 40 best of 145 eligible skills; if it were: score ",
                "body ",
                "missed: glaze\n",
            ],
        ),
        (
            "glaze-3",
            [
                "decision: not eligible",
                "rank: not among the 40 best of 145 eligible skills; if it were: score ",
                "description ",
                "missed: nothing\n",
            ],
        ),
        (
            "glaze-13",
            [
                "decision: dropped: diversity, a packet uses at most 4 skills\n",
                "skills of the packet: ",
                "rank: 6 of the 40 best of 145 eligible skills, score ",
                "missed: nothing\n",
            ],
        ),
    ] {
        let text = why(skill);
        for needle in needles {
            assert!(text.contains(needle), "{needle}: {text}");
        }
    }
}

#[test]
fn why_compiles_with_the_budget_and_the_tokenizer_of_the_command() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let request = dir.request("request.json", &fixture::migration());
    let why = |more: &[&str]| {
        let form = [
            "why",
            "postgres-migrations",
            "--request",
            &request,
            "--index",
            "index",
        ];
        dir.run(form.iter().chain(more))
    };
    let whole = why(&["--budget", "32000"]).expect(0).stdout;
    let small = why(&["--budget", "1000", "--tokenizer", "cl100k_base"]);
    let decision = |text: &str| text.lines().nth(1).unwrap().to_owned();
    assert_ne!(decision(&whole), decision(&small.expect(0).stdout));
    why(&["--budget", "10", "--json"]).fails("budget_out_of_range");
}

#[test]
fn why_says_how_far_a_dropped_skill_is_from_the_packet() {
    let dir = Dir::new();
    let objective = "add an index to the orders table without blocking writes";
    let request = dir.request("request.json", &json!({"objective": objective}));
    let why = |skill: &str| {
        let form = ["--embedded", "why", skill, "--request", &request];
        dir.run(form).expect(0).stdout
    };
    let best = "skills of the packet: starter/safe-database-migrations\n";
    for skill in ["git-history-hygiene", "concurrency-and-locking"] {
        let text = why(skill);
        assert!(text.contains(best), "{text}");
        let decision = text.lines().nth(1).unwrap();
        assert!(decision.starts_with("decision: dropped: below_threshold; "));
        let shares = decision.split(" %").map(|before| before.rsplit(' ').next());
        let shares: Vec<i64> = shares.filter_map(|one| one?.parse().ok()).collect();
        let [needed, score, new_needed, new] = shares[..] else {
            panic!("{decision}");
        };
        assert!(score < needed && new < new_needed, "{decision}");
    }
}

#[test]
fn why_says_which_part_of_the_confidence_rule_failed() {
    let dir = Dir::new();
    let why = |objective: &str| {
        let request = dir.request("request.json", &json!({"objective": objective}));
        let form = [
            "--embedded",
            "why",
            "git-history-hygiene",
            "--request",
            &request,
        ];
        dir.run(form).expect(0).stdout
    };
    for (objective, needle) in [
        (
            "blorptang",
            ", no eligible skill holds a word of the request\n",
        ),
        (
            "teach me to juggle clubs",
            ", none of the first skills holds two words ",
        ),
        (
            "blorptang frandicle vortle quasp snee wibbly grumple flonk tests code",
            ", the first skills explain too little of the request\n",
        ),
    ] {
        let text = why(objective);
        assert!(text.contains("\nconfidence of the request: "), "{text}");
        let decision = text.lines().nth(1).unwrap().to_owned() + "\n";
        let whole = format!("no packet: low_confidence{needle}");
        assert!(decision.contains(&whole), "{decision}: {text}");
    }
}
