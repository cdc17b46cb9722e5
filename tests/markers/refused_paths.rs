//! Paths that no manifest and no command line may name, as they are spelled: refused before anything is looked at.

use super::project::{MARKER, Project, manifest};
use serde_json::json;

/// Spellings that are no path inside a project, or no canonical one.
const SPELLINGS: &[&str] = &[
    "",
    "/",
    "/etc",
    ".",
    "..",
    "./out",
    "out/.",
    "out/./deep",
    "../outside",
    "out/..",
    "out/../out",
    "out/../../outside",
    "out//deep",
    "//out",
    "out/",
    "out\\deep",
    "\\out",
    "..\\outside",
    "C:",
    "C:out",
    "C:/out",
    "c:\\out",
    "Z:/out",
    "\\\\server\\share",
    "out\0",
    "\0",
];

#[test]
fn a_directory_that_is_no_plain_relative_path_is_refused() {
    let project = Project::new();
    let absolute = project.at("out").to_str().unwrap().to_owned();
    for spelling in SPELLINGS.iter().copied().chain([absolute.as_str()]) {
        project.manifest(&manifest(&["out"]));
        assert_eq!(project.run("check").shown(), "1 checkFailed, out missing");
        // As the only target, and behind a good one.
        for directories in [vec![spelling], vec!["out", spelling]] {
            project.manifest(&manifest(&directories));
            let fault = project.all_refused("m.json");
            assert!(fault.starts_with("path_invalid"), "{spelling:?}: {fault}");
        }
    }
}

#[test]
fn guidance_that_is_no_plain_relative_path_is_refused() {
    let project = Project::new();
    let absolute = project.at("docs/g.md").to_str().unwrap().to_owned();
    let more = [
        "docs/../docs/g.md",
        "./docs/g.md",
        "docs//g.md",
        "docs\\g.md",
    ];
    let all = SPELLINGS
        .iter()
        .copied()
        .chain(more)
        .chain([absolute.as_str()]);
    for spelling in all {
        project.manifest(&json!({
            "version": 1,
            "markers": [{"directory": "out", "guidanceFile": spelling}],
            "generator": {"executable": "/bin/sh", "args": ["gen.sh"]}
        }));
        let fault = project.all_refused("m.json");
        assert!(fault.starts_with("path_invalid"), "{spelling:?}: {fault}");
    }
}

#[test]
fn a_manifest_that_is_no_plain_relative_path_is_refused() {
    let project = Project::new();
    project.file("sub/m.json", manifest(&["out"]).to_string());
    project
        .dir
        .file("outside/m.json", manifest(&["out"]).to_string());
    let absolute = project.at("m.json").to_str().unwrap().to_owned();
    let more = [
        absolute.as_str(),
        "./m.json",
        "sub/../m.json",
        "sub//m.json",
        "sub\\m.json",
        "../outside/m.json",
        "../project/m.json",
    ];
    // A command line can hold no NUL.
    let spellings = SPELLINGS.iter().copied().filter(|one| !one.contains('\0'));
    for spelling in spellings.chain(more) {
        let fault = project.all_refused(spelling);
        // Clap takes an empty word for none.
        let code = if spelling.is_empty() {
            "usage"
        } else {
            "path_invalid"
        };
        assert!(fault.starts_with(code), "{spelling:?}: {fault}");
    }
    // The same file, spelled well.
    let report = project.call(["check", "--manifest", "sub/m.json"]);
    report.is("1 checkFailed, out missing");
}

#[cfg(unix)]
#[test]
fn a_manifest_whose_name_is_not_unicode_is_refused_in_json() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let project = Project::new();
    let fault = project.all_refused(OsStr::from_bytes(b"m\xff.json"));
    assert_eq!(fault, "path_invalid");
}

