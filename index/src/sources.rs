//! What the last build saw on disk: folders, files, links, their times and digests, and what it rejected. Only a
//! refresh reads it, and the message for a required skill that is not there.
//!
//! It lies inside the generation but is not part of what is published: times differ between two checkouts of the
//! same corpus, so the table is replaced alone when only times have changed.

use crate::codec::{Decoder, Encoder, from_hex};
use std::cmp::Ordering;
use vibey_context_contracts::digest::hex;

/// Name of the table inside a generation.
pub const FILE: &str = "sources.bin";

/// What the table's file starts with; a CRC-32 (ISO-HDLC) of the table follows (u32, little endian), then the table.
const MAGIC: &[u8; 8] = b"vctxsrc3";

/// Timestamps closer to the build's start than this are not trusted: a file system may keep times in steps of two
/// seconds (FAT), so a later write can carry an earlier time. In nanoseconds.
const RACY_MARGIN_NS: i128 = 2_000_000_000;

/// When a file or folder was last changed, and how large it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Size in bytes; 0 for a folder.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Time of the last change of the inode, in nanoseconds since 1970.
    pub ctime_ns: i128,
}

/// A folder and what discovery cares for in it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Ordinal of the root.
    pub root: u32,
    /// Path relative to the root.
    pub path: String,
    /// When it last changed.
    pub stamp: Stamp,
    /// What it says, as far as a build needs to know that without reading it.
    pub facts: Facts,
}

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facts {
    /// It has to be read to know.
    Unknown,
    /// A skill.
    Skill(SkillFacts),
    /// A plugin's description with a usable name.
    Plugin {
        /// Name of the plugin.
        name: String,
        /// Version of the plugin; else empty.
        version: String,
    },
    /// A plugin's description that says nothing.
    Nothing,
}

/// What a skill file says of itself, and what was found in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillFacts {
    /// SHA-256 of its normalised text; empty where it is no text.
    pub text_sha256: String,
    /// Name of the skill; `None` where the file is no text.
    pub name: Option<String>,
    /// Number of its sections.
    pub sections: u32,
    /// Whether anything was found that does not reject it.
    pub diagnosed: bool,
    /// Code and message of what rejects it.
    pub fault: Option<(String, String)>,
}

