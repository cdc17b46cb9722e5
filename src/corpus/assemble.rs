//! From the files that discovery found to the shards of an index, one shard after the other: what does not have to be
//! read is not, and what was read is dropped before the next shard.

use crate::corpus::account::{Account, Fate, Row, Totals};
use crate::corpus::discover::{Discovery, Place};
use crate::corpus::load::{noted, opened};
use crate::corpus::manifests::Manifests;
use crate::corpus::plugins::Plugin;
use crate::corpus::read::{self, File, Raw};
use crate::corpus::shards::{self, Member, Sizes};
use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefMutIterator as _, ParallelIterator as _,
};
use vibey_context_index::corpus;
use vibey_context_index::error::IndexError;
use vibey_context_index::publish::Draft;
use vibey_context_index::reader::Files;
use vibey_context_index::segment::{self, shard_file};
use vibey_context_index::sources::{Facts, FileRow, SkillFacts};

/// Where the files of a generation go.
pub(super) trait Sink {
    /// Takes over a file from the generation before; says whether there is one.
    fn keep(&mut self, name: &str) -> bool;
    /// Takes a new file.
    fn write(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), IndexError>;
}

impl Sink for Draft<'_> {
    fn keep(&mut self, name: &str) -> bool {
        Draft::keep(self, name)
    }

    fn write(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), IndexError> {
        Draft::write(self, name, &bytes)
    }
}

impl Sink for Files {
    fn keep(&mut self, _: &str) -> bool {
        false
    }

    fn write(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), IndexError> {
        self.insert(name.to_owned(), bytes);
        Ok(())
    }
}

/// What the shards are made from.
pub(super) struct Input<'a> {
    pub(super) discovery: &'a Discovery,
    pub(super) manifests: &'a Manifests,
    /// Reads a skill file.
    pub(super) raw: &'a (dyn Fn(&Place) -> Raw + Sync),
    /// Size of a skill file, and its row in the last build's table where the file is unchanged.
    pub(super) look: &'a dyn Fn(&Place) -> (u64, Option<FileRow>),
    pub(super) sizes: Sizes,
}

/// How far an assembly is: bytes of skill files, each counted when it is read and again when it is indexed, which takes
/// about as long. Files that are taken over without being read count too.
struct Progress<'a> {
    done: u64,
    total: u64,
    tell: &'a mut dyn FnMut(u64, u64),
}

impl Progress<'_> {
    fn add(&mut self, bytes: u64) {
        self.done = (self.done + bytes).min(self.total);
        (self.tell)(self.done, self.total);
    }
}

/// Files that are read before the progress is told again.
const READ_AT_ONCE: usize = 128;

/// A skill file on its way into a shard.
struct Candidate<'a> {
    place: &'a Place,
    /// Bytes of the file when it was looked at.
    size: u64,
    /// Bytes of it that progress has not counted yet.
    ahead: u64,
    plugin: Plugin,
    noted: bool,
    /// What is known of it without its text.
    row: Option<FileRow>,
    /// Its text.
    file: Option<File>,
}

impl Candidate<'_> {
    fn facts(&self) -> Option<&SkillFacts> {
        match (&self.file, &self.row) {
            (Some(file), _) => Some(&file.facts),
            (
                None,
                Some(FileRow {
                    facts: Facts::Skill(facts),
                    ..
                }),
            ) => Some(facts),
            _ => None,
        }
    }

    fn read(&mut self, raw: &(dyn Fn(&Place) -> Raw + Sync)) {
        let file = File::parse(self.place, &self.plugin, raw(self.place));
        self.row = file.stamp.map(|stamp| FileRow {
            root: self.place.root,
            path: self.place.path.clone(),
            stamp,
            facts: Facts::Skill(file.facts.clone()),
        });
        self.file = Some(file);
    }
}

/// Makes the shards, and gives what the corpus comes down to and the rows of the skill files. `tell` is called with the
/// part of the work that is done, and all of it.
///
/// # Errors
/// What the system says of a file of the index.
pub(super) fn assemble(
    input: &Input<'_>,
    sink: &mut dyn Sink,
    tell: &mut dyn FnMut(u64, u64),
) -> Result<(Totals, Vec<FileRow>), IndexError> {
    let places = input.discovery.skills.as_slice();
    let noted = noted(input.discovery);
    let looked: Vec<(u64, Option<FileRow>)> = places.iter().map(input.look).collect();
    let total = looked.iter().map(|(size, _)| size * 2).sum();
    let mut progress = Progress {
        done: 0,
        total,
        tell,
    };
    let mut all = places
        .iter()
        .zip(looked)
        .map(|(place, (size, row))| Candidate {
            place,
            size,
            ahead: size * 2,
            plugin: read::plugin(&input.manifests.plugins, place),
            noted: noted.contains(&(place.root, &place.path)),
            row,
            file: None,
        });
    let mut account = opened(input.discovery, &input.manifests.plugins);
    let (mut keys, mut rows) = (Vec::new(), Vec::new());
    let mut waiting: Vec<Candidate<'_>> = Vec::new();
    loop {
        let fates = account.fates(&account_rows(&waiting));
        let kept: Vec<bool> = fates.into_iter().map(|fate| fate == Fate::Kept).collect();
        let len = first_shard(&waiting, &kept, input.sizes);
        if len.is_none() {
            let from = waiting.len();
            waiting.extend(all.by_ref().take(input.sizes.max));
            if waiting.len() > from {
                let new = &mut waiting[from..];
                let unknown = new.iter().map(|one| one.facts().is_none()).collect();
                read_some(new, unknown, input.raw, &mut progress);
                continue;
            }
        }
        // Without a cut the rest is the last shard.
        let end = len.unwrap_or(waiting.len());
        let (new, kept) = (&mut waiting[..end], &kept[..end]);
        if !shard(new, kept, input, sink, &mut keys, &mut progress)? {
            continue;
        }
        take_in(&mut account, waiting.drain(..end), &mut rows, &mut progress);
        if len.is_none() {
            break;
        }
    }
    let totals = account.finish(input.discovery.nested, input.manifests.release());
    let corpus = corpus::write(&keys, totals.copies.clone());
    sink.write(corpus::FILE, corpus)?;
    Ok((totals, rows))
}

