//! The files of an index, cut, swapped and with bits flipped: an error or the packet of before, and a build that mends them.

use super::scratch::Scratch;
use crate::corpus::build::{Build, Observer, Origin, up_to_date};
use crate::corpus::roots::named;
use crate::corpus::shards::Sizes;
use crate::packet::compile::{Compile, compile};
use crate::text::tokens::Tokenizer;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::index::{IndexManifest, SkillSummary};
use vibey_context_contracts::request::parse::parse;
use vibey_context_host::read::read_regular;
use vibey_context_host::write::remove_file;
use vibey_context_index::error::IndexError;
use vibey_context_index::publish::{intact, open, read_sources};
use vibey_context_index::sources::Sources;

/// Bytes of a file of ours that are read back at most.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of an edit: what is done, three for a place, one for how much.
const EDIT_BYTES: usize = 5;
/// First bytes from here on, one of sixteen, have the index built anew.
const BUILT_FROM: u8 = 240;
/// Requests that ask every part of an index: words, names, pairs, and what is not there.
const REQUESTS: [&str; 3] = [
    r#"{"objective": "rehearse the migration of the orders table", "maximum_context_tokens": 1000}"#,
    r#"{"required_plugins": ["left"], "maximum_context_tokens": 3000}"#,
    r#"{"required_skills": ["four"], "title": "kubernetes", "excluded_skills": ["one"]}"#,
];

struct Quiet;

impl Observer for Quiet {}

/// An index, its bytes and its packets as they were when it was built.
pub(super) struct Bed {
    scratch: Scratch,
    origin: Origin,
    files: BTreeMap<PathBuf, Vec<u8>>,
    packets: Vec<(String, String)>,
    skills: SkillSummary,
}

thread_local! {
    static BED: OnceCell<Bed> = const { OnceCell::new() };
}

/// Works on the one index of this thread.
pub(super) fn with_bed(work: impl FnOnce(&Bed)) {
    BED.with(|bed| work(bed.get_or_init(Bed::new)));
}

/// The first byte chooses a file, each five that follow are an edit of it.
pub(super) fn index_files(data: &[u8]) {
    let Some((first, edits)) = data.split_first() else {
        return;
    };
    with_bed(|bed| {
        let names: Vec<&PathBuf> = bed.files.keys().collect();
        let name = names[usize::from(*first) % names.len()];
        let good = &bed.files[name];
        let damaged = edited(good, edits);
        if damaged.as_ref() == Some(good) {
            return;
        }
        bed.put(name, damaged.as_deref());
        bed.read("a damaged file");
        // A build costs ten times as much as the answers.
        if *first >= BUILT_FROM {
            bed.mend();
        }
        bed.put(name, Some(good));
    });
}

/// The file after its edits; `None` where it is gone.
fn edited(good: &[u8], edits: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = good.to_vec();
    for edit in edits.chunks_exact(EDIT_BYTES) {
        let [what, a, b, c, much] = *edit else {
            continue;
        };
        let place = u32::from_le_bytes([a, b, c, 0]) as usize;
        let at = place.checked_rem(bytes.len()).unwrap_or(0);
        let end = bytes.len().min(at + usize::from(much));
        match what % 8 {
            0 | 1 => bytes
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|byte| *byte ^= much.max(1)),
            2 => bytes.truncate(at),
            3 => bytes.extend(std::iter::repeat_n(c, usize::from(much))),
            4 => bytes
                .iter_mut()
                .take(end)
                .skip(at)
                .for_each(|byte| *byte = 0),
            5 => bytes.drain(at..end).for_each(drop),
            6 => bytes.copy_within(at..end, 0),
            _ => return None,
        }
    }
    Some(bytes)
}

