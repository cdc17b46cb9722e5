//! What does a brief look like? The template of the original, line by line; the numbers come last.

mod facts;

pub(crate) use facts::{Facts, budget_of, facts};

use crate::handoff::brief::curate::{Block, Dependency, Piece, Prior};
use std::fmt::Write as _;
use vibey_context_contracts::handoff::report::{Budget, BudgetStatus};

use crate::handoff::brief::block::{framed, in_line, in_title};

/// Stands where a list is empty.
const NONE: &str = "None";
/// Tokens of a thousand, for the window.
const THOUSAND: u64 = 1_000;

/// Everything that a brief says, before it is measured.
#[derive(Debug)]
pub(crate) struct Draft {
    /// Who hands over to whom.
    pub(crate) head: Head,
    /// What the receiving agent is to do: paragraphs.
    pub(crate) mission: Vec<String>,
    /// What it gets.
    pub(crate) pieces: Vec<Piece>,
    /// For each source, where what it says besides is to be found.
    pub(crate) rest: Vec<String>,
    /// Folded phrases by which headings of what is never compressed begin.
    pub(crate) protected: Vec<String>,
    /// What the phases have found out.
    pub(crate) found: FoundOut,
    /// What it should know.
    pub(crate) warnings: Vec<String>,
    /// What was left out so that the brief fits.
    pub(crate) dropped: Vec<String>,
    /// Where more is to be found.
    pub(crate) references: References,
}

/// Who hands over to whom.
#[derive(Debug)]
pub(crate) struct Head {
    /// The source, for people.
    pub(crate) source_title: String,
    /// The target with its step, for people.
    pub(crate) target_title: String,
    /// Type of the pipeline.
    pub(crate) pipeline_type: String,
    /// Name of the project.
    pub(crate) project: String,
    /// UUID of the pipeline.
    pub(crate) pipeline_id: String,
    /// Name of the source.
    pub(crate) source: String,
    /// Name of the target.
    pub(crate) target: String,
    /// The time.
    pub(crate) generated: String,
    /// `transition`, `resume` or `refresh`.
    pub(crate) mode: &'static str,
}

/// What the phases have found out.
#[derive(Debug, Default)]
pub(crate) struct FoundOut {
    /// Decisions.
    pub(crate) decisions: Vec<String>,
    /// Artifacts, as paths.
    pub(crate) artifacts: Vec<String>,
    /// Changed files, as paths.
    pub(crate) files: Vec<String>,
    /// Results of tests.
    pub(crate) tests: Vec<String>,
    /// Deviations.
    pub(crate) deviations: Vec<String>,
}

/// Where more is to be found; `None` is written as such.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// The specification.
    pub(crate) spec: Option<String>,
    /// What the source has produced.
    pub(crate) previous: Vec<String>,
    /// The state file.
    pub(crate) state: String,
    /// The dashboard.
    pub(crate) dashboard: Option<String>,
}

/// The text of a brief with this status and these numbers; without any, their fields are empty, which is how it is measured.
pub(crate) fn render(draft: &Draft, status: BudgetStatus, numbers: Option<&Budget>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = write_head(&mut out, &draft.head);
    let _ = write_budget(&mut out, status, numbers);
    let _ = write!(
        out,
        "## Mission\n\n{}\n\n",
        or_none(&draft.mission.join("\n\n"))
    );
    let pieces = draft.pieces.iter().map(piece);
    let curated: Vec<String> = pieces.chain(draft.rest.iter().cloned()).collect();
    let _ = write!(
        out,
        "## Curated Context\n\n{}\n\n",
        or_none(&curated.join("\n\n"))
    );
    let _ = write_found(&mut out, &draft.found);
    let warnings: Vec<String> = draft
        .warnings
        .iter()
        .chain(&draft.dropped)
        .map(|one| in_line(one))
        .collect();
    let _ = write!(
        out,
        "## Warnings & Known Issues\n\n{}\n\n",
        or_none(&bullets(&warnings, ""))
    );
    let _ = write_references(&mut out, &draft.references);
    out
}

fn write_head(out: &mut String, head: &Head) -> std::fmt::Result {
    write!(
        out,
        "# Context Brief: {} → {}\n\n\
         **Pipeline**: {} | **Project**: {}\n\
         **Pipeline ID**: {}\n\
         **Transition**: {} → {}\n\
         **Generated**: {}\n\
         **Mode**: {}\n\n",
        in_line(&head.source_title),
        in_line(&head.target_title),
        head.pipeline_type,
        head.project,
        in_line(&head.pipeline_id),
        head.source,
        head.target,
        head.generated,
        head.mode
    )
}

