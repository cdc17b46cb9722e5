//! Has anything changed since the last build? The rows of files whose times say that they are what they were.

use crate::corpus::discover::{Discovery, Fault, Place};
use crate::corpus::read::stamp;
use vibey_context_contracts::digest::FieldDigest;
use vibey_context_host::read::file_stamp;
use vibey_context_index::sources::{Facts, FileRow, Sources};

/// The row of a file in the last build's table, where the file is unchanged.
#[must_use]
pub(super) fn unchanged(table: Option<&Sources>, place: &Place) -> Option<FileRow> {
    let now = stamp(file_stamp(&place.real).ok()?);
    let row = table?.unchanged_file(place.root, &place.path, now)?;
    (row.facts != Facts::Unknown).then(|| row.clone())
}

/// The rows of all files, by root and path, where all of them are those of the last build and unchanged.
#[must_use]
pub(super) fn all_unchanged(discovery: &Discovery, table: &Sources) -> Option<Vec<FileRow>> {
    let places = discovery.skills.iter();
    let places = places
        .chain(&discovery.plugins)
        .chain(&discovery.marketplaces);
    let rows = places.map(|place| unchanged(Some(table), place));
    let mut rows = rows.collect::<Option<Vec<FileRow>>>()?;
    rows.sort_by(|a, b| (a.root, &a.path).cmp(&(b.root, &b.path)));
    (rows.len() == table.files.len()).then_some(rows)
}

/// Digest of all that discovery noted besides files and folders.
#[must_use]
pub(super) fn faults_digest(discovery: &Discovery) -> String {
    let faults = discovery.rejected.iter().chain(&discovery.noted);
    let start = FieldDigest::default().field(&discovery.nested.to_le_bytes());
    faults.fold(start, add).finish()
}

fn add(digest: FieldDigest, fault: &Fault) -> FieldDigest {
    digest
        .field(&fault.root.to_le_bytes())
        .field(fault.path.as_bytes())
        .field(fault.finding.code.as_str().as_bytes())
        .field(fault.finding.message.as_bytes())
}
