//! An index of many small shards: whatever changes, what a refresh leaves is what a build from nothing makes, and it
//! builds no more than it must.

use crate::harness::{Dir, fixture};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use vibey_context::corpus::build::{Build, Observer, Origin, up_to_date};
use vibey_context::corpus::roots::named;
use vibey_context::corpus::shards::Sizes;
use vibey_context::packet::compile::{Compile, compile};
use vibey_context::text::tokens::Tokenizer;
use vibey_context_contracts::index::{BuildOutcome, IndexManifest};
use vibey_context_contracts::request::parse::parse;
use vibey_context_index::publish;

/// Two to four skills in a shard.
const SMALL: Sizes = Sizes {
    min: 2,
    spread: 2,
    max: 4,
};

/// All in one.
const WHOLE: Sizes = Sizes {
    min: 1000,
    spread: 1,
    max: 1000,
};

struct Quiet;

impl Observer for Quiet {}

fn build(dir: &Dir, index: &str, sizes: Sizes, started_ns: i128) -> (IndexManifest, BuildOutcome) {
    let roots = named(Path::new("/"), &[dir.arg("s").into()]).unwrap();
    let origin = Origin::Named(roots);
    let build = Build {
        index: &dir.at(index),
        origin: &origin,
        // Far ahead, so that times of files are trusted: what is tested here is not the racy rule.
        started_ns,
        wait: Duration::from_secs(10),
        sizes,
    };
    up_to_date(&build, &mut Quiet).unwrap()
}

/// When builds say that they began: long after every file was written.
const LATER: i128 = 4_000_000_000_000_000_000;

fn files(dir: &Dir, index: &str, manifest: &IndexManifest) -> BTreeMap<String, Vec<u8>> {
    let folder = dir.at(&format!("{index}/generations/{}", manifest.generation));
    let names = manifest.files.keys();
    names
        .map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap()))
        .collect()
}

/// A packet for all that the corpus has to say about a word, and its manifest.
fn packet(dir: &Dir, index: &str) -> (String, String) {
    let (manifest, reader) = publish::open(&dir.at(index)).unwrap();
    reader.verify_deep(&manifest).unwrap();
    let request = json!({"objective": "queue migration locks of number 7", "languages": ["rust"]});
    let parsed = parse(request.to_string().as_bytes()).unwrap();
    let compiled = compile(Compile {
        reader: &reader,
        index: &manifest,
        request: &parsed.request,
        warnings: parsed.warnings,
        tokenizer: Tokenizer::Estimate,
        budget: 3000,
        rejected: &Vec::new,
    })
    .unwrap();
    let manifest = compiled.manifest_file().unwrap();
    (compiled.packet, manifest)
}

fn text(name: usize, variant: usize) -> String {
    let body = format!(
        "# Skill {name}\n\n## Queue\n\nA queue of number {variant} with locks.\n\n## Migration\n\n\
         Migration of {variant} rows.\n"
    );
    fixture::skill_text(
        &format!("n{name}"),
        &format!("Queues of {variant}."),
        "",
        &body,
    )
}

/// What is done to a corpus.
#[derive(Debug, Clone)]
enum Edit {
    Write {
        name: usize,
        variant: usize,
    },
    Remove {
        name: usize,
    },
    /// The same text as another skill's, behind or before it.
    Copy {
        from: usize,
        to: usize,
    },
    Plugin {
        value: usize,
    },
    Market {
        value: usize,
    },
    Garbage {
        name: usize,
    },
}

/// Names of skills that edits meet on.
const NAMES: usize = 14;

fn edit() -> impl Strategy<Value = Edit> {
    let name = 0..NAMES;
    prop_oneof![
        4 => (name.clone(), 0..9_usize).prop_map(|(name, variant)| Edit::Write { name, variant }),
        2 => name.clone().prop_map(|name| Edit::Remove { name }),
        3 => (name.clone(), name.clone()).prop_map(|(from, to)| Edit::Copy { from, to }),
        1 => (0..3_usize).prop_map(|value| Edit::Plugin { value }),
        1 => (0..3_usize).prop_map(|value| Edit::Market { value }),
        1 => name.prop_map(|name| Edit::Garbage { name }),
    ]
}

fn apply(dir: &Dir, edit: &Edit) {
    let path = |name: usize| format!("s/p{}/skill-{name:02}/SKILL.md", name % 3);
    match *edit {
        Edit::Write { name, variant } => drop(dir.file(&path(name), text(name, variant))),
        Edit::Remove { name } => drop(std::fs::remove_file(dir.at(&path(name)))),
        Edit::Copy { from, to } => {
            if let Ok(bytes) = std::fs::read(dir.at(&path(from))) {
                dir.file(&path(to), bytes);
            }
        }
        Edit::Plugin { value } => {
            let plugin = json!({"name": format!("plugin-{value}"), "version": "1"});
            dir.file("s/p1/.claude-plugin/plugin.json", plugin.to_string());
        }
        Edit::Market { value } => {
            let market = json!({"metadata": {"version": format!("{value}")}, "plugins": [
                {"name": "m", "source": "./p2", "category": format!("c{value}")}]});
            dir.file("s/.claude-plugin/marketplace.json", market.to_string());
        }
        Edit::Garbage { name } => drop(dir.file(&path(name), b"\xff\xfe")),
    }
}