#[test]
fn a_target_that_is_named_twice_is_refused() {
    let project = Project::new();
    for directories in [
        vec!["out", "out"],
        vec!["a/b", "out", "a/b"],
        vec!["a", "b", "c", "b"],
    ] {
        project.manifest(&manifest(&directories));
        let fault = project.all_refused("m.json");
        assert!(fault.starts_with("target_duplicate"), "{fault}");
    }
    // Two entries with guidance of their own are two all the same.
    project.file("docs/other.md", "canary");
    project.manifest(&json!({
        "version": 1,
        "markers": [
            {"directory": "out", "guidanceFile": "docs/g.md"},
            {"directory": "out", "guidanceFile": "docs/other.md"}
        ]
    }));
    for operation in ["apply", "check"] {
        let fault = project.refused([operation, "--manifest", "m.json"]);
        assert!(fault.starts_with("target_duplicate"), "{fault}");
    }
}

#[test]
fn targets_that_differ_in_case_are_two_only_where_the_system_says_so() {
    let project = Project::new();
    project.manifest(&manifest(&["a/Out", "a/oUT", "é", "É"]));
    project.file("probe", "");
    if project.has("PROBE") {
        let fault = project.all_refused("m.json");
        assert!(fault.starts_with("target_duplicate"), "{fault}");
    } else {
        let created = "0 ok, a/Out created, a/oUT created, é created, É created";
        project.run("apply").is(created);
        assert_eq!(project.marker("a/Out"), project.marker("a/oUT"));
    }
}

#[test]
fn a_target_that_would_lie_in_a_marker_is_refused() {
    let project = Project::new();
    for inside in [
        MARKER.to_owned(),
        format!("out/{MARKER}"),
        format!("{MARKER}/out"),
        format!("out/{MARKER}/deep"),
    ] {
        project.manifest(&manifest(&["other", &inside]));
        let fault = project.all_refused("m.json");
        assert!(fault.starts_with("target_in_marker"), "{inside}: {fault}");
    }
    // A name that only looks like it is a folder like any other.
    project.manifest(&manifest(&["out/agent-no-read.md", "x.agent-no-read.md"]));
    project
        .run("apply")
        .is("0 ok, out/agent-no-read.md created, x.agent-no-read.md created");
}

#[test]
fn a_name_that_no_file_can_have_stops_the_batch() {
    let long = "x".repeat(300);
    let deep = vec!["x".repeat(200); 30].join("/");
    for directory in [long.as_str(), &format!("new/{long}"), &deep] {
        let project = Project::new();
        project.manifest(&manifest(&["out", directory]));
        for operation in ["apply", "generate"] {
            let report = project.run(operation);
            assert_eq!(report.code, 2, "{}", report.shown());
        }
        assert_ne!(project.run("check").code, 0);
        let names = project.at("out").read_dir().unwrap().count();
        assert!(names == 1 && !project.has("ran"), "something was written");
    }
}

#[test]
fn our_own_state_is_no_target() {
    let project = Project::new();
    for directory in [".vibey", ".vibey/markers", ".vibey/markers/deep"] {
        project.manifest(&manifest(&["out", directory]));
        let fault = project.all_refused("m.json");
        assert_eq!(fault, format!("target_reserved at {directory}"));
    }
    project.manifest(&manifest(&[".vibey/cache", ".vibey-markers"]));
    project
        .run("apply")
        .is("0 ok, .vibey/cache created, .vibey-markers created");
}

#[test]
fn nested_targets_are_fine_in_any_order() {
    let project = Project::new();
    project.manifest(&manifest(&["out/a/b", "out", "out/a", "outer"]));
    let created = "0 ok, out/a/b created, out created, out/a created, outer created";
    project.run("apply").is(created);
    project
        .run("check")
        .is(&created.replace("created", "unchanged"));
    for directory in ["out", "out/a", "out/a/b", "outer"] {
        assert_eq!(project.marker(directory), super::project::GUIDANCE);
    }
}

#[test]
fn a_target_below_a_file_is_refused() {
    let project = Project::new();
    for directory in ["gen.sh", "gen.sh/deep", "out/generated/a/b"] {
        project.manifest(&manifest(&["other", directory]));
        let fault = project.all_refused("m.json");
        assert!(fault.starts_with("not_a_folder"), "{directory}: {fault}");
    }
    // A source is no folder either.
    for directory in ["m.json", "docs/g.md", "docs/g.md/deep"] {
        project.manifest(&manifest(&["other", directory]));
        project.all_refused("m.json");
    }
}
