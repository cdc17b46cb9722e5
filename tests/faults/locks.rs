//! A file system that can not lock, as some network file systems are mounted.

use super::preload::Preload;
use super::writer::{Stage, Writer};

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
