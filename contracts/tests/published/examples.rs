//! Example documents against schemas and parsers: every good one passes, every bad one fails, for the one reason that
//! its name gives.

use crate::files::{contracts, names, read, text};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use vibey_context_contracts::conductor::{config, event, job, report as shadow_report, verdict};
use vibey_context_contracts::handoff::state::{PipelineState, StateFault};
use vibey_context_contracts::markers::{answer, manifest, result};
use vibey_context_contracts::request::parse::parse;
use vibey_context_contracts::{
    canonical, document, error, evaluation, handoff, index, materialize, packet, report, schema,
    upkeep, version,
};

/// Fewer examples than this show too little of a document.
const GOOD_MIN: usize = 2;
/// Fewer kinds of fault than this leave a part of the schema language unproven.
const KINDS_MIN: usize = 4;

/// The first words of a bad example's name, and the schema keywords that may refuse it.
const KINDS: &[(&str, &[&str])] = &[
    ("unknown-field", &["additionalProperties"]),
    ("wrong-type", &["type"]),
    ("missing-key", &["required"]),
    (
        "out-of-range",
        &["minimum", "maximum", "minItems", "minLength"],
    ),
    ("unknown-value", &["enum", "const", "oneOf", "anyOf"]),
];

struct Document {
    name: String,
    folder: PathBuf,
    validator: jsonschema::Validator,
}

/// Every document that has a schema.
fn documents() -> Vec<Document> {
    schema::all()
        .into_iter()
        .map(|(file, schema)| {
            let name = file.strip_suffix(".v1.json").unwrap().to_owned();
            Document {
                folder: contracts().join("examples").join(&name),
                validator: jsonschema::draft202012::new(&schema).unwrap(),
                name,
            }
        })
        .collect()
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    names(folder)
        .into_iter()
        .map(|name| {
            assert!(
                name.ends_with(".json"),
                "`{name}` in `{}`",
                folder.display()
            );
            folder.join(name)
        })
        .collect()
}

fn value(path: &Path) -> Value {
    serde_json::from_str(&text(path))
        .unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}

