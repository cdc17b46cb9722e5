//! The report in a browser: one file that needs nothing else, no network and no script.

use super::chart::{Chart, Mark, charts};
use super::sections::{Section, sections};
use super::words::{caveats, count, decision, dollars, period, verdict};
use askama::Template;
use vibey_context_contracts::conductor::report::{OUTCOMES_MIN, Report};

/// Rows of a table: on a phone each is a card. JSON has them all.
const ROWS: usize = 30;

/// What the template shows. Its values are escaped where they are put in.
#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    period: String,
    verdict: String,
    decision: &'static str,
    is_decided: bool,
    caveats: Vec<String>,
    charts: Vec<Chart>,
    sections: Vec<Section>,
    never: Option<Never>,
    price: String,
    outcomes_min: u64,
}

struct Never {
    indexed: String,
    count: String,
    skills: Vec<String>,
    more: usize,
}

/// The report as an HTML document.
///
/// # Errors
/// None in practice: the template writes into memory.
pub fn html(report: &Report) -> Result<String, askama::Error> {
    let all = report.comparisons.first();
    let page = Page {
        period: period(report),
        verdict: all.map(verdict).unwrap_or_default(),
        decision: all.map_or("", |all| decision(all.decision)),
        is_decided: all.is_some_and(|all| !decision(all.decision).starts_with("cannot")),
        caveats: caveats(report),
        charts: charts(report),
        sections: sections(report, ROWS),
        never: never(report),
        price: dollars(report.price_micro_usd_per_mtok),
        outcomes_min: OUTCOMES_MIN,
    };
    page.render()
}

fn never(report: &Report) -> Option<Never> {
    let skills = report.skills.never_selected.as_ref()?;
    Some(Never {
        indexed: count(report.skills.indexed?),
        count: count(skills.len() as u64),
        skills: skills.iter().take(ROWS).cloned().collect(),
        more: skills.len().saturating_sub(ROWS),
    })
}
