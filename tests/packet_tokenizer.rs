//! Does a packet keep its budget by the tokenizer that the run names, and does the manifest say which that was?

use crate::harness::bench::Bench;
use crate::harness::{Dir, fixture};
use serde_json::json;
use vibey_context::text::tokens::Tokenizer;

const EXACT: [Tokenizer; 2] = [Tokenizer::O200kBase, Tokenizer::Cl100kBase];

#[test]
fn the_whole_file_keeps_the_budget_by_the_named_tokenizer() {
    let bench = Bench::new();
    for tokenizer in EXACT {
        for budget in ["1000", "1300", "2000", "6000"] {
            let more = ["--tokenizer", tokenizer.name(), "--budget", budget];
            bench.packet(&fixture::migration(), &more).expect(0);
            let manifest = bench.manifest();
            let counted = tokenizer.count(&bench.dir.read("p.md"));
            assert_eq!(manifest.tokenizer, tokenizer.name());
            assert_eq!(manifest.packet_token_estimate, counted);
            assert!(counted <= budget.parse().unwrap(), "{counted} of {budget}");
        }
    }
}

#[test]
fn without_the_option_the_estimate_counts() {
    let bench = Bench::new();
    bench.packet(&fixture::migration(), &[]).expect(0);
    let (packet, manifest) = (bench.dir.bytes("p.md"), bench.manifest());
    let named = ["--tokenizer", Tokenizer::Estimate.name()];
    bench.packet(&fixture::migration(), &named).expect(0);
    assert_eq!(bench.dir.bytes("p.md"), packet);
    assert_eq!(bench.manifest(), manifest);
    assert_eq!(manifest.tokenizer, "utf8-bytes/4");
}

#[test]
fn the_budget_that_is_said_to_be_needed_is_enough() {
    let bench = Bench::new();
    let request = json!({"required_skills": ["cluster-backup"]});
    for tokenizer in EXACT {
        let named = ["--tokenizer", tokenizer.name()];
        let tight = [&named[..], &["--budget", "1000"]].concat();
        bench.packet(&request, &tight).expect(2);
        let needed = bench.manifest().required_context_tokens.unwrap();
        assert!(needed > 1000);
        let budget = needed.to_string();
        let enough = [&named[..], &["--budget", &budget]].concat();
        bench.packet(&request, &enough).expect(0);
        assert!(bench.manifest().packet_token_estimate <= needed);
    }
}

#[test]
fn reproduce_counts_as_the_manifest_says() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    dir.request("request.json", &fixture::migration());
    let inputs = ["--request", "request.json", "--index", "index"];
    let packet = [
        "packet",
        "--output",
        "p.md",
        "--budget",
        "1300",
        "--tokenizer",
        "o200k_base",
    ];
    dir.run(packet.iter().chain(&inputs)).expect(0);
    let again = ["reproduce", "--manifest", "p.json"];
    dir.run(again.iter().chain(&inputs)).expect(0);

    let mut manifest = dir.json("p.json");
    manifest["tokenizer"] = json!("q400k_base");
    dir.file("p.json", manifest.to_string());
    let form = ["reproduce", "--manifest", "p.json", "--json"];
    let run = dir
        .run(form.iter().chain(&inputs))
        .fails("tokenizer_unknown");
    assert!(run.error().message.contains("q400k_base"));
}

#[test]
fn an_unknown_tokenizer_is_a_usage_error_that_lists_the_known_ones() {
    let dir = Dir::new();
    let run = dir
        .run([
            "packet",
            "--request",
            "r",
            "--output",
            "p",
            "--tokenizer",
            "gpt2",
        ])
        .expect(1);
    for tokenizer in Tokenizer::ALL {
        assert!(run.stderr.contains(tokenizer.name()), "{}", run.stderr);
    }
}
