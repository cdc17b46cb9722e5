//! The folder of an artifact, swapped for a link while it is handed over.

use super::stage::Stage;
use crate::harness::swapper::{RUNS, Swapper};

#[test]
fn no_artifact_comes_from_outside() {
    let stage = Stage::specified();
    let text = stage
        .read("specs/shop/spec.md")
        .replace("User Authentication", "Canary From Outside");
    let outside = stage.dir.file("outside/spec.md", text);
    let folder = stage.project().join("specs/shop");
    let swapper = Swapper::new(&folder, outside.parent().unwrap());
    for run in 0..RUNS {
        let ended = stage.transition("spec-writer", "implementer", &["--force"]);
        assert!([0, 1].contains(&ended.code), "run {run}: {}", ended.stderr);
        let briefs = stage.home("context-briefs");
        if stage.has_brief("phase2-step1") {
            let brief = stage.brief("phase2-step1");
            assert!(!brief.contains("Canary"), "run {run}: {brief}");
            std::fs::remove_dir_all(briefs).unwrap();
        }
        let state = stage.state_path();
        if state.exists() {
            assert!(!stage.state_text().contains("Canary"), "run {run}");
            std::fs::remove_file(&state).unwrap();
        }
    }
    assert!(swapper.swaps() > RUNS as u64);
}
