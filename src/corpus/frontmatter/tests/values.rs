//! What the values mean, and which limits they keep to.
#![allow(clippy::unwrap_used)]

use super::super::{AllowedTools, parse};
use super::{check, file, findings};

#[test]
fn a_clean_block_has_no_findings() {
    check(
        "name: demo\ndescription: Reads PDFs.\nlicense: MIT\ncompatibility: Any shell\n\
         allowed-tools: Bash(git add:*), Read\nmetadata:\n  author: me\n  version: \"1.0\"\n\
         domains: [pdf, text]\nphases:\n- plan\nlanguages: [rust]\ntechnologies: []\n\
         mandatory_sections:\n  - Safety\n  - Limits\nretrieval_version: 1\nother: {a: [b]}",
        &[
            "name=demo",
            "description=Reads PDFs.",
            "license=MIT",
            "compatibility=Any shell",
            "version=1.0",
            "tools=Bash(git add:*)|Read",
            "metadata.author=me",
            "metadata.version=1.0",
            "domains=pdf|text",
            "phases=plan",
            "languages=rust",
            "mandatory=Safety|Limits",
        ],
        "",
    );
}

#[test]
fn block_scalars_fold_as_yaml_says() {
    for (header, value) in [
        (">", "one two"),
        (">-", "one two"),
        (">+", "one two"),
        (">2", "one two"),
        (">2-", "one two"),
        ("> # why", "one two"),
        ("|", "one\ntwo"),
        ("|-", "one\ntwo"),
        ("|+", "one\ntwo"),
        ("", "one two"),
    ] {
        let parsed = parse(
            &file(&format!("name: demo\ndescription: {header}\n  one\n  two")),
            "demo",
        );
        assert_eq!(
            parsed.frontmatter.description.as_deref(),
            Some(value),
            "{header}"
        );
        assert_eq!(findings(&parsed), "", "{header}");
    }
    // The same, with a broken neighbour.
    check(
        "name: demo\ndescription: >-\n  one\n\n  two\nhint: a: b",
        &["name=demo", "description=one\\ntwo"],
        "7:8 fm-recovered",
    );
}

#[test]
fn scalars_that_are_no_text_keep_their_source() {
    for name in [
        "yes",
        "123",
        "010",
        "12:30",
        "2024-01-01",
        "true",
        "1.5",
        "No",
        "0x1F",
        ".inf",
        "1e3",
    ] {
        let parsed = parse(
            &file(&format!("name: {name}\ndescription: d\ndomains: [x]")),
            name,
        );
        assert_eq!(parsed.frontmatter.name.as_deref(), Some(name));
        assert_eq!(parsed.frontmatter.description.as_deref(), Some("d"));
        assert!(
            findings(&parsed).starts_with("2:7 fm-not-string"),
            "{name}: {}",
            findings(&parsed)
        );
    }
    for name in ["null", "~"] {
        check(
            &format!("name: {name}\ndescription: d"),
            &["description=d"],
            "1:0 name-missing, 2:7 fm-not-string",
        );
    }
    check(
        "name:\ndescription: d",
        &["description=d"],
        "1:0 name-missing",
    );
    check(
        "name: demo\ndescription: \"123\"\nlicense: '2024-01-01'\ncompatibility: 2.0",
        &[
            "name=demo",
            "description=123",
            "license=2024-01-01",
            "compatibility=2.0",
        ],
        "5:16 fm-not-string",
    );
    for text in [
        "1.2.3",
        "v1",
        "a:b",
        "2024-01",
        "1:2:x",
        "y",
        "e",
        "-",
        "2024-01-01x",
        "0xZZ",
        "1_000a",
        "yES",
    ] {
        check(
            &format!("name: demo\ndescription: d\nlicense: {text}x"),
            &["name=demo", "description=d", &format!("license={text}x")],
            "",
        );
    }
}

#[test]
fn a_description_that_is_no_scalar() {
    check(
        "name: demo\ndescription:\n  - one\n  - two",
        &["name=demo", "description=one two"],
        "4:3 fm-not-scalar",
    );
    check(
        "name: demo\ndescription: [one, two]",
        &["name=demo", "description=one two"],
        "3:14 fm-not-scalar",
    );
    check(
        "name: demo\ndescription:\n  a: b",
        &["name=demo"],
        "1:0 description-missing, 4:3 fm-not-scalar",
    );
    check(
        "name: demo\ndescription:",
        &["name=demo"],
        "1:0 description-missing",
    );
    check(
        "name: demo\ndescription: \"  \"",
        &["name=demo"],
        "1:0 description-missing",
    );
}

