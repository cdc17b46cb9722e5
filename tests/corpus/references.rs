//! Links inside the text of a skill: told by `check`, and never the end of a skill.

use super::judge::{ROOT, text};
use crate::harness::Dir;
use serde_json::Value;

/// Checks one skill with this body beside some files; the body starts in line 5.
fn check(body: &str) -> (Dir, Value) {
    let dir = Dir::new();
    dir.file("outside.md", "");
    for file in ["forms.md", "setup guide.md", "references/a.md"] {
        dir.file(&format!("{ROOT}/demo/{file}"), "text");
    }
    let skill = format!("---\nname: demo\ndescription: Explains forms\n---\n{body}");
    dir.file(&format!("{ROOT}/demo/SKILL.md"), skill);
    let root = dir.arg(ROOT);
    let report = dir.run(["check", &root, "--json"]).expect(0).json();
    (dir, report)
}

#[track_caller]
fn found(body: &str, expected: &[&str]) {
    let (dir, report) = check(body);
    let found: Vec<String> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}:{} {}", one["line"], one["column"], text(&one["code"])))
        .collect();
    assert_eq!(found, expected, "{body}");
    // A dead link degrades no skill, so the index agrees.
    let summary = &report["summary"];
    assert_eq!((&summary["ok"], &summary["found"]), (&1.into(), &1.into()));
    let (root, index) = (dir.arg(ROOT), dir.arg("i"));
    let build = [
        "--skills", &root, "index", "build", "--output", &index, "--json",
    ];
    assert_eq!(&dir.run(build).expect(0).json()["skills"], summary);
    let strict = dir.run(["check", &root, "--strict"]);
    assert_eq!(strict.code, i32::from(!expected.is_empty()));
}

#[test]
fn each_link_has_its_own_verdict() {
    found("# D\n\n[f](forms.md) [g](references/a.md#part)\n", &[]);
    found("# D\n\n[f](FORMS.md)\n", &["7:1 link-case"]);
    found("# D\n\nsee [f](gone.md)\n", &["7:5 link-missing"]);
    found("# D\n\n[f](../../outside.md)\n", &["7:1 link-outside"]);
    found("# D\n\n[f](..%2F..%2Foutside.md)\n", &["7:1 link-outside"]);
    found("# D\n\n[f](setup%20guide.md) [g](<setup guide.md>)\n", &[]);
}

#[test]
fn addresses_anchors_and_placeholders_are_no_files() {
    found(
        "# D\n\n[a](https://x.test/y.md) [b](#part) [c]({baseDir}/x.md) [d](${CLAUDE_SKILL_DIR}/x.md) [e](mailto:a@b.test)\n",
        &[],
    );
}

#[test]
fn links_in_code_are_text() {
    found(
        "# D\n\n```\n[x](nope.md)\n@nope.md\n```\n\n`[x](nope.md)`\n\n    [x](nope.md)\n",
        &[],
    );
}

#[test]
fn a_reference_that_is_a_link_out_of_the_root_is_outside() {
    let (dir, _) = check("# D\n\n[x](ref.md)\n");
    dir.link("/etc/hostname", &format!("{ROOT}/demo/ref.md"));
    let root = dir.arg(ROOT);
    let report = dir.run(["check", &root, "--json"]).expect(0).json();
    assert_eq!(report["diagnostics"][0]["code"], "link-outside");
}
