//! Which tables does a report have, on a terminal and in a browser?

use super::words::{
    NOTHING, count, decision, difference, dollars, figure, percent, rate, signed, thousandths,
};
use vibey_context_contracts::conductor::config::Mode;
use vibey_context_contracts::conductor::event::ArtifactStatus;
use vibey_context_contracts::conductor::report::{
    Comparison, Decision, Dimension, Group, Report, Spread,
};

/// A table.
pub(super) struct Section {
    /// What stands above it.
    pub(super) title: String,
    /// Names of its columns.
    pub(super) head: Vec<&'static str>,
    /// Its rows, as long as the head.
    pub(super) rows: Vec<Vec<String>>,
    /// Rows that were left out.
    pub(super) more: usize,
}

impl Section {
    fn new(title: &str, head: &[&'static str], mut rows: Vec<Vec<String>>, limit: usize) -> Self {
        let more = rows.len().saturating_sub(limit);
        rows.truncate(limit);
        Self {
            title: title.to_owned(),
            head: head.to_vec(),
            rows,
            more,
        }
    }
}

/// Every table that has rows, each with `limit` of them at most.
pub(super) fn sections(report: &Report, limit: usize) -> Vec<Section> {
    let mut sections = vec![compared(report, limit)];
    for by in [Dimension::Mode, Dimension::Phase, Dimension::Skill] {
        sections.extend(grouped(report, by, limit));
    }
    sections.push(omissions(report));
    sections.push(cases(report, limit));
    sections.retain(|section| !section.rows.is_empty());
    sections
}

fn compared(report: &Report, limit: usize) -> Section {
    // Of many skills most decide nothing, and would hide the others.
    let shown = report.comparisons.iter().filter(|comparison| {
        let decides =
            [Decision::InjectBetter, Decision::InjectWorse].contains(&comparison.decision);
        comparison.by != Dimension::Skill || decides
    });
    let rows = shown.map(|comparison| {
        vec![
            of_jobs(comparison),
            rate(&comparison.shadow),
            rate(&comparison.inject),
            difference(comparison.difference.as_ref()),
            decision(comparison.decision).to_owned(),
        ]
    });
    Section::new(
        "Accepted work, shadow against inject (% with 95 % intervals)",
        &["jobs", "shadow", "inject", "inject less shadow", "decision"],
        rows.collect(),
        limit,
    )
}

/// Which jobs a comparison is of.
pub(super) fn of_jobs(comparison: &Comparison) -> String {
    let name = comparison.name.as_deref().unwrap_or_default();
    match comparison.by {
        Dimension::Mode => "all".to_owned(),
        Dimension::Phase if name.is_empty() => format!("phase {NOTHING}"),
        Dimension::Phase => format!("phase {name}"),
        Dimension::Skill => name.to_owned(),
    }
}

/// The groups of a dimension: modes and phases by name, skills by their packets, most first.
pub(super) fn groups_by(report: &Report, by: Dimension) -> Vec<&Group> {
    let groups = report.groups.iter().filter(|group| group.by == by);
    let mut groups: Vec<&Group> = groups.collect();
    if by == Dimension::Skill {
        groups.sort_by_key(|group| std::cmp::Reverse(group.packets));
    }
    groups
}

fn grouped(report: &Report, by: Dimension, limit: usize) -> Vec<Section> {
    let (title, key): (_, &[&'static str]) = match by {
        Dimension::Mode => ("By mode", &["mode"]),
        Dimension::Phase => ("By phase", &["phase", "mode"]),
        Dimension::Skill => ("By skill", &["skill", "mode"]),
    };
    let groups = groups_by(report, by);
    let ended = groups
        .iter()
        .filter(|group| group.ended.acceptance.outcomes > 0);
    let ended: Vec<&Group> = ended.copied().collect();
    let section = |topic: &str,
                   head: &[&'static str],
                   groups: &[&Group],
                   cells: fn(&Group) -> Vec<String>| {
        let rows = groups.iter().map(|group| {
            let mut row = vec![shown_name(group)];
            if by != Dimension::Mode {
                row.push(group.mode.as_str().to_owned());
            }
            row.extend(cells(group));
            row
        });
        let head = [key, head].concat();
        Section::new(&format!("{title}: {topic}"), &head, rows.collect(), limit)
    };
    vec![
        section(
            "packets",
            &[
                "jobs",
                "packets",
                "ok",
                "low confidence",
                "budget insufficient",
                "error",
                "appended",
            ],
            &groups,
            packets,
        ),
        section(
            "tokens and time",
            &[
                "mean",
                "p50",
                "p95",
                "tokens saved",
                "over budget",
                "ms p50",
                "ms p95",
            ],
            &groups,
            sizes,
        ),
        section(
            "outcomes",
            &[
                "outcomes",
                "accepted",
                "items",
                "turns",
                "retries",
                "cost per item",
            ],
            &ended,
            outcomes,
        ),
    ]
}

/// The name of a group; phases may have none.
pub(super) fn shown_name(group: &Group) -> String {
    match group.name.as_str() {
        "" => NOTHING.to_owned(),
        name => name.to_owned(),
    }
}

fn packets(group: &Group) -> Vec<String> {
    let of = |status| count(group.statuses.get(&status).copied().unwrap_or_default());
    vec![
        count(group.jobs),
        count(group.packets),
        percent(Some(group.ok_ppm)),
        of(ArtifactStatus::LowConfidence),
        of(ArtifactStatus::BudgetInsufficient),
        of(ArtifactStatus::Error),
        match group.mode {
            Mode::Inject => count(group.appended),
            _ => NOTHING.to_owned(),
        },
    ]
}

fn sizes(group: &Group) -> Vec<String> {
    let tokens = &group.packet_tokens;
    vec![
        thousandths(tokens.mean_milli),
        figure(tokens.p50),
        figure(tokens.p95),
        signed(group.tokens_saved),
        count(group.budget_omissions),
        figure(group.compile_ms.p50),
        figure(group.compile_ms.p95),
    ]
}

fn outcomes(group: &Group) -> Vec<String> {
    let ended = &group.ended;
    let mean = |spread: &Spread| thousandths(spread.mean_milli);
    vec![
        count(ended.acceptance.outcomes),
        rate(&ended.acceptance),
        count(ended.accepted_items),
        mean(&ended.turns),
        mean(&ended.retries),
        ended
            .cost_per_accepted_micro_usd
            .map_or(NOTHING.to_owned(), dollars),
    ]
}

fn omissions(report: &Report) -> Section {
    let rows = report.omissions.iter().map(|(reason, sections)| {
        let reason = serde_json::to_value(reason).unwrap_or_default();
        let reason = reason.as_str().unwrap_or_default().replace('_', " ");
        vec![reason, count(*sections)]
    });
    let all = usize::MAX;
    Section::new(
        "Sections left out of packets",
        &["reason", "sections"],
        rows.collect(),
        all,
    )
}

fn cases(report: &Report, limit: usize) -> Section {
    let cases = &report.low_confidence.cases;
    let rows = cases.iter().map(|case| {
        vec![
            case.query_sha256.clone(),
            count(case.packets),
            case.confidence.map_or(NOTHING.to_owned(), |confidence| {
                format!("0.{:03}", confidence.min(999))
            }),
            case.project.clone(),
            case.job.clone(),
        ]
    });
    let mut section = Section::new(
        "Requests that no skill explains",
        &["request", "times", "confidence", "project", "last job"],
        rows.collect(),
        limit,
    );
    let requests = usize::try_from(report.low_confidence.requests).unwrap_or(usize::MAX);
    section.more = requests.saturating_sub(section.rows.len());
    section
}
