//! Has anything changed since the last build? The rows of files whose times say that they are what they were.

use crate::corpus::discover::{Discovery, Fault, Place};
use crate::corpus::read::stamp;
use vibey_context_contracts::digest::FieldDigest;
use vibey_context_host::read::file_stamp;
use vibey_context_index::sources::{Facts, FileRow, Sources};

/// Size of a file, and its row in the last build's table where the file is unchanged. `near` is where the table is looked at
/// first.
#[must_use]
pub(super) fn look(
    table: Option<&Sources>,
    near: &mut usize,
    place: &Place,
) -> (u64, Option<FileRow>) {
    let Ok(found) = file_stamp(&place.real) else {
        return (0, None);
    };
    let now = stamp(found);
    let row = table.and_then(|table| table.unchanged_file(near, place.root, &place.path, now));
    (
        now.size,
        row.filter(|row| row.facts != Facts::Unknown).cloned(),
    )
}

/// Whether all files are those of the last build and unchanged.
#[must_use]
pub(super) fn all_unchanged(discovery: &Discovery, table: &Sources) -> bool {
    let places = discovery.skills.iter();
    let mut places = places
        .chain(&discovery.plugins)
        .chain(&discovery.marketplaces);
    let count = discovery.skills.len() + discovery.plugins.len() + discovery.marketplaces.len();
    let mut near = 0;
    count == table.files.len()
        && places.all(|place| {
            let now = file_stamp(&place.real).ok().map(stamp);
            let row =
                now.and_then(|now| table.unchanged_file(&mut near, place.root, &place.path, now));
            row.is_some_and(|row| row.facts != Facts::Unknown)
        })
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
