//! The folder of a skill, swapped for a link while its root is read.

use crate::harness::Dir;
use crate::harness::swapper::{RUNS, Swapper};
use serde_json::json;

#[test]
fn no_skill_comes_from_outside() {
    let dir = Dir::new();
    dir.skill(
        "s/a/one",
        "one",
        "Rehearses a migration.",
        "",
        "# One\n\nRehearse the migration.\n",
    );
    dir.skill("s/b", "two", "Names a variable.", "", "# Two\n\nName it.\n");
    dir.skill(
        "outside/one",
        "one",
        "Rehearses a migration.",
        "",
        "# One\n\nCanary of the migration.\n",
    );
    let root = dir.arg("s");
    let request = dir.request("r.json", &json!({"objective": "rehearse the migration"}));
    let swapper = Swapper::new(&dir.at("s/a"), "../outside".as_ref());
    for run in 0..RUNS {
        let words = [
            "--skills",
            &root,
            "packet",
            "--request",
            &request,
            "--output",
            "p.md",
        ];
        let ended = dir.run(words);
        assert!(
            [0, 1, 2].contains(&ended.code),
            "run {run}: {}",
            ended.stderr
        );
        if dir.has("p.md") {
            let packet = dir.read("p.md");
            assert!(!packet.contains("Canary"), "run {run}: {packet}");
        }
        let index = dir.home().join(".cache");
        if index.exists() {
            // The next run reads all again.
            std::fs::remove_dir_all(index).unwrap();
        }
    }
    assert!(swapper.swaps() > RUNS as u64);
}
