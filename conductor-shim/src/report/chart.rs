//! Which bars and ranges are drawn?
//!
//! A chart has a row for each thing, with its name and figure above its bar. Places along a bar are per cent of the chart's
//! width and sizes of text are fixed, so that a chart fits every screen without becoming unreadable.

use super::sections::{groups_by, of_jobs, shown_name};
use super::words::{NOTHING, count, difference, figure, percent, rate, shortened};
use vibey_context_contracts::conductor::event::ArtifactStatus;
use vibey_context_contracts::conductor::report::{
    Comparison, Difference, Dimension, Group, MILLION, Report, Spread,
};

/// Rows of a chart: what fits beside others on a screen.
const ROWS: usize = 8;
/// Height of a row in pixels: a line of text, a bar, a gap.
const ROW: usize = 42;
/// Height of the axis below the rows.
const AXIS: usize = 20;
/// Columns of a name, so that it does not run into its figure on a phone.
const NAME: usize = 26;

/// A chart.
pub(super) struct Chart {
    /// Part of the ids of its elements.
    pub(super) id: &'static str,
    /// What it shows.
    pub(super) title: &'static str,
    /// How to read it.
    pub(super) about: &'static str,
    /// Name of the first column of its table.
    pub(super) of: &'static str,
    /// Name of the second.
    pub(super) figure: &'static str,
    /// Its rows.
    pub(super) rows: Vec<Row>,
    /// Words at the left, middle and right of the axis.
    pub(super) axis: Option<[String; 3]>,
    /// Class and meaning of each colour, where there are several.
    pub(super) legend: Vec<(&'static str, &'static str)>,
}

/// A row of a chart.
pub(super) struct Row {
    /// The whole name.
    pub(super) name: String,
    /// The name as far as there is room.
    pub(super) short: String,
    /// The figure in words.
    pub(super) figure: String,
    /// What is drawn.
    pub(super) marks: Vec<Mark>,
}

/// Something drawn: its places in per cent of the width.
pub(super) enum Mark {
    /// From its start, so wide, with a class.
    Bar(String, String, &'static str),
    /// From a place to another.
    Line(String, String),
    /// At a place.
    Dot(String),
}

impl Chart {
    /// Height in pixels.
    pub(super) fn height(&self) -> usize {
        self.rows.len() * ROW + if self.axis.is_some() { AXIS } else { 0 }
    }

    /// Where row `at` begins.
    pub(super) fn top(at: usize) -> usize {
        at * ROW
    }

