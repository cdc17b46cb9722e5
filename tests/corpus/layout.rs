//! Where do skills lie, which plugin do they belong to, and what is a resource of another skill?

use super::judge::{ROOT, answers, judge};
use crate::harness::Dir;
use serde_json::json;

fn put(dir: &Dir, folder: &str) {
    let name = folder.rsplit('/').next().unwrap();
    let text = format!("---\nname: {name}\ndescription: d\n---\n# Demo\n\nText of {folder}.\n");
    let file = match folder {
        "" => format!("{ROOT}/SKILL.md"),
        _ => format!("{ROOT}/{folder}/SKILL.md"),
    };
    dir.file(&file, text);
}

#[test]
fn below_a_skill_resources_are_counted_and_skills_are_skills() {
    let dir = Dir::new();
    put(&dir, "s");
    for folder in [
        "assets",
        "examples",
        "fixtures",
        "references",
        "scripts",
        "template",
        "templates",
        "tests",
    ] {
        put(&dir, &format!("s/{folder}/t"));
    }
    put(&dir, "s/deep/assets/x/y");
    put(&dir, "s/sub");
    put(&dir, "s/sub/more/inner");
    // Not below a skill: a folder of this name is a category like any other.
    put(&dir, "tests/real");
    let verdict = judge(&dir);
    assert_eq!(verdict.found, [""; 0]);
    assert_eq!(verdict.summary, "4 = 4 + 0 + 0, 9 nested");
    assert_eq!(
        verdict.listed,
        [
            "local/s s/SKILL.md",
            "local/sub s/sub/SKILL.md",
            "local/inner s/sub/more/inner/SKILL.md",
            "local/real tests/real/SKILL.md",
        ]
    );
}

#[test]
fn other_peoples_code_and_build_output_are_never_entered() {
    let dir = Dir::new();
    put(&dir, "s");
    for folder in [
        ".git",
        ".venv",
        "__pycache__",
        "dist",
        "node_modules",
        "target",
        "venv",
    ] {
        put(&dir, &format!("{folder}/x"));
        put(&dir, &format!("s/{folder}/x"));
    }
    put(&dir, ".hidden/h");
    let verdict = judge(&dir);
    assert_eq!(verdict.summary, "2 = 2 + 0 + 0, 0 nested");
    assert_eq!(
        verdict.listed,
        ["local/h .hidden/h/SKILL.md", "local/s s/SKILL.md"]
    );
}

#[test]
fn ignore_files_play_no_part() {
    let dir = Dir::new();
    put(&dir, "s");
    dir.file(&format!("{ROOT}/.gitignore"), "*\n");
    dir.file(&format!("{ROOT}/s/.ignore"), "SKILL.md\n");
    assert_eq!(judge(&dir).summary, "1 = 1 + 0 + 0, 0 nested");
}

#[test]
fn a_skill_at_the_root_does_not_hide_the_deeper_ones() {
    let dir = Dir::new();
    dir.file(
        &format!("{ROOT}/SKILL.md"),
        "---\nname: top\ndescription: d\n---\n# Top\n\nx\n",
    );
    put(&dir, "skills/a");
    put(&dir, "skills/g/b");
    put(&dir, "templates/t");
    let verdict = judge(&dir);
    assert_eq!(verdict.found, [""; 0]);
    assert_eq!(verdict.summary, "3 = 3 + 0 + 0, 1 nested");
    assert_eq!(
        verdict.listed,
        [
            "local/top SKILL.md",
            "local/a skills/a/SKILL.md",
            "local/b skills/g/b/SKILL.md"
        ]
    );
    assert_eq!(answers(&dir, "top"), ["SKILL.md"]);
}

#[test]
fn another_case_is_taken_with_a_warning_where_no_exact_name_exists() {
    let dir = Dir::new();
    let text = |name: &str| format!("---\nname: {name}\ndescription: d\n---\n# Demo\n\nx\n");
    dir.file(&format!("{ROOT}/a/skill.md"), text("a"));
    dir.file(&format!("{ROOT}/b/skill.md"), "not this one");
    dir.file(&format!("{ROOT}/b/SKILL.md"), text("b"));
    let verdict = judge(&dir);
    assert_eq!(verdict.found, ["a/skill.md:0:0 file-name-case"]);
    assert_eq!(verdict.listed, ["local/a a/skill.md", "local/b b/SKILL.md"]);
}

#[test]
fn known_layouts_and_their_plugins() {
    let dir = Dir::new();
    for folder in [
        "plugins/p/skills/one",
        ".claude/skills/two",
        "skills/three",
        "skills/category/four",
    ] {
        put(&dir, folder);
    }
    assert_eq!(
        judge(&dir).listed,
        [
            "local/two .claude/skills/two/SKILL.md",
            "p/one plugins/p/skills/one/SKILL.md",
            "local/four skills/category/four/SKILL.md",
            "local/three skills/three/SKILL.md",
        ]
    );
}

