//! A build killed at any moment leaves the last good index, or nothing; the next one clears up.

use super::rig::{INDEX, Rig, Seeded};
use crate::harness::BIN;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Builds killed; a script does the same for longer.
const KILLS: usize = 25;

/// No build is killed later than this: a whole one takes about as long.
const LATEST_MICROS: usize = 60_000;

fn kill_a_build(rig: &Rig, after: Duration) {
    let mut build = Command::new(BIN)
        .args([
            "--skills",
            &rig.root,
            "index",
            "build",
            "--output",
            &rig.dir.arg(INDEX),
        ])
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Not an assertion about time: any moment must do, and these are spread over the whole build.
    std::thread::sleep(after);
    build.kill().unwrap();
    build.wait().unwrap();
}

#[test]
fn a_killed_build_leaves_an_index_that_is_whole_or_can_be_built() {
    let rig = Rig::new();
    let mut seeded = Seeded(62);
    let mut whole = 0;
    for round in 0..KILLS {
        let body = format!("# Postgres migration {round}\n\nMigration number {round}.\n");
        rig.dir
            .skill("corpus/plugins/atlas/skills/new", "new", "d", "", &body);
        kill_a_build(
            &rig,
            Duration::from_micros(seeded.below(LATEST_MICROS) as u64),
        );
        let run = rig.try_packet(INDEX);
        match run.code {
            0 => whole += 1,
            _ => {
                // Only before the first publish, and by its name.
                assert_eq!((run.error().code.as_str(), whole), ("index_missing", 0));
            }
        }
        if run.code == 0 {
            rig.inspect(INDEX, true).expect(0);
        }
        if seeded.below(3) == 0 {
            rig.try_build(INDEX).expect(0);
            rig.assert_clean(INDEX);
            rig.try_packet(INDEX).expect(0);
        }
    }
    let report = rig.build();
    rig.assert_clean(INDEX);
    rig.try_build("fresh").expect(0);
    assert_eq!(
        rig.manifest("fresh")["corpus_sha256"],
        report["corpus_sha256"]
    );
    assert!(rig.sealed(INDEX) == rig.sealed("fresh"));
}
