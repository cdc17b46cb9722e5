//! What the last build saw on disk: folders, files, links, their times and digests, and what it rejected. Only a
//! refresh reads it, and the message for a required skill that is not there.
//!
//! It lies inside the generation but is not part of what is published: times differ between two checkouts of the
//! same corpus, so the table is replaced alone when only times have changed.

use serde::{Deserialize, Serialize};

/// Name of the table inside a generation.
pub const FILE: &str = "sources.json";

/// Timestamps closer to the build's start than this are not trusted: a file system may keep times in steps of two
/// seconds (FAT), so a later write can carry an earlier time. In nanoseconds.
const RACY_MARGIN_NS: i128 = 2_000_000_000;

/// When a file or folder was last changed, and how large it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Size in bytes; 0 for a folder.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Time of the last change of the inode, in nanoseconds since 1970.
    pub ctime_ns: i128,
}

/// A folder and what discovery cares for in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderRow {
    /// Ordinal of the root.
    pub root: u32,
    /// Path relative to the root, empty for the root itself.
    pub path: String,
    /// When it last changed.
    pub stamp: Stamp,
    /// Names of folders in it, sorted.
    pub folders: Vec<String>,
    /// Names of files that matter, sorted.
    pub files: Vec<String>,
    /// Names of symbolic links that may matter, sorted.
    pub links: Vec<String>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRow {
    /// Ordinal of the root.
    pub root: u32,
    /// Path relative to the root.
    pub path: String,
    /// When it last changed.
    pub stamp: Stamp,
    /// SHA-256 of its raw bytes.
    pub sha256: String,
}

/// A skill that was found and is not in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// The forms in which it would be addressed.
    pub names: Vec<String>,
    /// Its path, as diagnostics name it.
    pub path: String,
    /// Code of the diagnostic, for example `not-utf8`.
    pub code: String,
    /// What was found.
    pub message: String,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// When the build began, in nanoseconds since 1970.
    pub started_ns: i128,
    /// Digest of all that discovery noted besides files and folders: faults, links and where they lead.
    pub faults_sha256: String,
    /// What was found and rejected, for whoever asks for it by name.
    pub rejected: Vec<Rejected>,
    /// Folders by root and path.
    pub folders: Vec<FolderRow>,
    /// Files by root and path.
    pub files: Vec<FileRow>,
}

/// What the table's file starts with; the checksum of the table follows.
const HEAD: &[u8] = br#"{"crc32":"#;
/// What stands between checksum and table.
const BETWEEN: &[u8] = br#","table":"#;

