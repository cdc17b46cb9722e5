//! Many builders and readers of one index at once, while its skills change: no error, no torn file.

use super::rig::{INDEX, Rig};
use crate::harness::fixture;
use std::sync::atomic::{AtomicBool, Ordering};

/// Threads that build and read; each starts processes.
const THREADS: usize = 8;
/// Builds and packets of each thread.
const ROUNDS: usize = 5;

#[test]
fn builders_and_readers_at_once_never_fail() {
    let rig = Rig::new();
    rig.build();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (rig, done) = (&rig, &done);
        let editor = scope.spawn(move || {
            let mut edits = 0;
            while !done.load(Ordering::SeqCst) {
                edits += 1;
                // Written whole under another name first, as editors do.
                let text = format!("# Edited\n\nPostgres migration number {edits}.\n");
                let text = fixture::skill_text("edited", "Edited all the time.", "", &text);
                let folder = "corpus/plugins/atlas/skills/edited";
                let new = rig.dir.file(&format!("{folder}/new"), text);
                std::fs::rename(new, rig.dir.at(&format!("{folder}/SKILL.md"))).unwrap();
                std::thread::yield_now();
            }
        });
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || {
                    for _ in 0..ROUNDS {
                        rig.try_build(INDEX).expect(0);
                        let name = format!("packet-{thread}");
                        rig.packet_to(INDEX, &name).expect(0);
                        check(rig, &name);
                    }
                })
            })
            .collect();
        let ended: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        done.store(true, Ordering::SeqCst);
        editor.join().unwrap();
        for end in ended {
            end.unwrap();
        }
    });
    rig.build();
    rig.assert_clean(INDEX);
    rig.inspect(INDEX, true).expect(0);
    rig.try_build("fresh").expect(0);
    assert!(rig.sealed(INDEX) == rig.sealed("fresh"));
}

/// The packet is the one that its manifest describes.
#[track_caller]
fn check(rig: &Rig, name: &str) {
    let packet = rig.dir.bytes(&format!("{name}.md"));
    let manifest = rig.dir.json(&format!("{name}.json"));
    let digest = vibey_context_contracts::digest::sha256_hex(&packet);
    assert_eq!(manifest["packet_sha256"], digest);
    assert_eq!(manifest["status"], "ok");
}
