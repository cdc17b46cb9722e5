//! `.agent-no-read.md` keeps agents, and so the index, out of a folder and of all below it.

use super::judge::{ROOT, answers, judge, sibling};
use crate::harness::Dir;

const SECRET: &str = "---\nname: secret\ndescription: d\n---\n# Secret\n\nNobody reads this.\n";

fn marked(folder: &str) -> Dir {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/{folder}/secret/SKILL.md"), SECRET);
    dir.file(&format!("{ROOT}/{folder}/.agent-no-read.md"), "");
    dir
}

#[test]
fn what_is_marked_is_rejected_by_name_and_comes_back_without_the_marker() {
    for folder in ["closed", "a/deep/closed", "closed/secret"] {
        let dir = marked(folder);
        let verdict = judge(&dir);
        let path = format!("{folder}/secret/SKILL.md");
        assert_eq!(verdict.found, [format!("{path}:0:0 excluded-by-marker")]);
        assert_eq!(verdict.summary, "2 = 1 + 0 + 1, 0 nested");
        assert_eq!(answers(&dir, "secret"), ["skill_rejected"]);

        // The same index, refreshed.
        let (root, index) = (dir.arg(ROOT), dir.arg("judged-index"));
        let build = [
            "--skills", &root, "index", "build", "--output", &index, "--json",
        ];
        dir.remove(&format!("{ROOT}/{folder}/.agent-no-read.md"));
        let report = dir.run(build).expect(0).json();
        assert_eq!(
            (&report["outcome"], &report["skill_count"]),
            (&"built".into(), &2.into())
        );
        assert_eq!(answers(&dir, "secret"), [path]);
        dir.file(&format!("{ROOT}/{folder}/.agent-no-read.md"), "");
        let report = dir.run(build).expect(0).json();
        assert_eq!(
            (&report["outcome"], &report["skill_count"]),
            (&"built".into(), &1.into())
        );
        assert_eq!(answers(&dir, "secret"), ["skill_rejected"]);
    }
}

#[test]
fn a_marker_in_the_skill_itself_excludes_it() {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/secret/SKILL.md"), SECRET);
    dir.file(&format!("{ROOT}/secret/.agent-no-read.md"), "why");
    assert_eq!(
        judge(&dir).found,
        ["secret/SKILL.md:0:0 excluded-by-marker"]
    );
}

#[test]
fn a_link_does_not_lead_around_a_marker() {
    for (target, name) in [
        ("closed/secret", "a-folder"),
        ("closed", "all"),
        ("../closed/secret/SKILL.md", "file/SKILL.md"),
        ("../closed/text.md", "text/SKILL.md"),
    ] {
        let dir = marked("closed");
        dir.file(
            &format!("{ROOT}/closed/text.md"),
            SECRET.replace("Secret", "Text"),
        );
        for folder in ["file", "text"] {
            std::fs::create_dir(dir.at(&format!("{ROOT}/{folder}"))).unwrap();
        }
        dir.link(target, &format!("{ROOT}/{name}"));
        let verdict = judge(&dir);
        assert_eq!(verdict.listed, ["local/good good/SKILL.md"], "{target}");
        assert_eq!(verdict.report["skill_count"], 1);
    }
}

#[test]
fn a_marker_that_is_a_folder_marks_all_the_same() {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/odd/SKILL.md"), SECRET);
    dir.file(&format!("{ROOT}/odd/.agent-no-read.md/text"), "");
    assert_eq!(judge(&dir).found, ["odd/SKILL.md:0:0 excluded-by-marker"]);
}

#[test]
fn a_marker_that_is_a_link_marks_all_the_same() {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/linked/SKILL.md"), SECRET);
    dir.link("nowhere", &format!("{ROOT}/linked/.agent-no-read.md"));
    let verdict = judge(&dir);
    assert_eq!(verdict.listed, ["local/good good/SKILL.md"]);
}
