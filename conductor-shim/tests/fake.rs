//! A compiler that hangs, floods, forks and lies: a shell script (`fake/compiler.sh`), and the answers that it gives.

use crate::stage::Stage;
use serde_json::{Value, json};
use std::path::PathBuf;
use vibey_context_contracts::conductor::job::{parse, request_of};
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::version::ContractReport;

/// The packet of status `ok`.
pub(crate) const PACKET: &str = "# Skills context packet\n\nuse the marker-packet-text\n";

const SCRIPT: &str = include_str!("fake/compiler.sh");
const OK: &str = include_str!("../../contracts/examples/packet-manifest/good/ok.json");
const LOW: &str = include_str!("../../contracts/examples/packet-manifest/good/low-confidence.json");
const BUDGET: &str =
    include_str!("../../contracts/examples/packet-manifest/good/budget-insufficient.json");

/// Writes the fake and its answers for a job with a budget of 6,000 tokens; returns the command of the configuration.
pub(crate) fn command(stage: &Stage, mode: &str, job: &Value) -> Value {
    let script = stage.file("fake/compiler.sh", SCRIPT);
    let request = request_of(&parse(job.to_string().as_bytes()).unwrap().value, 6_000);
    let query = request.query_sha256().unwrap();
    let answer = |name: &str, example: &str, packet: &str, changes: Value| {
        let mut manifest: Value = serde_json::from_str(example).unwrap();
        manifest["query_sha256"] = json!(query);
        manifest["packet_sha256"] = json!(sha256_hex(packet.as_bytes()));
        manifest["maximum_context_tokens"] = json!(6_000);
        for (key, value) in changes.as_object().unwrap() {
            manifest[key] = value.clone();
        }
        stage.file(&format!("fake/{name}.json"), manifest.to_string());
        stage.file(&format!("fake/{name}.md"), packet);
    };
    let hostile = json!({"a/".to_owned() + &"x".repeat(5_000): 1, "token=marker-secret-4711aB": 2});
    answer("ok", OK, PACKET, json!({}));
    answer("empty", OK, "", json!({}));
    answer("low_confidence", LOW, "", json!({}));
    answer(
        "budget_insufficient",
        BUDGET,
        "",
        json!({"required_context_tokens": 9_000}),
    );
    answer("embedded", OK, PACKET, json!({"corpus_origin": "embedded"}));
    answer(
        "other_request",
        OK,
        PACKET,
        json!({"query_sha256": "0".repeat(64)}),
    );
    answer(
        "other_budget",
        OK,
        PACKET,
        json!({"maximum_context_tokens": 7_000}),
    );
    answer(
        "over_budget",
        OK,
        PACKET,
        json!({"packet_token_estimate": 6_001}),
    );
    answer(
        "foreign_manifest",
        OK,
        PACKET,
        json!({"contract_version": "2.0.0"}),
    );
    answer(
        "newer",
        OK,
        PACKET,
        json!({"contract_version": "1.9.0", "brand_new": [1]}),
    );
    answer("half", OK, PACKET, json!({"status": null}));
    answer("no_digest", OK, PACKET, json!({"corpus_sha256": "x"}));
    answer(
        "hostile",
        OK,
        PACKET,
        json!({
            "selected_skill_tokens": hostile,
            "selected_plugins": ["password=marker-secret-4711aB"],
            "tokenizer": "api_key=marker-secret-4711aB",
        }),
    );
    let mut contract = serde_json::to_value(ContractReport::current()).unwrap();
    stage.file("fake/contract.json", contract.to_string());
    contract["compiler"]["version"] = json!("9.4.2");
    contract["contracts"]["packet_manifest"] = json!("2.3.0");
    stage.file("fake/foreign.json", contract.to_string());
    json!(["/bin/sh", script, mode])
}

/// What the fake left in a file of its folder, by lines.
pub(crate) fn left(stage: &Stage, name: &str) -> Vec<String> {
    let path: PathBuf = stage.at("fake").join(name);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The processes of the fake that are running now.
pub(crate) fn running(stage: &Stage) -> Vec<String> {
    let mut pids = left(stage, "pids");
    pids.retain(|pid| is_running(pid));
    pids
}

/// Whether a process runs; one that is dead and not yet reaped does not.
pub(crate) fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}
