//! The report on a terminal.

use super::sections::{Section, sections};
use super::words::{NOTHING, caveats, count, period, shortened, verdict, width};
use vibey_context_contracts::conductor::report::Report;

/// Rows of a table: a screen, not a scroll. JSON has them all.
const ROWS: usize = 20;
/// Columns of a name at most, so that figures stay within a line.
const NAME: usize = 32;
/// Columns of a digest: enough to find it again with `ledger export`.
const DIGEST: usize = 16;

/// The report as text. The caller makes harmless what would steer a terminal.
#[must_use]
pub fn table(report: &Report) -> String {
    let mut text = format!("{}\n", period(report));
    for caveat in caveats(report) {
        text.push_str(&format!("note: {caveat}\n"));
    }
    if let Some(all) = report.comparisons.first() {
        text.push_str(&format!("\n{}\n", verdict(all)));
    }
    for section in sections(report, ROWS) {
        text.push('\n');
        text.push_str(&drawn(&section));
    }
    text.push('\n');
    text.push_str(&skills(report));
    text
}

fn skills(report: &Report) -> String {
    let skills = &report.skills;
    let most = skills
        .most_selected
        .iter()
        .map(|selected| vec![selected.skill.clone(), count(selected.packets)]);
    let most = Section {
        title: "Most selected skills".to_owned(),
        head: vec!["skill", "packets"],
        rows: most.collect(),
        more: 0,
    };
    let mut text = match most.rows.is_empty() {
        true => String::new(),
        false => drawn(&most) + "\n",
    };
    let Some(never) = &skills.never_selected else {
        return text + "never selected: unknown, since no index was read\n";
    };
    let indexed = skills.indexed.map_or(NOTHING.to_owned(), count);
    text.push_str(&format!(
        "never selected: {} of {indexed} skills in the index\n",
        count(never.len() as u64)
    ));
    for skill in never.iter().take(ROWS) {
        text.push_str(&format!("  {skill}\n"));
    }
    text + &more(never.len().saturating_sub(ROWS))
}

fn more(rows: usize) -> String {
    match rows {
        0 => String::new(),
        rows => format!("  and {} more; --json has them all\n", count(rows as u64)),
    }
}

/// A table with its first column to the left and figures to the right.
fn drawn(section: &Section) -> String {
    let cut = |row: &Vec<String>| -> Vec<String> {
        let cells = row.iter().zip(&section.head);
        cells
            .map(|(cell, head)| shortened(cell, if *head == "request" { DIGEST } else { NAME }))
            .collect()
    };
    let head: Vec<String> = section.head.iter().map(|name| (*name).to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head)
        .chain(section.rows.iter().map(cut))
        .collect();
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| width(cell)).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..section.head.len()).map(widest).collect();
    let mut text = format!("{}\n", section.title);
    for row in &rows {
        let mut line = String::from(" ");
        for (column, (cell, widest)) in row.iter().zip(&widths).enumerate() {
            let blanks = " ".repeat(widest.saturating_sub(width(cell)));
            line.push(' ');
            line.push_str(&match column {
                0 => format!("{cell}{blanks}"),
                _ => format!(" {blanks}{cell}"),
            });
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text + &more(section.more)
}