/// Number of the candidates that go into the next shard, or between its skills; `None` where more candidates must tell.
fn first_shard(waiting: &[Candidate<'_>], kept: &[bool], sizes: Sizes) -> Option<usize> {
    let numbered = waiting.iter().enumerate().zip(kept);
    let skills = || {
        numbered
            .clone()
            .filter(|(_, kept)| **kept)
            .map(|(one, _)| one)
    };
    let len = shards::first(skills().map(|(_, one)| one.place), sizes)?;
    skills().nth(len).map(|(at, _)| at)
}

/// Makes or keeps one shard and notes its key; there is none where no skill of it is kept. Says whether that is done: not
/// if a file has changed since its times were looked at, and with it perhaps which skill is whose copy.
fn shard(
    candidates: &mut [Candidate<'_>],
    kept: &[bool],
    input: &Input<'_>,
    sink: &mut dyn Sink,
    keys: &mut Vec<String>,
    progress: &mut Progress<'_>,
) -> Result<bool, IndexError> {
    if !kept.contains(&true) {
        return Ok(true);
    }
    let members = account_rows(candidates).into_iter().zip(kept);
    let members = members.filter(|(_, kept)| **kept).map(|(row, _)| Member {
        root: row.root,
        path: row.path,
        text_sha256: &row.facts.text_sha256,
        plugin: row.plugin,
    });
    let key = shards::key(members);
    let name = shard_file(&key);
    if !sink.keep(&name) {
        let before: Vec<Option<SkillFacts>> =
            candidates.iter().map(|one| one.facts().cloned()).collect();
        let unread = candidates.iter().zip(kept);
        let unread = unread.map(|(one, kept)| *kept && one.file.is_none());
        let unread = unread.collect();
        read_some(candidates, unread, input.raw, progress);
        let now = candidates.iter().map(Candidate::facts);
        if now.zip(&before).any(|(now, before)| now != before.as_ref()) {
            return Ok(false);
        }
        let (mut skills, mut ahead) = (Vec::new(), Vec::new());
        for (one, _) in candidates.iter_mut().zip(kept).filter(|(_, kept)| **kept) {
            let file = one.file.take().and_then(|file| file.parsed.ok());
            if let Some(parsed) = file {
                skills.push(parsed.skill);
                ahead.push(std::mem::take(&mut one.ahead));
            }
        }
        let mut ahead = ahead.into_iter();
        let mut indexed = |skills: usize| progress.add(ahead.by_ref().take(skills).sum());
        sink.write(&name, segment::build(&skills, &key, &mut indexed)?)?;
    }
    keys.push(key);
    Ok(true)
}

/// Accounts for candidates that are done, and keeps their rows.
fn take_in<'a>(
    account: &mut Account,
    done: impl Iterator<Item = Candidate<'a>>,
    rows: &mut Vec<FileRow>,
    progress: &mut Progress<'_>,
) {
    let mut ahead = 0;
    for one in done {
        ahead += one.ahead;
        for row in account_rows(std::slice::from_ref(&one)) {
            account.add(&row, &mut Vec::new());
        }
        rows.extend(one.row);
    }
    progress.add(ahead);
}

/// Reads those candidates for which it is said, on all processors.
fn read_some(
    candidates: &mut [Candidate<'_>],
    which: Vec<bool>,
    raw: &(dyn Fn(&Place) -> Raw + Sync),
    progress: &mut Progress<'_>,
) {
    let which = which.chunks(READ_AT_ONCE);
    for (candidates, which) in candidates.chunks_mut(READ_AT_ONCE).zip(which) {
        let told = candidates.par_iter_mut().zip(which).map(|(one, read)| {
            if !read {
                return 0;
            }
            one.read(raw);
            let half = one.ahead.min(one.size);
            one.ahead -= half;
            half
        });
        progress.add(told.sum());
    }
}

/// The candidates as the account sees them.
fn account_rows<'a>(candidates: &'a [Candidate<'_>]) -> Vec<Row<'a>> {
    let row = |one: &'a Candidate<'_>| Row {
        root: one.place.root,
        path: &one.place.path,
        plugin: &one.plugin,
        facts: one.facts().expect("what was not known was read"),
        noted: one.noted,
    };
    candidates.iter().map(row).collect()
}