impl Sources {
    /// The table as its file holds it: JSON with a CRC-32 (ISO-HDLC) of the table's own bytes before it.
    ///
    /// # Errors
    /// Never in practice: the table is JSON.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let table = serde_json::to_vec(self)?;
        let crc = crc32fast::hash(&table).to_string();
        Ok([HEAD, crc.as_bytes(), BETWEEN, &table, b"}"].concat())
    }

    /// The table from its file; `None` where a bit of it differs from what was written.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(HEAD)?;
        let comma = rest.iter().position(|&byte| byte == b',')?;
        let (crc, rest) = rest.split_at_checked(comma)?;
        let table = rest.strip_prefix(BETWEEN)?.strip_suffix(b"}")?;
        let expected: u32 = std::str::from_utf8(crc).ok()?.parse().ok()?;
        if crc32fast::hash(table) != expected {
            return None;
        }
        serde_json::from_slice(table).ok()
    }

    /// The row of a folder, if the stamp that the folder has now proves that nothing changed in it.
    #[must_use]
    pub fn unchanged_folder(&self, root: u32, path: &str, now: Stamp) -> Option<&FolderRow> {
        let at = self
            .folders
            .binary_search_by(|row| (row.root, row.path.as_str()).cmp(&(root, path)))
            .ok()?;
        self.folders
            .get(at)
            .filter(|row| row.stamp == now && !self.racy(now))
    }

    /// The row of a file, if the stamp that the file has now proves that nothing changed in it.
    #[must_use]
    pub fn unchanged_file(&self, root: u32, path: &str, now: Stamp) -> Option<&FileRow> {
        let at = self
            .files
            .binary_search_by(|row| (row.root, row.path.as_str()).cmp(&(root, path)))
            .ok()?;
        self.files
            .get(at)
            .filter(|row| row.stamp == now && !self.racy(now))
    }

    /// Whether a change after the build could have left this stamp.
    fn racy(&self, stamp: Stamp) -> bool {
        let newest = stamp.mtime_ns.max(stamp.ctime_ns);
        newest >= self.started_ns.saturating_sub(RACY_MARGIN_NS)
    }

    /// Whether both tables say that the same content was found at the same places, whatever the times.
    #[must_use]
    pub fn same_content(&self, other: &Self) -> bool {
        let files = |table: &Self| -> Vec<(u32, String, String)> {
            table
                .files
                .iter()
                .map(|row| (row.root, row.path.clone(), row.sha256.clone()))
                .collect()
        };
        self.faults_sha256 == other.faults_sha256 && files(self) == files(other)
    }

    /// Whether writing `self` in place of `old` would spare the next refresh any work.
    #[must_use]
    pub fn improves_on(&self, old: &Self) -> bool {
        let stamps = |table: &Self| -> Vec<Stamp> {
            table
                .folders
                .iter()
                .map(|row| row.stamp)
                .chain(table.files.iter().map(|row| row.stamp))
                .collect()
        };
        let (mine, theirs) = (stamps(self), stamps(old));
        self.folders != old.folders
            || mine != theirs
            || mine
                .iter()
                .any(|stamp| old.racy(*stamp) && !self.racy(*stamp))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i128 = 1_000_000_000;

    fn table(started: i128, mtime: i128) -> Sources {
        let stamp = Stamp {
            size: 1,
            mtime_ns: mtime * SECOND,
            ctime_ns: mtime * SECOND,
        };
        Sources {
            started_ns: started * SECOND,
            faults_sha256: String::new(),
            rejected: vec![],
            folders: vec![],
            files: vec![FileRow {
                root: 0,
                path: "a".into(),
                stamp,
                sha256: "d".into(),
            }],
        }
    }

    #[test]
    fn an_old_stamp_is_trusted_and_a_close_or_future_one_is_not() {
        for (mtime, trusted) in [
            (10, true),
            (97, true),
            (98, false),
            (100, false),
            (9999, false),
            (-5, true),
        ] {
            let table = table(100, mtime);
            let stamp = table.files[0].stamp;
            assert_eq!(
                table.unchanged_file(0, "a", stamp).is_some(),
                trusted,
                "{mtime}"
            );
        }
    }

    #[test]
    fn any_difference_of_the_stamp_is_a_change() {
        let table = table(100, 10);
        let stamp = table.files[0].stamp;
        assert!(
            table
                .unchanged_file(0, "a", Stamp { size: 2, ..stamp })
                .is_none()
        );
        assert!(
            table
                .unchanged_file(
                    0,
                    "a",
                    Stamp {
                        ctime_ns: 11 * SECOND,
                        ..stamp
                    }
                )
                .is_none()
        );
        assert!(table.unchanged_file(0, "b", stamp).is_none());
        assert!(table.unchanged_file(1, "a", stamp).is_none());
    }

    #[test]
    fn every_flipped_bit_of_the_file_is_noticed() {
        let bytes = table(100, 10).to_bytes().expect("JSON");
        assert_eq!(Sources::from_bytes(&bytes), Some(table(100, 10)));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Sources::from_bytes(&damaged), None, "bit {bit}");
        }
    }

    #[test]
    fn a_table_is_rewritten_only_where_that_helps() {
        assert!(
            table(200, 99).improves_on(&table(100, 99)),
            "the stamp is trusted from now on"
        );
        assert!(!table(200, 50).improves_on(&table(100, 50)));
        assert!(
            !table(200, 9999).improves_on(&table(100, 9999)),
            "a future stamp never becomes trusted"
        );
        assert!(table(200, 51).improves_on(&table(100, 50)));
    }
}
