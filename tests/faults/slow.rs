//! A disk that takes its time for every write and every fsync.

use super::preload::Preload;
use super::writer::{Stage, WRITERS};

/// Nanoseconds of each: as a worn card or a network file system.
const FAULT: &str = "FAULT_SLOW=20000000";

#[test]
fn a_slow_disk_is_waited_for() {
    let Some(slow) = Preload::new(FAULT) else {
        return;
    };
    for writer in WRITERS {
        let stage = Stage::new(writer);
        let (run, met) = slow.run(&stage);
        assert!(met, "{writer:?} writes past the test");
        let worked = stage.assert_whole("a slow disk", &run);
        assert!(worked, "{writer:?}: {}{}", run.stdout, run.stderr);
    }
}
