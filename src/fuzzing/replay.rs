//! Does every case that is kept still hold? Seeds of fuzzing and what it has found, through the functions that it calls.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use super::{TARGETS, run};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders of `fuzz/` that are kept.
const KEPT: [&str; 2] = ["seeds", "found"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.unwrap().file_name().into_string().unwrap()
    };
    entries.map(name).collect()
}

/// Folders of examples that are seeds as well, by kind: the lines of `fuzz/shared-seeds.txt`.
fn shared(kind: &str) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(root().join("fuzz/shared-seeds.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.map(|line| line.split_once(' ').unwrap());
    pairs
        .filter(|(name, _)| *name == kind)
        .map(|(_, folder)| root().join(folder.trim()))
        .collect()
}

fn replay(kind: &str) -> usize {
    let mut folders: Vec<PathBuf> = KEPT
        .iter()
        .map(|kept| root().join("fuzz").join(kept).join(kind))
        .collect();
    folders.extend(shared(kind));
    let mut cases = 0;
    for folder in folders {
        for name in names(&folder) {
            let path = folder.join(&name);
            if path.is_file() {
                run(kind, &std::fs::read(&path).unwrap());
                cases += 1;
            }
        }
    }
    cases
}

macro_rules! replayed {
    ($($kind:ident),+ $(,)?) => {
        /// The kinds that have a test here.
        const REPLAYED: &[&str] = &[$(stringify!($kind)),+];

        $(#[test]
        fn $kind() {
            assert!(replay(stringify!($kind)) > 0, "there is no seed");
        })+
    };
}

replayed![
    brain,
    frontmatter,
    index_files,
    index_manifest,
    job,
    ledger,
    markers,
    packet,
    project_file,
    request,
    sections,
    spec,
    state,
    web_page,
];

#[test]
fn every_kind_is_replayed_and_has_a_program() {
    let kinds: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(kinds, REPLAYED);
    let programs = names(&root().join("fuzz/fuzz_targets"));
    let expected: BTreeSet<String> = kinds.iter().map(|kind| format!("{kind}.rs")).collect();
    assert_eq!(programs, expected);
    let manifest = std::fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    for kind in kinds {
        assert!(manifest.contains(&format!("name = \"{kind}\"")), "{kind}");
    }
    for kept in KEPT {
        let folders = names(&root().join("fuzz").join(kept));
        assert!(
            folders.iter().all(|name| REPLAYED.contains(&name.as_str())),
            "{folders:?}"
        );
    }
}

/// A function that gave up at once would hold for everything.
#[test]
fn good_seeds_come_to_the_end() {
    let seed = |name: &str| std::fs::read(root().join("fuzz/seeds").join(name)).unwrap();
    assert_eq!(super::spec::briefs(&seed("spec/stories.md")), 3);
    assert_eq!(super::state::obeyed(&seed("state/small.json")), 5);
    assert_eq!(super::brain::resolved(&seed("brain/thread.md")), Some(2));
    assert_eq!(super::brain::resolved(&seed("brain/config")), Some(2));
    let project = seed("project_file/all.toml");
    assert_eq!(super::project_file::followed(&project), Some((2, 6)));
    assert_eq!(super::markers::written(&seed("markers/good.json")), 2);
}
