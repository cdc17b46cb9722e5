//! A checkout that is renamed or moved keeps its index.

use super::rig::snapshot;
use crate::harness::{Dir, fixture};

#[test]
fn a_moved_checkout_keeps_its_index_and_its_roots_are_relative() {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at("repo/.git")).unwrap();
    fixture::write(&dir);
    std::fs::rename(dir.at("corpus"), dir.at("repo/skills")).unwrap();
    let build = |repo: &str| {
        let (root, index) = (
            dir.arg(&format!("{repo}/skills")),
            dir.arg(&format!("{repo}/idx")),
        );
        let args = [
            "--skills", &root, "index", "build", "--output", &index, "--json",
        ];
        dir.run(args).expect(0).json()
    };
    let first = build("repo");
    assert_eq!(
        first["roots"],
        serde_json::json!([{"kind": "relative", "path": "../skills"}])
    );
    let packet = |repo: &str| {
        let request = dir.request("r.json", &fixture::migration());
        let (index, root) = (
            dir.arg(&format!("{repo}/idx")),
            dir.arg(&format!("{repo}/skills")),
        );
        let out = dir.arg("p.md");
        let args = [
            "--skills",
            &root,
            "packet",
            "--request",
            &request,
            "--index",
            &index,
            "--output",
            &out,
        ];
        dir.run(args).expect(0);
        (dir.bytes("p.md"), dir.bytes("p.json"))
    };
    let packet_before = packet("repo");
    let settle = |repo: &str| {
        for _ in 0..4 {
            match build(repo)["outcome"].as_str().unwrap() {
                "fresh" => return,
                outcome => assert_eq!(outcome, "refreshed"),
            }
        }
        panic!("never fresh");
    };
    settle("repo");
    let sealed = |repo: &str| -> Vec<Vec<u8>> {
        snapshot(&dir, &format!("{repo}/idx/generations"))
            .into_iter()
            .filter(|(path, ..)| !path.ends_with("sources.bin"))
            .map(|(_, bytes, _)| bytes)
            .collect()
    };
    let files = sealed("repo");
    std::fs::create_dir(dir.at("else where")).unwrap();
    std::fs::rename(dir.at("repo"), dir.at("else where/moved")).unwrap();
    let moved = "else where/moved";
    settle(moved);
    assert!(sealed(moved) == files);
    assert!(packet(moved) == packet_before);
}

#[test]
fn a_moved_checkout_keeps_its_default_index() {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at("repo/.git")).unwrap();
    dir.skill("repo/.claude/skills/a", "a", "d", "", "# A\n\nx\n");
    let packet = |repo: &str| {
        let request = dir.request("r.json", &serde_json::json!({"required_skills": ["a"]}));
        let out = dir.arg("p.md");
        let args = ["packet", "--request", &request, "--output", &out];
        let run = dir.run_in(&dir.at(repo), args).expect(0);
        assert_eq!(run.stderr, "");
        (dir.bytes("p.md"), dir.bytes("p.json"))
    };
    let first = packet("repo");
    let keys = |repo: &str| super::rig::names(&dir.at(&format!("{repo}/.vibey/skills-context")));
    let before = keys("repo");
    std::fs::rename(dir.at("repo"), dir.at("moved")).unwrap();
    assert!(packet("moved") == first);
    assert_eq!(keys("moved"), before, "no second index");
}
