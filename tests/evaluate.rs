//! What does `evaluate` say about requests with known answers, and when does it say that they are found worse than before?

mod baseline;

use crate::docs::generated;
use crate::harness::{Dir, Output, fixture};
use serde_json::{Value, json};
use std::path::Path;
use vibey_context_contracts::evaluation::{CaseResult, EvaluationReport};
use vibey_context_contracts::packet::Status;

/// The cases over the starter corpus: a floor under every measure of theirs. Beside it what was measured when the floor was
/// set; a change that lowers a measure has to say why, one that lifts it lifts the floor.
const STARTER: &str = "tests/fixtures/starter-cases.json";
const STARTER_POSITIVES: u64 = 32;
const STARTER_NEGATIVES: u64 = 14;
/// Measured 0.9688.
const STARTER_HIT_AT_1: f64 = 0.9688;
/// Measured 0.9688.
const STARTER_ANY_AT_5: f64 = 0.9688;
/// Measured 1.
const STARTER_ANY_AT_10: f64 = 1.0;
/// Measured 0.9740.
const STARTER_MRR: f64 = 0.974;
/// Measured 0.9799.
const STARTER_NDCG_AT_10: f64 = 0.9799;
/// At most; measured 0.
const STARTER_NEGATIVES_OK: u64 = 0;
/// At most; measured 2.
const STARTER_POSITIVES_LOW_CONFIDENCE: u64 = 2;

fn starter() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(STARTER);
    path.to_str().unwrap().to_owned()
}

fn report(run: &Output) -> EvaluationReport {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

fn case<'a>(report: &'a EvaluationReport, id: &str) -> &'a CaseResult {
    report.cases.iter().find(|case| case.id == id).unwrap()
}

/// A folder with an index of the fixture corpus.
fn indexed() -> Dir {
    let dir = Dir::new();
    fixture::indexed(&dir);
    dir
}

/// Runs `evaluate` over cases in a folder with an index.
fn evaluate(dir: &Dir, cases: &Value, more: &[&str]) -> Output {
    let cases = dir.request("cases.json", cases);
    let mut args = vec!["evaluate", "--cases", &cases, "--index", "index"];
    args.extend(more);
    dir.run(args)
}

fn migration(id: &str) -> Value {
    json!({"id": id, "request": fixture::migration(), "expected_skills": ["postgres-migrations"]})
}

fn juggling(id: &str) -> Value {
    let request = json!({"objective": "Teach me a cascade with three clubs on a unicycle"});
    json!({"id": id, "request": request, "negative": true})
}

#[test]
fn the_starter_corpus_answers_its_cases() {
    let dir = Dir::new();
    let args = ["--embedded", "evaluate", "--cases", &starter(), "--json"];
    let report = report(&dir.run(args).expect(0));
    let of = &report.overall;
    assert_eq!(
        (of.positives, of.negatives),
        (STARTER_POSITIVES, STARTER_NEGATIVES)
    );
    for (name, rate, floor) in [
        ("hit@1", of.hit_at_1, STARTER_HIT_AT_1),
        ("any@5", of.any_at_5, STARTER_ANY_AT_5),
        ("any@10", of.any_at_10, STARTER_ANY_AT_10),
        ("MRR", of.mrr, STARTER_MRR),
        ("nDCG@10", of.ndcg_at_10, STARTER_NDCG_AT_10),
    ] {
        let lost = report
            .cases
            .iter()
            .filter(|case| !case.negative && case.rank != Some(1));
        let lost: Vec<_> = lost.map(|case| (&case.id, case.rank)).collect();
        assert!(rate.unwrap() >= floor, "{name} {rate:?}: {lost:?}");
    }
    let with = |negative: bool, status: Status| {
        let cases = report.cases.iter();
        let of = cases.filter(|case| case.negative == negative && case.status == status);
        of.map(|case| &case.id).collect::<Vec<_>>()
    };
    for (name, count, most, cases) in [
        (
            "negatives answered",
            of.negatives_ok,
            STARTER_NEGATIVES_OK,
            with(true, Status::Ok),
        ),
        (
            "positives low_confidence",
            of.positives_low_confidence,
            STARTER_POSITIVES_LOW_CONFIDENCE,
            with(false, Status::LowConfidence),
        ),
    ] {
        assert_eq!(cases.len() as u64, count, "{name}");
        assert!(count <= most, "{name}: {cases:?}");
    }
}

