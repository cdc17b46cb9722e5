//! Folders of a brain that are swapped for links while it is read.

use super::rig::{NOW, Rig};
use crate::harness::swapper::{RUNS, Swapper};
use std::path::Path;

/// Runs on the artifact; what is written holds nothing from outside.
fn runs(rig: &Rig, swapper: &Swapper) {
    for run in 0..RUNS {
        let ended = rig.run(&["--json"]);
        assert!([0, 1].contains(&ended.code), "run {run}: {}", ended.stderr);
        if ended.code == 0 {
            let path = ended.json()["context_path"].as_str().unwrap().to_owned();
            let text = std::fs::read_to_string(path).unwrap();
            assert!(!text.to_lowercase().contains("canary"), "run {run}: {text}");
        }
        assert!(
            !ended.stdout.contains("canary") && !ended.stderr.contains("canary"),
            "run {run} at {NOW}"
        );
    }
    assert!(swapper.swaps() > RUNS as u64);
}

fn rig(outside: &str) -> (Rig, std::path::PathBuf) {
    let rig = Rig::new();
    rig.file("tree/leaf/NODE.md", "# Leaf\n\nOurs.\n");
    rig.links(&[("/tree/leaf/NODE.md", "spec"), ("/tree/leaf", "spec")]);
    let outside = rig.dir.file(
        outside,
        "---\nid: canary\nprimary_project: app\nsoft_links: []\n---\n# Canary\n\nFrom outside.\n",
    );
    (rig, outside)
}

#[test]
fn no_linked_document_comes_from_outside() {
    let (rig, outside) = rig("outside/NODE.md");
    let folder = rig.brain().join("tree/leaf");
    runs(&rig, &Swapper::new(&folder, outside.parent().unwrap()));
}

#[test]
fn no_artifact_comes_from_outside() {
    let (rig, outside) = rig("outside/thread.md");
    let folder = rig.brain().join("threads/t");
    runs(&rig, &Swapper::new(&folder, outside.parent().unwrap()));
}

/// Both folders are in the brain; agents are kept out of one, and no swap gets anything out of it.
#[test]
fn no_marked_document_is_read() {
    let (rig, outside) = rig("app/project-brain/tree/marked/NODE.md");
    rig.file("tree/marked/.agent-no-read.md", "");
    assert!(outside.starts_with(rig.brain()));
    let folder = rig.brain().join("tree/leaf");
    runs(&rig, &Swapper::new(&folder, Path::new("marked")));
}
