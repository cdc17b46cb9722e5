//! Figures of a large ledger, against a computation that shares nothing with the program but the rows: it sorts lists, and
//! finds the ends of intervals by bisection of their definition.

use super::{Made, generated, record, report};
use crate::stage::Stage;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::conductor::event::{
    ArtifactProduced, ArtifactStatus, Outcome, Payload, Verdict,
};
use vibey_context_contracts::packet::OmissionReason;

/// The size that the program is measured with.
const ROWS: usize = 100_000;
/// Dollars and micro-dollars.
const PRICE: (&str, u128) = ("2.5", 2_500_000);

type Attempt<'a> = (&'a str, &'a str, u32);

/// The rows, taken apart.
struct Rows<'a> {
    packets: Vec<(Attempt<'a>, &'a ArtifactProduced)>,
    /// The last outcome of each attempt, with the last packet before it, which says where it belongs.
    ended: BTreeMap<Attempt<'a>, (&'a Outcome, Option<&'a ArtifactProduced>)>,
    /// The first attempt of each job.
    first: BTreeMap<(&'a str, &'a str), u32>,
}

fn taken_apart(events: &[Made]) -> Rows<'_> {
    let mut rows = Rows {
        packets: Vec::new(),
        ended: BTreeMap::new(),
        first: BTreeMap::new(),
    };
    let mut last: BTreeMap<Attempt<'_>, &ArtifactProduced> = BTreeMap::new();
    for (event, _) in events {
        let attempt = (event.project.as_str(), event.job.as_str(), event.attempt);
        match &event.payload {
            Payload::ArtifactProduced(artifact) => {
                last.insert(attempt, &**artifact);
                rows.packets.push((attempt, artifact));
            }
            Payload::Outcome(outcome) => {
                rows.ended
                    .insert(attempt, (outcome, last.get(&attempt).copied()));
            }
            Payload::Skipped(_) => {}
        }
    }
    for ((project, job, attempt), _) in &rows.packets {
        let first = rows.first.entry((project, job)).or_insert(*attempt);
        *first = (*first).min(*attempt);
    }
    rows
}

fn spread(mut values: Vec<u64>) -> Value {
    values.sort_unstable();
    let (n, sum) = (values.len(), values.iter().sum::<u64>());
    let at = |percent: f64| {
        let rank = (percent * n as f64).ceil() as usize;
        rank.checked_sub(1).map(|rank| values[rank])
    };
    let mean = (n > 0).then(|| (1_000.0 * sum as f64 / n as f64 + 0.5).floor() as u64);
    json!({"count": n, "sum": sum, "mean_milli": mean, "p50": at(0.5), "p95": at(0.95)})
}