fn corpus() -> Dir {
    let dir = Dir::new();
    dir.file("s/stays/SKILL.md", text(99, 7));
    for name in 0..NAMES / 2 {
        apply(
            &dir,
            &Edit::Write {
                name: name * 2,
                variant: name,
            },
        );
    }
    dir
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_refresh_is_a_build_from_nothing(rounds in prop::collection::vec(prop::collection::vec(edit(), 1..4), 1..6)) {
        let dir = corpus();
        build(&dir, "index", SMALL, LATER);
        for (at, edits) in rounds.iter().enumerate() {
            edits.iter().for_each(|edit| apply(&dir, edit));
            let (refreshed, _) = build(&dir, "index", SMALL, LATER);
            let fresh = format!("fresh-{at}");
            let (built, _) = build(&dir, &fresh, SMALL, LATER);
            prop_assert_eq!(&refreshed.corpus_sha256, &built.corpus_sha256);
            prop_assert_eq!(refreshed.skills, built.skills);
            prop_assert_eq!(refreshed.chunk_count, built.chunk_count);
            prop_assert!(files(&dir, "index", &refreshed) == files(&dir, &fresh, &built));
            let table = |index: &str, manifest| publish::read_sources(&dir.at(index), manifest).unwrap();
            prop_assert_eq!(table("index", &refreshed).rejected, table(&fresh, &built).rejected);
            prop_assert_eq!(table("index", &refreshed).files, table(&fresh, &built).files);
            prop_assert_eq!(packet(&dir, "index"), packet(&dir, &fresh));
            // How skills are cut into shards shows in no packet.
            let whole = format!("whole-{at}");
            build(&dir, &whole, WHOLE, LATER);
            prop_assert_eq!(packet(&dir, "index"), packet(&dir, &whole));
        }
    }
}

/// Files of the current generation that are the same file as one of the generation before.
fn taken_over(dir: &Dir, manifest: &IndexManifest) -> usize {
    use std::os::unix::fs::MetadataExt as _;
    let folder = dir.at(&format!("index/generations/{}", manifest.generation));
    let names = manifest.files.keys();
    let links = |name: &String| folder.join(name).metadata().unwrap().nlink();
    names.filter(|name| links(name) > 1).count()
}

#[test]
fn a_changed_skill_replaces_its_shard_and_nothing_else() {
    let dir = corpus();
    for name in 0..NAMES {
        apply(
            &dir,
            &Edit::Write {
                name,
                variant: name,
            },
        );
    }
    let (before, outcome) = build(&dir, "index", SMALL, LATER);
    assert_eq!(outcome, BuildOutcome::Built);
    let shards = before.files.len() - 1;
    assert!(shards >= 4, "{shards} shards");
    apply(
        &dir,
        &Edit::Write {
            name: 5,
            variant: 8,
        },
    );
    let (after, outcome) = build(&dir, "index", SMALL, LATER);
    assert_eq!(outcome, BuildOutcome::Built);
    assert_eq!(taken_over(&dir, &after), shards - 1);
    let new = after
        .files
        .keys()
        .filter(|name| !before.files.contains_key(*name));
    assert_eq!(new.count(), 1);
}

#[test]
fn a_copy_behind_a_skill_leaves_every_shard_as_it_is() {
    let dir = corpus();
    let (before, _) = build(&dir, "index", SMALL, LATER);
    let skills = before.skill_count;
    apply(&dir, &Edit::Copy { from: 0, to: 13 });
    let (after, _) = build(&dir, "index", SMALL, LATER);
    assert_eq!(after.skill_count, skills);
    assert_ne!(after.corpus_sha256, before.corpus_sha256);
    let (_, reader) = publish::open(&dir.at("index")).unwrap();
    let named = reader.skills_named("local/skill-13").unwrap();
    assert_eq!(named, reader.skills_named("skill-00").unwrap());
    assert_eq!(reader.skill(named[0]).unwrap().copies.len(), 1);
}

#[test]
fn a_damaged_shard_is_built_anew_and_the_others_stay() {
    let dir = corpus();
    let (manifest, _) = build(&dir, "index", SMALL, LATER);
    let good = files(&dir, "index", &manifest);
    let packet_before = packet(&dir, "index");
    let folder = dir.at(&format!("index/generations/{}", manifest.generation));
    for name in manifest.files.keys() {
        let mut bytes = good[name].clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        std::fs::write(folder.join(name), bytes).unwrap();
        let (mended, outcome) = build(&dir, "index", SMALL, LATER);
        assert_eq!(outcome, BuildOutcome::Built);
        assert!(files(&dir, "index", &mended) == good, "{name}");
        assert_eq!(packet(&dir, "index"), packet_before);
    }
}

#[test]
fn nothing_to_do_is_nothing_done() {
    let dir = corpus();
    build(&dir, "index", SMALL, LATER);
    assert_eq!(build(&dir, "index", SMALL, LATER).1, BuildOutcome::Fresh);
}
