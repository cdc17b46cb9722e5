//! Places where nothing can be written: a packet all the same, and never an index that is out of date.

use crate::corpus::unprivileged::{Unprivileged, mode};
use crate::harness::Dir;
use serde_json::json;

fn project() -> Dir {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at("repo/.git")).unwrap();
    dir.skill("repo/skills/a", "a", "d", "", "# A\n\nfirst text\n");
    dir.request("r.json", &json!({"required_skills": ["a"]}));
    dir
}

#[test]
fn a_read_only_project_gets_its_packet_from_the_cache() {
    let dir = project();
    let nobody = Unprivileged::new(&dir);
    let repo = dir.at("repo");
    mode(&repo, 0o555);
    nobody.assert_unwritable(&repo);
    let (request, out) = (dir.arg("r.json"), dir.arg("p.md"));
    let args = ["packet", "--request", &request, "--output", &out];
    let run = nobody.program(&repo, args).expect(0);
    assert!(
        run.stderr.contains("no index can be kept at"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains(".vibey"), "{}", run.stderr);
    assert!(dir.read("p.md").contains("first text"));
    assert!(dir.home().join(".cache/vibey-context").is_dir());
    assert!(!dir.has("repo/.vibey"));
}

#[test]
fn without_any_place_the_index_is_kept_in_memory() {
    let dir = project();
    let nobody = Unprivileged::new(&dir);
    let (request, out) = (dir.arg("r.json"), dir.arg("p.md"));
    let args = ["packet", "--request", &request, "--output", &out];
    nobody.program(&dir.at("repo"), args).expect(0);
    let usual = (dir.bytes("p.md"), dir.bytes("p.json"));
    std::fs::remove_dir_all(dir.at("repo/.vibey")).unwrap();

    let repo = dir.at("repo");
    mode(&repo, 0o555);
    nobody.assert_unwritable(&repo);
    let run = nobody.homeless(&repo, args).expect(0);
    assert!(run.stderr.contains("in memory"), "{}", run.stderr);
    assert!((dir.bytes("p.md"), dir.bytes("p.json")) == usual);
    // What writes an index says that it can not.
    let run = nobody
        .homeless(&repo, ["index", "build", "--json"])
        .expect(1);
    assert_eq!(run.error().code, "index_unwritable");
}

#[test]
fn an_index_that_can_no_longer_be_written_is_not_used_out_of_date() {
    let dir = project();
    let nobody = Unprivileged::new(&dir);
    let repo = dir.at("repo");
    let (request, out) = (dir.arg("r.json"), dir.arg("p.md"));
    let args = ["packet", "--request", &request, "--output", &out];
    nobody.program(&repo, args).expect(0);
    dir.skill("repo/skills/a", "a", "d", "", "# A\n\nsecond text\n");
    mode(&dir.at("repo/skills/a/SKILL.md"), 0o644);
    let kept = dir.at("repo/.vibey/skills-context");
    for name in super::rig::names(&kept)
        .iter()
        .filter(|name| *name != ".gitignore")
    {
        mode(&kept.join(name), 0o555);
        nobody.assert_unwritable(&kept.join(name));
        mode(&kept.join(name).join("generations"), 0o555);
    }
    mode(&kept, 0o555);
    let run = nobody.program(&repo, args).expect(0);
    assert!(
        run.stderr.contains("no index can be kept at"),
        "{}",
        run.stderr
    );
    assert!(dir.read("p.md").contains("second text"));
}

#[test]
fn a_named_index_is_read_from_a_read_only_folder() {
    let dir = project();
    let nobody = Unprivileged::new(&dir);
    let (root, index) = (dir.arg("repo/skills"), dir.arg("index"));
    let build = [
        "--skills", &root, "index", "build", "--output", &index, "--json",
    ];
    nobody.program(&dir.path(), build).expect(0);
    mode(&dir.at("index"), 0o555);
    nobody.assert_unwritable(&dir.at("index"));
    let (request, out) = (dir.arg("r.json"), dir.arg("p.md"));
    let args = [
        "packet",
        "--request",
        &request,
        "--index",
        &index,
        "--output",
        &out,
    ];
    nobody.program(&dir.path(), args).expect(0);
    assert!(dir.read("p.md").contains("first text"));
}

#[test]
fn an_index_folder_that_can_not_be_written_is_an_error_of_its_own() {
    let dir = project();
    let nobody = Unprivileged::new(&dir);
    let closed = dir.at("closed");
    std::fs::create_dir(&closed).unwrap();
    mode(&closed, 0o555);
    nobody.assert_unwritable(&closed);
    let (root, index) = (dir.arg("repo/skills"), dir.arg("closed/index"));
    for output in [&index, &dir.arg("closed")] {
        let build = [
            "--skills", &root, "index", "build", "--output", output, "--json",
        ];
        let run = nobody.program(&dir.path(), build).expect(1);
        assert_eq!(run.error().code, "not_permitted");
    }
    assert!(super::rig::names(&closed).is_empty());
}