#[test]
fn forms_add_up_to_all_cases() {
    let dir = Dir::new();
    let args = ["--embedded", "evaluate", "--cases", &starter(), "--json"];
    let report = report(&dir.run(args).expect(0));
    let forms: Vec<&String> = report.by_form.keys().collect();
    assert_eq!(forms, ["full", "short", "title"]);
    let sum = |of: fn(&vibey_context_contracts::evaluation::Measures) -> u64| {
        report.by_form.values().map(of).sum::<u64>()
    };
    assert_eq!(sum(|of| of.positives), report.overall.positives);
    assert_eq!(sum(|of| of.negatives), report.overall.negatives);
}

#[test]
fn a_case_without_form_counts_in_all_and_in_no_form() {
    let dir = indexed();
    let mut short = migration("short");
    short["form"] = json!("short");
    let report = report(&evaluate(
        &dir,
        &json!([short, migration("plain")]),
        &["--json"],
    ));
    assert_eq!(report.overall.positives, 2);
    assert_eq!(report.by_form["short"].positives, 1);
    assert_eq!(report.by_form.len(), 1);
    assert_eq!(case(&report, "plain").form, None);
}

#[test]
fn the_json_is_the_contract_and_the_same_but_for_latencies() {
    let run = || {
        let dir = indexed();
        let cases = json!({"cases": [migration("a"), juggling("b")]});
        evaluate(&dir, &cases, &["--json"]).expect(0)
    };
    let schemas = vibey_context_contracts::schema::all();
    let (_, schema) = schemas
        .iter()
        .find(|(name, _)| name.starts_with("evaluation"))
        .unwrap();
    let timeless = |run: &Output| {
        let mut value = run.json();
        if let Err(error) = jsonschema::draft202012::new(schema)
            .unwrap()
            .validate(&value)
        {
            panic!("{error}: {value}");
        }
        let latency = value["overall"]
            .as_object_mut()
            .unwrap()
            .remove("latency_us");
        assert!(latency.unwrap()["p95"].as_u64().unwrap() > 0);
        // The order of keys too: it is that of the types, whatever the order of a map.
        let lines = run.stdout.lines();
        let keys: Vec<&str> = lines
            .filter_map(|line| line.trim().split_once(": "))
            .map(|(key, _)| key)
            .collect();
        (value.to_string(), keys.join(" "))
    };
    let (first, second) = (run(), run());
    assert_eq!(timeless(&first), timeless(&second));
    let report = report(&first);
    assert_eq!(report.contract_version, "1.1.0");
    assert_eq!(report.overall.hit_at_1, Some(1.0));
    assert_eq!(report.comparison, None);
    let found = case(&report, "a");
    assert_eq!((found.rank, found.status), (Some(1), Status::Ok));
    assert_eq!(found.top[0], "atlas/postgres-migrations");
    assert!(found.packet_token_estimate > 0);
    let refused = case(&report, "b");
    assert_eq!(
        (refused.rank, refused.status),
        (None, Status::LowConfidence)
    );
    assert_eq!(refused.packet_token_estimate, 0);
}

#[test]
fn a_case_is_ranked_and_compiled_as_packet_does() {
    let dir = indexed();
    let mut small = migration("small");
    small["request"]["maximum_context_tokens"] = json!(1500);
    let found = report(&evaluate(&dir, &json!([small]), &["--json"]));
    let request = dir.request("r.json", &small["request"]);
    let args = [
        "packet",
        "--request",
        &request,
        "--index",
        "index",
        "--output",
        "p.md",
    ];
    dir.run(args).expect(0);
    let manifest = dir.json("p.json");
    let case = case(&found, "small");
    assert_eq!(
        manifest["packet_token_estimate"],
        case.packet_token_estimate
    );
    assert_eq!(manifest["confidence"], json!(case.confidence));
    assert_eq!(manifest["selected_skills"], json!(case.selected));
    assert!(!case.selected.is_empty());
    assert_eq!(manifest["corpus_sha256"], json!(found.corpus_sha256));
}

#[test]
fn a_skill_is_expected_by_each_of_its_names() {
    let dir = indexed();
    let request = json!({"objective": "restore drill for the backup of a database cluster"});
    let of = |id: &str| json!({"id": id, "request": request, "expected_skills": [id]});
    let names = ["cluster-backup", "backup", "atlas/cluster-backup"];
    let report = report(&evaluate(&dir, &json!(names.map(of)), &["--json"]).expect(0));
    for name in names {
        let case = case(&report, name);
        assert_eq!(case.expected, ["atlas/cluster-backup"], "{name}");
        assert_eq!(case.rank, Some(1), "{name}");
    }
}

