//! What is broken, refused or doubled, and that it costs nothing else.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use super::super::parse;
use super::{check, fields, file, findings};

#[test]
fn a_colon_in_a_value_is_text() {
    check(
        "name: demo\ndescription: Use when: a PDF comes",
        &["name=demo", "description=Use when: a PDF comes"],
        "3:22 fm-recovered",
    );
    check(
        "description: Use when: a PDF comes\n  or: a form, too\nname: demo",
        &[
            "name=demo",
            "description=Use when: a PDF comes or: a form, too",
        ],
        "2:22 fm-recovered",
    );
    let parsed = parse(
        &file("name: demo\ndescription: Use when: a PDF comes"),
        "demo",
    );
    assert_eq!(
        parsed.findings.first().map(|f| f.message.as_str()),
        Some(
            "`description` is not valid YAML (mapping values are not allowed in this context); read as plain text"
        )
    );
}

#[test]
fn one_odd_key_never_costs_the_others() {
    check(
        "name: demo\ndescription: d\nargument-hint: [a] [b]\ndomains: [x]",
        &["name=demo", "description=d", "domains=x"],
        "4:20 fm-recovered",
    );
    check(
        "name: demo\ndescription: d\nmetadata:\n  author: a: b\n  version: 2.1.0\nlicense: MIT",
        &[
            "name=demo",
            "description=d",
            "license=MIT",
            "version=2.1.0",
            "metadata.author=a: b",
            "metadata.version=2.1.0",
        ],
        "5:12 fm-recovered",
    );
    check(
        "name: demo\ndescription: d\nmandatory_sections:\n  - Use: when: asked\n  - 'Limits'\n  - @all",
        &[
            "name=demo",
            "description=d",
            "mandatory=Use: when: asked|Limits|@all",
        ],
        "5:14 fm-recovered",
    );
}

#[test]
fn characters_that_start_no_plain_scalar_are_text() {
    check(
        "name: demo\ndescription: d\npackage: @x/y",
        &["name=demo", "description=d"],
        "4:10 fm-recovered",
    );
    for (value, column) in [
        ("`run` it", 14),
        ("\"Learn\" then build", 22),
        ("\"Learn\" then \"build\"", 22),
        ("%PATH% use", 14),
        ("*.pdf files", 14),
        ("**Bold** claim", 14),
        ("@me", 14),
        ("{{ title }}", 14),
        ("{{ title }} use", 26),
        ("[a] [b]", 18),
        ("- a dash", 14),
        ("> quoted: text", 14),
    ] {
        check(
            &format!("name: demo\ndescription: {value}"),
            &["name=demo", &format!("description={value}")],
            &format!("3:{column} fm-recovered"),
        );
    }
    check(
        "name: demo\ndescription: \"a regex \\d+ here\"",
        &["name=demo", "description=a regex \\d+ here"],
        "3:14 fm-recovered",
    );
    check(
        "name:demo\ndescription: d",
        &["name=demo", "description=d"],
        "2:6 fm-recovered",
    );
}

#[test]
fn lines_of_no_key_are_named() {
    check(
        "name: demo\nsome text\nmore text\ndescription: d\n--- x",
        &["name=demo", "description=d"],
        "3:1 fm-recovered, 6:1 fm-recovered",
    );
}

#[test]
fn tabs_are_read_and_reported() {
    check(
        "name:\tdemo\ndescription: \td",
        &["name=demo", "description=d"],
        "2:6 fm-tab, 3:14 fm-tab",
    );
    check(
        "name: demo\ndescription: d\nmetadata:\n\tauthor: me\n\tversion: 1.0",
        &[
            "name=demo",
            "description=d",
            "version=1.0",
            "metadata.author=me",
            "metadata.version=1.0",
        ],
        "5:1 fm-tab",
    );
    check(
        "name:\tdemo\ndescription:\ta: b",
        &["name=demo", "description=a: b"],
        "2:6 fm-tab, 3:15 fm-recovered",
    );
}

#[test]
fn anchors_aliases_tags_and_merge_keys_are_refused() {
    check(
        "name: demo\ndescription: &d text\nlicense: *d\ncompatibility: !!str x\nmetadata:\n  <<: {a: b}\n  c: d\ndomains: [a, &x b]",
        &["name=demo"],
        "1:0 description-missing, 3:14 fm-refused, 4:10 fm-refused, 5:16 fm-refused, 7:3 fm-refused, 9:14 fm-refused",
    );
    check(
        "base: &b {a: c}\n<<: *b\nname: demo\ndescription: d",
        &["name=demo", "description=d"],
        "2:7 fm-refused, 3:1 fm-refused",
    );
    check(
        "&all\nname: demo\ndescription: d",
        &["name=demo", "description=d"],
        "2:1 fm-refused",
    );
    // An alias stays one where its anchor is in another entry of a broken block.
    check(
        "name: demo\ndescription: d\na: &x [1]\nlicense: *x\nhint: a: b",
        &["name=demo", "description=d"],
        "4:4 fm-refused, 5:10 fm-refused, 6:8 fm-recovered",
    );
}

#[test]
fn an_alias_bomb_is_never_expanded() {
    let mut block = String::from("name: demo\ndescription: d\na: &a [x,x,x,x,x,x,x,x,x]\n");
    for pair in ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"] {
        let (from, to) = pair.split_at(1);
        let aliases = vec![format!("*{from}"); 9].join(",");
        writeln!(block, "{to}: &{to} [{aliases}]").unwrap();
    }
    for tail in ["end: x", "end: a: b"] {
        let parsed = parse(&file(&format!("{block}{tail}")), "demo");
        assert_eq!(fields(&parsed), "name=demo\ndescription=d\n");
        assert_eq!(findings(&parsed).matches("fm-refused").count(), 9);
    }
}

#[test]
fn of_duplicate_keys_the_first_counts() {
    check(
        "name: demo\ndescription: d\nname: other\nx: 1\nx: 2",
        &["name=demo", "description=d"],
        "4:1 fm-duplicate-key, 6:1 fm-duplicate-key",
    );
    check(
        "name: demo\ndescription: a: b\nname: other\nmetadata: {v: 1, v: 2}",
        &["name=demo", "description=a: b", "metadata.v=1"],
        "3:15 fm-recovered, 4:1 fm-duplicate-key, 5:18 fm-duplicate-key",
    );
    let parsed = parse(&file("name: demo\ndescription: d\n\"name\": other"), "demo");
    assert_eq!(
        parsed.findings.first().map(|f| f.message.as_str()),
        Some("`name` stands in line 2 already; that one counts")
    );
}

#[test]
fn columns_count_characters() {
    check(
        "name: demo\ndescription: \"é🔥\" then: x",
        &["name=demo", "description=\"é🔥\" then: x"],
        "3:19 fm-recovered",
    );
}
