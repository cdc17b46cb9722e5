//! `markers orphans`: the markers in a project that its manifest does not name.

use super::project::{MARKER, Project, manifest};
use super::report::{assert_discreet, assert_one_line, validator};
use crate::harness::outcome;
use rustix::fs::{CWD, Mode, mkfifoat};
use vibey_context_contracts::markers::answer::Orphans;

/// The folders of the orphans of `m.json`; nothing is written by the question.
#[track_caller]
fn orphans(project: &Project) -> Vec<String> {
    let args = ["orphans", "--manifest", "m.json"];
    let before = project.tree();
    let run = outcome(project.command(args).arg("--json")).expect(0);
    let text = outcome(&mut project.command(args)).expect(0);
    before.assert_still(&project.dir.path());
    assert_one_line(&run);
    assert_discreet(&project.dir, &run);
    assert_discreet(&project.dir, &text);
    let value = run.json();
    if let Err(error) = validator("markers-orphans.v1.json").validate(&value) {
        panic!("{error}\n{value}");
    }
    let found: Orphans = serde_json::from_value(value).unwrap();
    for path in &found.orphans {
        assert!(
            text.stdout.lines().any(|line| line.contains(path)),
            "{}",
            text.stdout
        );
    }
    let strip = |path: String| {
        let folder = path
            .strip_suffix(MARKER)
            .unwrap_or_else(|| panic!("{path}"));
        folder.trim_end_matches('/').to_owned()
    };
    found.orphans.into_iter().map(strip).collect()
}

#[test]
fn what_the_manifest_names_is_no_orphan_present_or_not() {
    let project = Project::new();
    project.manifest(&manifest(&["out", "a/b"]));
    assert_eq!(orphans(&project), Vec::<String>::new());
    project.run("apply");
    assert_eq!(orphans(&project), Vec::<String>::new());
    project.file(&format!("out/{MARKER}"), "canary, outdated");
    assert_eq!(orphans(&project), Vec::<String>::new());
}

#[test]
fn every_other_marker_is_one_whatever_it_is() {
    let project = Project::new();
    project.manifest(&manifest(&["out", "a/b"]));
    project.run("apply");
    for folder in [
        "",
        "a",
        "a/b/c",
        "out/deep/er",
        "b-1",
        "b/1",
        "Z",
        ".hidden",
        "ü",
    ] {
        let path = format!("{folder}/{MARKER}");
        project.file(path.trim_start_matches('/'), "canary");
    }
    for folder in ["linked", "fifo", "folder"] {
        project.folder(folder);
    }
    project.link("nowhere", &format!("linked/{MARKER}"));
    let fifo = project.at(&format!("fifo/{MARKER}"));
    mkfifoat(CWD, fifo, Mode::RUSR | Mode::WUSR).unwrap();
    project.folder(&format!("folder/{MARKER}"));
    let mut expected = [
        "",
        "a",
        "a/b/c",
        "out/deep/er",
        "b-1",
        "b/1",
        "Z",
        ".hidden",
        "ü",
        "linked",
        "fifo",
        "folder",
    ]
    .map(|folder| {
        format!("{folder}/{MARKER}")
            .trim_start_matches('/')
            .to_owned()
    });
    expected.sort();
    let expected: Vec<String> = expected
        .iter()
        .map(|path| {
            path.strip_suffix(MARKER)
                .unwrap()
                .trim_end_matches('/')
                .to_owned()
        })
        .collect();
    assert_eq!(
        orphans(&project),
        expected,
        "each, in byte order of the paths"
    );
}

#[test]
fn an_entry_that_is_taken_away_leaves_an_orphan() {
    let project = Project::new();
    project.manifest(&manifest(&["out", "old"]));
    project.run("apply");
    project.manifest(&manifest(&["out"]));
    assert_eq!(orphans(&project), ["old"]);
    std::fs::remove_file(project.at(&format!("old/{MARKER}"))).unwrap();
    assert_eq!(orphans(&project), Vec::<String>::new());
}

#[test]
fn links_are_not_followed() {
    let project = Project::new();
    project.dir.file(&format!("outside/{MARKER}"), "canary");
    project.link("../outside", "leads-out");
    project.link(".", "around");
    project.file(&format!("real/{MARKER}"), "canary");
    project.link("real", "again");
    assert_eq!(orphans(&project), ["real"]);
}

#[test]
fn a_name_reaches_a_terminal_as_text() {
    let project = Project::new();
    let odd = "odd\n\u{1b}[31mred";
    project.file(&format!("{odd}/{MARKER}"), "canary");
    let args = ["orphans", "--manifest", "m.json"];
    let run = outcome(&mut project.command(args)).expect(0);
    assert_eq!(run.stdout.lines().count(), 1, "{:?}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    let run = outcome(&mut project.command(["explain", odd])).expect(0);
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    let run = outcome(project.command(args).arg("--json")).expect(0);
    assert_one_line(&run);
    assert_eq!(run.json()["orphans"][0], format!("{odd}/{MARKER}"));
}

#[test]
fn a_wrong_call_or_manifest_is_refused() {
    let project = Project::new();
    project.file("bad.json", "{\"version\": 2}");
    for words in [
        &["orphans"][..],
        &["orphans", "--manifest"],
        &["orphans", "--manifest", "none.json"],
        &["orphans", "--manifest", "bad.json"],
        &["orphans", "--manifest", "../project/m.json"],
        &["orphans", "--manifest", "m.json", "--manifest", "m.json"],
        &["orphans", "--manifest", "m.json", "out"],
        &["orphans", "--manifest", "m.json", "--unheard-of"],
        &["orphans", "--manifest", "m.json", "--skills", "docs"],
        &["orphans", "--manifest", "m.json", "--embedded"],
        &["orphans", "m.json"],
    ] {
        let before = project.tree();
        let run = outcome(&mut project.command(words)).expect(2);
        before.assert_still(&project.dir.path());
        assert_discreet(&project.dir, &run);
    }
}

#[test]
fn a_generate_at_work_does_not_keep_it_waiting() {
    let project = Project::generating("touch ready; until [ -e go ]; do sleep 0.01; done");
    let mut begun = project.begin("generate");
    begun.wait_for("ready");
    project.file(&format!("old/{MARKER}"), "canary");
    assert_eq!(orphans(&project), ["old"]);
    let run = outcome(&mut project.command(["explain", "out/generated", "--json"])).expect(0);
    assert_eq!(run.json()["readable"], false);
    project.file("go", "");
    begun.end().is("0 ok, out created, generator ok 0");
}