    /// Bottom of the rows.
    pub(super) fn floor(&self) -> usize {
        self.rows.len() * ROW
    }
}

impl Row {
    fn new(name: &str, figure: String, marks: Vec<Mark>) -> Self {
        Self {
            name: name.to_owned(),
            short: shortened(name, NAME),
            figure,
            marks,
        }
    }
}

/// Every chart that has rows.
pub(super) fn charts(report: &Report) -> Vec<Chart> {
    let mut charts = vec![
        accepted(report),
        differences(report),
        statuses(report),
        saved(report),
        tokens(report),
        time(report),
        selected(report),
        omissions(report),
    ];
    charts.retain(|chart| !chart.rows.is_empty());
    charts
}

/// A part of a whole as per cent with two decimals; all of it where the whole is nothing or less than the part.
fn place(part: u64, whole: u64) -> String {
    let whole = u128::from(whole.max(1));
    let hundredths = (u128::from(part) * 10_000 / whole).min(10_000);
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

fn of_million(ppm: u32) -> String {
    place(ppm.into(), MILLION.into())
}

/// Ends of an axis around 0, in parts per million: the first one that holds every interval is taken.
const REACHES: [u32; 5] = [50_000, 100_000, 200_000, 500_000, MILLION];

/// A place on an axis from `-reach` to `reach`.
fn from_middle(ppm: i32, reach: u32) -> String {
    let reach = i64::from(reach);
    let at = (i64::from(ppm) + reach).clamp(0, 2 * reach);
    place(at.unsigned_abs(), 2 * reach.unsigned_abs())
}

fn zero_to(end: String) -> Option<[String; 3]> {
    Some(["0".to_owned(), String::new(), end])
}

fn accepted(report: &Report) -> Chart {
    let all = report.comparisons.first();
    let arms = all.map(|all| [("shadow", &all.shadow), ("inject", &all.inject)]);
    let rows = arms.into_iter().flatten().map(|(name, arm)| {
        let marks = match (arm.rate_ppm, arm.low_ppm, arm.high_ppm) {
            (Some(rate), Some(low), Some(high)) => vec![
                Mark::Line(of_million(low), of_million(high)),
                Mark::Dot(of_million(rate)),
            ],
            _ => Vec::new(),
        };
        let figure = match arm.outcomes {
            0 => "no outcomes".to_owned(),
            _ => rate(arm),
        };
        Row::new(
            &format!("{name}, n = {}", count(arm.outcomes)),
            figure,
            marks,
        )
    });
    Chart {
        id: "accepted",
        title: "Accepted work",
        about: "Share of attempts that were accepted; the line is its 95 % Wilson interval.",
        of: "mode",
        figure: "accepted",
        rows: rows.collect(),
        axis: Some(["0 %", "50 %", "100 %"].map(str::to_owned)),
        legend: Vec::new(),
    }
}

fn differences(report: &Report) -> Chart {
    let shown = report.comparisons.iter().filter_map(|comparison| {
        let found = comparison.difference.as_ref()?;
        (comparison.by != Dimension::Skill).then_some((comparison, found))
    });
    let shown: Vec<_> = shown.take(ROWS).collect();
    let ends = shown
        .iter()
        .flat_map(|(_, found)| [found.low_ppm, found.high_ppm]);
    let most = ends.map(i32::unsigned_abs).max().unwrap_or_default();
    let reach = REACHES
        .into_iter()
        .find(|reach| *reach >= most)
        .unwrap_or(MILLION);
    let row = |(comparison, found): &(&Comparison, &Difference)| {
        let at = |ppm| from_middle(ppm, reach);
        let marks = vec![
            Mark::Line(at(found.low_ppm), at(found.high_ppm)),
            Mark::Dot(at(found.value_ppm)),
        ];
        Row::new(&of_jobs(comparison), difference(Some(found)), marks)
    };
    let points = reach / 10_000;
    Chart {
        id: "difference",
        title: "Inject less shadow",
        about: "Difference of the accepted shares in points, with its 95 % interval. A line that crosses 0 decides nothing.",
        of: "jobs",
        figure: "points",
        rows: shown.iter().map(row).collect(),
        axis: Some([format!("-{points}"), "0".to_owned(), format!("+{points}")]),
        legend: Vec::new(),
    }
}

fn statuses(report: &Report) -> Chart {
    const PARTS: [(ArtifactStatus, &str, &str); 4] = [
        (ArtifactStatus::Ok, "good", "ok"),
        (ArtifactStatus::LowConfidence, "soft", "low confidence"),
        (
            ArtifactStatus::BudgetInsufficient,
            "warn",
            "budget insufficient",
        ),
        (ArtifactStatus::Error, "bad", "error"),
    ];
    let rows = groups_by(report, Dimension::Mode).into_iter().map(|group| {
        let mut before = 0;
        let mut marks = Vec::new();
        for (status, class, _) in PARTS {
            let times = group.statuses.get(&status).copied().unwrap_or_default();
            if times > 0 {
                let (start, wide) = (place(before, group.packets), place(times, group.packets));
                marks.push(Mark::Bar(start, wide, class));
            }
            before += times;
        }
        let figure = format!(
            "{} ok of {}",
            percent(Some(group.ok_ppm)),
            count(group.packets)
        );
        Row::new(&group.name, figure, marks)
    });
    Chart {
        id: "statuses",
        title: "What the compiler answered",
        about: "Share of each status among the packets that were asked for.",
        of: "mode",
        figure: "answers",
        rows: rows.collect(),
        axis: None,
        legend: PARTS.map(|(_, class, name)| (class, name)).to_vec(),
    }
}

fn saved(report: &Report) -> Chart {
    let groups = groups_by(report, Dimension::Mode);
    let most = |group: &&Group| group.whole_skill_tokens.max(group.packet_tokens.sum);
    let most = groups.iter().map(most).max().unwrap_or_default();
    let rows = groups.into_iter().flat_map(|group| {
        let packets = ("packets", group.packet_tokens.sum, "main");
        let skills = ("whole skills", group.whole_skill_tokens, "soft");
        [packets, skills].map(|(what, tokens, class)| {
            let marks = vec![Mark::Bar(place(0, most), place(tokens, most), class)];
            Row::new(&format!("{}, {what}", group.name), count(tokens), marks)
        })
    });
    Chart {
        id: "saved",
        title: "Packets against whole skills",
        about: "Tokens of all packets, and of the skills that they were cut from.",
        of: "mode",
        figure: "tokens",
        rows: rows.collect(),
        axis: None,
        legend: Vec::new(),
    }
}

/// Median and 95th percentile of each group.
fn spreads(groups: Vec<&Group>, of: fn(&Group) -> &Spread, unit: &str) -> (Vec<Row>, u64) {
    let groups: Vec<&Group> = groups
        .into_iter()
        .filter(|group| of(group).count > 0)
        .take(ROWS)
        .collect();
    let most = groups.iter().filter_map(|group| of(group).p95).max();
    let most = most.unwrap_or_default();
    let row = |group: &Group| {
        let spread = of(group);
        let (p50, p95) = (
            spread.p50.unwrap_or_default(),
            spread.p95.unwrap_or_default(),
        );
        let marks = vec![
            Mark::Line(place(p50, most), place(p95, most)),
            Mark::Dot(place(p50, most)),
        ];
        let name = match group.by {
            Dimension::Mode => group.name.clone(),
            _ => format!("{}, {}", shown_name(group), group.mode.as_str()),
        };
        let figure = format!("{} to {}{unit}", figure(spread.p50), figure(spread.p95));
        Row::new(&name, figure, marks)
    };
    (groups.into_iter().map(row).collect(), most)
}

fn tokens(report: &Report) -> Chart {
    let mut groups = groups_by(report, Dimension::Phase);
    if groups.is_empty() {
        groups = groups_by(report, Dimension::Mode);
    }
    let (rows, most) = spreads(groups, |group| &group.packet_tokens, "");
    Chart {
        id: "tokens",
        title: "Tokens of a packet",
        about: "From the median, at the dot, to the 95th percentile.",
        of: "phase and mode",
        figure: "tokens",
        rows,
        axis: zero_to(count(most)),
        legend: Vec::new(),
    }
}

fn time(report: &Report) -> Chart {
    let groups = groups_by(report, Dimension::Mode);
    let (rows, most) = spreads(groups, |group| &group.compile_ms, " ms");
    Chart {
        id: "time",
        title: "Time of the compiler",
        about: "Wall-clock milliseconds from the median, at the dot, to the 95th percentile.",
        of: "mode",
        figure: "milliseconds",
        rows,
        axis: zero_to(format!("{} ms", count(most))),
        legend: Vec::new(),
    }
}

fn bars(items: Vec<(String, u64)>) -> Vec<Row> {
    let most = items.iter().map(|(_, times)| *times).max();
    let most = most.unwrap_or_default();
    let row = |(name, times): &(String, u64)| {
        let marks = vec![Mark::Bar(place(0, most), place(*times, most), "main")];
        Row::new(name, count(*times), marks)
    };
    items.iter().map(row).collect()
}

fn selected(report: &Report) -> Chart {
    let skills = report.skills.most_selected.iter();
    let skills = skills.map(|selected| (selected.skill.clone(), selected.packets));
    Chart {
        id: "selected",
        title: "Most selected skills",
        about: "Packets that hold something of the skill.",
        of: "skill",
        figure: "packets",
        rows: bars(skills.collect()),
        axis: None,
        legend: Vec::new(),
    }
}

fn omissions(report: &Report) -> Chart {
    let reasons = report.omissions.iter().map(|(reason, sections)| {
        let word = serde_json::to_value(reason).unwrap_or_default();
        let word = word.as_str().unwrap_or(NOTHING).replace('_', " ");
        (word, *sections)
    });
    Chart {
        id: "omissions",
        title: "Sections left out",
        about: "Sections that a packet could have held, by the reason why it does not.",
        of: "reason",
        figure: "sections",
        rows: bars(reasons.collect()),
        axis: None,
        legend: Vec::new(),
    }
}
