//! What does `report` take, and what does it print?

use super::{BEGIN_MS, event, record, report, small};
use crate::stage::Stage;
use serde_json::{Value, json};
use vibey_context_contracts::conductor::event::{Outcome, Payload, Verdict};
use vibey_context_contracts::version::ContractReport;

#[test]
fn small_samples_cannot_decide() {
    let stage = Stage::new();
    record(&stage, &small("web/forms", false));
    let found = report(&stage, &["--json"]).json();
    for comparison in found["comparisons"].as_array().unwrap() {
        assert_eq!(comparison["decision"], "cannot_decide_few_outcomes");
    }
    let said = "Cannot decide: shadow has 4 outcomes and inject 4; each needs 30.";
    let table = String::from_utf8(report(&stage, &[]).stdout).unwrap();
    assert!(table.contains(said), "{table}");
    report(&stage, &["--html", "page.html"]);
    assert!(stage.text("page.html").contains(said));
}

#[test]
fn large_samples_do() {
    let stage = Stage::new();
    record(&stage, &small("web/forms", true));
    let found = report(&stage, &["--json"]).json();
    assert_eq!(found["comparisons"][0]["decision"], "inject_better");
}

#[test]
fn by_and_since_choose() {
    let stage = Stage::new();
    record(&stage, &small("web/forms", false));
    let by = |dimension: &str| {
        let found = report(&stage, &["--json", "--by", dimension]).json();
        assert_eq!(found["comparisons"][0]["by"], "mode");
        let groups = found["groups"].as_array().unwrap().clone();
        assert!(groups.iter().all(|group| group["by"] == dimension));
        groups.len()
    };
    assert_eq!((by("mode"), by("phase"), by("skill")), (2, 4, 3));
    // The last packet and its outcome, and the job without a packet and its outcome.
    let since = ["--json", "--since", "2026-11-30T08:07:00Z"];
    let found = report(&stage, &since).json();
    assert_eq!(found["since"], "2026-11-30T08:07:00.000Z");
    assert_eq!(found["rows"]["read"], 4);
    assert_eq!(found["rows"]["packets"], 1);
    assert_eq!(found["rows"]["outcomes_without_packet"], 1);
    for words in [
        ["--since", "yesterday"],
        ["--price-per-mtok", "1e3"],
        ["--by", "moon"],
        ["--html", "page.html"],
    ] {
        let words = [&["--project", "project", "report", "--json"], &words[..]].concat();
        stage.run(&words).fails(1, "usage");
    }
}

#[test]
fn later_outcomes_correct_and_later_attempts_add_up() {
    let stage = Stage::new();
    let mut events = small("web/forms", false);
    let outcome = |attempt, result, cost| {
        let outcome = Outcome {
            cost_micro_usd: Some(cost),
            ..Outcome::new(result)
        };
        let event = event("shop/web", "job-0", attempt, Payload::Outcome(outcome));
        (event, BEGIN_MS + 8_000_000)
    };
    // The first attempt of job-0, in inject mode, was rejected; the second one is accepted, as is said late.
    let again = events[0].0.payload.clone();
    events.push((event("shop/web", "job-0", 2, again), BEGIN_MS + 7_000_000));
    events.push(outcome(2, Verdict::Rejected, 1));
    events.push(outcome(2, Verdict::Accepted, 500_000));
    record(&stage, &events);
    let words = ["--json", "--by", "mode", "--price-per-mtok", "10"];
    let found = report(&stage, &words).json();
    let inject = &found["groups"][1];
    assert_eq!(
        (&inject["mode"], &inject["jobs"]),
        (&json!("inject"), &json!(4))
    );
    let ended = &inject["ended"];
    // job-0 with its second attempt, job-2, job-4 and job-6.
    assert_eq!(ended["acceptance"]["outcomes"], 5);
    assert_eq!(ended["accepted_items"], 4);
    assert_eq!(ended["agent_cost_micro_usd"], 4 * 250_000);
    assert_eq!(ended["retry_cost_micro_usd"], 500_000);
    // Twice 1,000 tokens, 1,200 and 1,400 were appended, at 10 micro-dollars each; job-6 got no packet.
    assert_eq!(ended["retrieval_cost_micro_usd"], 46_000);
    assert_eq!(
        ended["cost_per_accepted_micro_usd"],
        (1_500_000 + 46_000) / 4
    );
    // What shadow compiled cost no prompt anything.
    assert_eq!(found["groups"][0]["mode"], "shadow");
    assert_eq!(found["groups"][0]["ended"]["retrieval_cost_micro_usd"], 0);
}

