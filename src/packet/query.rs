//! From a request to the words that the ranking looks for.

use std::collections::BTreeMap;
use vibey_context_contracts::redact::without_marks;
use vibey_context_contracts::request::Request;
use vibey_context_index::analysis::Analyzer;
use vibey_context_index::rank::{Query, Word};

/// Weight of a word by the field it stands in. Title and objective say what the work is; requirements and criteria
/// repeat it among the boilerplate of every job; error text is mostly paths and numbers.
const TITLE: f64 = 1.0;
const OBJECTIVE: f64 = 1.0;
const REQUIREMENTS: f64 = 0.6;
const CRITERIA: f64 = 0.4;
const ERROR: f64 = 0.4;

/// Weight of a structured field as a signal. Languages and dependencies name the topic; commands and paths are full of
/// words that every project has.
const LANGUAGES: f64 = 1.0;
const DEPENDENCIES: f64 = 1.0;
const PHASE: f64 = 0.5;
const JOB_KIND: f64 = 0.5;
const FAILURE_CLASS: f64 = 0.5;
const COMMANDS: f64 = 0.5;
const PATHS: f64 = 0.5;

/// Saturation of repeated words (`k3` of BM25's query part; Robertson and Zaragoza 2009, section 3.5): the second
/// mention adds little, the tenth nothing.
const REPEATS: f64 = 0.5;

/// A request as the ranking sees it.
pub struct Asked {
    /// Words and signals.
    pub query: Query,
    /// Field to its words, each once, sorted: what the manifest shows of those that the corpus knows.
    pub fields: BTreeMap<String, Vec<String>>,
}

/// The words of a request, weighted by field.
#[must_use]
pub fn query(request: &Request) -> Asked {
    let mut analyzer = Analyzer::default();
    let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let one = std::slice::from_ref::<String>;
    let mut collect = |rows: &[(&str, f64, &[String])]| {
        // Word to its best field's weight and the number of its mentions.
        let mut words: BTreeMap<String, (f64, u32)> = BTreeMap::new();
        for (field, weight, texts) in rows {
            for text in *texts {
                analyzer.terms(&without_marks(text), |term| {
                    let entry = words.entry(term.to_owned()).or_insert((0.0, 0));
                    *entry = (entry.0.max(*weight), entry.1 + 1);
                    fields
                        .entry((*field).to_owned())
                        .or_default()
                        .push(term.to_owned());
                });
            }
        }
        words
            .into_iter()
            .map(|(term, (weight, mentions))| {
                let mentions = f64::from(mentions);
                Word {
                    term,
                    weight: weight * (mentions * (1.0 + REPEATS)) / (mentions + REPEATS),
                }
            })
            .collect::<Vec<_>>()
    };
    let words = collect(&[
        ("title", TITLE, one(&request.title)),
        ("objective", OBJECTIVE, one(&request.objective)),
        ("requirements", REQUIREMENTS, &request.requirements),
        (
            "acceptance_criteria",
            CRITERIA,
            &request.acceptance_criteria,
        ),
        ("error_summary", ERROR, one(&request.error_summary)),
    ]);
    let signals = collect(&[
        ("phase", PHASE, one(&request.phase)),
        ("job_kind", JOB_KIND, one(&request.job_kind)),
        ("languages", LANGUAGES, &request.languages),
        ("dependencies", DEPENDENCIES, &request.dependencies),
        ("commands", COMMANDS, &request.commands),
        ("paths", PATHS, &request.paths),
        ("target_files", PATHS, &request.target_files),
        ("changed_files", PATHS, &request.changed_files),
        (
            "prior_failure_class",
            FAILURE_CLASS,
            one(&request.prior_failure_class),
        ),
    ]);
    for terms in fields.values_mut() {
        terms.sort_unstable();
        terms.dedup();
    }
    Asked {
        query: Query { words, signals },
        fields,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use vibey_context_contracts::request::parse::parse;

    fn asked(json: &str) -> Asked {
        query(&parse(json.as_bytes()).unwrap().request)
    }

    #[test]
    fn a_word_counts_by_its_best_field_and_repeats_saturate() {
        let asked = asked(
            r#"{"title": "pytest", "requirements": ["pytest pytest", "schema"], "error_summary": "pytest"}"#,
        );
        let weight = |term: &str| {
            asked
                .query
                .words
                .iter()
                .find(|word| word.term == term)
                .unwrap()
                .weight
        };
        assert!(weight("pytest") > TITLE && weight("pytest") < TITLE * (1.0 + REPEATS));
        assert!((weight("schema") - REQUIREMENTS).abs() < 1e-12);
    }

    #[test]
    fn what_stands_for_a_secret_is_no_word_of_the_request() {
        let asked = asked(r#"{"objective": "rotate password=hunter2hunter2 weekly"}"#);
        let words: Vec<_> = asked
            .query
            .words
            .iter()
            .map(|word| word.term.as_str())
            .collect();
        assert_eq!(words, ["password", "rotat", "week"]);
        assert_eq!(without_marks("a [redacted:odd kind] b"), "a  odd kind] b");
    }

    #[test]
    fn circumstances_are_signals_not_words() {
        let asked = asked(
            r#"{"objective": "x1", "languages": ["Python"], "paths": ["src/app/models.py"]}"#,
        );
        assert_eq!(asked.query.words.len(), 1);
        let signals: Vec<_> = asked
            .query
            .signals
            .iter()
            .map(|word| word.term.as_str())
            .collect();
        assert_eq!(signals, ["app", "model", "py", "python", "src"]);
        assert_eq!(asked.fields["paths"], ["app", "model", "py", "src"]);
    }
}
