//! Indexes: scratch, old generations and whole indexes, under their locks.

use super::{DAY, age, built, clean, indexes, report, repository, rows, run, tree};
use crate::corpus::unprivileged::{Unprivileged, mode};
use crate::harness::Dir;
use std::path::{Path, PathBuf};
use vibey_context_contracts::upkeep::{CleanKind, CleanOutcome};
use vibey_context_host::lock::try_acquire;

/// Packet of the request with further arguments.
#[track_caller]
fn packet(dir: &Dir, more: &[&str]) -> (Vec<u8>, Vec<u8>) {
    let (request, output) = (dir.arg("r.json"), dir.arg("p.md"));
    let own = ["packet", "--request", &request, "--output", &output];
    let args: Vec<&str> = own.iter().chain(more).copied().collect();
    run(dir, &args).expect(0);
    (dir.bytes("p.md"), dir.bytes("p.json"))
}

fn generations(index: &Path) -> Vec<String> {
    let found = index.join("generations").read_dir().unwrap();
    let mut names: Vec<String> = found
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Puts in an index what builds leave that are killed.
fn litter(index: &Path) -> Vec<PathBuf> {
    let generations = index.join("generations");
    let current = generations
        .read_dir()
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let unnamed = generations.join("f".repeat(64));
    let next = generations.join(".vibey-tmp-next");
    for folder in [&unnamed, &next] {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("x.shard"), "12345").unwrap();
    }
    let files = [index.join(".vibey-tmp-a"), current.join(".vibey-tmp-b")];
    for file in &files {
        std::fs::write(file, "12345").unwrap();
    }
    let [a, b] = files;
    vec![a, next, b, unnamed]
}

#[test]
fn what_killed_builds_leave_goes_and_the_index_answers_as_before() {
    let dir = repository();
    let index = built(&dir);
    let before = packet(&dir, &[]);
    let whole = tree(&index);
    let litter = litter(&index);
    let littered = tree(&index);
    let dry = clean(&dir, &["--dry-run"]);
    assert_eq!(dry.freed_bytes, 20);
    assert!(
        dry.entries
            .iter()
            .all(|entry| entry.outcome == CleanOutcome::WouldRemove)
    );
    assert!(tree(&index) == littered, "a dry run has changed something");
    let report = clean(&dir, &[]);
    assert_eq!(report.freed_bytes, 20);
    let mut gone: Vec<PathBuf> = report
        .entries
        .iter()
        .map(|one| one.path.clone().into())
        .collect();
    gone.sort();
    let mut expected = litter;
    expected.sort();
    assert_eq!(gone, expected);
    assert!(tree(&index) == whole);
    assert_eq!(clean(&dir, &[]).entries, []);
    assert!(packet(&dir, &[]) == before);
}

#[test]
fn the_generation_of_before_goes_when_no_reader_can_be_about_to_open_it() {
    let dir = repository();
    let index = built(&dir);
    dir.skill(
        "repo/skills/three",
        "three",
        "Aligns a mirror.",
        "",
        "# Three\n\nText.\n",
    );
    built(&dir);
    assert_eq!(generations(&index).len(), 2);
    let before = packet(&dir, &[]);
    let report = clean(&dir, &["--older-than", "0"]);
    let [entry] = report.entries.as_slice() else {
        panic!("{report:?}")
    };
    assert_eq!(
        (entry.kind, entry.outcome),
        (CleanKind::Generation, CleanOutcome::Kept)
    );
    assert_eq!(generations(&index).len(), 2);

    age(&index.join("manifest.json"), 2 * 3600);
    let report = clean(&dir, &[]);
    let [entry] = report.entries.as_slice() else {
        panic!("{report:?}")
    };
    assert_eq!(
        (entry.kind, entry.outcome),
        (CleanKind::Generation, CleanOutcome::Removed)
    );
    assert_eq!(generations(&index).len(), 1);
    assert_eq!(
        dir_json(&index)["previous_generation"],
        serde_json::Value::Null
    );
    assert!(packet(&dir, &[]) == before);
    let again = run(&dir, &["index", "build", "--json"]).expect(0).json();
    assert_ne!(again["outcome"], "built");
}

