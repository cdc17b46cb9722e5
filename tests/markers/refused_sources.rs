//! Manifest and guidance that are no plain files outside of what is generated: refused, and never waited for.

use super::project::{BEYOND, MARKER, Project, manifest};
use super::report::Report;
use crate::harness::{Dir, outcome};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use std::path::Path;

/// A manifest whose second entry has this guidance.
fn guided(guidance: &str) -> Value {
    let mut manifest = manifest(&["other", "out"]);
    manifest["markers"][1]["guidanceFile"] = json!(guidance);
    manifest
}

fn fifo(project: &Project, relative: &str) {
    mkfifoat(CWD, project.at(relative), Mode::RUSR | Mode::WUSR).unwrap();
}

#[test]
fn guidance_that_is_a_link_is_refused() {
    let project = Project::new();
    project.dir.file("outside/g.md", "canary");
    project.link("g.md", "docs/inside.md");
    project.link("../../outside/g.md", "docs/outside.md");
    project.link("nowhere", "docs/dangling.md");
    project.link("/dev/zero", "docs/endless.md");
    for name in ["inside", "outside", "dangling", "endless"] {
        let path = format!("docs/{name}.md");
        project.manifest(&guided(&path));
        assert_eq!(project.all_refused("m.json"), format!("symlink at {path}"));
    }
}

#[test]
fn guidance_through_a_folder_that_leads_out_is_refused() {
    let project = Project::new();
    project.dir.file("outside/g.md", "canary");
    project.link("../outside", "linked");
    project.manifest(&guided("linked/g.md"));
    let fault = project.all_refused("m.json");
    assert!(
        BEYOND.contains(&fault.split(' ').next().unwrap()),
        "{fault}"
    );
}

#[test]
fn guidance_that_is_no_regular_file_is_refused_without_waiting() {
    let project = Project::new();
    fifo(&project, "docs/fifo");
    let _socket = std::os::unix::net::UnixListener::bind(project.at("docs/socket")).unwrap();
    project.folder("docs/folder");
    for name in ["fifo", "socket", "folder"] {
        let path = format!("docs/{name}");
        project.manifest(&guided(&path));
        let fault = project.all_refused("m.json");
        assert_eq!(fault, format!("not_regular at {path}"));
    }
}

#[test]
fn a_manifest_that_is_no_regular_file_is_refused_without_waiting() {
    let project = Project::new();
    project.folder("folder");
    fifo(&project, "fifo");
    for name in ["fifo", "folder"] {
        let fault = project.all_refused(name);
        assert_eq!(fault, format!("not_regular at {name}"));
    }
}

#[test]
fn a_manifest_that_is_a_link_is_refused() {
    let project = Project::new();
    let good = manifest(&["out"]).to_string();
    project.dir.file("outside/m.json", good);
    project.link("m.json", "inside.json");
    project.link("../outside/m.json", "outside.json");
    project.link("nowhere", "dangling.json");
    for name in ["inside", "outside", "dangling"] {
        let path = format!("{name}.json");
        assert_eq!(project.all_refused(&path), format!("symlink at {path}"));
    }
    project.link("../outside", "linked");
    let fault = project.all_refused("linked/m.json");
    assert!(
        BEYOND.contains(&fault.split(' ').next().unwrap()),
        "{fault}"
    );
}

/// Runs all operations in `/dev`, which has devices that everybody may read.
fn in_dev(manifest: &str) -> Vec<String> {
    let dir = Dir::new();
    let reports = super::project::OPERATIONS.map(|operation| {
        let args = ["markers", operation, "--manifest", manifest];
        let run = outcome(dir.command(Path::new("/dev")).args(args));
        Report::of(&dir, &run)
    });
    // Taken away again, so that one failure is not all that follow.
    let state = Path::new("/dev/.vibey");
    assert!(std::fs::remove_dir_all(state).is_err(), "it wrote to /dev");
    reports
        .into_iter()
        .map(|report| report.is("2 invalid").fault())
        .collect()
}

