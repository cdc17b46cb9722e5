//! How does an evaluation look to a person?

use crate::text::neutralise::{excerpt, plain_line};
use std::fmt::Write as _;
use vibey_context_contracts::evaluation::{
    CaseResult, Change, Comparison, EvaluationReport, Measures, Outcome,
};
use vibey_context_contracts::packet::Status;

/// Cases of one kind that are listed; `--json` holds all.
const LISTED: usize = 40;
/// Headings that are named for a case, and characters of each.
const HEADINGS: usize = 5;
const HEADING_CHARS: usize = 60;
/// Narrowest column of numbers, for `0.812` and `12345`.
const COLUMN: usize = 8;

/// A row of the table: its name, and its cell.
type Row = (&'static str, fn(&Measures) -> String);

/// The rows, in the order of the report.
const ROWS: &[Row] = &[
    ("positives", |of| of.positives.to_string()),
    ("negatives", |of| of.negatives.to_string()),
    ("hit@1", |of| rate(of.hit_at_1)),
    ("any@3", |of| rate(of.any_at_3)),
    ("any@5", |of| rate(of.any_at_5)),
    ("any@10", |of| rate(of.any_at_10)),
    ("recall@3", |of| rate(of.recall_at_3)),
    ("recall@5", |of| rate(of.recall_at_5)),
    ("recall@10", |of| rate(of.recall_at_10)),
    ("MRR", |of| rate(of.mrr)),
    ("nDCG@10", |of| rate(of.ndcg_at_10)),
    ("mandatory recall", |of| rate(of.mandatory_recall)),
    ("negatives answered", |of| of.negatives_ok.to_string()),
    ("positives low_confidence", |of| {
        of.positives_low_confidence.to_string()
    }),
    ("packet tokens, mean", |of| {
        cell(of.packet_tokens.map(|tokens| format!("{:.0}", tokens.mean)))
    }),
    ("packet tokens, p50", |of| {
        cell(of.packet_tokens.map(|tokens| tokens.p50.to_string()))
    }),
    ("packet tokens, p95", |of| {
        cell(of.packet_tokens.map(|tokens| tokens.p95.to_string()))
    }),
    ("latency µs, p50", |of| {
        cell(of.latency_us.map(|latency| latency.p50.to_string()))
    }),
    ("latency µs, p95", |of| {
        cell(of.latency_us.map(|latency| latency.p95.to_string()))
    }),
];

/// The report as a table of measures, the cases that went wrong, and what has changed.
#[must_use]
pub fn table(report: &EvaluationReport) -> String {
    let corpus: String = report.corpus_sha256.chars().take(12).collect();
    let mut out = format!("{} cases over corpus {corpus}\n\n", report.cases.len());
    let mut columns = vec![("overall".to_owned(), &report.overall)];
    columns.extend(
        report
            .by_form
            .iter()
            .map(|(form, of)| (plain_line(form), of)),
    );
    if let Some(comparison) = &report.comparison {
        columns.push(("baseline".to_owned(), &comparison.overall));
    }
    measures(&mut out, &columns);
    let cases =
        |wrong: fn(&CaseResult) -> bool| report.cases.iter().filter(move |case| wrong(case));
    list(
        &mut out,
        "positives whose first skill is another",
        cases(not_first),
        |case| {
            let rank = case.rank.map_or("none".to_owned(), |rank| rank.to_string());
            format!(
                "rank {rank}, expected {}, first {}",
                joined(&case.expected),
                first(case)
            )
        },
    );
    list(
        &mut out,
        "positives low_confidence",
        cases(refused),
        confidence,
    );
    list(&mut out, "negatives answered", cases(answered), |case| {
        format!("{}, first {}", confidence(case), first(case))
    });
    list(
        &mut out,
        "mandatory sections not in the packet",
        cases(lacking),
        |case| {
            let headings = case.mandatory_missing.iter().take(HEADINGS);
            let mut headings: Vec<String> = headings
                .map(|heading| excerpt(heading, HEADING_CHARS))
                .collect();
            let more = case.mandatory_missing.len() - headings.len();
            if more > 0 {
                headings.push(format!("{more} more"));
            }
            let all = case.mandatory_named;
            format!(
                "{} of {all}: {}",
                case.mandatory_missing.len(),
                headings.join(", ")
            )
        },
    );
    if let Some(comparison) = &report.comparison {
        changes(&mut out, comparison);
    }
    out
}

fn measures(out: &mut String, columns: &[(String, &Measures)]) {
    let first = ROWS
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let width = |name: &str| name.chars().count().max(COLUMN);
    let _ = write!(out, "{:first$}", "");
    for (name, _) in columns {
        let _ = write!(out, "  {name:>width$}", width = width(name));
    }
    out.push('\n');
    for (row, cell) in ROWS {
        let _ = write!(out, "{row:first$}");
        for (name, of) in columns {
            let _ = write!(out, "  {:>width$}", cell(of), width = width(name));
        }
        out.push('\n');
    }
}

fn list<'a>(
    out: &mut String,
    title: &str,
    cases: impl Iterator<Item = &'a CaseResult>,
    describe: impl Fn(&CaseResult) -> String,
) {
    let cases: Vec<&CaseResult> = cases.collect();
    if cases.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}:");
    for case in cases.iter().take(LISTED) {
        let _ = writeln!(out, "  {}  {}", plain_line(&case.id), describe(case));
    }
    if cases.len() > LISTED {
        let _ = writeln!(out, "  and {} more, in --json", cases.len() - LISTED);
    }
}

