//! Every rule of manifest and paths refuses what it is for, names the place, and changes nothing.

use super::super::bed::{MANIFEST, Project, TEXT, entries};
use super::*;
use serde_json::{Value, json};

fn plan(project: &Project) -> Result<Plan, Fault> {
    read(&Root::open(project.path()).unwrap(), Path::new(MANIFEST))
}

/// Fails unless the plan is refused with this code and path, and nothing was touched.
#[track_caller]
fn refused(project: &Project, code: &str, path: Option<&str>) {
    let before = project.everything();
    let fault = plan(project).unwrap_err();
    assert_eq!((fault.code, fault.path.as_deref()), (code, path), "{fault}");
    assert!(!fault.message.contains(project.path().to_str().unwrap()));
    assert_eq!(project.everything(), before);
}

fn with(markers: &[(&str, &str)]) -> Value {
    let entries = markers
        .iter()
        .map(|(directory, guidance)| json!({"directory": directory, "guidanceFile": guidance}));
    json!({"version": 1, "markers": entries.collect::<Vec<_>>()})
}

#[test]
fn a_plan_is_a_snapshot_in_the_order_of_the_manifest() {
    let project = Project::new(&["z", "a/b", "a"]);
    let plan = plan(&project).unwrap();
    project.file("docs/guide.md", "changed");
    let found: Vec<_> = plan
        .entries
        .iter()
        .map(|entry| {
            (
                entry.directory.as_str(),
                entry.marker.as_str(),
                entry.text.as_str(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("z", "z/.agent-no-read.md", TEXT),
            ("a/b", "a/b/.agent-no-read.md", TEXT),
            ("a", "a/.agent-no-read.md", TEXT),
        ]
    );
    assert_eq!(plan.generator().unwrap_err().code, "generator_missing");
}

#[test]
fn paths_are_relative_plain_and_portable() {
    let project = Project::new(&[]);
    for path in [
        "", ".", "..", "/", "/abs", "a/../b", "../x", "./a", "a//b", "a/", "a/.", "a\\b", "c:",
        "C:x", "a/c:", "a\nb", "a\0b",
    ] {
        project.manifest(&with(&[("ok", "docs/guide.md"), (path, "docs/guide.md")]));
        refused(&project, "path_invalid", None);
        project.manifest(&with(&[("ok", path)]));
        refused(&project, "path_invalid", None);
    }
    let fault = plan(&project).unwrap_err();
    assert!(
        fault.message.contains("`markers[0].guidanceFile`"),
        "{fault}"
    );
}

#[test]
fn directories_that_stand_twice_or_lie_in_a_marker_are_refused() {
    let project = Project::new(&["a", "b/c", "a"]);
    refused(&project, "target_duplicate", Some("a"));
    project.manifest(&with(&[("a/.agent-no-read.md/b", "docs/guide.md")]));
    refused(&project, "target_in_marker", Some("a/.agent-no-read.md/b"));
    project.manifest(&with(&[(".vibey", "docs/guide.md")]));
    refused(&project, "target_reserved", Some(".vibey"));
}

#[test]
fn no_symlink_is_followed_to_an_output_directory() {
    let project = Project::new(&["link", "deep/link/x", "dangling/x", "file/x"]);
    let outside = tempfile::tempdir().unwrap();
    project.folder("real");
    project.folder("deep");
    let leads_out = outside.path().to_str().unwrap();
    for (name, directory, code) in [
        ("link", "link", "symlink"),
        ("deep/link", "deep/link/x", "symlink"),
        ("dangling", "dangling/x", "symlink"),
    ] {
        for target in [leads_out, "real", "nowhere"] {
            project.link(target, name);
            project.manifest(&with(&[(directory, "docs/guide.md")]));
            refused(&project, code, Some(name));
            std::fs::remove_file(project.at(name)).unwrap();
        }
    }
    project.file("file", "");
    project.manifest(&with(&[("file/x", "docs/guide.md")]));
    refused(&project, "not_a_folder", Some("file"));
    assert_eq!(outside.path().read_dir().unwrap().count(), 0);
}

#[test]
fn a_marker_that_is_no_regular_file_is_refused() {
    let project = Project::new(&["a"]);
    let marker = "a/.agent-no-read.md";
    project.folder("a");
    for target in ["../docs/guide.md", "nowhere"] {
        project.link(target, marker);
        refused(&project, "unsafe_marker", Some(marker));
        std::fs::remove_file(project.at(marker)).unwrap();
    }
    project.folder(marker);
    refused(&project, "unsafe_marker", Some(marker));
    std::fs::remove_dir(project.at(marker)).unwrap();
    fifo(&project, marker);
    refused(&project, "unsafe_marker", Some(marker));
}

fn fifo(project: &Project, relative: &str) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.at(relative),
        rustix::fs::FileType::Fifo,
        mode,
        0,
    )
    .unwrap();
}

