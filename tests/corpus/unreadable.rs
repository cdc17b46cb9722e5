//! Files and folders that this user may not read: told, counted, and the rest complete.

use super::judge::{ROOT, sibling, text};
use super::unprivileged::{Unprivileged, mode};
use crate::harness::Dir;

const DEMO: &str = "---\nname: demo\ndescription: d\n---\n# Demo\n\nx\n";

#[test]
fn an_unreadable_file_and_an_unreadable_folder_cost_only_themselves() {
    let dir = Dir::new();
    sibling(&dir);
    let file = dir.file(&format!("{ROOT}/demo/SKILL.md"), DEMO);
    let folder = dir.at(&format!("{ROOT}/closed"));
    dir.file(&format!("{ROOT}/closed/inner/SKILL.md"), DEMO);
    let nobody = Unprivileged::new(&dir);
    mode(&file, 0o000);
    mode(&folder, 0o000);
    nobody.assert_unreadable(&file);
    nobody.assert_unreadable(&folder);

    let (root, index) = (dir.arg(ROOT), dir.arg("i"));
    let check = nobody
        .program(&dir.path(), ["check", &root, "--json"])
        .expect(1)
        .json();
    let found: Vec<String> = check["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", text(&one["path"]), text(&one["code"])))
        .collect();
    assert_eq!(
        found,
        ["closed folder-unreadable", "demo/SKILL.md unreadable"]
    );
    let build = [
        "--skills", &root, "index", "build", "--output", &index, "--json",
    ];
    let report = nobody.program(&dir.path(), build).expect(0).json();
    assert_eq!(report["skills"], check["summary"]);
    assert_eq!(report["skills"]["found"], 3);
    assert_eq!(report["skills"]["rejected"], 2);
    assert_eq!(report["skill_count"], 1);

    // Once they can be read, a refresh takes them in.
    mode(&file, 0o644);
    mode(&folder, 0o755);
    let report = nobody.program(&dir.path(), build).expect(0).json();
    assert_eq!(report["outcome"], "built");
    assert_eq!(report["skills"]["found"], 3);
    assert_eq!(report["skills"]["rejected"], 0);
}

#[test]
fn an_unreadable_plugin_manifest_costs_no_skill() {
    let dir = Dir::new();
    dir.file(&format!("{ROOT}/plugins/p/skills/demo/SKILL.md"), DEMO);
    let file = dir.file(
        &format!("{ROOT}/plugins/p/.claude-plugin/plugin.json"),
        "{}",
    );
    let nobody = Unprivileged::new(&dir);
    mode(&file, 0o000);
    nobody.assert_unreadable(&file);
    let root = dir.arg(ROOT);
    let report = nobody
        .program(&dir.path(), ["check", &root, "--json"])
        .expect(0)
        .json();
    assert_eq!(report["diagnostics"][0]["code"], "plugin-manifest");
    assert_eq!(report["summary"]["ok"], 1);
}

#[test]
fn an_unreadable_root_is_an_error_and_no_fallback() {
    let dir = Dir::new();
    sibling(&dir);
    let nobody = Unprivileged::new(&dir);
    let folder = dir.at(ROOT);
    mode(&folder, 0o000);
    nobody.assert_unreadable(&folder);
    let root = dir.arg(ROOT);
    let out = dir.arg("i");
    let args = [
        "--skills", &root, "index", "build", "--output", &out, "--json",
    ];
    let run = nobody.program(&dir.path(), args).expect(1);
    assert_eq!(run.error().code, "skills_root");
    assert!(!dir.has("i"));
}
