//! Links and special files where a folder or a marker belongs: refused, and what they lead to is not touched.

use super::project::{GUIDANCE, MARKER, OPERATIONS, Project, manifest};
use rustix::fs::{CWD, Mode, mkfifoat};

/// A project whose targets are `directories`, without `out`.
fn project(directories: &[&str]) -> Project {
    let project = Project::new();
    std::fs::remove_dir_all(project.at("out")).unwrap();
    project.manifest(&manifest(directories));
    project.folder("inside");
    project
}

fn fifo(project: &Project, relative: &str) {
    mkfifoat(CWD, project.at(relative), Mode::RUSR | Mode::WUSR).unwrap();
}

/// Fails unless every operation refuses what is wrong at `place`.
#[track_caller]
fn assert_refused(project: &Project, code: &str, place: &str) {
    let fault = project.all_refused("m.json");
    assert_eq!(fault, format!("{code} at {place}"));
    for untouched in [format!("inside/{MARKER}"), format!("../outside/{MARKER}")] {
        assert!(!project.has(&untouched), "{untouched}");
    }
}

#[test]
fn a_target_that_is_a_link_is_refused() {
    for target in ["../outside", "inside", "nowhere", "../nowhere", "out", "/"] {
        let project = project(&["good", "out"]);
        project.link(target, "out");
        assert_refused(&project, "symlink", "out");
    }
    let project = project(&["good", "out"]);
    let outside = project.dir.arg("outside");
    project.link(&outside, "out");
    assert_refused(&project, "symlink", "out");
}

#[test]
fn a_link_above_a_target_is_refused() {
    for target in ["../outside", "inside", "nowhere", ".", "../project"] {
        for directory in ["link/out", "link/a/b/c"] {
            let project = project(&["good", directory]);
            project.link(target, "link");
            assert_refused(&project, "symlink", "link");
        }
        let project = project(&["a/link/out", "good"]);
        project.folder("a");
        project.link(target, "a/link");
        assert_refused(&project, "symlink", "a/link");
    }
}

#[test]
fn a_marker_that_is_a_link_is_refused() {
    // The right text at the other end makes it no better.
    let targets = [
        "../../outside/same",
        "../inside/same",
        "nowhere",
        "../../new",
    ];
    for target in targets {
        let project = project(&["good", "out"]);
        project.folder("out");
        project.dir.file("outside/same", GUIDANCE);
        project.file("inside/same", GUIDANCE);
        let marker = format!("out/{MARKER}");
        project.link(target, &marker);
        assert_refused(&project, "unsafe_marker", &marker);
        assert!(!project.has("../new") && !project.has("out/nowhere"));
    }
}

#[test]
fn a_marker_that_is_no_regular_file_is_refused_without_waiting() {
    let marker = format!("out/{MARKER}");
    let made: [fn(&Project, &str); 2] = [fifo, |project, marker| project.folder(marker)];
    for make in made {
        let project = project(&["good", "out"]);
        project.folder("out");
        make(&project, &marker);
        assert_refused(&project, "unsafe_marker", &marker);
    }
    let project = project(&["good", "out"]);
    project.folder("out");
    let _socket = std::os::unix::net::UnixListener::bind(project.at(&marker)).unwrap();
    assert_refused(&project, "unsafe_marker", &marker);
}

#[test]
fn a_target_that_is_a_fifo_is_refused_without_waiting() {
    let project = project(&["good", "out/deep"]);
    fifo(&project, "out");
    assert_refused(&project, "not_a_folder", "out");
}

#[test]
fn a_state_folder_that_is_a_link_is_refused() {
    for (link, above) in [(".vibey", None), (".vibey/markers", Some(".vibey"))] {
        for target in ["../outside", "inside", "nowhere"] {
            let project = project(&["good"]);
            if let Some(above) = above {
                project.folder(above);
            }
            // From `.vibey` the way is one longer.
            let up = if above.is_some() { "../" } else { "" };
            project.link(&format!("{up}{target}"), link);
            assert_refused(&project, "symlink", link);
        }
    }
}

#[test]
fn a_state_folder_that_is_no_folder_is_refused() {
    for place in [".vibey", ".vibey/markers"] {
        let project = project(&["good"]);
        project.file(place, "text");
        assert_refused(&project, "not_a_folder", place);
    }
}

#[test]
fn what_stands_in_the_state_folder_as_a_link_is_not_followed() {
    for name in [".gitignore", "journal.json", "lock"] {
        for target in ["../../../outside/kept", "../../../outside/new"] {
            let project = project(&["good"]);
            project.folder(".vibey/markers");
            project.link(target, &format!(".vibey/markers/{name}"));
            for operation in OPERATIONS {
                let args = [operation, "--manifest", "m.json"];
                // Mended, refused or not looked at: only what is outside counts here.
                project.call(args);
                assert_eq!(project.dir.read("outside/kept"), "kept", "{name}");
                assert!(!project.dir.has("outside/new"), "{name}");
            }
        }
    }
}

#[test]
fn a_root_that_is_a_link_is_allowed() {
    let project = Project::new();
    project.dir.link("project", "linked");
    let mut command = project.command(["apply", "--manifest", "m.json"]);
    command.current_dir(project.dir.at("linked"));
    command.env("PWD", project.dir.at("linked"));
    let run = crate::harness::outcome(&mut command);
    super::report::Report::of(&project.dir, &run).is("0 ok, out created");
    assert_eq!(project.marker("out"), GUIDANCE);
}
