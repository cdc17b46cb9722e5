//! The request that asks the compiler for a job's packet.

use super::Job;
use crate::redact::{redact, redact_json};
use crate::request::{CompatibilityMode, RankingMode, Request};
use crate::version::SCHEMA_VERSION;
use serde_json::Value;

/// Characters of a repair detail that a request carries.
pub const ERROR_SUMMARY_CHARS: usize = 1_000;

/// The request for `job` with a budget in tokens: complete, redacted, and enough to compile the packet again.
///
/// It is what `request::parse` makes of its own JSON; whether the compiler accepts it (a skill both required and
/// excluded, a text beyond 1 MiB) is for the compiler to say.
#[must_use]
pub fn request_of(job: &Job, budget: u64) -> Request {
    let payload = &job.payload;
    let title = [&payload.title, &job.work_item_id, &job.kind]
        .into_iter()
        .find(|text| !text.trim().is_empty())
        .cloned()
        .unwrap_or_default();
    let objective = if payload.objective.trim().is_empty() {
        title.clone()
    } else {
        payload.objective.clone()
    };
    let error_summary = payload
        .repair_detail
        .as_ref()
        .map(summary)
        .unwrap_or_default();
    let prior_failure_class = if error_summary.is_empty() {
        String::new()
    } else {
        "verification".to_owned()
    };
    let mut request = Request {
        schema_version: SCHEMA_VERSION,
        title,
        objective,
        requirements: said(&payload.requirements),
        acceptance_criteria: said(&payload.acceptance_criteria),
        phase: job.phase.to_lowercase(),
        job_kind: job.kind.clone(),
        languages: said(&payload.languages),
        dependencies: said(&payload.dependencies),
        paths: said(&payload.paths),
        commands: said(&payload.verification.commands),
        target_files: said(&payload.target_files),
        changed_files: said(&payload.changed_files),
        prior_failure_class,
        error_summary,
        required_plugins: said(&payload.required_plugins),
        excluded_plugins: said(&payload.excluded_plugins),
        required_skills: said(&payload.required_skills),
        excluded_skills: said(&payload.excluded_skills),
        maximum_context_tokens: Some(budget),
        ranking_mode: RankingMode::Deterministic,
        compatibility_mode: CompatibilityMode::Strict,
    };
    request.redact();
    request
}

/// The entries that say something: an empty name in a list is an error to the compiler, and nothing to a conductor.
fn said(list: &[String]) -> Vec<String> {
    list.iter()
        .filter(|text| !text.trim().is_empty())
        .cloned()
        .collect()
}

/// The start of a repair detail. Redacted before the cut: half a secret may have no shape.
fn summary(detail: &Value) -> String {
    let text = match detail {
        Value::String(text) => redact(text).into_owned(),
        other => {
            let mut clean = other.clone();
            redact_json(&mut clean);
            redact(&clean.to_string()).into_owned()
        }
    };
    let text = text.trim();
    if text.chars().count() <= ERROR_SUMMARY_CHARS {
        return text.to_owned();
    }
    let cut: String = text.chars().take(ERROR_SUMMARY_CHARS).collect();
    // A mark that the cut went through is no mark any more.
    match cut.rsplit_once("[redacted:") {
        Some((before, mark)) if !mark.contains(']') => before.trim_end().to_owned(),
        _ => cut,
    }
}