#[test]
fn an_outcome_stays_with_what_ran_before_it() {
    let stage = Stage::new();
    let mut events = small("web/forms", false);
    let before = {
        record(&stage, &events);
        report(&stage, &["--json", "--by", "mode"]).json()
    };
    // The first attempt of job-1, which was in shadow and has its outcome, runs again with a packet.
    let (again, _) = events
        .iter()
        .find(|(event, _)| event.job.as_str() == "job-0")
        .unwrap()
        .clone();
    let at = BEGIN_MS + 9_000_000;
    events = vec![(event("shop/web", "job-1", 1, again.payload), at)];
    record(&stage, &events);
    let after = report(&stage, &["--json", "--by", "mode"]).json();
    assert_eq!(before["comparisons"], after["comparisons"]);
    let jobs = |report: &Value| [0, 1].map(|at| report["groups"][at]["jobs"].as_u64().unwrap());
    assert_eq!(jobs(&after), [jobs(&before)[0], jobs(&before)[1] + 1]);
}

#[test]
fn an_empty_ledger_has_an_empty_report_and_none_is_an_error() {
    let stage = Stage::new();
    stage
        .run(&["--project", "project", "report", "--json"])
        .fails(1, "ledger_missing");
    record(&stage, &[]);
    let found = report(&stage, &["--json"]).json();
    assert_eq!(found["groups"], json!([]));
    assert_eq!(found["comparisons"][0]["difference"], Value::Null);
    assert_eq!(found["skills"]["never_selected"], Value::Null);
    report(&stage, &[]);
    report(&stage, &["--html", "page.html"]);
}

#[test]
fn skills_of_the_index_that_no_packet_has_are_named() {
    let stage = Stage::with("shadow", "ok");
    record(&stage, &small("web/forms", false));
    let contract = serde_json::to_string(&ContractReport::current()).unwrap();
    let skills = [("web", "forms"), ("web", "uploads"), ("ops", "backups")];
    let skills = skills.map(|(plugin, skill)| json!({"plugin": plugin, "skill": skill}));
    let skills = json!({"skills_list": skills});
    let script = format!(
        "case $* in contract*) echo '{contract}' ;; *inspect*) echo '{skills}' ;; *) exit 3 ;; esac"
    );
    stage.set("command", json!(["sh", "-c", script, "compiler"]));
    // It is not asked where there is no index.
    let found = report(&stage, &["--json"]).json();
    assert_eq!(found["skills"]["never_selected"], Value::Null);

    std::fs::create_dir_all(stage.at("project/.vibey/skills-context/index")).unwrap();
    let found = report(&stage, &["--json"]).json();
    assert_eq!(found["skills"]["indexed"], 3);
    assert_eq!(
        found["skills"]["never_selected"],
        json!(["ops/backups", "web/uploads"])
    );
    let table = String::from_utf8(report(&stage, &[]).stdout).unwrap();
    assert!(
        table
            .contains("never selected: 2 of 3 skills in the index\n  ops/backups\n  web/uploads\n"),
        "{table}"
    );

    // A compiler that does not answer: the rest is worth reading.
    stage.set("command", json!(["sh", "-c", "exit 3"]));
    let run = report(&stage, &["--json"]);
    assert!(
        run.stderr.contains("never selected are unknown"),
        "{}",
        run.stderr
    );
    assert_eq!(run.json()["skills"]["never_selected"], Value::Null);
    assert_eq!(run.json()["rows"]["packets"], 8);
}