#[test]
fn a_marketplace_names_plugins_by_source_and_by_list() {
    let dir = Dir::new();
    for folder in [
        "docs/pdf",
        "docs/xlsx",
        "other/x",
        "packs/web/skills/css",
        "loose",
    ] {
        put(&dir, folder);
    }
    let entries = json!([
        {"name": "office", "source": "./", "skills": ["./docs/pdf", "./docs/xlsx"], "version": "4", "category": "c"},
        {"name": "web", "source": "./packs/web", "version": "1"},
        {"name": "far", "source": {"source": "github", "repo": "a/b"}},
        {"name": "up", "source": "../outside"},
    ]);
    let marketplace = json!({"metadata": {"version": "2.0.1"}, "plugins": entries});
    let file = format!("{ROOT}/.claude-plugin/marketplace.json");
    dir.file(&file, marketplace.to_string());
    let verdict = judge(&dir);
    assert_eq!(verdict.found, [""; 0]);
    assert_eq!(verdict.report["skills_release"], "2.0.1");
    assert_eq!(
        verdict.listed,
        [
            "office/pdf docs/pdf/SKILL.md",
            "office/xlsx docs/xlsx/SKILL.md",
            "local/loose loose/SKILL.md",
            "local/x other/x/SKILL.md",
            "web/css packs/web/skills/css/SKILL.md",
        ]
    );
    assert_eq!(verdict.skills[0].record.version, "4");
    assert_eq!(answers(&dir, "office/pdf"), ["docs/pdf/SKILL.md"]);
}

#[test]
fn plugin_json_names_its_plugin_before_the_marketplace_does() {
    let dir = Dir::new();
    put(&dir, "plugins/p/skills/one");
    dir.file(
        &format!("{ROOT}/.claude-plugin/marketplace.json"),
        json!({"plugins": [{"name": "m", "source": "./plugins/p", "version": "1"}]}).to_string(),
    );
    assert_eq!(judge(&dir).listed, ["m/one plugins/p/skills/one/SKILL.md"]);
    dir.file(
        &format!("{ROOT}/plugins/p/.claude-plugin/plugin.json"),
        json!({"name": "own", "version": "9"}).to_string(),
    );
    let verdict = judge(&dir);
    assert_eq!(verdict.listed, ["own/one plugins/p/skills/one/SKILL.md"]);
    assert_eq!(verdict.skills[0].record.version, "9");
}

#[test]
fn a_broken_manifest_is_told_and_costs_no_skill() {
    let dir = Dir::new();
    put(&dir, "plugins/p/skills/one");
    dir.file(
        &format!("{ROOT}/.claude-plugin/marketplace.json"),
        "{\n\"plugins\": }",
    );
    dir.file(
        &format!("{ROOT}/plugins/p/.claude-plugin/plugin.json"),
        "[]",
    );
    let verdict = judge(&dir);
    assert_eq!(
        verdict.found,
        [
            ".claude-plugin/marketplace.json:2:12 plugin-manifest",
            "plugins/p/.claude-plugin/plugin.json:0:0 plugin-manifest"
        ]
    );
    assert_eq!(verdict.summary, "1 = 1 + 0 + 0, 0 nested");
    assert_eq!(verdict.listed, ["p/one plugins/p/skills/one/SKILL.md"]);
}

#[test]
fn names_sort_by_their_bytes_whatever_the_locale() {
    let dir = Dir::new();
    for folder in ["aB", "a_b", "A", "a-b", "ä", "a"] {
        dir.file(
            &format!("{ROOT}/{folder}/SKILL.md"),
            format!("---\nname: {folder}\ndescription: d\n---\n# {folder}\n\nx\n"),
        );
    }
    let order: Vec<String> = judge(&dir)
        .listed
        .iter()
        .map(|one| one.rsplit(' ').next().unwrap().to_owned())
        .collect();
    let mut sorted = order.clone();
    sorted.sort();
    assert_eq!(order.len(), 6);
    assert_eq!(order, sorted);
    let root = dir.arg(ROOT);
    let args = ["check", &root, "--json"];
    let plain = dir.run(args).expect(0).stdout;
    for locale in ["C", "tr_TR.UTF-8", "sv_SE.UTF-8"] {
        let mut command = dir.command(&dir.path());
        let run = crate::harness::outcome(command.env("LC_ALL", locale).args(args));
        assert_eq!(run.expect(0).stdout, plain, "{locale}");
    }
}
