//! Frontmatter as authors really write it: repaired entry by entry, told with its place, and never the end of a skill.

use super::judge::{ROOT, Verdict, fm, judge, sibling};
use crate::harness::Dir;

/// Judges one file beside a flawless skill. `found` names `LINE:COLUMN CODE` of each diagnostic of the file.
#[track_caller]
fn file(text: impl AsRef<[u8]>, found: &[&str]) -> (Dir, Verdict) {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/demo/SKILL.md"), text);
    let verdict = judge(&dir);
    let expected: Vec<String> = found
        .iter()
        .map(|one| format!("demo/SKILL.md:{one}"))
        .collect();
    assert_eq!(verdict.found, expected);
    let degraded = if found.is_empty() { "2 + 0" } else { "1 + 1" };
    assert_eq!(verdict.summary, format!("2 = {degraded} + 0, 0 nested"));
    (dir, verdict)
}

/// Judges frontmatter; the skill must be `demo` with this description.
#[track_caller]
fn front(lines: &str, found: &[&str], description: &str) -> Verdict {
    let (_, verdict) = file(fm(lines), found);
    let expected = ("demo".to_owned(), description.to_owned());
    assert_eq!(verdict.described.first(), Some(&expected));
    verdict
}

#[test]
fn a_colon_in_a_value_costs_nothing_but_a_warning() {
    front(
        "name: demo\ndescription: Use when: a PDF comes",
        &["3:22 fm-recovered"],
        "Use when: a PDF comes",
    );
}

#[test]
fn a_cosmetic_key_never_costs_the_others() {
    front(
        "name: demo\ndescription: d\nargument-hint: [a] [b]",
        &["4:20 fm-recovered"],
        "d",
    );
}

#[test]
fn values_that_start_no_plain_scalar_are_text() {
    front(
        "name: demo\ndescription: d\npackage: @x/y",
        &["4:10 fm-recovered"],
        "d",
    );
    for (value, column) in [
        ("`run` it", 14),
        ("\"Learn\" then build", 22),
        ("%PATH% use", 14),
        ("*.pdf files", 14),
        ("{{ title }}", 14),
    ] {
        let found = format!("3:{column} fm-recovered");
        front(
            &format!("name: demo\ndescription: {value}"),
            &[&found],
            value,
        );
    }
}

#[test]
fn block_scalars_are_folded_and_kept() {
    for (style, expected) in [
        (">-", "one two"),
        (">", "one two"),
        (">+", "one two"),
        (">2", "one two"),
        ("|", "one\ntwo"),
        ("|-", "one\ntwo"),
    ] {
        let lines = format!("name: demo\ndescription: {style}\n  one\n  two");
        front(&lines, &[], expected);
    }
}

#[test]
fn only_the_first_block_is_frontmatter_and_the_body_is_whole() {
    let body = "# Demo\nbody\n\n---\nname: other\n---\nend";
    let text = format!("---\nname: demo\ndescription: one --- two\n---\n{body}");
    let (_, verdict) = file(text, &[]);
    assert_eq!(verdict.described[0], ("demo".into(), "one --- two".into()));
    assert_eq!(verdict.skills[0].text, body);
}

#[test]
fn an_unclosed_block_is_named_as_such_and_nothing_is_lost() {
    let text = "---\nname: demo\ndescription: d\n\n# Demo\n\nbody\n";
    let (_, verdict) = file(text, &["1:1 fm-unterminated"]);
    assert_eq!(verdict.described[0], ("demo".into(), "d".into()));
    assert_eq!(verdict.skills[0].text, text);
}

#[test]
fn what_stands_before_the_block_is_tolerated() {
    for lead in ["\n", "<!-- note -->\n", "\n\n<!-- a\nb -->\n"] {
        let text = format!("{lead}---\nname: demo\ndescription: d\n---\nx\n");
        let (_, verdict) = file(text, &["1:0 fm-leading"]);
        assert_eq!(verdict.described[0], ("demo".into(), "d".into()));
        assert_eq!(verdict.skills[0].text, "x\n");
    }
    let wrapped = "```markdown\n---\nname: demo\ndescription: d\n---\n# Demo\nx\n```\n";
    let (_, verdict) = file(wrapped, &["1:0 fm-leading", "8:0 fence-unclosed"]);
    assert_eq!(verdict.described[0], ("demo".into(), "d".into()));
}

