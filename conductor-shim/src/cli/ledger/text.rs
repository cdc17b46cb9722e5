//! Rows and verdicts for people.

use crate::ledger::Result;
use crate::ledger::read::StoredEvent;
use crate::report::words::number;
use vibey_context_contracts::canonical;
use vibey_context_contracts::conductor::event::{ArtifactProduced, Outcome, Payload};
use vibey_context_contracts::conductor::money::usd;
use vibey_context_contracts::conductor::verdict::{FaultKind, Verdict};
use vibey_context_contracts::visible::in_one_line;

/// A name as JSON writes it: a word of our vocabularies.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// A row in one line.
pub(super) fn line(row: &StoredEvent) -> String {
    let said = match row.payload() {
        Ok(Payload::ArtifactProduced(artifact)) => produced(&artifact),
        Ok(Payload::Skipped(skipped)) => {
            format!("{}: {}", word(&skipped.mode), word(&skipped.reason))
        }
        Ok(Payload::Outcome(outcome)) => ended(&outcome),
        Err(_) => "unreadable payload".to_owned(),
    };
    let text = format!(
        "{}  {} {}  {}  {} #{}  {said}",
        row.at, row.project, row.sequence, row.kind, row.job, row.attempt
    );
    in_one_line(&text)
}

fn produced(artifact: &ArtifactProduced) -> String {
    let mut text = format!("{}: {}", word(&artifact.mode), word(&artifact.status));
    if let Some(code) = artifact.error_code {
        text.push_str(&format!(" {}", word(&code)));
    }
    if artifact.packet_tokens > 0 {
        text.push_str(&format!(", {} tokens", artifact.packet_tokens));
    }
    if artifact.appended {
        text.push_str(", appended");
    }
    // A compiler that failed before it came to the packet took no time for one.
    if artifact.compile_ms > 0 || artifact.error_code.is_none() {
        text.push_str(&format!(", {} ms", artifact.compile_ms));
    }
    text
}

fn ended(outcome: &Outcome) -> String {
    let mut text = word(&outcome.result);
    if let Some(cost) = outcome.cost_micro_usd {
        text.push_str(&format!(", {} USD", usd(cost)));
    }
    for (name, figure) in [
        ("turns", outcome.turns),
        ("retries", outcome.retries),
        ("tokens", outcome.tokens),
    ] {
        if let Some(figure) = figure {
            text.push_str(&format!(", {figure} {name}"));
        }
    }
    text
}

/// A row with all that it says, as indented JSON.
pub(super) fn block(row: &StoredEvent) -> Result<String> {
    let json = canonical::pretty(&row.event()?)?;
    Ok(json
        .lines()
        .map(|line| in_one_line(line) + "\n")
        .collect::<String>())
}

/// A verdict.
pub(super) fn verdict(verdict: &Verdict) -> String {
    let mut text = String::new();
    for fault in &verdict.faults {
        let place = match (&fault.project, fault.sequence) {
            (Some(project), Some(sequence)) => {
                format!("row {sequence} of project `{project}` ({})", fault.id)
            }
            _ if fault.kind == FaultKind::GuardMissing => format!("trigger `{}`", fault.id),
            _ => format!("digest {}", fault.id),
        };
        text.push_str(&in_one_line(&format!(
            "{}: {place}: {}",
            word(&fault.kind),
            fault.message
        )));
        text.push('\n');
    }
    let shown = verdict.faults.len() as u64;
    if verdict.faults_total > shown {
        text.push_str(&format!(
            "and {} more\n",
            number(verdict.faults_total - shown, "fault")
        ));
    }
    for head in &verdict.heads {
        let line = format!(
            "project `{}`: {}, head {}",
            head.project,
            number(head.sequence.unsigned_abs(), "row"),
            head.digest
        );
        text.push_str(&in_one_line(&line));
        text.push('\n');
    }
    let chains = number(verdict.heads.len() as u64, "chain");
    let rows = number(verdict.rows, "row");
    let faults = number(verdict.faults_total, "fault");
    text.push_str(&match verdict.whole {
        true => format!("whole: {rows} in {chains}\n"),
        false => format!("broken: {faults} in {rows}\n"),
    });
    text
}
