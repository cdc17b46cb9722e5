//! How are numbers and decisions written?

use unicode_width::UnicodeWidthChar as _;
use vibey_context_contracts::conductor::report::{
    Acceptance, Comparison, Decision, Difference, OUTCOMES_MIN, Report,
};

/// Stands where nothing was counted.
pub(super) const NOTHING: &str = "–";

/// A whole number with its thousands apart.
pub(super) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The same with a sign where it is negative.
pub(super) fn signed(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", count(value.unsigned_abs()))
}

/// A number of things: `1 row`, `2 rows`.
pub(crate) fn number(value: u64, one: &str) -> String {
    match value {
        1 => format!("1 {one}"),
        value => format!("{} {one}s", count(value)),
    }
}

/// [`count`] of a figure that there may not be.
pub(super) fn figure(value: Option<u64>) -> String {
    value.map_or(NOTHING.to_owned(), count)
}

/// Thousandths with one decimal.
pub(super) fn thousandths(value: Option<u64>) -> String {
    value.map_or(NOTHING.to_owned(), |value| {
        let tenths = value.saturating_add(50) / 100;
        format!("{}.{}", count(tenths / 10), tenths % 10)
    })
}

/// Parts per million as per cent with one decimal, in one piece.
pub(super) fn percent(ppm: Option<u32>) -> String {
    ppm.map_or(NOTHING.to_owned(), |ppm| format!("{}\u{a0}%", points(ppm)))
}

fn points(ppm: u32) -> String {
    let tenths = ppm.saturating_add(500) / 1_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn signed_points(ppm: i32) -> String {
    let sign = match points(ppm.unsigned_abs()).as_str() {
        "0.0" => "",
        _ if ppm < 0 => "-",
        _ => "+",
    };
    format!("{sign}{}", points(ppm.unsigned_abs()))
}

/// Micro-dollars as dollars: four decimals, since a packet costs less than a cent.
pub(super) fn dollars(micros: u64) -> String {
    let parts = micros.saturating_add(50) / 100;
    format!("${}.{:04}", count(parts / 10_000), parts % 10_000)
}

/// A rate with its interval.
pub(super) fn rate(acceptance: &Acceptance) -> String {
    match (acceptance.low_ppm, acceptance.high_ppm) {
        (Some(low), Some(high)) => format!(
            "{} ({} to {})",
            percent(acceptance.rate_ppm),
            points(low),
            points(high)
        ),
        _ => NOTHING.to_owned(),
    }
}

/// A difference with its interval, in points of per cent.
pub(super) fn difference(difference: Option<&Difference>) -> String {
    difference.map_or(NOTHING.to_owned(), |found| {
        format!(
            "{} ({} to {})",
            signed_points(found.value_ppm),
            signed_points(found.low_ppm),
            signed_points(found.high_ppm)
        )
    })
}

/// A decision in two or three words.
pub(super) fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::CannotDecideFewOutcomes => "cannot decide: few outcomes",
        Decision::CannotDecideHoldsZero => "cannot decide: may be chance",
        Decision::InjectBetter => "inject is better",
        Decision::InjectWorse => "inject is worse",
    }
}

/// A comparison in one or two sentences.
pub(super) fn verdict(comparison: &Comparison) -> String {
    let (shadow, inject) = (comparison.shadow.outcomes, comparison.inject.outcomes);
    let points = difference(comparison.difference.as_ref());
    match comparison.decision {
        Decision::CannotDecideFewOutcomes => format!(
            "Cannot decide: shadow has {} and inject {}; each needs {OUTCOMES_MIN}.",
            number(shadow, "outcome"),
            count(inject)
        ),
        Decision::CannotDecideHoldsZero => {
            format!("Cannot decide: inject less shadow is {points} points, which may be chance.")
        }
        Decision::InjectBetter => {
            format!("Work with packets is accepted more often: {points} points.")
        }
        Decision::InjectWorse => {
            format!("Work with packets is accepted less often: {points} points.")
        }
    }
}

/// From when to when, and how much.
pub(super) fn period(report: &Report) -> String {
    let rows = &report.rows;
    let since = report.since.as_ref();
    let since = since.map_or(String::new(), |since| format!(", since {since}"));
    let when = match (&report.first_at, &report.last_at) {
        (Some(first), Some(last)) => format!(" from {first} to {last}"),
        _ => String::new(),
    };
    let (read, projects) = (number(rows.read, "row"), number(rows.projects, "project"));
    format!("{read} of {projects}{when}{since}")
}

/// What the figures do not say of what was read.
pub(super) fn caveats(report: &Report) -> Vec<String> {
    let rows = &report.rows;
    let skipped: u64 = rows.skipped.values().sum();
    [
        (
            rows.unreadable,
            "row",
            "not counted: this program cannot read what it says",
        ),
        (
            skipped,
            "job",
            "without a packet, for a kind other than `implement` or a prompt of its own",
        ),
        (
            rows.outcomes_without_packet,
            "outcome",
            "not counted: no packet of the attempt stands before it here",
        ),
        (
            rows.outcomes_replaced,
            "outcome",
            "not counted: a later one of the attempt corrects it",
        ),
        (
            rows.outcomes_without_cost,
            "outcome",
            "without a cost: the costs are too low by as much",
        ),
    ]
    .into_iter()
    .filter(|(times, ..)| *times > 0)
    .map(|(times, one, text)| format!("{} {text}", number(times, one)))
    .collect()
}

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().filter_map(|c| c.width()).sum()
}

/// A text in at most `columns` columns, an ellipsis in place of what goes.
pub(super) fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut taken = 1;
    for c in text.chars() {
        taken += c.width().unwrap_or_default();
        if taken > columns {
            break;
        }
        short.push(c);
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(
            (count(0).as_str(), count(1_234_567).as_str()),
            ("0", "1,234,567")
        );
        assert_eq!(count(123_456), "123,456");
        assert_eq!(signed(-1_500), "-1,500");
        assert_eq!(thousandths(Some(1_250)), "1.3");
        assert_eq!(percent(Some(731_449)), "73.1\u{a0}%");
        assert_eq!(percent(None), NOTHING);
        assert_eq!(dollars(1_234_567), "$1.2346");
        let difference_of = |value_ppm, low_ppm, high_ppm| {
            difference(Some(&Difference {
                value_ppm,
                low_ppm,
                high_ppm,
            }))
        };
        assert_eq!(difference_of(83_000, -400, 144_000), "+8.3 (0.0 to +14.4)");
        assert_eq!(
            difference_of(-83_000, -144_500, -1_000),
            "-8.3 (-14.5 to -0.1)"
        );
    }

    #[test]
    fn texts_are_cut_by_their_width() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "ab…");
        assert_eq!(shortened("日本語", 5), "日本…");
        assert_eq!(width("日本…"), 5);
    }
}