#[test]
fn without_a_block_folder_and_first_paragraph_stand_in() {
    let (_, verdict) = file("# Only text\n\nReads *PDF* files.\n", &["1:0 fm-missing"]);
    assert_eq!(
        verdict.described[0],
        ("demo".into(), "Reads PDF files.".into())
    );
    let (_, verdict) = file("just text\n", &["1:0 fm-missing"]);
    assert_eq!(verdict.described[0], ("demo".into(), "just text".into()));
}

#[test]
fn scalars_that_are_no_strings_keep_their_source_text() {
    for name in ["yes", "123", "010", "2024-01-01", "1.5"] {
        let dir = Dir::new();
        sibling(&dir);
        // The folder has the same name, so that only the type is odd.
        let text = fm(&format!("name: {name}\ndescription: d"));
        dir.file(&format!("{ROOT}/{name}/SKILL.md"), text);
        let verdict = judge(&dir);
        let path = format!("{name}/SKILL.md");
        assert!(
            verdict.found.contains(&format!("{path}:2:7 fm-not-string")),
            "{:?}",
            verdict.found
        );
        assert!(verdict.listed.contains(&format!("local/{name} {path}")));
        assert_eq!(verdict.summary, "2 = 1 + 1 + 0, 0 nested");
    }
}

#[test]
fn a_null_name_is_none_and_the_folder_stands_in() {
    let found = ["1:0 name-missing", "2:7 fm-not-string"];
    let (_, verdict) = file(fm("name: null\ndescription: d"), &found);
    assert_eq!(verdict.described[0].0, "demo");
    let (_, verdict) = file(fm("name:\ndescription: d"), &["1:0 name-missing"]);
    assert_eq!(verdict.described[0].0, "demo");
}

#[test]
fn a_time_as_description_is_text() {
    front(
        "name: demo\ndescription: 12:30",
        &["3:14 fm-not-string"],
        "12:30",
    );
}

#[test]
fn an_empty_description_leaves_the_skill_addressable() {
    let (dir, verdict) = file(fm("name: demo\ndescription:"), &["1:0 description-missing"]);
    assert_eq!(verdict.described[0], ("demo".into(), String::new()));
    assert_eq!(super::judge::answers(&dir, "demo"), ["demo/SKILL.md"]);
}

#[test]
fn a_repeated_key_is_told_and_the_first_one_counts() {
    front(
        "name: demo\ndescription: first\ndescription: second",
        &["4:1 fm-duplicate-key"],
        "first",
    );
}

#[test]
fn allowed_tools_are_never_widened_by_a_failed_parse() {
    // The broken line above does not cost the tools.
    front(
        "name: demo\ndescription: a: b\nallowed-tools: Read",
        &["3:15 fm-recovered"],
        "a: b",
    );
    // Where they can not be read, that is said.
    for tools in ["allowed-tools:\n  Read: yes", "allowed-tools: &a Read"] {
        let (_, verdict) = file(
            fm(&format!("name: demo\ndescription: d\n{tools}")),
            &match tools.contains('&') {
                true => vec!["4:16 fm-refused", "4:16 tools-unknown"],
                false => vec!["5:3 tools-unknown"],
            },
        );
        assert_eq!(verdict.described[0].1, "d");
    }
}

#[test]
fn tabs_are_read_and_reported() {
    front(
        "name:\tdemo\ndescription:\td",
        &["2:6 fm-tab", "3:13 fm-tab"],
        "d",
    );
}

#[test]
fn two_bad_files_do_not_touch_each_other_or_the_good_one() {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(
        &format!("{ROOT}/a/SKILL.md"),
        fm("name: a\ndescription: x: y"),
    );
    dir.file(&format!("{ROOT}/b/SKILL.md"), b"---\nname: b\n\xA1\xAA");
    let verdict = judge(&dir);
    assert_eq!(
        verdict.found,
        ["a/SKILL.md:3:15 fm-recovered", "b/SKILL.md:3:1 not-utf8"]
    );
    assert_eq!(verdict.summary, "3 = 1 + 1 + 1, 0 nested");
    assert_eq!(
        verdict.listed,
        ["local/a a/SKILL.md", "local/good good/SKILL.md"]
    );
}