fn write_budget(
    out: &mut String,
    status: BudgetStatus,
    numbers: Option<&Budget>,
) -> std::fmt::Result {
    let number = |pick: fn(&Budget) -> String| numbers.map(pick).unwrap_or_default();
    write!(
        out,
        "## Context Budget\n\n\
         - **Estimated tokens**: ~{} tokens\n\
         - **Target model window**: {}K tokens\n\
         - **Budget used**: {}%\n\
         - **Budget remaining**: ~{} tokens\n\
         - **Status**: {}\n\n",
        number(|budget| budget.tokens.to_string()),
        number(|budget| thousands(budget.window)),
        number(|budget| budget.used_percent.to_string()),
        number(|budget| budget.window.saturating_sub(budget.tokens).to_string()),
        status.shown()
    )
}

/// A number in thousands, with as many decimals as it has: `128`, `8.192`.
fn thousands(number: u64) -> String {
    let decimals = format!("{:03}", number % THOUSAND);
    let text = format!("{}.{decimals}", number / THOUSAND);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn write_found(out: &mut String, found: &FoundOut) -> std::fmt::Result {
    out.push_str("## Accumulated State\n\n");
    for (name, items) in [
        ("Key decisions", &found.decisions),
        ("Artifacts created", &found.artifacts),
        ("Files modified", &found.files),
        ("Test results", &found.tests),
        ("Deviations", &found.deviations),
    ] {
        match items.as_slice() {
            [] => writeln!(out, "- **{name}**: {NONE}")?,
            items => writeln!(out, "- **{name}**:\n{}", bullets(items, "  "))?,
        }
    }
    out.push('\n');
    Ok(())
}

fn write_references(out: &mut String, references: &References) -> std::fmt::Result {
    let References {
        spec,
        previous,
        state,
        dashboard,
    } = references;
    write!(
        out,
        "## References\n\n\
         - **Spec**: {}\n\
         - **Previous phase artifact**: {}\n\
         - **Pipeline state**: {state}\n\
         - **Dashboard**: {}\n",
        spec.as_deref().unwrap_or(NONE),
        or_none(&previous.join(", ")),
        dashboard.as_deref().unwrap_or(NONE)
    )
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { NONE } else { text }
}

fn bullets(items: &[String], indent: &str) -> String {
    items
        .iter()
        .map(|item| format!("{indent}- {item}"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Story {
            title,
            block: story,
        } => format!("### Current Step: {title}\n\n{}", block(story)),
        Piece::Prior(stories) => format!(
            "### Prior Stories (Completed)\n\n{}",
            or_none(&prior(stories))
        ),
        Piece::Dependencies(stories) => {
            format!("### Dependencies\n\n{}", or_none(&dependencies(stories)))
        }
        Piece::Sections {
            title,
            blocks,
            pointer,
            ..
        } => {
            let mut blocks: Vec<String> = blocks.iter().map(block).collect();
            if !pointer.is_empty() {
                blocks.push(pointer.clone());
            }
            format!("### {title}\n\n{}", blocks.join("\n\n"))
        }
    }
}

/// A piece of an artifact below the line that says where it comes from.
fn block(block: &Block) -> String {
    let (first, last) = block.lines;
    let source = format!(
        "Source: `{}`, “{}”, lines {first}-{last}",
        block.path,
        in_title(&block.heading)
    );
    match framed(&block.text) {
        text if text.is_empty() => source,
        text => format!("{source}\n\n{text}"),
    }
}

fn prior(stories: &[Prior]) -> String {
    let line = |story: &Prior| {
        let title = if story.title.is_empty() {
            String::new()
        } else {
            format!(" ({})", story.title)
        };
        format!(
            "- **US-{}{title}**: {} [✓ Completed]",
            story.number, story.summary
        )
    };
    with_source(
        stories
            .iter()
            .map(|story| (line(story), &story.source, story.number)),
    )
}

fn dependencies(stories: &[Dependency]) -> String {
    let line = |story: &Dependency| format!("- **US-{}**: {}", story.number, story.sentence);
    with_source(
        stories
            .iter()
            .map(|story| (line(story), &story.source, story.number)),
    )
}

/// Lines about stories below the line that says where those stand.
fn with_source<'a>(lines: impl Iterator<Item = (String, &'a (String, (u32, u32)), u32)>) -> String {
    let (mut path, mut places, mut texts) = (None, Vec::new(), Vec::new());
    for (line, (source, (first, last)), number) in lines {
        path.get_or_insert(source);
        places.push(format!("US-{number} lines {first}-{last}"));
        texts.push(line);
    }
    match path {
        Some(path) => format!(
            "Source: `{path}`, {}\n\n{}",
            places.join(", "),
            texts.join("\n")
        ),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_written_in_thousands() {
        for (tokens, text) in [
            (128_000, "128"),
            (8_192, "8.192"),
            (8_500, "8.5"),
            (1_000_000, "1000"),
            (999, "0.999"),
        ] {
            assert_eq!(thousands(tokens), text);
        }
    }
}
