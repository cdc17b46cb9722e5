//! How does `packet` fail: with which code, with which help, and with what left at its targets?

use crate::harness::bench::Bench;
use crate::harness::{Dir, fixture};
use serde_json::{Value, json};
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::packet::{Fallback, Status};

#[test]
fn requests_that_are_none() {
    let bench = Bench::new();
    for (text, code) in [
        (&b"{"[..], "request_json"),
        (b"[]", "request_type"),
        (b"", "request_json"),
        (b"{}", "request_empty"),
        (b"{\"objective\": \"x\"} {}", "request_json"),
        (b"\xEF\xBB\xBF{\"objective\": \"x\"}", "request_bom"),
        (b"{\"objective\": \"\xFF\"}", "request_not_utf8"),
        (b"{\"objective\": null}", "request_type"),
        (
            b"{\"objective\": \"x\", \"maximum_context_tokens\": true}",
            "request_type",
        ),
        (
            b"{\"objective\": \"x\", \"objective\": \"y\"}",
            "request_duplicate_field",
        ),
        (
            b"{\"objective\": \"x\",\n \"objectives\": \"y\"}",
            "request_unknown_field",
        ),
        (
            b"{\"objective\": \"x\", \"maximum_context_tokens\": 999}",
            "budget_out_of_range",
        ),
        (
            b"{\"objective\": \"x\", \"schema_version\": 2}",
            "request_version",
        ),
        (
            b"{\"objective\": \"x\", \"required_skills\": [\"\"]}",
            "request_empty_name",
        ),
        (
            b"{\"required_skills\": [\"glossary\"], \"excluded_skills\": [\"glossary\"]}",
            "required_and_excluded",
        ),
    ] {
        bench.dir.file("request.json", text);
        let run = bench.file("request.json", &[]).fails(code);
        bench.nothing_left();
        assert_eq!(run.error().path.as_deref(), Some("request.json"), "{code}");
        assert!(run.error().help.is_some(), "{code}");
    }
}

#[test]
fn an_unknown_field_is_named_with_its_place() {
    let bench = Bench::new();
    bench.dir.file(
        "request.json",
        "{\"objective\": \"x\",\n \"objectives\": \"y\"}",
    );
    let error = bench
        .file("request.json", &[])
        .fails("request_unknown_field")
        .error();
    assert_eq!(error.line, Some(2));
    assert!(error.message.contains("`objectives`"), "{}", error.message);
    let forward = json!({"title": "add a column by a postgres migration with a backfill", "objectives": 1, "compatibility_mode": "forward-1"});
    bench.packet(&forward, &[]).expect(0);
    let warnings = bench.manifest().warnings;
    assert!(
        warnings.iter().any(|line| line.contains("objectives")),
        "{warnings:?}"
    );
}

#[test]
fn without_json_a_failure_is_a_sentence_and_its_help() {
    let bench = Bench::new();
    bench.dir.file("request.json", "{\"objectives\": 1}");
    let run = bench
        .dir
        .run(["packet", "--request", "request.json", "--output", "p.md"])
        .expect(1);
    assert_eq!(run.stdout, "");
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.stderr);
    assert!(
        lines[0].starts_with("error: request.json:1:"),
        "{}",
        lines[0]
    );
    assert!(lines[1].starts_with("help: "), "{}", lines[1]);
}

#[test]
fn requests_that_cannot_be_read() {
    let bench = Bench::new();
    for path in ["missing.json", "corpus", "request.json/inside"] {
        bench.dir.file("request.json", "{}");
        bench.file(path, &[]).fails("request_unreadable");
        bench.nothing_left();
    }
    let long = json!({"objective": "x".repeat(1024 * 1024)});
    bench.fails(&long, &[], "request_too_large");
}

#[test]
fn budgets_outside_the_range() {
    let bench = Bench::new();
    for budget in ["0", "999", "32001", "18446744073709551615"] {
        bench.fails(
            &fixture::migration(),
            &["--budget", budget],
            "budget_out_of_range",
        );
    }
    for budget in ["1000", "32000"] {
        bench
            .packet(&fixture::migration(), &["--budget", budget])
            .expect(0);
        assert_eq!(bench.manifest().maximum_context_tokens.to_string(), budget);
    }
}

