//! `check`.

use super::args::CheckArgs;
use super::failure::Failure;
use super::locate::Meant;
use super::output::{json, stdout};
use super::progress::Progress;
use crate::corpus::build::{self, Origin};
use crate::corpus::{findable, references, roots};
use crate::text::neutralise::plain_line;
use std::collections::BTreeMap;
use vibey_context_contracts::diagnostic::{Diagnostic, Severity};
use vibey_context_contracts::exit;
use vibey_context_contracts::report::CheckReport;
use vibey_context_contracts::version::SCHEMA_VERSION;
use vibey_context_contracts::visible::visible;

/// Runs the command.
pub(super) fn run(args: &CheckArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let origin = if args.roots.is_empty() {
        meant.origin()?
    } else {
        Origin::Named(roots::named(&meant.surroundings.cwd, &args.roots)?)
    };
    let corpus = build::corpus(&origin, &mut Progress::new(meant.surroundings))?;
    for note in left_out(&origin, &corpus.left_out) {
        meant.surroundings.note(&note);
    }
    let vague = findable::check(&corpus.skills, &corpus.diagnostics);
    let mut diagnostics = corpus.diagnostics;
    diagnostics.extend(vague);
    diagnostics.extend(references::check(origin.roots(), &corpus.skills));
    diagnostics.sort();
    let failed = diagnostics
        .iter()
        .any(|found| args.strict || found.severity == Severity::Error);
    let report = CheckReport {
        schema_version: SCHEMA_VERSION,
        summary: corpus.summary,
        diagnostics,
    };
    if args.json {
        json(&report)?;
    } else {
        stdout(&text(&report, meant.surroundings.colour))?;
    }
    Ok(if failed { exit::FAILED } else { exit::DONE })
}

/// What patterns have left out, and which of them have left out nothing, as after a folder was renamed.
fn left_out(origin: &Origin, counts: &BTreeMap<String, u64>) -> Vec<String> {
    let patterns = origin.roots().first().map(|root| root.exclude.texts());
    let notes = patterns.unwrap_or_default().iter().map(|pattern| {
        let shown = plain_line(pattern);
        match counts.get(pattern) {
            Some(1) => format!("note: `exclude` leaves out 1 folder or skill by `{shown}`"),
            Some(count) => {
                format!("note: `exclude` leaves out {count} folders or skills by `{shown}`")
            }
            None => format!("note: `exclude` leaves out nothing by `{shown}`"),
        }
    });
    notes.collect()
}

fn text(report: &CheckReport, colour: bool) -> String {
    let mut text: String = report
        .diagnostics
        .iter()
        .map(|found| line(found, colour))
        .collect();
    let summary = &report.summary;
    text.push_str(&format!(
        "found {}: {} ok, {} degraded, {} rejected; {} nested\n",
        summary.found, summary.ok, summary.degraded, summary.rejected, summary.nested
    ));
    text
}

/// One finding as compilers print theirs: `path:line:column: severity[code]: message`, and the help below.
fn line(found: &Diagnostic, colour: bool) -> String {
    let place = match (found.line, found.column) {
        (0, _) => String::new(),
        (line, 0) => format!(":{line}"),
        (line, column) => format!(":{line}:{column}"),
    };
    let (word, ansi) = match found.severity {
        Severity::Error => ("error", "31"),
        Severity::Warning => ("warning", "33"),
    };
    let severity = if colour {
        format!("\x1b[1;{ansi}m{word}\x1b[0m")
    } else {
        word.to_owned()
    };
    format!(
        "{}{place}: {severity}[{}]: {}\n    help: {}\n",
        shown(&found.path),
        found.code.as_str(),
        shown(&found.message),
        found.help
    )
}

/// Names from the corpus must not steer the terminal.
fn shown(text: &str) -> String {
    visible(text).0.into_owned()
}
