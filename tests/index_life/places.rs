//! Where does an index lie that nobody gave a place?

use super::rig::names;
use crate::harness::{Dir, fixture, outcome};
use serde_json::json;
use std::path::Path;
use vibey_context_contracts::version::INDEX_FORMAT;

fn repository() -> (Dir, String) {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at("repo/.git")).unwrap();
    std::fs::create_dir_all(dir.at("repo/src/deep")).unwrap();
    dir.skill("repo/skills/a", "a", "d", "", "# A\n\nx\n");
    let request = dir.request("r.json", &json!({"required_skills": ["a"]}));
    (dir, request)
}

/// The one index folder below `above`.
#[track_caller]
fn only_key(above: &Path) -> String {
    let found: Vec<String> = names(above)
        .into_iter()
        .filter(|name| name != ".gitignore")
        .collect();
    let [key] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(key.len(), 12, "{key}");
    assert!(
        key.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')),
        "{key}"
    );
    key.clone()
}

#[test]
fn in_a_repository_it_lies_at_the_repositorys_root_and_git_ignores_it() {
    let (dir, request) = repository();
    let out = dir.arg("p.md");
    let args = ["packet", "--request", &request, "--output", &out];
    for cwd in ["repo", "repo/src/deep"] {
        dir.run_in(&dir.at(cwd), args).expect(0);
    }
    let key = only_key(&dir.at("repo/.vibey/skills-context"));
    for folder in [
        ".vibey",
        ".vibey/skills-context",
        &format!(".vibey/skills-context/{key}"),
    ] {
        assert_eq!(
            dir.read(&format!("repo/{folder}/.gitignore")),
            "*\n",
            "{folder}"
        );
    }
    assert!(dir.has(&format!("repo/.vibey/skills-context/{key}/manifest.json")));
    assert!(!dir.home().join(".cache").exists());
}

#[test]
fn a_folder_that_was_there_keeps_its_own_ignore_file() {
    let (dir, request) = repository();
    dir.file("repo/.vibey/.gitignore", "mine\n");
    let out = dir.arg("p.md");
    dir.run_in(
        &dir.at("repo"),
        ["packet", "--request", &request, "--output", &out],
    )
    .expect(0);
    assert_eq!(dir.read("repo/.vibey/.gitignore"), "mine\n");
    only_key(&dir.at("repo/.vibey/skills-context"));
}

#[test]
fn outside_a_repository_it_lies_in_the_users_cache() {
    let dir = Dir::new();
    dir.skill("skills/a", "a", "d", "", "# A\n\nx\n");
    let request = dir.request("r.json", &json!({"required_skills": ["a"]}));
    let out = dir.arg("p.md");
    let args = ["packet", "--request", &request, "--output", &out];
    dir.run(args).expect(0);
    only_key(&dir.home().join(".cache/vibey-context"));
    assert!(!dir.has(".vibey"));
    let other = dir.arg("xdg");
    outcome(
        dir.command(&dir.path())
            .env("XDG_CACHE_HOME", &other)
            .args(args),
    )
    .expect(0);
    only_key(&dir.at("xdg/vibey-context"));
}

#[test]
fn each_set_of_roots_has_its_own_index() {
    let (dir, request) = repository();
    dir.skill("repo/more/a", "a", "d", "", "# Other\n\ny\n");
    let (out, root) = (dir.arg("p.md"), dir.arg("repo/more"));
    dir.run_in(
        &dir.at("repo"),
        ["packet", "--request", &request, "--output", &out],
    )
    .expect(0);
    let plain = dir.bytes("p.md");
    let named = [
        "--skills",
        &root,
        "packet",
        "--request",
        &request,
        "--output",
        &out,
    ];
    dir.run_in(&dir.at("repo"), named).expect(0);
    assert!(dir.bytes("p.md") != plain);
    assert_eq!(names(&dir.at("repo/.vibey/skills-context")).len(), 3);
}

