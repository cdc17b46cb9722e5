//! Does any link, artifact or alias lead out of the places that a run may read?

use super::rig::{Rig, text};
use std::os::unix::fs::symlink;

#[test]
fn links_that_leave_their_root_are_unresolved_and_nothing_of_them_is_shown() {
    let rig = Rig::new();
    rig.file(
        "config.yaml",
        "primary_project: app\naliases:\n  other: {root: ../../other, brain: brain}\n",
    );
    rig.dir.file("app/project-brain-evil/x.md", "hidden-4711");
    rig.dir.file("app/secret.md", "hidden-4711");
    rig.dir.file("other/brain/tree/fine.md", "fine");
    rig.dir.file("other/outside.md", "visible by its root");
    symlink(
        rig.dir.at("app/secret.md"),
        rig.file("tree/.keep", "").with_file_name("link.md"),
    )
    .unwrap();
    symlink(rig.dir.at("app"), rig.brain().join("up")).unwrap();
    let escaping = [
        "/../secret.md",
        "/tree/../../secret.md",
        "/../project-brain-evil/x.md",
        "//etc/passwd",
        "/tree/link.md",
        "/up/secret.md",
        "other:/etc/passwd",
        "other:../../secret.md",
        "other:../../../none",
        "../secret.md",
    ];
    let links: Vec<(&str, &str)> = escaping.iter().map(|uri| (*uri, "spec")).collect();
    rig.links(&links);
    let before = rig.picture();
    let made = rig.make(&[]);
    for uri in escaping {
        assert_eq!(made.reason(uri), "path-escapes-root", "{uri}");
    }
    assert!(!made.text.contains("hidden-4711") && !made.text.contains("root:"));
    assert_eq!(rig.picture(), before);
    rig.links(&[("other:fine.md", "spec"), ("other:outside.md", "spec")]);
    assert_eq!(rig.make(&[]).report["refs_resolved"], 2);
}

#[test]
fn an_artifact_outside_the_brain_is_refused_with_the_words_of_the_original() {
    let rig = Rig::new();
    let frontmatter = "---\nsoft_links: []\n---\n";
    let evil = rig
        .dir
        .file("app/project-brain-evil/thread.md", frontmatter);
    let outside = rig.dir.file("app/thread.md", frontmatter);
    symlink(
        &outside,
        rig.file("tree/a.md", "").with_file_name("link.md"),
    )
    .unwrap();
    for (named, real) in [
        ("../thread.md", &outside),
        ("../project-brain-evil/thread.md", &evil),
        ("tree/link.md", &outside),
        (text(&outside).as_str(), &outside),
    ] {
        let error = rig
            .plain(&[named, "--json"])
            .fails("artifact_escapes")
            .error();
        let real = real.canonicalize().unwrap();
        let expected = format!("artifact_path escapes brain_path: {}", real.display());
        assert_eq!(error.message, expected);
    }
    assert!(!rig.scratch().exists(), "nothing was written");
}

#[test]
fn names_that_become_folders_stay_in_their_folder() {
    let rig = Rig::new();
    let before = rig.picture();
    for frontmatter in [
        "id: ../../x",
        "id: ..",
        "id: a/b",
        "id: /etc",
        "id: 'a\\b'",
        "id: \"a\\0b\"",
        "primary_project: ../x",
    ] {
        rig.artifact(&format!("{frontmatter}\nsoft_links: []\n"));
        let error = rig.run(&["--json"]).fails("name_unsafe").error();
        assert!(
            error.message.contains("can not name a folder"),
            "{}",
            error.message
        );
    }
    rig.artifact("id: /abs\nsoft_links: []\n");
    let error = rig.run(&["--json"]).fails("name_unsafe").error();
    assert_eq!(
        error.message,
        "`id: /abs` can not name a folder: is an absolute path"
    );
    rig.file("config.yaml", "primary_project: ../x\n");
    rig.artifact("soft_links: []\n");
    rig.run(&["--json"]).fails("name_unsafe");
    assert!(!rig.scratch().exists(), "nothing was written");
    assert_eq!(
        rig.picture().len(),
        before.len() + 3,
        "but for the artifact and its folders"
    );
}

