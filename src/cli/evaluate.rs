//! `evaluate`.

use super::args::EvaluateArgs;
use super::failure::Failure;
use super::locate::Meant;
use super::output::{note, stdout};
use crate::evaluate::cases::{self, CASES_MAX_BYTES};
use crate::evaluate::compare::{BASELINE_MAX_BYTES, read_baseline};
use crate::evaluate::measure::Against;
use crate::evaluate::{evaluate, table};
use crate::text::neutralise::plain_line;
use crate::text::tokens::Tokenizer;
use std::path::Path;
use vibey_context_contracts::canonical::CanonicalError;
use vibey_context_contracts::evaluation::EvaluationReport;
use vibey_context_contracts::exit;
use vibey_context_host::clock::Stopwatch;
use vibey_context_host::read::read_regular;

/// Runs the command.
pub(super) fn run(args: &EvaluateArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let cwd = &meant.surroundings.cwd;
    let bytes = read_regular(&cwd.join(&args.cases), CASES_MAX_BYTES)?;
    let cases = cases::read(&bytes).map_err(|error| Failure::cases(error, &args.cases))?;
    let baseline = args
        .baseline
        .as_deref()
        .map(|path| baseline(path, cwd))
        .transpose()?;
    let opened = meant.open(args.index.as_deref())?;
    let watch = Stopwatch::start();
    let against = Against {
        reader: &opened.reader,
        index: &opened.manifest,
        tokenizer: Tokenizer::Estimate,
        rejected: &|| opened.rejected(),
        clock: &|| watch.elapsed_micros(),
    };
    let report = evaluate(&against, &cases, baseline.as_ref())
        .map_err(|error| Failure::measure(error, &args.cases))?;
    if args.json {
        let text = report.pretty().map_err(CanonicalError::from)?;
        stdout(&text)?;
    } else {
        stdout(&table::table(&report))?;
        for warning in &report.warnings {
            note(&format!("warning: {}", plain_line(warning)));
        }
    }
    let regressed = report
        .comparison
        .is_some_and(|comparison| !comparison.regressed.is_empty());
    Ok(if regressed {
        exit::STRUCTURED
    } else {
        exit::DONE
    })
}

fn baseline(path: &Path, cwd: &Path) -> Result<EvaluationReport, Failure> {
    read_baseline(&read_regular(&cwd.join(path), BASELINE_MAX_BYTES)?)
        .map_err(|error| Failure::baseline(&error, path))
}
