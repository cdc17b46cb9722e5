//! A file system that can not lock, as some network file systems are mounted.

use super::preload::Preload;
use super::writer::{Stage, Writer};
use crate::harness::{Dir, fixture};

/// `ENOLCK`: no locks available.
const FAULT: &str = "FAULT_LOCK=ENOLCK";

#[test]
fn what_needs_a_lock_fails_and_says_so() {
    let Some(lockless) = Preload::new(FAULT) else {
        return;
    };
    for writer in [Writer::Index, Writer::Markers, Writer::Handoff] {
        let stage = Stage::new(writer);
        let (run, met) = lockless.run(&stage);
        assert!(met, "{writer:?} asks for no lock");
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(told.to_lowercase().contains("lock"), "{writer:?}: {told}");
        let worked = stage.assert_whole("no locks", &run);
        assert!(!worked, "{writer:?} wrote without a lock");
    }
}

#[test]
fn a_packet_from_an_index_needs_no_lock() {
    let Some(lockless) = Preload::new(FAULT) else {
        return;
    };
    for writer in [Writer::Packet, Writer::Materialize] {
        let stage = Stage::new(writer);
        let (run, _) = lockless.run(&stage);
        let worked = stage.assert_whole("no locks", &run);
        assert!(worked, "{writer:?}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn doctor_sees_it_and_clean_removes_nothing() {
    let Some(lockless) = Preload::new(FAULT) else {
        return;
    };
    let dir = Dir::new();
    let root = fixture::write(&dir);
    dir.run(["--skills", &root, "index", "build"]).expect(0);
    let indexes = dir.home().join(".cache/vibey-context");
    let index = indexes.read_dir().unwrap().next().unwrap().unwrap().path();
    let left = index.join(".vibey-tmp-left");
    std::fs::write(&left, "x").unwrap();
    let words = ["--skills", &root, "doctor"];
    let (run, met) = lockless.run_words(&dir, &dir.path(), &words);
    let text = run.expect(1).stdout;
    assert!(
        met && text.contains("problem lock: it cannot be asked for"),
        "{text}"
    );
    for dry in [&[][..], &["--dry-run"]] {
        let words: Vec<&str> = ["--skills", &root, "clean"]
            .iter()
            .chain(dry)
            .copied()
            .collect();
        let (run, met) = lockless.run_words(&dir, &dir.path(), &words);
        let text = run.expect(1).stdout;
        assert!(met && text.contains("failed: index"), "{text}");
        assert!(left.exists());
    }
}
