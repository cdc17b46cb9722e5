//! Under which names does a skill answer, and what if several answer to one?

use super::judge::{ROOT, answers, fm, judge, sibling};
use crate::harness::Dir;
use serde_json::json;

fn put(dir: &Dir, folder: &str, name: &str, body: &str) {
    let text = format!("---\nname: {name}\ndescription: d\n---\n# Demo\n{body}\n");
    dir.file(&format!("{ROOT}/{folder}/SKILL.md"), text);
}

#[test]
fn a_name_that_differs_from_the_folder_answers_under_both() {
    let dir = Dir::new();
    sibling(&dir);
    put(&dir, "a", "b", "body");
    let verdict = judge(&dir);
    assert_eq!(verdict.found, ["a/SKILL.md:2:7 name-differs"]);
    assert_eq!(
        verdict.listed,
        ["local/b a/SKILL.md", "local/good good/SKILL.md"]
    );
    for name in ["a", "b", "local/a", "local/b"] {
        assert_eq!(answers(&dir, name), ["a/SKILL.md"], "{name}");
    }
    assert_eq!(answers(&dir, "c"), ["skill_unknown"]);
}

#[test]
fn a_name_and_another_skills_folder_are_ambiguous_not_lost() {
    let dir = Dir::new();
    put(&dir, "a", "b", "one");
    put(&dir, "b", "c", "two");
    judge(&dir);
    assert_eq!(answers(&dir, "a"), ["a/SKILL.md"]);
    assert_eq!(answers(&dir, "c"), ["b/SKILL.md"]);
    assert_eq!(answers(&dir, "b"), ["skill_ambiguous"]);
}

#[test]
fn one_name_twice_keeps_both_and_the_bare_name_is_ambiguous() {
    let dir = Dir::new();
    put(&dir, "p1/tdd", "tdd", "one");
    put(&dir, "p2/tdd", "tdd", "two");
    let verdict = judge(&dir);
    assert_eq!(verdict.found, ["p2/tdd/SKILL.md:0:0 duplicate-name"]);
    assert_eq!(verdict.summary, "2 = 1 + 1 + 0, 0 nested");
    assert_eq!(verdict.report["skill_count"], 2);
    assert_eq!(answers(&dir, "tdd"), ["skill_ambiguous"]);

    let file = dir.request("r.json", &json!({"required_skills": ["tdd"]}));
    let (index, out) = (dir.arg("judged-index"), dir.arg("p.md"));
    let args = [
        "packet",
        "--request",
        &file,
        "--index",
        &index,
        "--output",
        &out,
        "--json",
    ];
    let message = dir.run(args).fails("skill_ambiguous").error().message;
    for path in ["p1/tdd/SKILL.md", "p2/tdd/SKILL.md"] {
        assert!(message.contains(path), "{message}");
        assert_eq!(answers(&dir, path), [path], "the form shown answers");
    }
}

#[test]
fn one_name_in_two_plugins_is_told_apart_by_the_plugin() {
    let dir = Dir::new();
    put(&dir, "plugins/p1/skills/tdd", "tdd", "one");
    put(&dir, "plugins/p2/skills/tdd", "tdd", "two");
    let verdict = judge(&dir);
    assert_eq!(verdict.found, [""; 0]);
    assert_eq!(answers(&dir, "tdd"), ["skill_ambiguous"]);
    assert_eq!(answers(&dir, "p1/tdd"), ["plugins/p1/skills/tdd/SKILL.md"]);
    assert_eq!(answers(&dir, "p2/tdd"), ["plugins/p2/skills/tdd/SKILL.md"]);
}

#[test]
fn a_byte_identical_copy_collapses_and_both_names_answer() {
    let dir = Dir::new();
    put(&dir, "plugins/p1/skills/tdd", "tdd", "same");
    put(&dir, "plugins/p2/skills/test-first", "tdd", "same");
    let verdict = judge(&dir);
    let first = "plugins/p1/skills/tdd/SKILL.md";
    assert_eq!(verdict.listed, [format!("p1/tdd {first}")]);
    assert_eq!(
        verdict.found,
        [
            "plugins/p2/skills/test-first/SKILL.md:0:0 duplicate-content",
            "plugins/p2/skills/test-first/SKILL.md:2:7 name-differs"
        ]
    );
    assert_eq!(verdict.summary, "2 = 1 + 1 + 0, 0 nested");
    assert_eq!(verdict.report["skill_count"], 1);
    for name in ["tdd", "test-first", "p1/tdd", "p2/tdd", "p2/test-first"] {
        assert_eq!(answers(&dir, name), [first], "{name}");
    }
}

#[test]
fn a_copy_with_other_line_ends_is_the_same_text() {
    let dir = Dir::new();
    let text = fm("name: demo\ndescription: d");
    dir.file(&format!("{ROOT}/a/demo/SKILL.md"), &text);
    dir.file(
        &format!("{ROOT}/b/demo/SKILL.md"),
        text.replace('\n', "\r\n"),
    );
    let verdict = judge(&dir);
    assert_eq!(verdict.found, ["b/demo/SKILL.md:0:0 duplicate-content"]);
    assert_eq!(verdict.report["skill_count"], 1);
}

#[test]
fn a_rejected_skill_is_named_with_its_reason_when_it_is_required() {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/bad/SKILL.md"), b"\xff");
    judge(&dir);
    assert_eq!(answers(&dir, "bad"), ["skill_rejected"]);
    assert_eq!(answers(&dir, "local/bad"), ["skill_rejected"]);
    assert_eq!(answers(&dir, "good"), ["good/SKILL.md"]);
}

#[test]
fn a_missing_mandatory_heading_or_another_retrieval_version_rejects() {
    let dir = Dir::new();
    sibling(&dir);
    let front = |extra: &str| fm(&format!("name: x\ndescription: d\n{extra}"));
    dir.file(
        &format!("{ROOT}/a/x/SKILL.md"),
        front("mandatory_sections: [Nope]"),
    );
    dir.file(
        &format!("{ROOT}/b/x/SKILL.md"),
        front("retrieval_version: 2"),
    );
    let verdict = judge(&dir);
    assert_eq!(
        verdict.found,
        [
            "a/x/SKILL.md:4:0 mandatory-missing",
            "b/x/SKILL.md:4:20 retrieval-version"
        ]
    );
    assert_eq!(verdict.summary, "3 = 1 + 0 + 2, 0 nested");
}