fn kind_of(path: &Path) -> (&'static str, &'static [&'static str]) {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    *KINDS
        .iter()
        .find(|(kind, _)| stem.starts_with(kind))
        .unwrap_or_else(|| panic!("`{}` does not start with a known kind", path.display()))
}

#[test]
fn every_document_has_examples_and_every_example_a_document() {
    let expected: BTreeSet<String> = documents()
        .into_iter()
        .map(|document| document.name)
        .chain(["request.json".to_owned()])
        .collect();
    let found: BTreeSet<String> = names(&contracts().join("examples")).into_iter().collect();
    assert_eq!(found, expected);
}

#[test]
fn good_examples_are_valid() {
    for document in documents() {
        let files = json_files(&document.folder.join("good"));
        assert!(files.len() >= GOOD_MIN, "{}", document.name);
        for path in files {
            if let Err(error) = document.validator.validate(&value(&path)) {
                panic!("`{}`: {error}", path.display());
            }
        }
    }
}

#[test]
fn bad_examples_are_refused_for_the_reason_in_their_name() {
    for document in documents() {
        let mut kinds = BTreeMap::<&str, usize>::new();
        for path in json_files(&document.folder.join("bad")) {
            let (kind, keywords) = kind_of(&path);
            let value = value(&path);
            let faults: Vec<_> = document.validator.iter_errors(&value).collect();
            let [fault] = faults.as_slice() else {
                panic!(
                    "`{}` has {} faults, not one: {faults:?}",
                    path.display(),
                    faults.len()
                );
            };
            let keyword = fault.kind().keyword();
            assert!(
                keywords.contains(&keyword),
                "`{}` is refused by `{keyword}`: {fault}",
                path.display()
            );
            *kinds.entry(kind).or_default() += 1;
        }
        assert!(
            kinds.len() >= KINDS_MIN,
            "{}: only {kinds:?}",
            document.name
        );
    }
}

/// A document reads into its type and comes back with the same keys and values: nothing is lost, nothing renamed.
fn round_trips<T: DeserializeOwned + Serialize>(document: &str) {
    round_trips_as(document, |typed: &T| canonical::pretty(typed).unwrap());
}

/// The same, for a document that is written by `write`.
fn round_trips_as<T: DeserializeOwned + Serialize>(document: &str, write: impl Fn(&T) -> String) {
    for path in json_files(&contracts().join("examples").join(document).join("good")) {
        let written = value(&path);
        let typed: T = serde_json::from_value(written.clone())
            .unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
        assert_eq!(
            serde_json::to_value(&typed).unwrap(),
            written,
            "`{}`",
            path.display()
        );
        assert_eq!(
            text(&path),
            write(&typed),
            "`{}` is not as the compiler writes it",
            path.display()
        );
    }
}

#[test]
fn good_examples_round_trip_through_their_types() {
    round_trips::<report::CheckReport>("check-report");
    round_trips::<upkeep::CleanReport>("clean-report");
    round_trips::<materialize::ContextManifest>("context-manifest");
    round_trips::<version::ContractReport>("contract-report");
    round_trips::<upkeep::DoctorReport>("doctor-report");
    round_trips::<error::ErrorReport>("error");
    round_trips_as("evaluation", |report: &evaluation::EvaluationReport| {
        report.pretty().unwrap()
    });
    round_trips::<handoff::report::HandoffReport>("handoff-report");
    round_trips::<index::IndexManifest>("index-manifest");
    round_trips::<index::IndexReport>("index-report");
    round_trips::<event::Event>("ledger-event");
    round_trips::<verdict::Verdict>("ledger-verdict");
    round_trips::<Vec<report::PluginEntry>>("list");
    round_trips::<answer::Explanation>("markers-explanation");
    round_trips::<answer::Orphans>("markers-orphans");
    round_trips::<result::MarkersResult>("markers-result");
    round_trips::<Vec<materialize::PlanEntry>>("materialize-plan");
    round_trips::<materialize::MaterializeReport>("materialize-report");
    round_trips::<packet::PacketManifest>("packet-manifest");
    round_trips_as("pipeline-state", |state: &PipelineState| {
        state.pretty().unwrap()
    });
    round_trips::<Vec<report::SearchHit>>("search-result");
    round_trips::<shadow_report::Report>("shadow-report");
}

/// A key that a later minor version may add, in every object of the document.
fn add_later_key(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(add_later_key);
            // Objects that are tables take no value of another type than they have.
            if let Some(like) = object.values().next().cloned() {
                object.insert("zz_later".to_owned(), like);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(add_later_key),
        _ => {}
    }
}

fn reads_later_minor<T: DeserializeOwned>(document: &str) {
    for path in json_files(&contracts().join("examples").join(document).join("good")) {
        let mut later = value(&path);
        add_later_key(&mut later);
        if let Err(error) = serde_json::from_value::<T>(later) {
            panic!("`{}`: {error}", path.display());
        }
    }
}

#[test]
fn what_the_conductor_reads_of_a_compiler_may_be_of_a_later_minor_version() {
    reads_later_minor::<version::ContractReport>("contract-report");
    reads_later_minor::<packet::PacketManifest>("packet-manifest");
}

#[test]
fn the_request_parser_agrees_with_the_schema() {
    let folder = contracts().join("examples/request");
    for path in json_files(&folder.join("good")) {
        if let Err(error) = parse(&read(&path)) {
            panic!("`{}`: {error}", path.display());
        }
    }
    for path in json_files(&folder.join("bad")) {
        let error = parse(&read(&path)).expect_err(&path.display().to_string());
        assert!(!error.help.is_empty(), "`{}`", path.display());
    }
}

/// A parser takes the good examples of a document, and refuses the bad ones with a field and a remedy.
fn agrees<T>(document: &str, parse: impl Fn(&[u8]) -> Result<T, document::DocumentError>) {
    let folder = contracts().join("examples").join(document);
    for path in json_files(&folder.join("good")) {
        if let Err(error) = parse(&read(&path)) {
            panic!("`{}`: {error}", path.display());
        }
    }
    for path in json_files(&folder.join("bad")) {
        let Err(error) = parse(&read(&path)) else {
            panic!("`{}` was read", path.display());
        };
        assert!(!error.help.is_empty(), "`{}`", path.display());
        // What is missing has no place, and neither has what stands for the whole document.
        let placeless = kind_of(&path).0 == "missing-key" || value(&path).is_array();
        assert!(placeless || error.field.is_some(), "`{}`", path.display());
    }
}

#[test]
fn the_parsers_of_the_conductor_agree_with_their_schemas() {
    agrees("job", job::parse);
    agrees("project-config", config::parse);
}

#[test]
fn the_parsers_of_handoff_agree_with_their_schemas() {
    agrees("pipeline-config", handoff::config::parse);
    let folder = contracts().join("examples/pipeline-state");
    for path in json_files(&folder.join("good")) {
        if let Err(fault) = handoff::state::parse(&read(&path)) {
            panic!("`{}`: {fault}", path.display());
        }
    }
    for path in json_files(&folder.join("bad")) {
        let read = handoff::state::parse(&read(&path));
        let is_foreign = matches!(read, Err(StateFault::Foreign(_)));
        assert!(is_foreign, "`{}`: {read:?}", path.display());
    }
}

#[test]
fn the_parser_of_the_markers_manifest_agrees_with_its_schema() {
    agrees("markers-manifest", manifest::parse);
}

#[test]
fn what_no_schema_can_say_is_refused_by_the_parser_alone() {
    refuses_alone("request", |bytes| parse(bytes).is_err());
    refuses_alone("markers-manifest", |bytes| manifest::parse(bytes).is_err());
}

fn refuses_alone(document: &str, is_refused: impl Fn(&[u8]) -> bool) {
    let schema = documents()
        .into_iter()
        .find(|known| known.name == document)
        .unwrap();
    let files = json_files(&schema.folder.join("refused"));
    assert!(!files.is_empty());
    for path in files {
        let bytes = read(&path);
        assert!(is_refused(&bytes), "`{}`", path.display());
        // A byte order mark is no JSON: a validator that reads the file itself skips it, or refuses it too.
        let bare = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let value: Value = serde_json::from_slice(bare).unwrap();
        assert!(
            schema.validator.is_valid(&value),
            "`{}` belongs in `bad`: the schema refuses it",
            path.display()
        );
    }
}

#[test]
fn the_example_of_the_readme_is_a_request() {
    let path = contracts().join("examples/request.json");
    let parsed = parse(&read(&path)).unwrap();
    assert!(parsed.warnings.is_empty());
    // Any object is a `project.json`: the file belongs to other programs too.
    let closed = documents()
        .into_iter()
        .filter(|document| document.name != "project-config");
    for document in closed {
        assert_eq!(
            document.validator.is_valid(&value(&path)),
            document.name == "request",
            "{}",
            document.name
        );
    }
}