fn changes(out: &mut String, comparison: &Comparison) {
    let Comparison {
        regressed,
        improved,
        added,
        ..
    } = comparison;
    let _ = writeln!(
        out,
        "\nagainst the baseline: {} regressed, {} improved, {} added",
        regressed.len(),
        improved.len(),
        added.len()
    );
    for (what, list) in [("regressed", regressed), ("improved ", improved)] {
        for change in list {
            let _ = writeln!(out, "  {what}  {}  {}", plain_line(&change.id), way(change));
        }
    }
}

/// `rank 1, ok before; rank 4, ok now`; a negative case has no rank.
fn way(change: &Change) -> String {
    let describe = |outcome: &Outcome| {
        let status = word(outcome.status);
        match outcome.rank {
            _ if change.negative => status.to_owned(),
            Some(rank) => format!("rank {rank}, {status}"),
            None => format!("no rank, {status}"),
        }
    };
    let after = change.after.as_ref();
    let now = after.map_or("missing".to_owned(), describe);
    format!("{} before; {now} now", describe(&change.before))
}

fn not_first(case: &CaseResult) -> bool {
    !case.negative && case.rank != Some(1)
}

fn refused(case: &CaseResult) -> bool {
    !case.negative && case.status == Status::LowConfidence
}

fn answered(case: &CaseResult) -> bool {
    case.negative && case.status == Status::Ok
}

fn lacking(case: &CaseResult) -> bool {
    !case.mandatory_missing.is_empty()
}

fn confidence(case: &CaseResult) -> String {
    case.confidence
        .as_ref()
        .map_or("no confidence".to_owned(), |confidence| {
            format!(
                "confidence {} of 1000, a packet needs {}",
                confidence.score, confidence.threshold
            )
        })
}

fn first(case: &CaseResult) -> String {
    case.top
        .first()
        .map_or("none".to_owned(), |name| plain_line(name))
}

fn joined(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| plain_line(name)).collect();
    names.join(" or ")
}

fn rate(rate: Option<f64>) -> String {
    cell(rate.map(|rate| format!("{rate:.4}")))
}

fn cell(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::LowConfidence => "low_confidence",
        Status::BudgetInsufficient => "budget_insufficient",
    }
}
