//! What does a brief say about its size and its warnings? Read from its text, so that a dashboard says the same whoever draws
//! it, and when.

use vibey_context_contracts::handoff::report::BudgetStatus;

/// What a dashboard shows of a brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facts {
    /// Tokens of the brief.
    pub(super) tokens: String,
    /// Tokens of the window, in thousands.
    pub(super) window: String,
    /// Tokens as per cent of the window.
    pub(super) percent: u64,
    /// Per cent that the bar shows.
    pub(super) bar: u64,
    /// How it fits.
    pub(super) status: &'static str,
    /// Class of the bar.
    pub(super) class: &'static str,
    /// Its warnings.
    pub(super) warnings: Vec<String>,
}

/// The facts of a brief; `None` where the text is none.
pub(super) fn facts(brief: &str) -> Option<Facts> {
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
