//! The JSON Schemas of every document, generated from the types; `contracts/schemas` holds them as files.

use crate::{error, index, packet, report, request, version};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// A schema: the name of its file in `contracts/schemas`, and how it is made.
type Row = (&'static str, fn() -> Value);

/// Every published schema.
const SCHEMAS: &[Row] = &[
    ("check-report.v1.json", of::<report::CheckReport>),
    ("contract-report.v1.json", of::<version::ContractReport>),
    ("error.v1.json", of::<error::ErrorReport>),
    ("index-manifest.v1.json", of::<index::IndexManifest>),
    ("index-report.v1.json", of::<index::IndexReport>),
    ("list.v1.json", of::<Vec<report::PluginEntry>>),
    ("packet-manifest.v1.json", of::<packet::PacketManifest>),
    ("request.v1.json", of::<request::Request>),
    ("search-result.v1.json", of::<Vec<report::SearchHit>>),
];

fn of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// File name and schema of every document.
#[must_use]
pub fn all() -> Vec<(&'static str, Value)> {
    SCHEMAS.iter().map(|(name, make)| (*name, make())).collect()
}