#[test]
fn private_and_special_places_are_not_read() {
    let rig = Rig::new();
    rig.file(
        "config.yaml",
        "primary_project: app\naliases:\n  app: {root: .., brain: .}\n",
    );
    rig.dir.file("app/.env", "hidden-4711");
    rig.dir.file("app/.git/config", "hidden-4711");
    rig.dir.file("../home/.ssh/id_rsa", "hidden-4711");
    rig.file("tree/closed/.agent-no-read.md", "");
    rig.file("tree/closed/a.md", "hidden-4711");
    let fifo = rig.file("tree/x.md", "").with_file_name("fifo.md");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    symlink("../.env", rig.brain().join("tree/env.md")).unwrap();
    symlink("/dev/zero", rig.brain().join("tree/zero.md")).unwrap();
    let key = format!("file://{}/.ssh/id_rsa", rig.dir.home().display());
    let links = [
        (key.as_str(), "blocked-private"),
        ("app:.env", "blocked-private"),
        ("app:.git/config", "blocked-private"),
        ("app:.git/none", "blocked-private"),
        ("file:///dev/zero", "blocked-private"),
        ("file:///proc/self/environ", "blocked-private"),
        ("/tree/zero.md", "path-escapes-root"),
        ("/tree/env.md", "not-found"),
        ("/tree/fifo.md", "not-a-file: fifo"),
        ("/tree/closed/a.md", "excluded-by-marker"),
    ];
    rig.links(&links.map(|(uri, _)| (uri, "spec")));
    let made = rig.make(&[]);
    for (uri, reason) in links {
        assert_eq!(made.reason(uri), reason, "{uri}");
    }
    assert!(made.warnings().contains("--allow-private"));
    assert!(!made.text.contains("hidden-4711"));
    let made = rig.make(&["--allow-private"]);
    assert_eq!(made.entry("app:.env")["status"], "resolved");
    assert_eq!(made.entry(&key)["status"], "resolved");
    assert_eq!(
        made.reason("file:///dev/zero"),
        "not-a-file: character device"
    );
    assert_eq!(made.reason("/tree/closed/a.md"), "excluded-by-marker");
}

#[test]
fn files_of_any_kind_and_size_are_survived() {
    let rig = Rig::new();
    let large = rig.file("tree/large.md", "x");
    std::fs::File::options()
        .write(true)
        .open(&large)
        .unwrap()
        .set_len(10 * 1024 * 1024 + 1)
        .unwrap();
    rig.file("tree/binary.md", b"\xff\xf0\x00");
    rig.file("tree/picture.png", b"\x89PNG");
    rig.file("tree/dir/other.md", "x");
    let outside = rig.dir.file("with space/f.md", "a file");
    let encoded = format!("file://{}", text(&outside).replace(' ', "%20"));
    rig.links(&[
        ("/large.md", "spec"),
        ("/binary.md", "spec"),
        ("/picture.png", "spec"),
        ("/dir", "spec"),
        (&encoded, "spec"),
        ("file://elsewhere/x", "spec"),
    ]);
    let made = rig.make(&[]);
    assert_eq!(made.reason("/large.md"), "too-large");
    assert_eq!(made.reason("/dir"), "not-found");
    assert_eq!(made.reason("file://elsewhere/x"), "unsupported-scheme");
    let contents: Vec<String> = made
        .envelopes()
        .into_iter()
        .map(|one| one.content)
        .collect();
    assert_eq!(
        contents,
        [
            "[text/markdown, 3 bytes: not shown]\n",
            "[image/png, 4 bytes: not shown]\n",
            "a file"
        ]
    );
}

#[test]
fn the_worked_example_resolves_as_its_rules_say() {
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/brain/app");
    let rig = Rig::new();
    for (artifact, count) in [
        ("threads/rate-limits/thread.md", 8),
        ("tree/NODE.md", 1),
        ("tree/gateway/NODE.md", 1),
        ("tree/gateway/limits.md", 1),
        ("tree/gateway/retry", 0),
        ("tree/gateway/retry/impl-spec.md", 2),
        ("threads/rate-limits/tree-staging/quota.md", 1),
        ("archive/first-limits/thread.md", 0),
    ] {
        let path = format!("project-brain/{artifact}");
        let mut command = rig.dir.command(&example);
        let run = crate::harness::outcome(command.args(["materialize", &path, "--json"]));
        if artifact.ends_with("retry") {
            // A leaf and its specification: which one is meant?
            assert_eq!(run.expect(2).error().code, "artifact_unclear");
            continue;
        }
        let made = super::rig::made(run);
        assert_eq!(made.report["refs_resolved"], count, "{artifact}");
        assert_eq!(made.stderr, "", "{artifact}");
        assert_eq!(made.envelopes().len(), count, "{artifact}");
    }
}