#[test]
fn any_expected_skill_counts_and_each_once() {
    let dir = indexed();
    let mut both = migration("both");
    // The second name is the first skill again.
    both["expected_skills"] = json!([
        "glossary",
        "postgres-migrations",
        "atlas/postgres-migrations"
    ]);
    both["also_relevant"] = json!(["atlas/code-review", "gone"]);
    let found = report(&evaluate(&dir, &json!([both]), &["--json"]).expect(0));
    let case = case(&found, "both");
    assert_eq!(
        case.expected,
        ["atlas/postgres-migrations", "garden/glossary"]
    );
    assert_eq!(case.also_relevant, ["atlas/code-review"]);
    assert_eq!(case.rank, Some(1));
    assert_eq!(found.overall.hit_at_1, Some(1.0));
    assert!(found.overall.recall_at_3 < Some(1.0), "{:?}", found.overall);
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
    assert!(found.warnings[0].contains("case `both`: also relevant skill `gone`"));
}

#[test]
fn mandatory_sections_are_looked_for_in_the_packet() {
    let dir = indexed();
    let mut found = migration("found");
    found["mandatory_headings"] = json!(["## lock  RULES", "Exceptions"]);
    let mut refused = juggling("refused");
    refused["negative"] = json!(false);
    refused["expected_skills"] = json!(["webhooks"]);
    refused["mandatory_headings"] = json!(["Verify"]);
    let cases = json!([found, refused]);
    let table = evaluate(&dir, &cases, &[]).expect(0).stdout;
    let lacking = "\nmandatory sections not in the packet:\n  refused  1 of 1: Verify\n";
    assert!(table.contains(lacking), "{table}");
    let report = report(&evaluate(&dir, &cases, &["--json"]).expect(0));
    let counts = |id: &str| {
        let case = case(&report, id);
        (case.mandatory_named, case.mandatory_included)
    };
    // The heading and the deeper one below it, as in `mandatory_sections`.
    assert_eq!(counts("found"), (2, 2));
    assert_eq!(counts("refused"), (1, 0));
    assert_eq!(case(&report, "refused").mandatory_missing, ["Verify"]);
    assert_eq!(case(&report, "refused").selected, [""; 0]);
    assert_eq!(case(&report, "found").mandatory_missing, [""; 0]);
    assert_eq!(report.overall.mandatory_recall, Some(0.6667));
    assert_eq!(report.overall.positives_low_confidence, 1);
}

#[test]
fn negatives_alone_have_no_rates() {
    let dir = indexed();
    let mut answered = juggling("answered");
    answered["request"] = fixture::migration();
    let found = report(&evaluate(&dir, &json!([juggling("a"), answered]), &["--json"]).expect(0));
    let of = &found.overall;
    assert_eq!((of.positives, of.negatives, of.negatives_ok), (0, 2, 1));
    assert_eq!(
        (of.hit_at_1, of.mrr, of.mandatory_recall),
        (None, None, None)
    );
    let table = evaluate(&dir, &json!([juggling("a")]), &[])
        .expect(0)
        .stdout;
    assert!(
        table
            .lines()
            .any(|line| line.starts_with("hit@1") && line.ends_with('–'))
    );
}

#[test]
fn the_table_shows_measures_and_what_went_wrong() {
    let dir = indexed();
    let mut wrong = migration("wrong\u{1B}[31m");
    wrong["expected_skills"] = json!(["glossary"]);
    wrong["form"] = json!("short");
    wrong["topic"] = json!("x");
    let run = evaluate(&dir, &json!([migration("right"), wrong]), &[]).expect(0);
    let row = |name: &str| {
        run.stdout
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap()
    };
    let cells: Vec<&str> = row("hit@1").split_whitespace().collect();
    assert_eq!(cells, ["hit@1", "0.5000", "0.0000"], "{}", run.stdout);
    assert!(row("latency").split_whitespace().count() > 2);
    let listed = row("  wrong<U+001B>[31m");
    assert!(listed.contains("expected garden/glossary, first atlas/postgres-migrations"));
    assert!(!run.stdout.contains("  right"), "{}", run.stdout);
    assert_eq!(
        run.stderr,
        "warning: unknown field `topic` ignored, cases that have it: 1\n"
    );
}