#[test]
fn a_source_is_a_regular_file_of_the_project() {
    let project = Project::new(&["out"]);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("guide.md"), "outside").unwrap();
    project.link(outside.path().to_str().unwrap(), "away");
    project.link("docs/guide.md", "linked.md");
    project.link("nowhere", "dangling.md");
    project.file("docs/large.md", vec![b'x'; 1024 * 1024 + 1]);
    project.file("docs/latin.md", b"\xE9");
    project.file("docs/long.md", "x".repeat(8 * 1024));
    fifo(&project, "fifo.md");
    for (guidance, code) in [
        ("none.md", "not_found"),
        ("none/none.md", "not_found"),
        ("docs", "not_regular"),
        ("fifo.md", "not_regular"),
        ("linked.md", "symlink"),
        ("dangling.md", "symlink"),
        ("away/guide.md", "outside"),
        ("docs/large.md", "too_large"),
        ("docs/latin.md", "guidance_not_utf8"),
        ("docs/long.md", "guidance_too_long"),
    ] {
        project.manifest(&with(&[("out", guidance)]));
        refused(&project, code, Some(guidance));
    }
    let root = Root::open(project.path()).unwrap();
    for (manifest, code) in [
        ("none.json", "not_found"),
        ("linked.md", "symlink"),
        ("fifo.md", "not_regular"),
        ("docs/large.md", "too_large"),
        ("away/guide.md", "outside"),
        ("docs/guide.md", "manifest_json"),
        ("/etc/hostname", "path_invalid"),
    ] {
        let fault = read(&root, Path::new(manifest)).unwrap_err();
        assert_eq!(fault.code, code, "{fault}");
    }
}

#[test]
fn a_folder_on_the_way_to_a_source_may_be_a_link_inside() {
    let project = Project::new(&[]);
    project.link("docs", "alias");
    project.manifest(&with(&[("out", "alias/guide.md")]));
    assert_eq!(plan(&project).unwrap().entries[0].text, TEXT);
}

#[test]
fn sources_lie_outside_every_output_directory_whatever_they_are_called() {
    let project = Project::new(&[]);
    project.file("out/guide.md", "inside");
    project.file(
        "out/markers.json",
        with(&[("out", "docs/guide.md")]).to_string(),
    );
    project.link("../docs", "out/way");
    project.link("out", "alias");
    for guidance in ["out/guide.md", "alias/guide.md", "out/way/guide.md"] {
        // Whichever entry it belongs to.
        project.manifest(&with(&[("other", guidance), ("out", "docs/guide.md")]));
        refused(&project, "source_in_target", Some(guidance));
    }
    let root = Root::open(project.path()).unwrap();
    for manifest in ["out/markers.json", "alias/markers.json"] {
        let fault = read(&root, Path::new(manifest)).unwrap_err();
        assert_eq!(fault.code, "source_in_target");
    }
    // A name that only begins like one is another.
    project.file("out-of/guide.md", "beside");
    project.manifest(&with(&[("out", "out-of/guide.md")]));
    assert!(plan(&project).is_ok());
}

#[test]
fn a_folder_of_ours_that_leads_elsewhere_is_refused() {
    for name in [".vibey", ".vibey/markers"] {
        let project = Project::new(&["a"]);
        project.folder("elsewhere");
        if name != ".vibey" {
            project.folder(".vibey");
        }
        project.link(project.at("elsewhere").to_str().unwrap(), name);
        refused(&project, "symlink", Some(name));
    }
}

#[test]
fn the_other_case_is_another_directory_where_the_file_system_says_so() {
    let project = Project::new(&[]);
    project.manifest(&json!({"version": 1, "markers": entries(&["Out", "out"])}));
    if cfg!(target_os = "linux") {
        assert!(plan(&project).is_ok());
        // As if it folded case: both spellings of the manifest are one file.
        std::fs::hard_link(project.at(MANIFEST), project.at("MARKERS.JSON")).unwrap();
    }
    refused(&project, "target_duplicate", Some("out"));
}
