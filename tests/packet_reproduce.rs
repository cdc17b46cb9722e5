//! Do `reproduce` and `why` tell what changed, and why a skill is where it is?

use crate::harness::{Dir, Output, fixture};
use serde_json::{Value, json};

struct Bench {
    dir: Dir,
    root: String,
}

impl Bench {
    /// A corpus, its index, and a packet for the migration request.
    fn new() -> Self {
        let dir = Dir::new();
        let root = fixture::indexed(&dir);
        dir.request("request.json", &fixture::migration());
        dir.run([
            "packet",
            "--request",
            "request.json",
            "--index",
            "index",
            "--output",
            "p.md",
        ])
        .expect(0);
        Self { dir, root }
    }

    fn reproduce(&self, more: &[&str]) -> Output {
        let form = [
            "reproduce",
            "--manifest",
            "p.json",
            "--request",
            "request.json",
            "--index",
            "index",
        ];
        self.dir.run(form.iter().chain(more))
    }

    fn rebuild(&self) {
        let form = [
            "--skills", &self.root, "index", "build", "--output", "index",
        ];
        self.dir.run(form).expect(0);
    }

    fn edit(&self, skill: &str, from: &str, to: &str) {
        let path = format!("{}/plugins/{skill}/SKILL.md", fixture::ROOT);
        let text = self.dir.read(&path);
        assert!(text.contains(from), "{text}");
        self.dir.file(&path, text.replace(from, to));
    }

    fn why(&self, skill: &str, request: &Value) -> Output {
        let request = self.dir.request("why.json", request);
        let form = ["why", skill, "--request", &request, "--index", "index"];
        self.dir.run(form)
    }
}

#[test]
fn the_same_inputs_are_the_same_bytes() {
    let bench = Bench::new();
    let run = bench.reproduce(&[]).expect(0);
    let digest = bench.dir.json("p.json")["packet_sha256"].clone();
    assert!(
        run.stdout.contains(digest.as_str().unwrap()),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "");
    // Also after the index has been built anew, from a corpus that moved.
    std::fs::rename(bench.dir.at(fixture::ROOT), bench.dir.at("moved")).unwrap();
    std::fs::remove_dir_all(bench.dir.at("index")).unwrap();
    let moved = bench.dir.arg("moved");
    bench
        .dir
        .run(["--skills", &moved, "index", "build", "--output", "index"])
        .expect(0);
    bench.reproduce(&[]).expect(0);
}

#[test]
fn a_result_without_packet_is_reproduced_too() {
    let bench = Bench::new();
    for request in [
        json!({"objective": "blorptang wibbly frandicle"}),
        json!({"required_skills": ["cluster-backup"], "maximum_context_tokens": 1000}),
    ] {
        bench.dir.request("request.json", &request);
        bench
            .dir
            .run([
                "packet",
                "--request",
                "request.json",
                "--index",
                "index",
                "--output",
                "p.md",
            ])
            .expect(2);
        bench.reproduce(&[]).expect(0);
    }
}

#[test]
fn a_changed_section_is_named() {
    let bench = Bench::new();
    bench.edit(
        "atlas/skills/postgres-migrations",
        "retry, never wait in the queue",
        "retry, and never wait",
    );
    bench.rebuild();
    let run = bench.reproduce(&[]).expect(2);
    assert!(run.stdout.contains("corpus: "), "{}", run.stdout);
    let named: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.trim().starts_with("section "))
        .collect();
    assert_eq!(named.len(), 1, "{}", run.stdout);
    assert!(
        named[0].contains("`Lock rules`")
            && named[0].contains("plugins/atlas/skills/postgres-migrations/SKILL.md"),
        "{}",
        named[0]
    );
    assert!(!run.stdout.contains("request: "), "{}", run.stdout);
}

#[test]
fn a_changed_request_is_named() {
    let bench = Bench::new();
    let mut request = fixture::migration();
    request["title"] = json!("Add another column to the accounts table");
    bench.dir.request("request.json", &request);
    let run = bench.reproduce(&[]).expect(2);
    assert!(run.stdout.contains("request: "), "{}", run.stdout);
    assert!(!run.stdout.contains("corpus: "), "{}", run.stdout);
}

#[test]
fn another_corpus_that_gives_the_same_text_still_differs() {
    let bench = Bench::new();
    bench.edit("relay/skills/tracing", "how they nest", "how they nested");
    bench.rebuild();
    let run = bench.reproduce(&[]).expect(2);
    assert!(run.stdout.contains("corpus: "), "{}", run.stdout);
}

#[test]
fn the_budget_of_the_manifest_counts() {
    let bench = Bench::new();
    bench
        .dir
        .run([
            "packet",
            "--request",
            "request.json",
            "--index",
            "index",
            "--output",
            "p.md",
            "--budget",
            "1500",
        ])
        .expect(0);
    bench.reproduce(&[]).expect(0);
}

#[test]
fn manifests_that_cannot_be_compared() {
    let bench = Bench::new();
    let mut manifest = bench.dir.json("p.json");
    manifest["contract_version"] = json!("2.0.0");
    bench.dir.request("p.json", &manifest);
    let error = bench
        .reproduce(&["--json"])
        .fails("manifest_contract")
        .error();
    assert!(error.message.contains("2.0.0"), "{}", error.message);
    for (text, code) in [
        ("", "manifest_invalid"),
        ("[]", "manifest_invalid"),
        ("{\"contract_version\": \"1.0.0\"}", "manifest_invalid"),
        ("{}", "manifest_contract"),
        ("\"1.0.0\"", "manifest_invalid"),
    ] {
        bench.dir.file("p.json", text);
        let run = bench.reproduce(&["--json"]).fails(code);
        assert_eq!(run.error().path.as_deref(), Some("p.json"));
    }
    bench.dir.remove("p.json");
    bench.reproduce(&["--json"]).fails("not_found");
}