#[test]
fn the_command_line_beats_the_requests_budget_and_both_beat_the_default() {
    let bench = Bench::new();
    let mut request = fixture::migration();
    bench.packet(&request, &[]).expect(0);
    assert_eq!(bench.manifest().maximum_context_tokens, 6000);
    request["maximum_context_tokens"] = json!(3000);
    bench.packet(&request, &[]).expect(0);
    let asked = bench.manifest();
    assert_eq!(asked.maximum_context_tokens, 3000);
    bench.packet(&request, &["--budget", "2000"]).expect(0);
    let told = bench.manifest();
    assert_eq!(told.maximum_context_tokens, 2000);
    assert_eq!(
        asked.query_sha256, told.query_sha256,
        "the budget is no part of what is asked"
    );
}

#[test]
fn indexes_that_are_none() {
    let bench = Bench::new();
    let request = fixture::migration();
    let form = |index: &str| {
        bench.dir.file("p.md", "old");
        bench.dir.file("p.json", "old");
        let request = bench.dir.request("request.json", &request);
        bench.dir.run([
            "packet",
            "--request",
            &request,
            "--index",
            index,
            "--output",
            "p.md",
            "--json",
        ])
    };
    form("missing").fails("index_missing");
    bench.nothing_left();
    std::fs::create_dir(bench.dir.at("empty")).unwrap();
    form("empty").fails("index_missing");
    std::fs::remove_dir(bench.dir.at("empty")).unwrap();
    bench.nothing_left();
    form("corpus").fails("index_foreign");
    bench.nothing_left();
    bench.dir.link("index", "link");
    form("link").fails("index_link");
    bench.dir.remove("link");
    bench.nothing_left();
    bench.dir.file("index/manifest.json", "{}");
    let code = form("index").expect(1).error().code;
    assert!(
        ["index_corrupt", "index_foreign"].contains(&code.as_str()),
        "{code}"
    );
    bench.nothing_left();
}

/// A flipped bit in what a packet is made from is an error; in what it is not made from (the table of sources, the text
/// of other skills), it changes nothing.
#[test]
fn a_flipped_bit_is_an_error_or_changes_nothing() {
    let bench = Bench::new();
    let request = fixture::migration();
    bench.packet(&request, &[]).expect(0);
    let sound = (bench.dir.bytes("p.md"), bench.dir.bytes("p.json"));
    let (mut refused, mut same) = (0, 0);
    for path in bench.dir.files_below("index/generations") {
        let bytes = std::fs::read(&path).unwrap();
        for part in 0..8 {
            let at = bytes.len().saturating_sub(1) * part / 7;
            let mut broken = bytes.clone();
            let Some(byte) = broken.get_mut(at) else {
                continue;
            };
            *byte ^= 0x40;
            std::fs::write(&path, &broken).unwrap();
            let run = bench.packet(&request, &[]);
            if run.code == 0 {
                let found = (bench.dir.bytes("p.md"), bench.dir.bytes("p.json"));
                assert!(found == sound, "{} at {at}: other bytes", path.display());
                same += 1;
            } else {
                run.fails("index_corrupt");
                bench.nothing_left();
                refused += 1;
            }
        }
        std::fs::write(&path, &bytes).unwrap();
    }
    assert!(refused > 8, "{refused} refused, {same} without effect");
    bench.packet(&request, &[]).expect(0);
}

#[test]
fn an_index_of_other_roots_is_refused() {
    let bench = Bench::new();
    bench.dir.skill(
        "other/one",
        "one",
        "Another corpus.",
        "",
        "# One\n\nText.\n",
    );
    let other = bench.dir.arg("other");
    let request = bench.dir.request("request.json", &fixture::migration());
    let index = bench.dir.arg("index");
    let form = |root: &str| {
        bench.dir.run([
            "--skills",
            root,
            "packet",
            "--request",
            &request,
            "--index",
            &index,
            "--output",
            "p.md",
            "--json",
        ])
    };
    form(&bench.root).expect(0);
    form(&other).fails("index_roots_differ");
    assert!(!bench.dir.has("p.md") && !bench.dir.has("p.json"));
}