#[test]
fn faults_name_file_case_and_field() {
    let dir = indexed();
    let with = |field: &str, value: Value| {
        let mut case = migration("b");
        case[field] = value;
        json!([migration("a"), case])
    };
    for (cases, code, place) in [
        (
            with("expected_skills", json!(["postgres-migration"])),
            "skill_unknown",
            "case `b`, field `expected_skills`: ",
        ),
        (
            with("expected_skills", json!(["code-review"])),
            "skill_ambiguous",
            "case `b`, field `expected_skills`: ",
        ),
        (
            with("expected_skills", json!([])),
            "case_invalid",
            "case `b`, field `expected_skills`: ",
        ),
        (
            with("mandatory_headings", json!(["Verify"])),
            "heading_unknown",
            "case `b`, field `mandatory_headings`: ",
        ),
        (
            with("request", json!({"goal": "x"})),
            "request_unknown_field",
            "case `b`, field `request`: ",
        ),
        (
            with("request", json!({"required_skills": ["none"]})),
            "skill_unknown",
            "case `b`, field `request`: ",
        ),
        (
            with("id", json!("a")),
            "case_invalid",
            "case `a`, field `id`: ",
        ),
        (json!([]), "cases_empty", "case file "),
        (json!({"case": []}), "cases_shape", "case file "),
    ] {
        let failed = evaluate(&dir, &cases, &["--json"]).fails(code);
        let error = failed.error();
        assert!(error.message.starts_with(place), "{error:?}");
        assert!(
            error.path.unwrap().ends_with("cases.json"),
            "{}",
            failed.stdout
        );
        assert!(error.help.is_some(), "{}", failed.stdout);
    }
    let near = evaluate(
        &dir,
        &with("expected_skills", json!(["postgres-migration"])),
        &[],
    );
    assert!(
        near.expect(1)
            .stderr
            .contains("did you mean `postgres-migrations`")
    );
}

#[test]
fn files_that_are_none_are_errors() {
    let dir = indexed();
    for (text, line) in [
        ("", 1),
        ("[\n{\"id\": 1,}]", 2),
        ("[{\"id\": 1,\n\"id\": 2}]", 2),
    ] {
        let path = dir.file("broken.json", text);
        let args = [
            "evaluate",
            "--index",
            "index",
            "--json",
            "--cases",
            path.to_str().unwrap(),
        ];
        let error = dir.run(args).fails("cases_json").error();
        assert_eq!(error.line, Some(line), "{text:?}");
    }
    let args = ["evaluate", "--index", "index", "--json", "--cases"];
    dir.run(args.iter().chain(&["none.json"]))
        .fails("not_found");
    dir.run(args.iter().chain(&["index"])).fails("not_a_file");
    dir.run(["evaluate", "--json"]).fails("usage");
    let cases = json!([migration("a")]);
    for (text, code) in [
        ("{}", "baseline_invalid"),
        (r#"{"contract_version": "2.0.0"}"#, "baseline_contract"),
    ] {
        dir.file("baseline.json", text);
        evaluate(&dir, &cases, &["--json", "--baseline", "baseline.json"]).fails(code);
    }
}

#[test]
fn the_docs_show_a_real_table_and_a_case_file_that_works() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = root.join("contracts/examples/evaluation/good/compared.json");
    let report = serde_json::from_slice(&std::fs::read(example).unwrap()).unwrap();
    let table = vibey_context::evaluate::table::table(&report);
    let fenced = format!("```text\n{table}```\n");
    generated("docs/evaluate.md", &[("table", fenced)]);

    let page = std::fs::read_to_string(root.join("docs/evaluate.md")).unwrap();
    let (_, rest) = page.split_once("```json\n").unwrap();
    let (cases, _) = rest.split_once("```").unwrap();
    let dir = Dir::new();
    dir.file("cases.json", cases);
    let run = dir.run(["--embedded", "evaluate", "--cases", "cases.json"]);
    assert_eq!(run.expect(0).stderr, "");
}

#[test]
fn warnings_are_bounded() {
    let dir = indexed();
    let cases: Vec<Value> = (0..50)
        .map(|at| {
            let mut case = migration(&at.to_string());
            case["also_relevant"] = json!(["gone"]);
            case
        })
        .collect();
    let warnings = report(&evaluate(&dir, &json!(cases), &["--json"]).expect(0)).warnings;
    assert_eq!(warnings.len(), 21);
    assert_eq!(warnings[20], "and 30 more");
}

#[test]
fn no_secret_of_a_case_file_is_printed() {
    let dir = indexed();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let mut case = migration(secret);
    case["request"]["objective"] = json!(format!("postgres migration with {secret}"));
    case["form"] = json!(secret);
    case["also_relevant"] = json!([secret]);
    for more in [&[][..], &["--json"]] {
        let run = evaluate(&dir, &json!([case]), more).expect(0);
        assert!(
            !run.stdout.contains(secret) && !run.stderr.contains(secret),
            "{run:?}"
        );
    }
    case["expected_skills"] = json!([secret]);
    let run = evaluate(&dir, &json!([case]), &[]).expect(1);
    assert!(!run.stderr.contains(secret), "{}", run.stderr);
}
