//! Descriptions that no request can find a skill by: told by `check`, and by nothing else.

use crate::harness::Dir;
use serde_json::Value;

/// Writes one skill of plugin `local` with its own body, so that no two files are copies.
fn put(dir: &Dir, folder: &str, description: &str) {
    let name = folder.rsplit('/').next().unwrap();
    let body = format!("# Title\n\nText below {folder}.\n");
    dir.skill(&format!("skills/{folder}"), name, description, "", &body);
}

/// `PATH CODE` of every finding below `skills`, or of several roots.
fn codes(dir: &Dir, roots: &[&str]) -> Vec<String> {
    let args = ["check", "--json"].iter().chain(roots);
    let report = dir.run(args).expect(0).json();
    let rows = report["diagnostics"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            assert_eq!(row["severity"], "warning");
            format!("{} {}", word(&row["path"]), word(&row["code"]))
        })
        .collect()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// What `check` says of one skill, `pdf-forms`, with this description.
fn verdict(description: &str) -> Vec<String> {
    let dir = Dir::new();
    put(&dir, "pdf-forms", description);
    codes(&dir, &["skills"])
}

#[test]
fn a_description_without_a_word_of_its_own_is_generic() {
    for description in [
        "A helpful skill",
        "A helpful skill.",
        "Use this skill when needed",
        "Helps the agent with various tasks, if the user asks for it.",
        "TODO",
        "\"TODO: description\"",
        "Best practices and useful guidelines",
        "d",
        "…",
        "\"🚀 🚀\"",
        "pdf-forms",
        "PDF forms",
        "The PDF form skill.",
    ] {
        let expected = ["pdf-forms/SKILL.md description-generic"];
        assert_eq!(verdict(description), expected, "{description}");
    }
}

#[test]
fn one_word_of_its_own_is_enough() {
    for description in [
        "Fill in PDF forms",
        "Kubernetes.",
        "A useful tool for invoices",
        "Power and customers",
        "Performance work",
        "C++ skill",
        "发票",
        "Счета",
        "Use when implementing any feature or bugfix",
    ] {
        assert_eq!(verdict(description), [""; 0], "{description}");
    }
}

#[test]
fn the_words_of_the_plugin_are_no_words_of_the_description() {
    let dir = Dir::new();
    let text =
        |body: &str| format!("---\nname: intro\ndescription: Astronomy guide\n---\n{body}\n");
    dir.file(
        "skills/plugins/astronomy/skills/intro/SKILL.md",
        text("One."),
    );
    dir.file("skills/plugins/geology/skills/intro/SKILL.md", text("Two."));
    assert_eq!(
        codes(&dir, &["skills"]),
        ["plugins/astronomy/skills/intro/SKILL.md description-generic"]
    );
}

#[test]
fn a_skill_without_a_description_is_named_once() {
    for description in ["", "\"\"", "\"  \""] {
        let expected = ["pdf-forms/SKILL.md description-missing"];
        assert_eq!(verdict(description), expected, "{description:?}");
    }
    let dir = Dir::new();
    // The first paragraph stands in; it is no description that somebody wrote.
    for (folder, rest) in [("a", "One."), ("b", "Two.")] {
        let text = format!("# Title\n\nA helpful skill.\n\n{rest}\n");
        dir.file(&format!("skills/{folder}/SKILL.md"), text);
    }
    assert_eq!(
        codes(&dir, &["skills"]),
        ["a/SKILL.md fm-missing", "b/SKILL.md fm-missing"]
    );
}

#[test]
fn equal_descriptions_name_the_first_path() {
    let dir = Dir::new();
    put(&dir, "a", "Moves rows between databases");
    put(&dir, "b", "\"moves  ROWS between databases \"");
    put(&dir, "c", ">-\n  Moves rows\n  between databases");
    put(&dir, "d", "Moves rows between databases.");
    assert_eq!(
        codes(&dir, &["skills"]),
        [
            "b/SKILL.md duplicate-description",
            "c/SKILL.md duplicate-description"
        ],
        "blanks, line breaks and case do not count, punctuation does"
    );
    let text = dir.run(["check", "skills"]).expect(0).stdout;
    let line = "b/SKILL.md: warning[duplicate-description]: description is the same as that of `a/SKILL.md`\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn equal_descriptions_below_two_roots_name_the_root() {
    let dir = Dir::new();
    put(&dir, "a", "Moves rows between databases");
    dir.skill(
        "more/b",
        "b",
        "Moves rows between databases",
        "",
        "Other.\n",
    );
    dir.skill("more/c", "c", "Moves rows between databases", "", "Else.\n");
    assert_eq!(
        codes(&dir, &["more", "skills"]),
        [
            "1:a/SKILL.md duplicate-description",
            "c/SKILL.md duplicate-description"
        ]
    );
    let text = dir.run(["check", "skills", "more"]).expect(0).stdout;
    assert!(text.contains("1:b/SKILL.md: warning[duplicate-description]: description is the same as that of `a/SKILL.md`"), "{text}");
}

#[test]
fn a_copy_is_a_copy_and_two_generic_ones_are_generic() {
    let dir = Dir::new();
    let text = "---\nname: a\ndescription: Moves rows between databases\n---\nText.\n";
    dir.file("skills/x/a/SKILL.md", text);
    dir.file("skills/y/a/SKILL.md", text);
    put(&dir, "z/one", "TODO");
    put(&dir, "z/two", "TODO");
    assert_eq!(
        codes(&dir, &["skills"]),
        [
            "y/a/SKILL.md duplicate-content",
            "z/one/SKILL.md description-generic",
            "z/two/SKILL.md description-generic"
        ]
    );
}

#[test]
fn only_check_tells_and_only_strict_fails() {
    let dir = Dir::new();
    put(&dir, "a", "TODO");
    put(&dir, "b", "Moves rows between databases");
    put(&dir, "c", "Moves rows between databases");
    let report = dir.run(["check", "skills", "--json"]).expect(0).json();
    assert_eq!(report["diagnostics"].as_array().unwrap().len(), 2);
    assert_eq!(report["summary"]["ok"], 3, "the skills are whole");
    dir.run(["check", "skills", "--strict"]).expect(1);

    let build = ["--skills", "skills", "index", "build", "--output", "i"];
    let built = dir.run(build.iter().chain(&["--json"])).expect(0);
    assert_eq!(built.json()["skills"], report["summary"]);
    let again = dir.run(build).expect(0);
    for said in [&built.stdout, &built.stderr, &again.stdout, &again.stderr] {
        assert!(!said.contains("description"), "{said}");
    }
}
