//! Folders of a manifest that are swapped for links while `apply` is at work.

use super::project::{GUIDANCE, MARKER, Project, manifest};
use crate::harness::swapper::{RUNS, Swapper};

#[test]
fn no_guidance_comes_from_outside() {
    let project = Project::new();
    project.dir.file("outside/g.md", "canary from outside\n");
    let swapper = Swapper::new(&project.at("docs"), "../outside".as_ref());
    for run in 0..RUNS {
        project.run("apply");
        // What stood there before must not hide what this run writes.
        if project.has(&format!("out/{MARKER}")) {
            assert_eq!(project.marker("out"), GUIDANCE, "run {run}");
            std::fs::remove_file(project.at(&format!("out/{MARKER}"))).unwrap();
        }
    }
    assert!(swapper.swaps() > RUNS as u64);
}

#[test]
fn no_marker_is_written_outside() {
    let project = Project::new();
    project.manifest(&manifest(&["out/deep"]));
    project.folder("out/deep");
    project.dir.file("outside/deep/kept", "kept");
    let swapper = Swapper::new(&project.at("out"), "../outside".as_ref());
    for run in 0..RUNS {
        project.run("apply");
        let outside = project.dir.files_below("outside");
        let kept = ["outside/deep/kept", "outside/kept"].map(|path| project.dir.at(path));
        assert_eq!(outside, kept, "run {run}");
    }
    assert!(swapper.swaps() > RUNS as u64);
}
