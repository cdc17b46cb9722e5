//! A run that is killed at any moment leaves what was there or what was asked for. Builds of an index, `generate` and
//! transitions have loops of their own beside their other tests; these are the two whose results are not fsynced.

use super::writer::{Stage, Writer};
use crate::harness::BIN;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs killed of each.
const KILLS: u32 = 60;

#[test]
fn a_killed_run_leaves_old_or_new() {
    for writer in [Writer::Packet, Writer::Materialize, Writer::Markers] {
        let stage = Stage::new(writer);
        let whole = Instant::now();
        // As long as one takes here, so that the moments are spread over a whole run.
        Stage::new(writer).run().expect(0);
        let whole = whole.elapsed() / 4;
        let (mut killed, mut between) = (0, Vec::new());
        for round in 0..KILLS {
            let mut run = Command::new(BIN)
                .args(stage.words())
                .env_clear()
                .env("HOME", stage.dir.home())
                .current_dir(stage.cwd())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(whole * round / KILLS);
            run.kill().unwrap();
            killed += u32::from(!run.wait().unwrap().success());
            between.push(stage.seen());
        }
        assert!(killed > 0, "{writer:?} was never killed");
        stage.assert_each_whole(&format!("{writer:?} killed"), &between, false);
    }
}