#[test]
fn a_manifest_of_a_later_minor_version_is_read() {
    let bench = Bench::new();
    let mut manifest = bench.dir.json("p.json");
    manifest["contract_version"] = json!("1.7.0");
    manifest["a_field_of_tomorrow"] = json!({"x": 1});
    bench.dir.request("p.json", &manifest);
    let run = bench.reproduce(&[]).expect(2);
    assert!(
        run.stdout.contains("contract: 1.7.0 before"),
        "{}",
        run.stdout
    );
}

#[test]
fn why_a_skill_is_chosen() {
    let bench = Bench::new();
    let run = bench
        .why("postgres-migrations", &fixture::migration())
        .expect(0);
    assert!(
        run.stdout.starts_with(
            "atlas/postgres-migrations  plugins/atlas/skills/postgres-migrations/SKILL.md\n"
        ),
        "{}",
        run.stdout
    );
    for needle in [
        "decision: in the packet, with ",
        "rank: 1 of ",
        "matched:\n",
        "missed: ",
    ] {
        assert!(run.stdout.contains(needle), "{needle}: {}", run.stdout);
    }
    // The number of sections is the manifest's.
    let manifest = bench.dir.json("p.json");
    let count = manifest["included_chunks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|chunk| chunk["skill"] == "postgres-migrations")
        .count();
    assert!(
        run.stdout.contains(&format!("with {count} of ")),
        "{}",
        run.stdout
    );
}

#[test]
fn why_a_skill_is_dropped() {
    let bench = Bench::new();
    let manifest = bench.dir.json("p.json");
    let rows = manifest["omitted_chunks"].as_array().unwrap();
    let dropped: Vec<_> = rows
        .iter()
        .filter(|row| row["id"].as_str().unwrap().contains('/'))
        .collect();
    assert!(!dropped.is_empty(), "{manifest}");
    for row in dropped {
        let reason = row["reason"].as_str().unwrap();
        let run = bench
            .why(row["id"].as_str().unwrap(), &fixture::migration())
            .expect(0);
        assert!(
            run.stdout.contains(&format!("decision: dropped: {reason}")),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn why_a_skill_has_no_rank_or_no_packet() {
    let bench = Bench::new();
    for (skill, request, needle) in [
        (
            "glossary",
            json!({"required_skills": ["webhooks"]}),
            "decision: not eligible",
        ),
        (
            "glossary",
            json!({"objective": "glossary of terms in a project", "excluded_skills": ["glossary"]}),
            "decision: not eligible",
        ),
        (
            "glossary",
            json!({"objective": "blorptang wibbly frandicle"}),
            "low_confidence",
        ),
        (
            "cluster-backup",
            json!({"required_skills": ["backup"], "maximum_context_tokens": 1000}),
            "budget_insufficient",
        ),
        (
            "japanese-prose",
            json!({"objective": "exponential backoff with jitter"}),
            "rank: not among",
        ),
    ] {
        let run = bench.why(skill, &request).expect(0);
        assert!(run.stdout.contains(needle), "{needle}: {}", run.stdout);
    }
}

#[test]
fn why_of_names_that_fit_none_or_several() {
    let bench = Bench::new();
    for (skill, code) in [
        ("no-such-skill", "skill_unknown"),
        ("code-review", "skill_ambiguous"),
    ] {
        bench
            .dir
            .run([
                "why",
                skill,
                "--request",
                "request.json",
                "--index",
                "index",
                "--json",
            ])
            .fails(code);
    }
    let error = bench
        .dir
        .run([
            "why",
            "postgres-migration",
            "--request",
            "request.json",
            "--index",
            "index",
            "--json",
        ])
        .fails("skill_unknown")
        .error();
    assert!(error.help.unwrap().contains("`postgres-migrations`"));
}

/// The same relative path in two roots is two skills.
#[test]
fn two_roots_with_the_same_paths_are_told_apart() {
    let dir = Dir::new();
    for (root, word) in [("one", "quokka"), ("two", "quokka wallaby")] {
        dir.skill(
            &format!("{root}/skills/same"),
            &format!("same-{root}"),
            &format!("About the {word}."),
            "",
            &format!("# Same\n\nAll about the {word}.\n"),
        );
    }
    dir.run([
        "--skills", "one", "--skills", "two", "index", "build", "--output", "index",
    ])
    .expect(0);
    let request = dir.request(
        "request.json",
        &json!({"required_skills": ["same-one", "same-two"]}),
    );
    let form = [
        "packet",
        "--request",
        &request,
        "--index",
        "index",
        "--output",
        "p.md",
    ];
    dir.run(form).expect(0);
    for skill in ["same-one", "same-two"] {
        let run = dir
            .run(["why", skill, "--request", &request, "--index", "index"])
            .expect(0);
        assert!(
            run.stdout.contains("with 1 of 1 sections"),
            "{}",
            run.stdout
        );
    }
    dir.skill(
        "one/skills/same",
        "same-one",
        "About the quokka.",
        "",
        "# Same\n\nMore about the quokka.\n",
    );
    dir.run([
        "--skills", "one", "--skills", "two", "index", "build", "--output", "index",
    ])
    .expect(0);
    let run = dir
        .run([
            "reproduce",
            "--manifest",
            "p.json",
            "--request",
            &request,
            "--index",
            "index",
        ])
        .expect(2);
    let named = run
        .stdout
        .lines()
        .filter(|line| line.trim().starts_with("section "))
        .count();
    assert_eq!(named, 1, "{}", run.stdout);
}
