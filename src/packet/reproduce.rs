//! Does compiling again give the same bytes, and if not, what has changed?

use crate::text::neutralise::plain_line;
use std::collections::BTreeMap;
use vibey_context_contracts::packet::{IncludedChunk, PacketManifest};
use vibey_context_contracts::version::{PACKET_MANIFEST, speaks};

/// Why a file is no manifest that can be compared.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It is not JSON, or not a packet manifest.
    #[error("file is no packet manifest: {0}")]
    NotManifest(String),
    /// It is of a contract that this compiler does not speak.
    #[error("manifest is of contract {found}, this compiler speaks {ours}")]
    Contract {
        /// Version of the manifest.
        found: String,
        /// Version that this compiler writes.
        ours: String,
    },
}

/// Reads a manifest of any minor version of this compiler's contract.
///
/// # Errors
/// No manifest, or one of another major version.
pub fn read_manifest(bytes: &[u8]) -> Result<PacketManifest, ManifestError> {
    let not = |error: serde_json::Error| ManifestError::NotManifest(error.to_string());
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(not)?;
    let found = value["contract_version"]
        .as_str()
        .unwrap_or("none")
        .to_owned();
    let spoken = semver::Version::parse(&found).is_ok_and(|found| speaks(&PACKET_MANIFEST, &found));
    if !spoken && value.is_object() {
        return Err(ManifestError::Contract {
            found,
            ours: PACKET_MANIFEST.to_string(),
        });
    }
    serde_json::from_value(value).map_err(not)
}

/// What differs between two manifests, causes first; empty where the packets are the same bytes.
#[must_use]
pub fn differences(before: &PacketManifest, after: &PacketManifest) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, before: String, after: String| {
        if before != after {
            found.push(format!("{what}: {before} before, {after} now"));
        }
    };
    let compiler = |manifest: &PacketManifest| {
        format!("{} {}", manifest.compiler.name, manifest.compiler.version)
    };
    compare("compiler", compiler(before), compiler(after));
    // With a project file a manifest is of another minor version.
    if before.project_file.is_some() == after.project_file.is_some() {
        compare(
            "contract",
            before.contract_version.clone(),
            after.contract_version.clone(),
        );
    }
    compare(
        "index format",
        before.index_version.to_string(),
        after.index_version.to_string(),
    );
    compare(
        "request",
        before.query_sha256.clone(),
        after.query_sha256.clone(),
    );
    compare(
        "corpus",
        before.corpus_sha256.clone(),
        after.corpus_sha256.clone(),
    );
    compare(
        "skills release",
        before.skills_release.clone(),
        after.skills_release.clone(),
    );
    // It explains a difference and is none: the packets may be the same.
    let file = |manifest: &PacketManifest| match &manifest.project_file {
        Some(file) => format!("`{}` {}", plain_line(&file.path), file.sha256),
        None => "none".to_owned(),
    };
    let project_file = (before.project_file != after.project_file)
        .then(|| format!("project file: {} before, {} now", file(before), file(after)));
    compare(
        "tokenizer",
        before.tokenizer.clone(),
        after.tokenizer.clone(),
    );
    compare(
        "status",
        format!("{:?}", before.status),
        format!("{:?}", after.status),
    );
    found.extend(changed_sections(before, after));
    if before.packet_sha256 != after.packet_sha256 {
        found.push(format!(
            "packet: {} before, {} now",
            before.packet_sha256, after.packet_sha256
        ));
    } else if found.is_empty() && !same_but_for_project_file(before, after) {
        found.push("manifest: same packet, but other values in the manifest".to_owned());
    }
    if let Some(row) = project_file.filter(|_| !found.is_empty()) {
        found.insert(0, row);
    }
    found
}

fn same_but_for_project_file(before: &PacketManifest, after: &PacketManifest) -> bool {
    let after = PacketManifest {
        project_file: before.project_file.clone(),
        contract_version: before.contract_version.clone(),
        ..after.clone()
    };
    *before == after
}

/// Sections that were changed, added or dropped, by place and content digest.
fn changed_sections(before: &PacketManifest, after: &PacketManifest) -> Vec<String> {
    type Place = (String, Vec<String>, u32);
    let place = |chunk: &IncludedChunk| -> Place {
        (
            chunk.source_path.clone(),
            chunk.heading_path.clone(),
            chunk.part.map_or(0, |part| part.number),
        )
    };
    let table = |manifest: &PacketManifest| -> BTreeMap<Place, String> {
        manifest
            .included_chunks
            .iter()
            .map(|chunk| (place(chunk), chunk.content_sha256.clone()))
            .collect()
    };
    let name = |(path, headings, _): &Place| {
        format!(
            "section `{}` of `{}`",
            plain_line(headings.last().map_or("", String::as_str)),
            plain_line(path)
        )
    };
    let (old, new) = (table(before), table(after));
    let mut rows = Vec::new();
    for (place, digest) in &old {
        match new.get(place) {
            Some(other) if other != digest => {
                rows.push(format!("{}: {digest} before, {other} now", name(place)))
            }
            Some(_) => {}
            None => rows.push(format!("{}: no longer in the packet", name(place))),
        }
    }
    rows.extend(
        new.keys()
            .filter(|place| !old.contains_key(*place))
            .map(|place| format!("{}: new in the packet", name(place))),
    );
    rows
}