fn dir_json(index: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(index.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn nothing_is_taken_from_a_build_that_is_at_work() {
    let dir = repository();
    let index = built(&dir);
    litter(&index);
    let other = built_of(&dir, "more");
    age(&other, 60 * DAY);
    let before = (tree(&index), tree(&other));
    let guards = [&index, &other].map(|index| try_acquire(&index.join("lock")).unwrap().unwrap());
    for args in [&[][..], &["--dry-run"]] {
        let report = clean(&dir, args);
        assert_eq!(report.entries.len(), 5, "{report:?}");
        for entry in &report.entries {
            assert_eq!(entry.outcome, CleanOutcome::Kept);
            assert!(
                entry
                    .reason
                    .as_ref()
                    .unwrap()
                    .contains("a build is at work")
            );
        }
    }
    drop(guards);
    assert!((tree(&index), tree(&other)) == before);
}

/// The index of other roots.
fn built_of(dir: &Dir, root: &str) -> PathBuf {
    let before = indexes(dir);
    run(dir, &["--skills", root, "index", "build"]).expect(0);
    indexes(dir)
        .into_iter()
        .find(|index| !before.contains(index))
        .unwrap()
}

#[test]
fn an_index_that_nobody_has_built_for_long_goes_and_comes_back() {
    let dir = repository();
    let index = built(&dir);
    let more = packet(&dir, &["--skills", "more"]);
    let other = indexes(&dir).into_iter().find(|one| *one != index).unwrap();
    // The one that is meant stays, however old it is, and so does one that was built lately.
    age(&index, 60 * DAY);
    assert_eq!(clean(&dir, &[]).entries, []);
    assert_eq!(clean(&dir, &["--older-than", "0"]).entries, []);
    age(&other, 31 * DAY);
    assert_eq!(clean(&dir, &["--older-than", "40"]).entries, []);
    let mine = clean(&dir, &["--skills", "more"]);
    assert_eq!(
        rows(&dir, &mine),
        [(
            CleanKind::Index,
            relative(&dir, &index),
            CleanOutcome::Removed
        )]
    );
    run(&dir, &["index", "build"]).expect(0);

    let report = clean(&dir, &[]);
    assert_eq!(
        rows(&dir, &report),
        [(
            CleanKind::Index,
            relative(&dir, &other),
            CleanOutcome::Removed
        )]
    );
    let mut left: Vec<_> = other
        .read_dir()
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".gitignore", "lock"]);
    age(&other, 60 * DAY);
    assert_eq!(clean(&dir, &[]).entries, [], "a lock alone is nothing");
    assert!(packet(&dir, &["--skills", "more"]) == more);
}

fn relative(dir: &Dir, path: &Path) -> String {
    path.strip_prefix(dir.path())
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_packet_gets_its_answer_whatever_is_cleaned_meanwhile() {
    let dir = repository();
    let index = built(&dir);
    let expected = packet(&dir, &["--skills", "more"]);
    let other = indexes(&dir).into_iter().find(|one| *one != index).unwrap();
    for _ in 0..12 {
        age(&other, 60 * DAY);
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| packet(&dir, &["--skills", "more"]));
            // Not looked at closer: what it keeps for a build at work, that build may have removed by now.
            let cleaned = scope.spawn(|| run(&dir, &["clean", "--json"]).expect(0));
            cleaned.join().unwrap();
            assert!(asked.join().unwrap() == expected);
        });
    }
}

#[test]
fn what_is_not_ours_is_left_as_it_is() {
    let dir = repository();
    built(&dir);
    let parent = dir.at("repo/.vibey/skills-context");
    let victim = dir.at("victim");
    std::fs::create_dir_all(victim.join("generations").join("a".repeat(64))).unwrap();
    std::fs::write(
        victim.join("generations").join("a".repeat(64)).join("x"),
        "x",
    )
    .unwrap();
    // The name of an index, and a stranger's file in it; a link of that name; other names.
    std::fs::create_dir_all(parent.join("0123456789ab/generations")).unwrap();
    std::fs::write(parent.join("0123456789ab/notes.txt"), "x").unwrap();
    std::os::unix::fs::symlink(&victim, parent.join("ba9876543210")).unwrap();
    std::fs::rename(&victim, dir.at("moved")).unwrap();
    std::os::unix::fs::symlink(dir.at("moved"), &victim).unwrap();
    for name in ["0123456789AB", "mine", "0123456789abc"] {
        std::fs::create_dir_all(parent.join(name).join("generations").join("b".repeat(64)))
            .unwrap();
    }
    age(&dir.path(), 90 * DAY);
    let before = tree(&dir.path());
    let report = clean(&dir, &["--older-than", "0"]);
    let [entry] = report.entries.as_slice() else {
        panic!("{report:?}")
    };
    assert!(entry.path.ends_with("0123456789ab"), "{entry:?}");
    assert!(
        entry
            .reason
            .as_ref()
            .unwrap()
            .contains("it holds `notes.txt`"),
        "{entry:?}"
    );
    assert!(tree(&dir.path()) == before);

    // Nor does a link lead to other people's folders.
    std::fs::rename(dir.at("repo/.vibey"), dir.at("elsewhere")).unwrap();
    dir.link(dir.at("elsewhere"), "repo/.vibey");
    let before = tree(&dir.path());
    let more = dir.arg("repo/more");
    assert_eq!(
        clean(&dir, &["--skills", &more, "--older-than", "0"]).entries,
        []
    );
    assert!(tree(&dir.path()) == before);
}

#[test]
fn what_cannot_be_removed_is_said_and_ends_with_one() {
    let dir = repository();
    let index = built(&dir);
    litter(&index);
    let nobody = Unprivileged::new(&dir);
    let generations = index.join("generations");
    mode(&generations, 0o555);
    nobody.assert_unwritable(&generations);
    let run = nobody.program(&dir.at("repo"), ["clean", "--json"]);
    let report = report(&run.expect(1));
    let failed: Vec<_> = report
        .entries
        .iter()
        .filter(|entry| entry.outcome == CleanOutcome::Failed)
        .collect();
    assert_eq!(failed.len(), 2, "{report:?}");
    assert!(
        failed
            .iter()
            .all(|entry| Path::new(&entry.path).starts_with(&generations))
    );
}