#[test]
fn allowed_tools_are_never_widened() {
    let tools = |value: &str, expect: &str, found: &str| {
        check(
            &format!("name: demo\ndescription: d\nallowed-tools: {value}"),
            &["name=demo", "description=d", expect],
            found,
        );
    };
    tools("Read", "tools=Read", "");
    tools("Read, Grep", "tools=Read|Grep", "");
    tools(
        "Bash(git add:*) Bash(a, b),Read",
        "tools=Bash(git add:*)|Bash(a, b)|Read",
        "",
    );
    tools(
        "[Read, 'Bash(git log:*)']",
        "tools=Read|Bash(git log:*)",
        "",
    );
    tools("\n  - Read\n  - Grep", "tools=Read|Grep", "");
    tools("\n- Read", "tools=Read", "");
    tools("[]", "tools=", "");
    tools("\"*\"", "tools=*", "");
    tools("", "tools?", "4:14 tools-unknown");
    tools("true", "tools?", "4:16 tools-unknown");
    tools("{Read: true}", "tools?", "4:16 tools-unknown");
    tools("[Read, [Grep]]", "tools?", "4:16 tools-unknown");
    tools("[Bash(a, b)]", "tools?", "4:16 tools-unknown");
    tools("Bash(git", "tools?", "4:16 tools-unknown");
    tools("- Read", "tools?", "4:16 fm-recovered, 4:16 tools-unknown");
    tools("*", "tools?", "4:16 fm-recovered, 4:16 tools-unknown");
    tools("!x Read", "tools?", "4:16 fm-refused, 4:16 tools-unknown");
    tools("\n\t- Read", "tools?", "4:16 tools-unknown, 5:1 fm-tab");
    tools(
        "\n  - Read\n - Grep",
        "tools?",
        "4:16 tools-unknown, 6:2 fm-recovered",
    );
    tools(
        "Read,\nGrep",
        "tools?",
        "4:16 tools-unknown, 5:1 fm-recovered",
    );
    // A key that has slipped into the value above it.
    check(
        "name: demo\ndescription: d\n allowed-tools: Read",
        &["name=demo", "description=d allowed-tools: Read", "tools?"],
        "4:2 tools-unknown, 4:15 fm-recovered",
    );
    let parsed = parse(
        &file("{name: demo, \"allowed-tools\" : Read, x: [}"),
        "demo",
    );
    assert_eq!(findings(&parsed), "1:0 fm-missing, 2:15 tools-unknown");
    assert_eq!(parsed.frontmatter.allowed_tools, AllowedTools::Unknown);
    check(
        "name: demo\ndescription: a: b\nallowed-tools: Read",
        &["name=demo", "description=a: b", "tools=Read"],
        "3:15 fm-recovered",
    );
}

#[test]
fn lengths_are_counted_in_characters_of_the_value() {
    let description = |text: &str, found: &str| {
        let block = format!("name: demo\ndescription: {text}");
        let parsed = parse(&file(&block), "demo");
        assert_eq!(findings(&parsed), found, "{}", text.chars().count());
    };
    description(&"x".repeat(1024), "");
    description(&"🔥".repeat(1024), "");
    description(&"x".repeat(1025), "3:14 description-too-long");
    description(&"x".repeat(1086), "3:14 description-too-long");
    description(&"🔥".repeat(1025), "3:14 description-too-long");
    // The source of a folded value is longer than the value.
    let folded = format!(">\n  {}\n  {}\n", "x".repeat(512), "x".repeat(511));
    description(&folded, "");
    check(
        &format!(
            "name: demo\ndescription: d\ncompatibility: {}",
            "x".repeat(501)
        ),
        &[
            "name=demo",
            "description=d",
            &format!("compatibility={}", "x".repeat(501)),
        ],
        "4:16 compatibility-too-long",
    );
}