#[test]
fn a_device_as_manifest_is_refused_without_waiting() {
    for device in ["null", "zero", "full"] {
        let expected = format!("not_regular at {device}");
        assert_eq!(in_dev(device), [expected.as_str(); 3]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_as_guidance_is_refused_without_waiting() {
    // The one folder below `/dev` in which everybody may write.
    let shared = tempfile::Builder::new()
        .prefix("vibey-test-")
        .tempdir_in("/dev/shm")
        .unwrap();
    let name = shared.path().file_name().unwrap().to_str().unwrap();
    for device in ["null", "zero"] {
        let text = json!({
            "version": 1,
            "markers": [{"directory": format!("shm/{name}/out"), "guidanceFile": device}],
            "generator": {"executable": "/bin/sh"}
        });
        std::fs::write(shared.path().join("m.json"), text.to_string()).unwrap();
        let expected = format!("not_regular at {device}");
        assert_eq!(
            in_dev(&format!("shm/{name}/m.json")),
            [expected.as_str(); 3]
        );
        assert!(!shared.path().join("out").exists());
    }
}

#[test]
fn what_is_missing_is_refused() {
    let project = Project::new();
    assert_eq!(project.all_refused("none.json"), "not_found at none.json");
    let inside = project.all_refused("none/m.json");
    assert!(inside.starts_with("not_found"), "{inside}");
    project.manifest(&guided("docs/none.md"));
    assert_eq!(project.all_refused("m.json"), "not_found at docs/none.md");
}

#[test]
fn sources_inside_of_an_output_directory_are_refused() {
    let project = Project::new();
    for place in ["out/g.md", "out/deep/er/g.md", "other/g.md"] {
        project.file(place, "canary");
        project.manifest(&guided(place));
        let fault = project.all_refused("m.json");
        assert_eq!(fault, format!("source_in_target at {place}"));
    }
    // Beside one whose name only begins the same.
    project.file("output/g.md", "canary\n");
    project.manifest(&guided("output/g.md"));
    project
        .run("check")
        .is("1 checkFailed, other missing, out missing");

    for place in ["out/m.json", "out/deep/m.json"] {
        project.file(place, manifest(&["other", "out"]).to_string());
        let fault = project.all_refused(place);
        assert_eq!(fault, format!("source_in_target at {place}"));
    }
    // The guidance of one entry in the directory of another, a nested one.
    project.file("a/b/c/g.md", "canary");
    let mut nested = manifest(&["x", "a/b/c"]);
    nested["markers"][0]["guidanceFile"] = json!("a/b/c/g.md");
    project.manifest(&nested);
    let fault = project.all_refused("m.json");
    assert_eq!(fault, "source_in_target at a/b/c/g.md");
    // A marker is never its own guidance.
    project.file(&format!("out/{MARKER}"), "canary");
    let own = format!("out/{MARKER}");
    project.manifest(&guided(&own));
    let fault = project.all_refused("m.json");
    assert_eq!(fault, format!("source_in_target at {own}"));
}

#[test]
fn sources_inside_of_an_output_directory_by_another_spelling_are_refused() {
    let project = Project::new();
    project.file("out/deep/g.md", "canary");
    project.file("out/m.json", manifest(&["out"]).to_string());
    project.link("out", "linked");
    project.link("out/deep", "deeper");
    for place in ["linked/deep/g.md", "deeper/g.md"] {
        project.manifest(&guided(place));
        let fault = project.all_refused("m.json");
        assert!(
            BEYOND.contains(&fault.split(' ').next().unwrap()),
            "{fault}"
        );
    }
    let fault = project.all_refused("linked/m.json");
    assert!(
        BEYOND.contains(&fault.split(' ').next().unwrap()),
        "{fault}"
    );
    // Where case is folded, this is the same folder.
    if project.has("OUT") {
        project.manifest(&guided("OUT/deep/g.md"));
        let fault = project.all_refused("m.json");
        assert!(fault.starts_with("source_in_target"), "{fault}");
    }
}
