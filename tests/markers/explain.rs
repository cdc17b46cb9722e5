//! `markers explain`: may this path be read, which marker says so, and which ones change nothing beside it?

use super::project::{MARKER, Project};
use super::report::{assert_discreet, assert_one_line, validator};
use crate::corpus::unprivileged::{Unprivileged, mode};
use crate::harness::{Output, outcome};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::Value;
use vibey_context_contracts::markers::answer::{Explanation, MarkerContent};

/// What is answered about a path; nothing is written by the question.
#[track_caller]
fn explained(project: &Project, path: &str) -> Explanation {
    let before = project.tree();
    let run = outcome(&mut project.command(["explain", path, "--json"])).expect(0);
    let text = outcome(&mut project.command(["explain", path])).expect(0);
    before.assert_still(&project.dir.path());
    assert_eq!(run.stderr, "");
    let answer = read(project, &run);
    assert_discreet(&project.dir, &text);
    assert!(!text.stdout.is_empty() && text.stdout.ends_with('\n'));
    match &answer.marker {
        Some(marker) => {
            assert!(text.stdout.contains(&marker.path), "{}", text.stdout);
            assert!(!answer.readable);
        }
        None => assert!(answer.readable && answer.shadowed.is_empty()),
    }
    for shadowed in &answer.shadowed {
        assert!(text.stdout.contains(shadowed), "{}", text.stdout);
    }
    answer
}

#[track_caller]
fn read(project: &Project, run: &Output) -> Explanation {
    assert_one_line(run);
    assert_discreet(&project.dir, run);
    let value: Value = run.json();
    if let Err(error) = validator("markers-explanation.v1.json").validate(&value) {
        panic!("{error}\n{value}");
    }
    serde_json::from_value(value).unwrap()
}

/// `out/MARKER (out/a/MARKER)`: the marker that decides and those in its shadow; empty for a readable path.
#[track_caller]
fn decided(project: &Project, path: &str) -> String {
    let answer = explained(project, path);
    let Some(marker) = answer.marker else {
        return String::new();
    };
    let short = |path: &String| {
        let folder = path
            .strip_suffix(MARKER)
            .unwrap_or_else(|| panic!("{path}"));
        format!("/{folder}").trim_end_matches('/').to_owned()
    };
    let shadowed: Vec<String> = answer.shadowed.iter().map(short).collect();
    format!("{} ({})", short(&marker.path), shadowed.join(" "))
}

fn project(folders: &[&str]) -> Project {
    let project = Project::new();
    project.file("a/b/c/text", "text");
    project.file("src/text", "text");
    for folder in folders {
        let path = format!("{folder}/{MARKER}");
        project.file(path.trim_start_matches('/'), "canary\n");
    }
    project
}

#[test]
fn a_path_without_marker_above_it_may_be_read() {
    let project = project(&["a/b"]);
    for path in ["src/text", "src", "a", ".", "docs/g.md", "m.json"] {
        assert_eq!(decided(&project, path), "", "{path}");
    }
}

#[test]
fn the_outermost_marker_decides_and_the_others_are_named() {
    let inner = project(&["a/b"]);
    for path in ["a/b/c/text", "a/b/c", "a/b"] {
        assert_eq!(decided(&inner, path), "/a/b ()", "{path}");
    }
    let all = project(&["a/b/c", "a", "a/b"]);
    assert_eq!(decided(&all, "a/b/c/text"), "/a (/a/b /a/b/c)");
    assert_eq!(decided(&all, "a/b"), "/a (/a/b)");
    assert_eq!(decided(&all, "src/text"), "");
    // A marker of the root counts too.
    let root = project(&["", "a/b"]);
    assert_eq!(decided(&root, "a/b/c/text"), "/ (/a/b)".replace("/ ", " "));
    assert_eq!(decided(&root, "src/text"), " ()");
}

#[test]
fn the_given_and_the_real_path_both_count() {
    let project = project(&["a/b", "src"]);
    project.file("open/text", "text");
    project.link("../a/b/c/text", "open/file");
    project.link("../a/b/c", "open/folder");
    project.link("../../open/text", "a/b/out");
    project.link("../open", "src/open");
    // By its real way.
    assert_eq!(decided(&project, "open/file"), "/a/b ()");
    assert_eq!(decided(&project, "open/folder/text"), "/a/b ()");
    // By the way that was given.
    assert_eq!(decided(&project, "a/b/out"), "/a/b ()");
    assert_eq!(decided(&project, "src/open/text"), "/src ()");
    assert_eq!(decided(&project, "open/text"), "");
    // By both: one decides, the other is in its shadow.
    let both = decided(&project, "src/open/file");
    assert!(
        ["/src (/a/b)", "/a/b (/src)"].contains(&both.as_str()),
        "{both}"
    );
}

