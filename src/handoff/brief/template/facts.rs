//! What does a brief say about its size and its warnings? Read from its text, so that a dashboard says the same whoever draws
//! it, and when.

use crate::handoff::brief::budget::used_percent;
use vibey_context_contracts::handoff::report::{Budget, BudgetStatus};
use vibey_context_contracts::handoff::state::Settings;

/// Between these stands how many tokens a brief had before it was compressed.
const RAW: (&str, &str) = ("Budget: ", " tokens before compression");

/// What a dashboard shows of a brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Tokens of the brief.
    pub(crate) tokens: String,
    /// Tokens of the window, in thousands.
    pub(crate) window: String,
    /// Tokens as per cent of the window.
    pub(crate) percent: u64,
    /// Per cent that the bar shows.
    pub(crate) bar: u64,
    /// How it fits.
    pub(crate) fit: BudgetStatus,
    /// The same in words.
    pub(crate) status: &'static str,
    /// Class of the bar.
    pub(crate) class: &'static str,
    /// Its warnings.
    pub(crate) warnings: Vec<String>,
}

/// The facts of a brief; `None` where the text is none.
pub(crate) fn facts(brief: &str) -> Option<Facts> {
    let field = |name: &str, before: &str, after: &str| {
        let start = format!("- **{name}**: {before}");
        let line = brief.lines().find_map(|line| line.strip_prefix(&start))?;
        line.strip_suffix(after).map(str::to_owned)
    };
    let status = field("Status", "", "")?;
    let status = BudgetStatus::ALL
        .into_iter()
        .find(|one| one.shown() == status)?;
    let percent: u64 = field("Budget used", "", "%")?.parse().ok()?;
    Some(Facts {
        tokens: field("Estimated tokens", "~", " tokens")?,
        window: field("Target model window", "", "K tokens")?,
        percent,
        bar: percent.min(100),
        fit: status,
        // The bar has a colour already, and not every machine has glyphs for the symbols.
        status: status
            .shown()
            .split_once(' ')
            .map_or("", |(_, words)| words),
        class: match status {
            BudgetStatus::Within => "good",
            BudgetStatus::Pressure => "warn",
            BudgetStatus::Over => "bad",
        },
        warnings: warnings(brief),
    })
}

/// The size of a brief, as far as its text says it.
pub(crate) fn budget_of(brief: &str, settings: &Settings) -> Option<Budget> {
    let facts = facts(brief)?;
    let tokens: u64 = facts.tokens.parse().ok()?;
    let window = whole(&facts.window)?;
    let raw = facts.warnings.iter().find_map(|warning| {
        let (raw, _) = warning.strip_prefix(RAW.0)?.split_once(RAW.1)?;
        raw.parse().ok()
    });
    Some(Budget {
        tokenizer: None,
        tokens,
        raw_tokens: raw.unwrap_or(tokens),
        limit: settings.compression_threshold.of(window),
        window,
        used_percent: used_percent(tokens, window),
        status: facts.fit,
    })
}

/// `8.192` thousands as a number.
fn whole(thousands: &str) -> Option<u64> {
    let (whole, decimals) = thousands.split_once('.').unwrap_or((thousands, ""));
    let decimals: u64 = format!("{decimals:0<3}").parse().ok()?;
    Some(whole.parse::<u64>().ok()? * 1_000 + decimals)
}

/// The items of the section of warnings, which is the last but one; curated text before it can not hold its heading.
fn warnings(brief: &str) -> Vec<String> {
    let section = brief
        .lines()
        .skip_while(|line| *line != "## Warnings & Known Issues")
        .skip(1);
    let section = section.take_while(|line| !line.starts_with("## "));
    section
        .filter_map(|line| line.strip_prefix("- "))
        .map(str::to_owned)
        .collect()
}