/// Figures of the packets for which `wanted` holds, but for the acceptance rate; and accepted outcomes and outcomes.
fn figures(rows: &Rows<'_>, wanted: impl Fn(&ArtifactProduced) -> bool) -> (Value, (u64, u64)) {
    let mine = rows.packets.iter().filter(|(_, artifact)| wanted(artifact));
    let mine: Vec<_> = mine.map(|(_, artifact)| *artifact).collect();
    let of = |status| {
        mine.iter()
            .filter(move |artifact| artifact.status == status)
    };
    let ok: Vec<_> = of(ArtifactStatus::Ok).collect();
    let mut statuses = BTreeMap::new();
    for (name, status) in [
        ("ok", ArtifactStatus::Ok),
        ("low_confidence", ArtifactStatus::LowConfidence),
        ("budget_insufficient", ArtifactStatus::BudgetInsufficient),
        ("error", ArtifactStatus::Error),
    ] {
        if of(status).count() > 0 {
            statuses.insert(name, of(status).count());
        }
    }
    let tokens: Vec<u64> = ok.iter().map(|artifact| artifact.packet_tokens).collect();
    let whole: u64 = ok
        .iter()
        .flat_map(|artifact| artifact.selected_skills.values())
        .sum();
    let over = |artifact: &ArtifactProduced| {
        let of = |reason| artifact.omissions.get(&reason).copied().unwrap_or(0);
        of(OmissionReason::Budget) + of(OmissionReason::MandatoryOverBudget)
    };
    let appended: Vec<_> = mine.iter().filter(|artifact| artifact.appended).collect();
    let sent: u128 = appended
        .iter()
        .map(|artifact| u128::from(artifact.packet_tokens))
        .sum();
    let retrieval = ((sent * PRICE.1 + 500_000) / 1_000_000) as u64;

    let jobs: BTreeSet<_> = rows
        .packets
        .iter()
        .filter(|(_, artifact)| wanted(artifact))
        .map(|((project, job, _), _)| (project, job))
        .collect();
    let ended: Vec<_> = rows
        .ended
        .iter()
        .filter(|(_, (_, packet))| packet.is_some_and(&wanted))
        .map(|(attempt, (outcome, _))| (attempt, *outcome))
        .collect();
    let accepted: Vec<_> = ended
        .iter()
        .filter(|(_, outcome)| outcome.result == Verdict::Accepted)
        .collect();
    let items: BTreeSet<_> = accepted
        .iter()
        .map(|((project, job, _), _)| (project, job))
        .collect();
    let (mut agent, mut retry) = (0, 0);
    for ((project, job, attempt), outcome) in &ended {
        let cost = outcome.cost_micro_usd.unwrap_or(0);
        match rows.first[&(*project, *job)] == *attempt {
            true => agent += cost,
            false => retry += cost,
        }
    }
    let of_ended = |field: fn(&Outcome) -> Option<u64>| -> Vec<u64> {
        ended
            .iter()
            .filter_map(|(_, outcome)| field(outcome))
            .collect()
    };
    let without_cost = ended.len() - of_ended(|outcome| outcome.cost_micro_usd).len();
    let per_item = (agent + retry + retrieval) as f64 / items.len() as f64;
    let found = json!({
        "jobs": jobs.len(),
        "packets": mine.len(),
        "statuses": statuses,
        "ok_ppm": (1e6 * ok.len() as f64 / mine.len() as f64).round() as u64,
        "appended": appended.len(),
        "packet_tokens": spread(tokens.clone()),
        "whole_skill_tokens": whole,
        "tokens_saved": whole as i64 - tokens.iter().sum::<u64>() as i64,
        "compile_ms": spread(mine.iter().map(|artifact| artifact.compile_ms).collect()),
        "budget_omissions": mine.iter().map(|artifact| over(artifact)).sum::<u64>(),
        "ended": {
            "accepted_items": items.len(),
            "turns": spread(of_ended(|outcome| outcome.turns)),
            "retries": spread(of_ended(|outcome| outcome.retries)),
            "agent_cost_micro_usd": agent,
            "retry_cost_micro_usd": retry,
            "retrieval_cost_micro_usd": retrieval,
            "without_cost": without_cost,
            "cost_per_accepted_micro_usd": (!items.is_empty()).then(|| (per_item + 0.5).floor() as u64),
        },
    });
    (found, (accepted.len() as u64, ended.len() as u64))
}

/// Where `p` and `x` differ by `z` standard errors of `x`: an end of the score interval, by bisection.
fn end(p: f64, n: f64, outer: f64) -> f64 {
    let (mut inside, mut outside) = (p, outer);
    for _ in 0..200 {
        let x = (inside + outside) / 2.0;
        match (p - x).abs() > 1.959_963_984_540_054 * (x * (1.0 - x) / n).sqrt() {
            true => outside = x,
            false => inside = x,
        }
    }
    inside
}

/// Rate and interval.
fn interval((accepted, outcomes): (u64, u64)) -> [f64; 3] {
    let n = outcomes as f64;
    let p = accepted as f64 / n;
    [p, end(p, n, 0.0), end(p, n, 1.0)]
}

#[track_caller]
fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected * 1e6).abs() < 1.0, "{found} {expected}");
}

#[track_caller]
fn check_acceptance(found: &Value, counts: (u64, u64)) {
    assert_eq!(found["accepted"], counts.0);
    assert_eq!(found["outcomes"], counts.1);
    let [rate, low, high] = interval(counts);
    near(&found["rate_ppm"], rate);
    near(&found["low_ppm"], low);
    near(&found["high_ppm"], high);
}

