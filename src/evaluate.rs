//! How well do requests with known answers find them?

pub mod cases;
pub mod compare;
mod fields;
pub mod measure;
mod metrics;
mod resolve;
mod strict;
pub mod table;

use cases::Cases;
use measure::{Against, MeasureError, Measured};
use std::collections::BTreeMap;
use vibey_context_contracts::evaluation::EvaluationReport;
use vibey_context_contracts::version::{Compiler, EVALUATION, SCHEMA_VERSION};

/// Warnings in a report at most: one reads a handful, and every case of a file could cause some.
const WARNINGS_MAX: usize = 20;

/// Measures every case, one after the other so that latencies are those of one packet alone, and compares the results with
/// an earlier run's.
///
/// # Errors
/// A name that the index does not know, or an index that is not usable.
pub fn evaluate(
    against: &Against<'_>,
    cases: &Cases,
    baseline: Option<&EvaluationReport>,
) -> Result<EvaluationReport, MeasureError> {
    let resolved: Vec<_> = cases
        .cases
        .iter()
        .map(|case| resolve::resolve(against, case))
        .collect::<Result<_, _>>()?;
    let measured: Vec<Measured> = resolved
        .into_iter()
        .map(|case| measure::measure(against, case))
        .collect::<Result<_, _>>()?;

    let mut forms: BTreeMap<String, Vec<&Measured>> = BTreeMap::new();
    for case in &measured {
        if let Some(form) = &case.result.form {
            forms.entry(form.clone()).or_default().push(case);
        }
    }
    let by_form = forms
        .into_iter()
        .map(|(form, cases)| (form, metrics::measures(cases.into_iter())))
        .collect();
    let overall = metrics::measures(measured.iter());
    let corpus = &against.index.corpus_sha256;
    let mut of_cases = cases.warnings.clone();
    let mut results = Vec::new();
    for case in measured {
        results.push(case.result);
        of_cases.extend(case.warnings);
    }
    // Those of the comparison stand first: they tell how to read the rest.
    let (comparison, mut warnings) = match baseline {
        Some(before) => {
            let (comparison, warnings) = compare::compare(before, corpus, &results);
            (Some(comparison), warnings)
        }
        None => (None, Vec::new()),
    };
    warnings.extend(of_cases);
    let more = warnings.len().saturating_sub(WARNINGS_MAX);
    if more > 0 {
        warnings.truncate(WARNINGS_MAX);
        warnings.push(format!("and {more} more"));
    }
    Ok(EvaluationReport {
        schema_version: SCHEMA_VERSION,
        contract_version: EVALUATION.to_string(),
        compiler: Compiler::current(),
        corpus_sha256: corpus.clone(),
        tokenizer: against.tokenizer.name().to_owned(),
        overall,
        by_form,
        cases: results,
        comparison,
        warnings,
    })
}
