//! From a request to the words that the ranking looks for.

use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::redact::without_marks;
use vibey_context_contracts::request::Request;
use vibey_context_index::analysis::{Analyzer, FORM_MARK};
use vibey_context_index::rank::weights::PAIR_SPAN;
use vibey_context_index::rank::{Query, Signal};

/// Weight of a structured field as a signal. Languages and dependencies name the topic; commands and paths are full of
/// words that every project has.
const LANGUAGES: f64 = 1.0;
const DEPENDENCIES: f64 = 1.0;
const PHASE: f64 = 0.5;
const JOB_KIND: f64 = 0.5;
const FAILURE_CLASS: f64 = 0.5;
const COMMANDS: f64 = 0.5;
const PATHS: f64 = 0.5;

/// A request as the ranking sees it.
pub struct Asked {
    /// Words, pairs and signals.
    pub query: Query,
    /// Field to its words, each once, sorted: what the manifest shows of those that the corpus knows.
    pub fields: BTreeMap<String, Vec<String>>,
}

/// The words of a request. A word counts once, wherever and however often it stands: weights by field and for repeated
/// words changed nothing that could be measured (docs/ranking.md).
#[must_use]
pub fn query(request: &Request) -> Asked {
    let mut analyzer = Analyzer::default();
    let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut words, mut forms, mut pairs) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (field, texts) in task(request) {
        for text in texts {
            let mut stems: Vec<String> = Vec::new();
            analyzer.words(&without_marks(text), |stem, form| {
                stems.push(stem.to_owned());
                forms.insert(if form == stem {
                    stem.to_owned()
                } else {
                    format!("{FORM_MARK}{form}")
                });
            });
            for (place, left) in stems.iter().enumerate() {
                for right in stems.iter().skip(place + 1).take(PAIR_SPAN) {
                    if left != right {
                        let (left, right) = (left.min(right), left.max(right));
                        pairs.insert((left.clone(), right.clone()));
                    }
                }
            }
            words.extend(stems.iter().cloned());
            fields.entry(field.to_owned()).or_default().extend(stems);
        }
    }

    let mut signals: BTreeMap<String, f64> = BTreeMap::new();
    for (field, weight, texts) in circumstances(request) {
        for text in texts {
            analyzer.terms(&without_marks(text), |term| {
                let best = signals.entry(term.to_owned()).or_default();
                *best = best.max(weight);
                let words = fields.entry(field.to_owned()).or_default();
                words.push(term.to_owned());
            });
        }
    }
    for terms in fields.values_mut() {
        terms.sort_unstable();
        terms.dedup();
    }
    fields.retain(|_, terms| !terms.is_empty());
    let signals = signals.into_iter();
    Asked {
        query: Query {
            words: words.into_iter().collect(),
            forms: forms.into_iter().collect(),
            pairs: pairs.into_iter().collect(),
            signals: signals
                .map(|(term, weight)| Signal { term, weight })
                .collect(),
        },
        fields,
    }
}

/// Each stem of a request with the words that led to it, each once, sorted: what explanations show instead of stems.
#[must_use]
pub fn own_words(request: &Request) -> BTreeMap<String, BTreeSet<String>> {
    let mut analyzer = Analyzer::default();
    let mut own: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let circumstances = circumstances(request).map(|(_, _, texts)| texts);
    let task = task(request).map(|(_, texts)| texts);
    for text in task.into_iter().chain(circumstances).flatten() {
        analyzer.words(&without_marks(text), |stem, form| {
            own.entry(stem.to_owned())
                .or_default()
                .insert(form.to_owned());
        });
    }
    own
}

/// The fields that say what is to be done.
fn task(request: &Request) -> [(&'static str, &[String]); 5] {
    let one = std::slice::from_ref::<String>;
    [
        ("title", one(&request.title)),
        ("objective", one(&request.objective)),
        ("requirements", &request.requirements),
        ("acceptance_criteria", &request.acceptance_criteria),
        ("error_summary", one(&request.error_summary)),
    ]
}

/// The fields that say where and with what, and the weight of each.
fn circumstances(request: &Request) -> [(&'static str, f64, &[String]); 9] {
    let one = std::slice::from_ref::<String>;
    [
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
    ]
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
    fn a_word_counts_once_in_stem_and_form_and_pairs_with_its_neighbours() {
        let query =
            asked(r#"{"title": "mining rigs", "requirements": ["the mining of ore", "rigs"]}"#)
                .query;
        assert_eq!(query.words, ["mine", "ore", "rig"]);
        assert_eq!(query.forms, ["=mining", "=rigs", "ore"]);
        let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
        assert_eq!(query.pairs, [pair("mine", "ore"), pair("mine", "rig")]);
    }

    #[test]
    fn what_stands_for_a_secret_is_no_word_of_the_request() {
        let asked = asked(r#"{"objective": "rotate password=hunter2hunter2 weekly"}"#);
        assert_eq!(asked.query.words, ["password", "rotat", "week"]);
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