#[test]
fn the_default_index_follows_its_skills_by_itself() {
    let (dir, request) = repository();
    let out = dir.arg("p.md");
    let args = ["packet", "--request", &request, "--output", &out];
    dir.run_in(&dir.at("repo"), args).expect(0);
    dir.skill("repo/skills/a", "a", "d", "", "# A\n\nchanged\n");
    dir.run_in(&dir.at("repo"), args).expect(0);
    assert!(dir.read("p.md").contains("changed"));
}

#[test]
fn a_damaged_or_older_default_index_is_rebuilt() {
    let (dir, request) = repository();
    let out = dir.arg("p.md");
    let args = ["packet", "--request", &request, "--output", &out];
    dir.run_in(&dir.at("repo"), args).expect(0);
    let first = (dir.bytes("p.md"), dir.bytes("p.json"));
    let key = only_key(&dir.at("repo/.vibey/skills-context"));
    let file = format!("repo/.vibey/skills-context/{key}/manifest.json");
    let good = dir.read(&file);
    let version = |format: u32| format!("\"index_version\": {format}");
    let other = |format| {
        let text = good.replace(&version(INDEX_FORMAT), &version(format));
        assert_ne!(text, good);
        text
    };
    let older = other(INDEX_FORMAT - 1);
    for bad in ["", "{", "\0\0\0", &older] {
        dir.file(&file, bad);
        dir.run_in(&dir.at("repo"), args).expect(0);
        assert!((dir.bytes("p.md"), dir.bytes("p.json")) == first);
        assert_eq!(dir.read(&file), good);
    }
    dir.remove(&file);
    dir.run_in(&dir.at("repo"), args).expect(0);
    assert_eq!(dir.read(&file), good);

    // A newer program's index is no ruin: it stays, and so does what it answered.
    let newer = other(INDEX_FORMAT + 1);
    dir.file(&file, &newer);
    dir.run_in(&dir.at("repo"), args).expect(1);
    assert_eq!(dir.read(&file), newer);
}

#[test]
fn building_the_default_index_says_what_it_did() {
    let (dir, _) = repository();
    let args = ["index", "build", "--json"];
    let first = dir.run_in(&dir.at("repo"), args).expect(0).json();
    assert_eq!(first["outcome"], "built");
    let key = only_key(&dir.at("repo/.vibey/skills-context"));
    let index = dir.arg(&format!("repo/.vibey/skills-context/{key}"));
    let seen = dir
        .run_in(&dir.at("repo"), ["index", "inspect", "--json"])
        .expect(0)
        .json();
    let named = dir
        .run(["index", "inspect", &index, "--json"])
        .expect(0)
        .json();
    assert_eq!(seen, named);
    assert_eq!(seen["generation"], first["generation"]);
}

#[test]
fn without_skills_the_starter_corpus_is_used_and_said() {
    let dir = Dir::new();
    let request = dir.request(
        "r.json",
        &json!({"required_skills": ["reviewing-a-change"]}),
    );
    let out = dir.arg("p.md");
    let run = dir
        .run(["packet", "--request", &request, "--output", &out])
        .expect(0);
    assert!(run.stderr.contains("starter corpus"), "{}", run.stderr);
    assert_eq!(dir.json("p.json")["corpus_origin"], "embedded");
    // A folder that an agent would look into, without a skill in it, changes nothing.
    std::fs::create_dir(dir.at("skills")).unwrap();
    let run = dir
        .run(["packet", "--request", &request, "--output", &out])
        .expect(0);
    assert!(run.stderr.contains("starter corpus"), "{}", run.stderr);
}

#[test]
fn a_packet_is_the_same_from_a_default_and_a_named_index() {
    let dir = Dir::new();
    let root = fixture::indexed(&dir);
    let request = dir.request("r.json", &fixture::migration());
    let (index, named, own) = (dir.arg("index"), dir.arg("a.md"), dir.arg("b.md"));
    dir.run([
        "packet",
        "--request",
        &request,
        "--index",
        &index,
        "--output",
        &named,
    ])
    .expect(0);
    dir.run([
        "--skills",
        &root,
        "packet",
        "--request",
        &request,
        "--output",
        &own,
    ])
    .expect(0);
    assert!(dir.bytes("a.md") == dir.bytes("b.md"));
    assert_eq!(dir.read("a.json"), dir.read("b.json"));
}