/// A skill that was found and is not in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl Sources {
    /// The table as its file holds it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        out.i128(self.started_ns);
        out.text(&self.faults_sha256);
        out.number(self.rejected.len() as u64);
        for row in &self.rejected {
            out.texts(row.names.iter());
            for text in [&row.path, &row.code, &row.message] {
                out.text(text);
            }
        }
        out.number(self.folders.len() as u64);
        for row in &self.folders {
            place(&mut out, row.root, &row.path, row.stamp);
            for names in [&row.folders, &row.files, &row.links] {
                out.texts(names.iter());
            }
        }
        out.number(self.files.len() as u64);
        for row in &self.files {
            place(&mut out, row.root, &row.path, row.stamp);
            facts(&mut out, &row.facts);
        }
        let crc = crc32fast::hash(&out.0).to_le_bytes();
        [MAGIC, crc.as_slice(), &out.0].concat()
    }

    /// The table from its file; `None` where a bit of it differs from what was written.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut table = Decoder(bytes.strip_prefix(MAGIC)?);
        let crc = table.u32()?;
        if crc32fast::hash(table.0) != crc {
            return None;
        }
        let started_ns = table.i128()?;
        let faults_sha256 = table.text()?;
        let rejected = (0..table.count()?).map(|_| {
            Some(Rejected {
                names: table.texts()?,
                path: table.text()?,
                code: table.text()?,
                message: table.text()?,
            })
        });
        let rejected = rejected.collect::<Option<_>>()?;
        let folders = (0..table.count()?).map(|_| {
            let (root, path, stamp) = read_place(&mut table)?;
            Some(FolderRow {
                root,
                path,
                stamp,
                folders: table.texts()?,
                files: table.texts()?,
                links: table.texts()?,
            })
        });
        let folders = folders.collect::<Option<_>>()?;
        let files = (0..table.count()?).map(|_| {
            let (root, path, stamp) = read_place(&mut table)?;
            let facts = read_facts(&mut table)?;
            Some(FileRow {
                root,
                path,
                stamp,
                facts,
            })
        });
        Some(Self {
            started_ns,
            faults_sha256,
            rejected,
            folders,
            files: files.collect::<Option<_>>()?,
        })
    }

    /// The row of a folder, if the stamp that the folder has now proves that nothing changed in it. `near` is a place in the
    /// table to look at first; it is moved behind the row.
    #[must_use]
    pub fn unchanged_folder(
        &self,
        near: &mut usize,
        root: u32,
        path: &str,
        now: Stamp,
    ) -> Option<&FolderRow> {
        let row = find(&self.folders, near, |row| {
            (row.root, row.path.as_str()).cmp(&(root, path))
        });
        row.filter(|row| row.stamp == now && !self.racy(now))
    }

    /// The row of a file, if the stamp that the file has now proves that nothing changed in it. `near` as above.
    #[must_use]
    pub fn unchanged_file(
        &self,
        near: &mut usize,
        root: u32,
        path: &str,
        now: Stamp,
    ) -> Option<&FileRow> {
        let row = find(&self.files, near, |row| {
            (row.root, row.path.as_str()).cmp(&(root, path))
        });
        row.filter(|row| row.stamp == now && !self.racy(now))
    }

    /// Whether a change after the build could have left this stamp.
    fn racy(&self, stamp: Stamp) -> bool {
        let newest = stamp.mtime_ns.max(stamp.ctime_ns);
        newest >= self.started_ns.saturating_sub(RACY_MARGIN_NS)
    }

    /// Whether writing `self` in place of `old` would spare the next refresh any work.
    #[must_use]
    pub fn improves_on(&self, old: &Self) -> bool {
        let same = self.files.len() == old.files.len()
            && self
                .files
                .iter()
                .zip(&old.files)
                .all(|(one, other)| one.stamp == other.stamp);
        !same || self.outlives(old)
    }

    /// As [`Sources::improves_on`], where the files are known to be those of `old`.
    #[must_use]
    pub fn outlives(&self, old: &Self) -> bool {
        let folders = old.folders.iter().map(|row| row.stamp);
        let mut stamps = folders.chain(old.files.iter().map(|row| row.stamp));
        self.folders != old.folders || stamps.any(|stamp| old.racy(stamp) && !self.racy(stamp))
    }
}

/// Rows behind `near` that are looked at before the whole table is searched: who asks for one row after the other finds it
/// there, with a row or two of another kind between.
const NEAR_ROWS: usize = 4;

/// The row that `order` finds equal, in a table that is sorted by it.
fn find<'a, Row>(
    rows: &'a [Row],
    near: &mut usize,
    order: impl Fn(&Row) -> Ordering,
) -> Option<&'a Row> {
    let from = (*near).min(rows.len());
    let here = rows[from..].iter().take(NEAR_ROWS);
    let mut here = here.map(&order).take_while(|order| order.is_le());
    let at = match here.position(Ordering::is_eq) {
        Some(ahead) => from + ahead,
        None => rows.binary_search_by(order).ok()?,
    };
    *near = at + 1;
    rows.get(at)
}

fn place(out: &mut Encoder, root: u32, path: &str, stamp: Stamp) {
    out.number(root.into());
    out.text(path);
    out.number(stamp.size);
    out.i128(stamp.mtime_ns);
    out.i128(stamp.ctime_ns);
}