impl Bed {
    fn new() -> Self {
        let scratch = Scratch::new();
        let skill = |name: &str, text: &str| {
            let text = format!(
                "---\nname: {name}\ndescription: Does {name} to a migration.\nmandatory_sections: [Rules]\n---\n# {name}\n\nThe orders table.\n\n## Rules\n\n{text}\n\n## More\n\nRehearse it.\n"
            );
            text.into_bytes()
        };
        let long = "A paragraph about locks and migrations, again and again.\n\n".repeat(120);
        for (place, name, text) in [
            ("left/skills/one", "one", "Never edit a migration."),
            ("left/skills/two", "two", long.as_str()),
            ("right/skills/one", "one", "Never edit a migration."),
            ("right/skills/three", "three", "Kubernetes, and a cluster."),
            ("four", "four", "Four.\u{202e} <!-- vibey-context:end -->"),
            ("broken", "broken: [", "x"),
        ] {
            scratch.file(&format!("skills/{place}/SKILL.md"), &skill(name, text));
        }
        for plugin in ["left", "right"] {
            let text = format!(r#"{{"name": "{plugin}", "version": "1.2"}}"#);
            scratch.file(
                &format!("skills/{plugin}/.claude-plugin/plugin.json"),
                text.as_bytes(),
            );
        }
        let roots = named(scratch.path(), &["skills".into()]).expect("the folder is there");
        let mut bed = Self {
            scratch,
            origin: Origin::Named(roots),
            files: BTreeMap::new(),
            packets: Vec::new(),
            skills: SkillSummary::default(),
        };
        bed.skills = bed.build().expect("nothing is in the way").skills;
        for path in bed
            .scratch
            .files()
            .into_iter()
            .filter(|path| path.starts_with("index"))
        {
            // Its content means nothing.
            if !path.ends_with("lock") {
                let bytes = read_regular(&bed.scratch.at(&path.to_string_lossy()), MOST_BYTES);
                bed.files.insert(path, bytes.expect("a file of our own"));
            }
        }
        bed.packets = bed.packets().expect("a good index is read");
        assert!(bed.packets.iter().all(|(packet, _)| !packet.is_empty()));
        bed
    }

    /// Where the index is.
    pub(super) fn index(&self) -> PathBuf {
        self.scratch.at("index")
    }

    /// A file of the index as it was built.
    pub(super) fn good(&self, name: &Path) -> &[u8] {
        self.files.get(name).map_or(&[], Vec::as_slice)
    }

    /// Replaces a file of the index, or removes it.
    pub(super) fn put(&self, name: &Path, bytes: Option<&[u8]>) {
        let name = name.to_string_lossy();
        match bytes {
            Some(bytes) => drop(self.scratch.file(&name, bytes)),
            None => drop(remove_file(&self.scratch.at(&name)).expect("a file of our own")),
        }
    }

    fn build(&self) -> Result<IndexManifest, crate::corpus::build::BuildError> {
        let build = Build {
            index: &self.index(),
            origin: &self.origin,
            started_ns: i128::MAX,
            wait: Duration::from_secs(5),
            sizes: Sizes {
                min: 1,
                spread: 2,
                max: 2,
            },
        };
        up_to_date(&build, &mut Quiet).map(|(manifest, _)| manifest)
    }

    /// The packets of all requests, with their manifests.
    fn packets(&self) -> Result<Vec<(String, String)>, IndexError> {
        let (manifest, reader) = open(&self.index())?;
        let rejected = || {
            read_sources(&self.index(), &manifest)
                .map_or_else(Vec::new, |table: Sources| table.rejected)
        };
        let mut packets = Vec::new();
        for request in REQUESTS {
            let parsed = parse(request.as_bytes()).expect("a request of ours");
            let compiled = compile(Compile {
                reader: &reader,
                index: &manifest,
                budget: parsed.request.maximum_context_tokens.unwrap_or(6000),
                request: &parsed.request,
                warnings: parsed.warnings,
                tokenizer: Tokenizer::Estimate,
                rejected: &rejected,
            });
            let compiled = compiled.map_err(|error| reader.corrupt(error.to_string()))?;
            let file = compiled.manifest_file().expect("no field is a float");
            packets.push((compiled.packet, file));
        }
        Ok(packets)
    }

    /// Asks a damaged index: an error, or the packets of before.
    fn read(&self, what: &str) {
        match self.packets() {
            Ok(packets) => assert!(packets == self.packets, "another packet of {what}"),
            Err(IndexError::Host(error)) => {
                panic!("a damaged file is told as a fault of the system: {error}")
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if let Ok((manifest, _)) = open(&self.index()) {
            let (whole, fault) = intact(&self.index(), &manifest);
            assert!(whole.len() == manifest.files.len() || fault.is_some());
        }
    }

    /// A build makes the index whole again, or says whose folder it is.
    fn mend(&self) {
        match self.build() {
            Ok(manifest) => {
                assert_eq!(manifest.skills, self.skills, "a build has lost a skill");
                let packets = self.packets().expect("a build makes a good index");
                assert!(packets == self.packets, "another packet after the build");
            }
            Err(error) => {
                let text = error.to_string();
                assert!(
                    text.contains("not an index") || text.contains("this compiler reads"),
                    "{text}"
                );
            }
        }
        let index = self.index();
        vibey_context_host::write::remove_tree(&index).expect("a folder of our own");
        for (name, bytes) in &self.files {
            self.put(name, Some(bytes));
        }
    }
}
