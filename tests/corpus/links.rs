//! Links among skills: followed inside the root and once, told where they lead out of it or nowhere.

use super::judge::{ROOT, answers, judge, sibling};
use crate::harness::Dir;

fn put(dir: &Dir, path: &str, name: &str) {
    let text = format!("---\nname: {name}\ndescription: d\n---\n# Demo\n\nText of {name}.\n");
    dir.file(&format!("{path}/SKILL.md"), text);
}

fn link(dir: &Dir, target: &str, name: &str) {
    dir.link(target, &format!("{ROOT}/{name}"));
}

#[test]
fn a_link_to_a_skill_inside_the_root_counts_once_under_its_real_path() {
    let dir = Dir::new();
    put(&dir, &format!("{ROOT}/real"), "real");
    link(&dir, "real", "also");
    link(&dir, "real", "zz");
    let verdict = judge(&dir);
    assert_eq!(verdict.found, [""; 0]);
    assert_eq!(verdict.summary, "1 = 1 + 0 + 0, 0 nested");
    assert_eq!(verdict.listed, ["local/real real/SKILL.md"]);
}

#[test]
fn a_linked_skill_file_counts_once_under_its_real_path() {
    let dir = Dir::new();
    put(&dir, &format!("{ROOT}/real"), "real");
    // Before and behind the real one in the order of paths.
    for folder in ["also", "zz"] {
        std::fs::create_dir(dir.at(&format!("{ROOT}/{folder}"))).unwrap();
        link(&dir, "../real/SKILL.md", &format!("{folder}/SKILL.md"));
    }
    let verdict = judge(&dir);
    assert_eq!(verdict.summary, "1 = 1 + 0 + 0, 0 nested");
    assert_eq!(verdict.listed, ["local/real real/SKILL.md"]);
}

#[test]
fn a_linked_file_of_another_name_is_a_skill_where_the_link_stands() {
    let dir = Dir::new();
    let text = "---\nname: a\ndescription: d\n---\n# A\n\nx\n";
    dir.file(&format!("{ROOT}/shared/text.md"), text);
    for folder in ["a", "b"] {
        std::fs::create_dir(dir.at(&format!("{ROOT}/{folder}"))).unwrap();
        link(&dir, "../shared/text.md", &format!("{folder}/SKILL.md"));
    }
    let verdict = judge(&dir);
    assert_eq!(verdict.summary, "1 = 1 + 0 + 0, 0 nested");
    assert_eq!(verdict.listed, ["local/a a/SKILL.md"]);
}

#[test]
fn what_lies_outside_the_root_is_not_read_and_the_siblings_stay() {
    let dir = Dir::new();
    sibling(&dir);
    put(&dir, "elsewhere/x", "x");
    link(&dir, "../elsewhere/x", "x");
    link(&dir, dir.at("elsewhere").to_str().unwrap(), "all");
    std::fs::create_dir(dir.at(&format!("{ROOT}/file"))).unwrap();
    link(&dir, "../../elsewhere/x/SKILL.md", "file/SKILL.md");
    let verdict = judge(&dir);
    assert_eq!(
        verdict.found,
        [
            "all:0:0 link-outside-root",
            "file/SKILL.md:0:0 link-outside-root",
            "x:0:0 link-outside-root"
        ]
    );
    assert_eq!(verdict.summary, "4 = 1 + 0 + 3, 0 nested");
    assert_eq!(verdict.listed, ["local/good good/SKILL.md"]);
    assert_eq!(answers(&dir, "x"), ["skill_rejected"]);
}

#[test]
fn a_link_into_another_root_is_inside() {
    let dir = Dir::new();
    sibling(&dir);
    put(&dir, "elsewhere/x", "x");
    link(&dir, "../elsewhere/x", "x");
    let (root, other) = (dir.arg(ROOT), dir.arg("elsewhere"));
    let report = dir.run(["check", &root, &other, "--json"]).expect(0).json();
    assert_eq!(report["summary"]["found"], 2);
    assert_eq!(report["summary"]["ok"], 2);
}

#[test]
fn a_root_whose_name_starts_like_ours_is_outside() {
    let dir = Dir::new();
    sibling(&dir);
    put(&dir, &format!("{ROOT}2/x"), "x");
    link(&dir, "../r2/x", "x");
    assert_eq!(judge(&dir).found, ["x:0:0 link-outside-root"]);
}

#[test]
fn dangling_links_are_told_one_by_one() {
    let dir = Dir::new();
    sibling(&dir);
    link(&dir, "/nonexistent", "dead");
    link(&dir, "gone", "gone-too");
    std::fs::create_dir(dir.at(&format!("{ROOT}/file"))).unwrap();
    link(&dir, "nowhere.md", "file/SKILL.md");
    // Not a skill by its name, and inside a skill: nobody's business.
    link(&dir, "nowhere", "notes.txt");
    link(&dir, "nowhere", "good/references");
    let verdict = judge(&dir);
    assert_eq!(
        verdict.found,
        [
            "dead:0:0 dangling-link",
            "file/SKILL.md:0:0 dangling-link",
            "gone-too:0:0 dangling-link"
        ]
    );
    assert_eq!(verdict.summary, "4 = 1 + 0 + 3, 0 nested");
    assert_eq!(verdict.listed, ["local/good good/SKILL.md"]);
}

#[test]
fn loops_end() {
    let dir = Dir::new();
    sibling(&dir);
    put(&dir, &format!("{ROOT}/g/a"), "a");
    link(&dir, "..", "g/up");
    link(&dir, "../..", "g/a/root");
    link(&dir, "b-link", "a-link");
    link(&dir, "a-link", "b-link");
    link(&dir, "self", "self");
    let verdict = judge(&dir);
    assert_eq!(
        verdict.listed,
        ["local/a g/a/SKILL.md", "local/good good/SKILL.md"]
    );
    assert_eq!(
        verdict.found,
        [
            "a-link:0:0 dangling-link",
            "b-link:0:0 dangling-link",
            "self:0:0 dangling-link"
        ]
    );
}

#[test]
fn a_root_that_is_a_link_is_followed() {
    let dir = Dir::new();
    put(&dir, "real/a", "a");
    put(&dir, "real/b", "b");
    dir.link("real", ROOT);
    let verdict = judge(&dir);
    assert_eq!(verdict.summary, "2 = 2 + 0 + 0, 0 nested");
    assert_eq!(verdict.listed, ["local/a a/SKILL.md", "local/b b/SKILL.md"]);
}

#[test]
fn a_root_named_twice_counts_once() {
    let dir = Dir::new();
    sibling(&dir);
    dir.link(ROOT, "again");
    let (root, again) = (dir.arg(ROOT), dir.arg("again"));
    let report = dir.run(["check", &root, &again, "--json"]).expect(0).json();
    assert_eq!(report["summary"]["found"], 1);
    assert_eq!(report["diagnostics"], serde_json::json!([]));
}

#[test]
fn a_linked_manifest_outside_the_root_is_not_read() {
    let dir = Dir::new();
    put(&dir, &format!("{ROOT}/a"), "a");
    dir.file("secret.json", r#"{"name": "secret"}"#);
    std::fs::create_dir(dir.at(&format!("{ROOT}/.claude-plugin"))).unwrap();
    link(&dir, "../../secret.json", ".claude-plugin/plugin.json");
    assert_eq!(judge(&dir).listed, ["local/a a/SKILL.md"]);
}