#[test]
fn other_spellings_of_a_path_get_the_same_answer() {
    let project = project(&["a/b"]);
    let absolute = project.at("a/b/c/text").to_str().unwrap().to_owned();
    for path in [
        "./a/b/c/text",
        "a//b/c/text",
        "a/b/../b/c/text",
        "src/../a/b/c/text",
        absolute.as_str(),
    ] {
        // Refused or answered, never called readable.
        let run = outcome(&mut project.command(["explain", path, "--json"]));
        match run.code {
            0 => assert_eq!(run.json()["readable"], false, "{path}"),
            code => assert_eq!(code, 2, "{path}"),
        }
    }
}

#[test]
fn what_is_not_there_is_not_called_readable_below_a_marker() {
    let project = project(&["a/b"]);
    for path in ["a/b/none", "a/b/none/deep"] {
        let run = outcome(&mut project.command(["explain", path, "--json"]));
        match run.code {
            0 => assert_eq!(run.json()["readable"], false, "{path}"),
            code => assert_eq!(code, 2, "{path}"),
        }
    }
}

/// Puts something in a marker's place.
type Make<'m> = &'m dyn Fn(&Project, &str);

#[test]
fn a_broken_marker_excludes_all_the_same_and_is_not_waited_for() {
    let content = |make: Make<'_>| {
        let project = project(&[]);
        let path = format!("a/{MARKER}");
        make(&project, &path);
        let answer = explained(&project, "a/b/c/text");
        assert!(!answer.readable);
        answer.marker.unwrap().content
    };
    let broken: [Make<'_>; 6] = [
        &|project, path| drop(project.file(path, b"canary \xff")),
        &|project, path| mkfifoat(CWD, project.at(path), Mode::RUSR | Mode::WUSR).unwrap(),
        &|project, path| project.folder(path),
        &|project, path| project.link("nowhere", path),
        &|project, path| project.link("/dev/zero", path),
        &|project, path| project.link("../../outside/kept", path),
    ];
    for make in broken {
        assert_eq!(content(make), MarkerContent::Broken);
    }
    let whole = content(&|project, path| drop(project.file(path, "canary\n")));
    assert_eq!(whole, MarkerContent::Guidance);
    let empty = content(&|project, path| drop(project.file(path, "")));
    assert_eq!(empty, MarkerContent::Empty);
}

#[test]
fn a_marker_that_may_not_be_read_excludes() {
    let project = project(&["a"]);
    let nobody = Unprivileged::new(&project.dir);
    let marker = project.at(&format!("a/{MARKER}"));
    mode(&marker, 0o000);
    nobody.assert_unreadable(&marker);
    let args = ["markers", "explain", "a/b/c/text", "--json"];
    let run = nobody.program(&project.root(), args).expect(0);
    let answer = read(&project, &run);
    assert!(!answer.readable);
    assert_eq!(answer.marker.unwrap().content, MarkerContent::Broken);
}

#[test]
fn what_a_reader_shows_is_counted_to_the_byte() {
    let project = project(&[]);
    let with = |length: usize| {
        project.file(
            &format!("a/{MARKER}"),
            format!("{}\n", "x".repeat(length - 1)),
        );
        explained(&project, "a/b").marker.unwrap()
    };
    let small = with(100);
    assert!(!small.exceeds_limit);
    let room = usize::try_from(1024 - small.shown_bytes).unwrap() + 100;
    let exact = with(room);
    assert_eq!((exact.shown_bytes, exact.exceeds_limit), (1024, false));
    let over = with(room + 1);
    assert_eq!((over.shown_bytes, over.exceeds_limit), (1025, true));
    assert!(with(8192).exceeds_limit);
    // Reason, line break, guidance (with or without its final line break).
    let reason = small.reason.len() as u64;
    assert!(
        [reason + 100, reason + 101].contains(&small.shown_bytes),
        "{small:?}"
    );
}

#[test]
fn a_path_outside_and_a_wrong_call_are_refused() {
    let project = project(&["a"]);
    let outside = project.dir.arg("outside/kept");
    project.link("../outside", "leads-out");
    for words in [
        &["explain"][..],
        &["explain", "../outside/kept"],
        &["explain", &outside],
        &["explain", "/etc"],
        &["explain", "leads-out/kept"],
        &["explain", ""],
        &["explain", "a", "src"],
        &["explain", "a", "--manifest", "m.json"],
        &["explain", "a", "--unheard-of"],
        &["explain", "a", "--skills", "docs"],
        &["explain", "a", "--embedded"],
    ] {
        let before = project.tree();
        let run = outcome(&mut project.command(words)).expect(2);
        before.assert_still(&project.dir.path());
        assert_discreet_but_for(&project, &run, words);
    }
}

/// What the caller typed may come back.
#[track_caller]
fn assert_discreet_but_for(project: &Project, run: &Output, words: &[&str]) {
    if !words.iter().any(|word| word.starts_with('/')) {
        assert_discreet(&project.dir, run);
    }
}
