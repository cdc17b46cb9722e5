//! The JSON Schemas of every document, generated from the types; `contracts/schemas` holds them as files.

use crate::{
    conductor, error, evaluation, handoff, index, markers, materialize, packet, report, request,
    upkeep, version,
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// A schema: the name of its file in `contracts/schemas`, and how it is made.
type Row = (&'static str, fn() -> Value);

/// Every published schema.
const SCHEMAS: &[Row] = &[
    ("check-report.v1.json", written::<report::CheckReport>),
    ("clean-report.v1.json", written::<upkeep::CleanReport>),
    (
        "contract-report.v1.json",
        written::<version::ContractReport>,
    ),
    (
        "context-manifest.v1.json",
        written::<materialize::ContextManifest>,
    ),
    ("doctor-report.v1.json", written::<upkeep::DoctorReport>),
    ("error.v1.json", written::<error::ErrorReport>),
    (
        "evaluation.v1.json",
        written::<evaluation::EvaluationReport>,
    ),
    (
        "handoff-report.v1.json",
        written::<handoff::report::HandoffReport>,
    ),
    ("index-manifest.v1.json", written::<index::IndexManifest>),
    ("index-report.v1.json", written::<index::IndexReport>),
    ("job.v1.json", read::<conductor::job::Job>),
    ("ledger-event.v1.json", written::<conductor::event::Event>),
    (
        "ledger-verdict.v1.json",
        written::<conductor::verdict::Verdict>,
    ),
    ("list.v1.json", written::<Vec<report::PluginEntry>>),
    (
        "markers-explanation.v1.json",
        written::<markers::answer::Explanation>,
    ),
    (
        "markers-manifest.v1.json",
        read::<markers::manifest::Manifest>,
    ),
    (
        "markers-orphans.v1.json",
        written::<markers::answer::Orphans>,
    ),
    (
        "markers-result.v1.json",
        written::<markers::result::MarkersResult>,
    ),
    (
        "materialize-plan.v1.json",
        written::<Vec<materialize::PlanEntry>>,
    ),
    (
        "materialize-report.v1.json",
        written::<materialize::MaterializeReport>,
    ),
    ("packet-manifest.v1.json", written::<packet::PacketManifest>),
    (
        "pipeline-config.v1.json",
        read::<handoff::config::PipelineConfig>,
    ),
    (
        "pipeline-state.v1.json",
        read::<handoff::state::PipelineState>,
    ),
    ("project-config.v1.json", read::<conductor::config::Config>),
    ("request.v1.json", read::<request::Request>),
    ("search-result.v1.json", written::<Vec<report::SearchHit>>),
    (
        "shadow-report.v1.json",
        written::<conductor::report::Report>,
    ),
];

/// Schema of a document that we read: what may be left out is not required.
fn read<T: JsonSchema>() -> Value {
    make::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// Schema of a document that we write: every key is always present.
fn written<T: JsonSchema>() -> Value {
    make::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// Schema of what a tool of our MCP server takes. It holds no references: not every client follows them.
#[must_use]
pub fn tool_input<T: JsonSchema>() -> Value {
    make::<T>(inlined(SchemaSettings::draft2020_12().for_deserialize()))
}

/// Schema of what a tool of our MCP server answers, without references too.
#[must_use]
pub fn tool_output<T: JsonSchema>() -> Value {
    make::<T>(inlined(SchemaSettings::draft2020_12().for_serialize()))
}

fn inlined(settings: SchemaSettings) -> SchemaSettings {
    settings.with(|settings| settings.inline_subschemas = true)
}

fn make<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// File name and schema of every document.
#[must_use]
pub fn all() -> Vec<(&'static str, Value)> {
    SCHEMAS.iter().map(|(name, make)| (*name, make())).collect()
}
