//! Has anything changed since the last build? Digests of all files, read again only where their times say so.

use crate::corpus::discover::{Discovery, Fault, Place};
use crate::corpus::load::unreadable;
use crate::corpus::plugins::MANIFEST_MAX_BYTES;
use crate::corpus::source::SKILL_MAX_BYTES;
use vibey_context_contracts::digest::{FieldDigest, sha256_hex};
use vibey_context_host::read::{FileStamp, file_stamp, read_stamped};
use vibey_context_index::sources::{FileRow, Sources, Stamp};

/// The table of sources as it is now. `started_ns` is when this build began, in nanoseconds since 1970.
#[must_use]
pub fn survey(discovery: &Discovery, previous: Option<&Sources>, started_ns: i128) -> Sources {
    let mut files = Vec::new();
    let mut faults = FieldDigest::default().field(&discovery.nested.to_le_bytes());
    for fault in discovery.rejected.iter().chain(&discovery.noted) {
        faults = add(faults, fault);
    }
    for (places, limit) in [
        (&discovery.skills, SKILL_MAX_BYTES),
        (&discovery.plugins, MANIFEST_MAX_BYTES),
        (&discovery.marketplaces, MANIFEST_MAX_BYTES),
    ] {
        for place in places {
            match row(place, limit, previous) {
                Ok(row) => files.push(row),
                Err(fault) => faults = add(faults, &fault),
            }
        }
    }
    files.sort_by(|a, b| (a.root, &a.path).cmp(&(b.root, &b.path)));
    Sources {
        started_ns,
        faults_sha256: faults.finish(),
        rejected: Vec::new(),
        folders: discovery.folders.clone(),
        files,
    }
}

fn row(place: &Place, limit: u64, previous: Option<&Sources>) -> Result<FileRow, Fault> {
    let fault = |error| Fault {
        root: place.root,
        path: place.path.clone(),
        finding: unreadable(&error),
    };
    let now = stamp(file_stamp(&place.real).map_err(fault)?);
    if let Some(row) = previous.and_then(|table| table.unchanged_file(place.root, &place.path, now))
    {
        return Ok(row.clone());
    }
    let (bytes, read) = read_stamped(&place.real, limit).map_err(fault)?;
    Ok(FileRow {
        root: place.root,
        path: place.path.clone(),
        stamp: stamp(read),
        sha256: sha256_hex(&bytes),
    })
}

fn stamp(found: FileStamp) -> Stamp {
    Stamp {
        size: found.size,
        mtime_ns: found.mtime_ns,
        ctime_ns: found.ctime_ns,
    }
}

fn add(digest: FieldDigest, fault: &Fault) -> FieldDigest {
    digest
        .field(&fault.root.to_le_bytes())
        .field(fault.path.as_bytes())
        .field(fault.finding.code.as_str().as_bytes())
        .field(fault.finding.message.as_bytes())
}