#[test]
fn a_hundred_thousand_rows_add_up() {
    let events = generated::events(ROWS);
    let stage = Stage::new();
    record(&stage, &events);
    // The benchmark measures with this ledger.
    if let Some(folder) = std::env::var_os("VIBEY_REPORT_LEDGER") {
        let from = stage.at("project/.vibey/ledger.sqlite3");
        std::fs::copy(from, std::path::Path::new(&folder).join("ledger.sqlite3")).unwrap();
    }
    let found = report(&stage, &["--json", "--price-per-mtok", PRICE.0]).json();
    let rows = taken_apart(&events);

    let groups = found["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2 * (1 + 4 + 40));
    let mut arms = BTreeMap::new();
    for group in groups {
        let (by, name, mode) = (&group["by"], &group["name"], &group["mode"]);
        let text = name.as_str().unwrap();
        let (mut expected, counts) = figures(&rows, |artifact| {
            *mode == artifact.mode.as_str()
                && match by.as_str().unwrap() {
                    "mode" => text == artifact.mode.as_str(),
                    "phase" => text == artifact.phase,
                    _ => artifact.selected_skills.contains_key(text),
                }
        });
        let acceptance = &group["ended"]["acceptance"];
        check_acceptance(acceptance, counts);
        arms.insert((by.to_string(), text, mode.to_string()), counts);
        expected["by"] = by.clone();
        expected["name"] = name.clone();
        expected["mode"] = mode.clone();
        expected["ended"]["acceptance"] = acceptance.clone();
        assert_eq!(*group, expected);
    }

    for comparison in found["comparisons"].as_array().unwrap() {
        let by = comparison["by"].to_string();
        let arm = |mode: &str| {
            let name = comparison["name"].as_str().unwrap_or(mode);
            arms[&(by.clone(), name, format!("\"{mode}\""))]
        };
        let (shadow, inject) = (arm("shadow"), arm("inject"));
        check_acceptance(&comparison["shadow"], shadow);
        check_acceptance(&comparison["inject"], inject);
        let ([p1, l1, u1], [p2, l2, u2]) = (interval(inject), interval(shadow));
        let low = p1 - p2 - (p1 - l1).hypot(u2 - p2);
        let high = p1 - p2 + (u1 - p1).hypot(p2 - l2);
        let difference = &comparison["difference"];
        near(&difference["value_ppm"], p1 - p2);
        near(&difference["low_ppm"], low);
        near(&difference["high_ppm"], high);
        let decision = match (low, high) {
            _ if shadow.1 < 30 || inject.1 < 30 => "cannot_decide_few_outcomes",
            (low, _) if low > 0.0 => "inject_better",
            (_, high) if high < 0.0 => "inject_worse",
            _ => "cannot_decide_holds_zero",
        };
        assert_eq!(comparison["decision"], decision, "{comparison}");
    }
    assert_eq!(found["comparisons"][0]["decision"], "inject_better");
    check_rest(&found, &events, &rows);
}

fn check_rest(found: &Value, events: &[Made], rows: &Rows<'_>) {
    let counted = |kind: fn(&Payload) -> bool| {
        let all = events.iter().filter(|(event, _)| kind(&event.payload));
        all.count()
    };
    let outcomes = counted(|payload| matches!(payload, Payload::Outcome(_)));
    let counted_outcomes = rows.ended.values().filter(|(_, packet)| packet.is_some());
    let without_cost = counted_outcomes
        .clone()
        .filter(|(outcome, _)| outcome.cost_micro_usd.is_none());
    assert_eq!(
        found["rows"],
        json!({
            "read": ROWS,
            "projects": 3,
            "unreadable": 0,
            "packets": rows.packets.len(),
            "skipped": {"seed_prompt": counted(|payload| matches!(payload, Payload::Skipped(_)))},
            "outcomes": outcomes,
            "outcomes_replaced": outcomes - rows.ended.len(),
            "outcomes_without_packet": rows.ended.len() - counted_outcomes.clone().count(),
            "outcomes_without_cost": without_cost.count(),
        })
    );
    let mut skills = BTreeMap::<&str, u64>::new();
    let mut cases = BTreeMap::<&str, u64>::new();
    let mut omissions = BTreeMap::<String, u64>::new();
    for (_, artifact) in &rows.packets {
        for skill in artifact.selected_skills.keys() {
            *skills.entry(skill).or_default() += 1;
        }
        for (reason, sections) in &artifact.omissions {
            let reason = serde_json::to_value(reason).unwrap();
            *omissions
                .entry(reason.as_str().unwrap().to_owned())
                .or_default() += sections;
        }
        if artifact.status == ArtifactStatus::LowConfidence {
            *cases
                .entry(artifact.query_sha256.as_deref().unwrap())
                .or_default() += 1;
        }
    }
    assert_eq!(found["omissions"], json!(omissions));
    let ranked = |items: &BTreeMap<&str, u64>, limit: usize| {
        let mut items: Vec<_> = items.iter().map(|(name, times)| (*times, *name)).collect();
        items.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        items.truncate(limit);
        items
            .into_iter()
            .map(|(times, name)| json!([name, times]))
            .collect::<Vec<_>>()
    };
    let listed = |list: &Value, name: &str| {
        let items = list.as_array().unwrap().iter();
        items
            .map(|item| json!([item[name], item["packets"]]))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        listed(&found["skills"]["most_selected"], "skill"),
        ranked(&skills, 10)
    );
    assert_eq!(found["skills"]["selected"], skills.len());
    let low = &found["low_confidence"];
    assert_eq!(listed(&low["cases"], "query_sha256"), ranked(&cases, 50));
    assert_eq!(low["requests"], cases.len());
    assert_eq!(low["packets"], cases.values().sum::<u64>());
}