#[test]
fn names_keep_to_the_specification() {
    let name = |name: &str, folder: &str, found: &str| {
        let parsed = parse(&file(&format!("name: {name}\ndescription: d")), folder);
        assert_eq!(parsed.frontmatter.name.as_deref(), Some(name));
        assert_eq!(findings(&parsed), found, "{name}");
    };
    name("a-1", "a-1", "");
    name("b", "a", "2:7 name-differs");
    for bad in [
        "Demo",
        "my_skill",
        "ce:plan",
        "a--b",
        "a-",
        "-a",
        "two words",
        "café",
    ] {
        name(bad, bad, "2:7 name-invalid");
    }
    name(&"a".repeat(64), &"a".repeat(64), "");
    name(&"a".repeat(65), &"a".repeat(65), "2:7 name-too-long");
}

#[test]
fn lists_of_texts() {
    let list = |block: &str, expect: &[&str], found: &str| {
        let mut fields = vec!["name=demo", "description=d"];
        fields.extend(expect);
        check(
            &format!("name: demo\ndescription: d\n{block}"),
            &fields,
            found,
        );
    };
    list("domains: pdf", &["domains=pdf"], "4:10 fm-not-list");
    list(
        "domains: pdf, text ,",
        &["domains=pdf|text"],
        "4:10 fm-not-list",
    );
    list("domains:", &[], "");
    list("domains: {a: b}", &[], "4:10 fm-not-list");
    list(
        "domains: [a, {b: c}, [d], ~, 3.11, '']",
        &["domains=a|3.11"],
        "4:14 fm-not-list, 4:22 fm-not-list, 4:27 fm-not-list, 4:36 fm-not-list",
    );
    list("domains: [a, b", &["domains=a|b"], "4:10 fm-recovered");
    // A heading with a colon in it is a heading.
    list(
        "mandatory_sections:\n  - pytest: The Complete Reference # why\n  - a: b\n    c: d\n  - Last: {x: y}\n  - Rules:\nphases:\n- x: y",
        &[
            "phases=x: y",
            "mandatory=pytest: The Complete Reference|Last: {x: y}|Rules:",
        ],
        "5:5 fm-recovered, 6:5 fm-not-list, 8:5 fm-recovered, 9:5 fm-recovered, 11:3 fm-recovered",
    );
    let parsed = parse(
        &file(
            "name: demo\ndescription: d\nmandatory_sections:\n\n  - A\n  # why\n  - [x]\n  - >\n    B\n    C",
        ),
        "demo",
    );
    assert_eq!(parsed.frontmatter.mandatory_sections, ["A", "B C"]);
    assert_eq!(parsed.frontmatter.mandatory_lines, [6, 10]);
}

#[test]
fn metadata_is_a_mapping_of_texts() {
    check(
        "name: demo\ndescription: d\nversion: 3.0\nmetadata:\n  a: yes\n  b: [1]\n  c: {d: e}\n  f: \"x\\r\\ny\"\n  g:",
        &[
            "name=demo",
            "description=d",
            "version=3.0",
            "metadata.a=yes",
            "metadata.f=x\\ny",
        ],
        "7:6 fm-not-scalar, 8:6 fm-not-scalar",
    );
    check(
        "name: demo\ndescription: d\nmetadata: x",
        &["name=demo", "description=d"],
        "4:11 fm-not-scalar",
    );
    check(
        "name: demo\ndescription: d\nmetadata: [x]",
        &["name=demo", "description=d"],
        "4:11 fm-not-scalar",
    );
    check(
        "name: demo\ndescription: d\nmetadata:",
        &["name=demo", "description=d"],
        "",
    );
}

#[test]
fn only_one_retrieval_version_is_spoken() {
    for (value, rejected) in [
        ("1", false),
        ("\"1\"", false),
        ("", false),
        ("2", true),
        ("1.0", true),
        ("[1]", true),
        ("&a 1", true),
        ("a: b", true),
    ] {
        let parsed = parse(
            &file(&format!(
                "name: demo\ndescription: d\nretrieval_version: {value}"
            )),
            "demo",
        );
        assert_eq!(parsed.rejected, rejected, "{value}");
        assert_eq!(
            findings(&parsed).contains("retrieval-version"),
            rejected,
            "{value}"
        );
    }
}
