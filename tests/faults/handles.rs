//! No file handle left, at every number of handles that a run may be given.

use super::writer::{Stage, WRITERS, in_shell};

/// Handles of the tightest run: the three standard ones and one.
const LEAST: usize = 4;
/// Handles that are enough for every writer over these few files.
const ENOUGH: usize = 64;

#[test]
fn a_run_out_of_handles_writes_all_or_nothing() {
    for writer in WRITERS {
        let mut failed = 0;
        let tight = (LEAST..32).chain([ENOUGH]);
        for handles in tight {
            let stage = Stage::new(writer);
            let script = format!("ulimit -n {handles} || exit 99\nexec \"$@\"");
            let run = in_shell(&stage, &[], &script);
            // The loader of the system needs one too, and says so with a code of its own.
            if run.code == 127 && handles <= LEAST {
                continue;
            }
            let worked = stage.assert_whole(&format!("{handles} handles"), &run);
            failed += usize::from(!worked);
            assert!(
                worked || handles < ENOUGH,
                "{writer:?}: {}{}",
                run.stdout,
                run.stderr
            );
            if worked && handles < ENOUGH && failed > 0 {
                break;
            }
        }
        assert!(failed > 0, "{writer:?} was never out of handles");
    }
}