fn read_place(table: &mut Decoder<'_>) -> Option<(u32, String, Stamp)> {
    let root = u32::try_from(table.number()?).ok()?;
    let path = table.text()?;
    let stamp = Stamp {
        size: table.number()?,
        mtime_ns: table.i128()?,
        ctime_ns: table.i128()?,
    };
    Some((root, path, stamp))
}

/// Bits of a skill's row.
const NAMED: u8 = 1;
const DIAGNOSED: u8 = 2;
const FAULT: u8 = 4;

fn facts(out: &mut Encoder, facts: &Facts) {
    match facts {
        Facts::Unknown => out.u8(0),
        Facts::Nothing => out.u8(1),
        Facts::Plugin { name, version } => {
            out.u8(2);
            out.text(name);
            out.text(version);
        }
        Facts::Skill(skill) => {
            out.u8(3);
            out.bytes(&from_hex(&skill.text_sha256).unwrap_or_default());
            out.number(skill.sections.into());
            let mut bits = 0;
            for (bit, set) in [
                (NAMED, skill.name.is_some()),
                (DIAGNOSED, skill.diagnosed),
                (FAULT, skill.fault.is_some()),
            ] {
                bits |= if set { bit } else { 0 };
            }
            out.u8(bits);
            if let Some(name) = &skill.name {
                out.text(name);
            }
            if let Some((code, message)) = &skill.fault {
                out.text(code);
                out.text(message);
            }
        }
    }
}

fn read_facts(table: &mut Decoder<'_>) -> Option<Facts> {
    Some(match table.u8()? {
        0 => Facts::Unknown,
        1 => Facts::Nothing,
        2 => Facts::Plugin {
            name: table.text()?,
            version: table.text()?,
        },
        3 => {
            let text_sha256 = hex(table.bytes()?);
            let sections = u32::try_from(table.number()?).ok()?;
            let bits = table.u8()?;
            let name = match bits & NAMED != 0 {
                true => Some(table.text()?),
                false => None,
            };
            let fault = match bits & FAULT != 0 {
                true => Some((table.text()?, table.text()?)),
                false => None,
            };
            Facts::Skill(SkillFacts {
                text_sha256,
                name,
                sections,
                diagnosed: bits & DIAGNOSED != 0,
                fault,
            })
        }
        _ => return None,
    })
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
                facts: Facts::Skill(SkillFacts {
                    text_sha256: "0f".repeat(32),
                    name: Some("n".into()),
                    sections: 3,
                    diagnosed: true,
                    fault: Some(("c".into(), "m".into())),
                }),
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
                table.unchanged_file(&mut 0, 0, "a", stamp).is_some(),
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
                .unchanged_file(&mut 0, 0, "a", Stamp { size: 2, ..stamp })
                .is_none()
        );
        assert!(
            table
                .unchanged_file(
                    &mut 0,
                    0,
                    "a",
                    Stamp {
                        ctime_ns: 11 * SECOND,
                        ..stamp
                    }
                )
                .is_none()
        );
        assert!(table.unchanged_file(&mut 0, 0, "b", stamp).is_none());
        assert!(table.unchanged_file(&mut 0, 1, "a", stamp).is_none());
    }

    #[test]
    fn every_flipped_bit_of_the_file_is_noticed() {
        let bytes = table(100, 10).to_bytes();
        assert_eq!(Sources::from_bytes(&bytes), Some(table(100, 10)));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Sources::from_bytes(&damaged), None, "bit {bit}");
        }
    }

    #[test]
    fn rows_are_found_wherever_the_search_begins() {
        let rows: Vec<u32> = (0..40).map(|at| at * 2).collect();
        for from in 0..=rows.len() + 3 {
            for wanted in 0..82 {
                let mut near = from;
                let found = find(&rows, &mut near, |row| row.cmp(&wanted));
                let expected = rows.iter().position(|row| *row == wanted);
                assert_eq!(found, expected.map(|at| &rows[at]), "{wanted} from {from}");
                assert_eq!(near, expected.map_or(from, |at| at + 1));
            }
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
