//! A clock at the beginning of time, and one behind the last second that fits into 32 bits without a sign.

use super::preload::Preload;
use super::writer::{Stage, WRITERS};

/// 1970-01-01T00:00:01Z and 2106-02-08T00:00:00Z, in seconds since 1970.
const CLOCKS: [u64; 2] = [1, 4_294_987_200];

#[test]
fn a_wrong_clock_changes_no_result() {
    for clock in CLOCKS {
        let Some(wrong) = Preload::new(&format!("FAULT_CLOCK={clock}")) else {
            return;
        };
        let mut met = 0;
        for writer in WRITERS {
            let stage = Stage::new(writer);
            let (run, asked) = wrong.run(&stage);
            met += usize::from(asked);
            let worked = stage.assert_whole(&format!("a clock at {clock}"), &run);
            assert!(worked, "{writer:?}: {}{}", run.stdout, run.stderr);
        }
        assert!(met > 0, "nobody asked for the time");
    }
}