#[test]
fn mandatory_text_over_the_budget_names_the_budget_that_suffices() {
    let bench = Bench::new();
    for request in [
        json!({"required_skills": ["cluster-backup"]}),
        json!({"required_skills": ["cluster-backup", "postgres-migrations", "webhooks"]}),
        json!({"required_plugins": ["atlas"]}),
        // Not required: the best skill's mandatory text does not fit either.
        json!({"objective": "backup and restore database clusters with a restore drill"}),
    ] {
        let run = bench.packet(&request, &["--budget", "1000"]).expect(2);
        let manifest = bench.manifest();
        let note = format!(
            "note: budget_insufficient: {} tokens are needed, 1000 allowed; the packet is empty\n",
            manifest.required_context_tokens.unwrap()
        );
        assert_eq!((run.stdout.as_str(), run.stderr), ("", note));
        assert_eq!(manifest.status, Status::BudgetInsufficient);
        assert_eq!(manifest.fallback, Some(Fallback::RaiseBudget));
        assert_eq!(bench.dir.bytes("p.md"), b"");
        assert_eq!(manifest.packet_sha256, sha256_hex(b""));
        assert_eq!(manifest.packet_token_estimate, 0);
        let needed = manifest.required_context_tokens.unwrap();
        assert!(needed > 1000, "{needed}");
        bench
            .packet(&request, &["--budget", &needed.to_string()])
            .expect(0);
        assert_eq!(bench.manifest().required_context_tokens, None);
        bench
            .packet(&request, &["--budget", &(needed - 1).to_string()])
            .expect(2);
        assert_eq!(bench.manifest().required_context_tokens, Some(needed));
    }
}

#[test]
fn what_no_skill_explains_yields_no_packet() {
    let bench = Bench::new();
    for objective in [
        "blorptang wibbly frandicle snee vortle quasp",
        "hello there how are you",
        "help",
        "7c1e0f52-94d3-4b8a-a6de-2f5b90c7d318",
        "こんにちは、お元気ですか。週末はどこかへ出かけましたか",
        "!!! ??? ---",
        "a",
        "Which tulip bulbs survive a frosty spring on a north-facing balcony?",
    ] {
        let run = bench.packet(&json!({"objective": objective}), &[]);
        assert_eq!(run.code, 2, "{objective}: {}{}", run.stdout, run.stderr);
        let note =
            "note: low_confidence: no skill explains enough of the request; the packet is empty\n";
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", note));
        let manifest = bench.manifest();
        assert_eq!(manifest.status, Status::LowConfidence, "{objective}");
        assert_eq!(manifest.fallback, Some(Fallback::ActivateFullNativeSkills));
        assert_eq!(bench.dir.bytes("p.md"), b"", "{objective}");
        assert_eq!(manifest.packet_sha256, sha256_hex(b""));
        assert!(manifest.included_chunks.is_empty() && manifest.selected_skills.is_empty());
    }
}

#[test]
fn the_starter_corpus_does_not_answer_small_talk_either() {
    let dir = Dir::new();
    for objective in [
        "blorptang wibbly frandicle snee vortle quasp",
        "hello there how are you",
        "help",
        "7c1e0f52-94d3-4b8a-a6de-2f5b90c7d318",
        "こんにちは、お元気ですか。週末はどこかへ出かけましたか",
    ] {
        let request = dir.request("request.json", &json!({"objective": objective}));
        let run = dir.run([
            "--embedded",
            "packet",
            "--request",
            &request,
            "--output",
            "p.md",
        ]);
        assert_eq!(run.code, 2, "{objective}: {}", run.stderr);
        assert_eq!(dir.json("p.json")["status"], "low_confidence");
    }
}

#[test]
fn another_corpus_than_the_expected_one_is_refused() {
    let bench = Bench::new();
    let request = fixture::migration();
    bench.packet(&request, &[]).expect(0);
    let corpus = bench.manifest().corpus_sha256;
    bench
        .packet(&request, &["--expect-corpus", &corpus])
        .expect(0);
    let run = bench.fails(
        &request,
        &["--expect-corpus", &sha256_hex(b"another")],
        "corpus_differs",
    );
    assert!(run.error().message.contains(&corpus));
    for none in ["", "abc", &corpus.to_uppercase()] {
        bench.fails(&request, &["--expect-corpus", none], "usage");
    }
}

#[test]
fn timings_are_written_beside_and_change_nothing() {
    let bench = Bench::new();
    bench.packet(&fixture::migration(), &[]).expect(0);
    let (packet, manifest) = (bench.dir.bytes("p.md"), bench.dir.bytes("p.json"));
    bench
        .packet(&fixture::migration(), &["--timings", "t.json"])
        .expect(0);
    assert_eq!(bench.dir.bytes("p.md"), packet);
    assert_eq!(bench.dir.bytes("p.json"), manifest);
    let timings = bench.dir.json("t.json");
    let timings = timings.as_object().unwrap();
    assert!(timings.contains_key("compile_micros"), "{timings:?}");
    assert!(timings.values().all(Value::is_u64), "{timings:?}");
}
