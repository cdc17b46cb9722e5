//! Where the block begins and ends, and that the body is whole.
#![allow(clippy::unwrap_used)]

use super::super::{BLOCK_LIMIT, parse};
use super::{check, check_file};

#[test]
fn only_the_first_block_is_frontmatter() {
    let body = "# Demo\n\n---\nname: other\n---\nend";
    let text = format!("---\nname: demo\ndescription: one --- two\n---\n{body}");
    let parsed = check_file(&text, &["name=demo", "description=one --- two"], "");
    assert_eq!(text.get(parsed.body_start..), Some(body));
    assert_eq!(parsed.body_line, 5);

    let text = "---\nname: demo\ndescription: |\n  a\n  ---\n  b\n ---\n... # no\n--- \t\nbody";
    let parsed = parse(text, "demo");
    assert_eq!(text.get(parsed.body_start..), Some("body"));
    let text = "---  \nname: demo\ndescription: d\n...\nbody";
    let parsed = check_file(text, &["name=demo", "description=d"], "");
    assert_eq!(text.get(parsed.body_start..), Some("body"));
    let text = "---\nname: demo\ndescription: d\n---";
    let parsed = check_file(text, &["name=demo", "description=d"], "");
    assert_eq!((parsed.body_start, parsed.body_line), (text.len(), 4));
}

#[test]
fn an_empty_block_is_present() {
    let text = "---\n---\nbody";
    let parsed = check_file(text, &[], "1:0 name-missing, 1:0 description-missing");
    assert_eq!((parsed.body_start, parsed.body_line), (8, 3));
    check_file(
        "---\n# only a comment\n\n---\nbody",
        &[],
        "1:0 name-missing, 1:0 description-missing",
    );
}

#[test]
fn an_unclosed_block_loses_nothing() {
    let whole = |text: &str, expect: &[&str], found: &str| {
        let parsed = check_file(text, expect, found);
        assert_eq!((parsed.body_start, parsed.body_line), (0, 1), "{text}");
    };
    let both: &[&str] = &["name=demo", "description=d"];
    whole(
        "---\nname: demo\ndescription: d\n\n# Demo\n",
        both,
        "1:1 fm-unterminated",
    );
    whole(
        "---\nname: demo\ndescription: d",
        both,
        "1:1 fm-unterminated",
    );
    whole(
        "---\nname: demo\ndescription: d\nUse it: often\n",
        both,
        "1:1 fm-unterminated",
    );
    // Keys of the body are not metadata, known ones below the first blank line are. Where it may be either, tools are
    // not known.
    whole(
        "---\nname: demo\n\ndescription: d\n\nUsage: x\nallowed-tools: Bash\n",
        &["name=demo", "description=d", "tools?"],
        "1:1 fm-unterminated, 7:1 tools-unknown",
    );
    whole(
        "---\nname: demo\n\n# Demo\n\nlicense: x\n",
        &["name=demo"],
        "1:0 description-missing, 1:1 fm-unterminated",
    );
    // A rule of the body does not close it.
    whole(
        "---\nname: demo\ndescription: d\n\n# Demo\n\nText.\n\n---\n\nlicense: x\n",
        both,
        "1:1 fm-unterminated",
    );
    // Not even where the text happens to be a key.
    whole(
        "---\nname: demo\ndescription: d\n\n# Demo\n\nIt does: much.\n\n---\n\nlicense: x\n",
        both,
        "1:1 fm-unterminated",
    );
    whole(
        "---\nname: demo\ndescription: a: b\n\n# Demo\n\n```sh\nls\n```\n---\n",
        &["name=demo", "description=a: b"],
        "1:1 fm-unterminated, 3:15 fm-recovered",
    );
    whole(
        "---\n",
        &[],
        "1:0 name-missing, 1:0 description-missing, 1:1 fm-unterminated",
    );
    whole(
        "---\nname: demo\ndescription: >\n  a\n\n  b\nallowed-tools: Read\n\n# Demo",
        &["name=demo", "description=a\\nb", "tools=Read"],
        "1:1 fm-unterminated",
    );
    // Comments that group the keys are no headings of a body.
    check(
        "name: demo\n\n# Routing\ndescription: a: b\n\n# Rest\nlicense: MIT",
        &["name=demo", "description=a: b", "license=MIT"],
        "5:15 fm-recovered",
    );
}

#[test]
fn what_stands_before_the_block_is_tolerated() {
    for lead in [
        "\n",
        " \n\n",
        "<!-- note -->\n",
        "<!-- a\n---\nb -->\n\n<!-- c --> <!-- d -->\n",
    ] {
        let text = format!("{lead}---\nname: demo\ndescription: d\n---\nx");
        let parsed = check_file(&text, &["name=demo", "description=d"], "1:0 fm-leading");
        assert_eq!(text.get(parsed.body_start..), Some("x"));
        let lines = text.matches('\n').count();
        assert_eq!(usize::try_from(parsed.body_line).unwrap(), lines + 1);
    }
    let text = "```markdown\n---\nname: demo\ndescription: d\n---\n# Demo\n```\n";
    let parsed = check_file(text, &["name=demo", "description=d"], "1:0 fm-leading");
    assert_eq!(text.get(parsed.body_start..), Some("# Demo\n```\n"));
    // A fence around the block alone ends with it.
    let text = "~~~~ yaml\n---\nname: demo\ndescription: d\n---\n~~~~\n# Demo\n";
    let parsed = check_file(text, &["name=demo", "description=d"], "1:0 fm-leading");
    assert_eq!(text.get(parsed.body_start..), Some("# Demo\n"));
    let text = "\n---\nname: demo\ndescription: a: b\n";
    check_file(
        text,
        &["name=demo", "description=a: b"],
        "1:0 fm-leading, 2:1 fm-unterminated, 4:15 fm-recovered",
    );
}

#[test]
fn without_a_block_the_first_paragraph_describes() {
    let whole = |text: &str, expect: &[&str]| {
        let parsed = check_file(text, expect, "1:0 fm-missing");
        assert_eq!((parsed.body_start, parsed.body_line), (0, 1), "{text}");
    };
    whole("", &[]);
    whole("# Only text\n", &[]);
    whole(
        "# Demo\n\n![badge](x.svg)\n\nReads *PDF*\nfiles with `pdf`.\n\nMore.\n",
        &["description=Reads PDF files with pdf."],
    );
    whole(" ---\nname: demo\n---\n", &[]);
    whole("Text <!-- x -->\n---\na: b\n---\n", &[]);
    whole("<!-- open\n---\nname: demo\n---\n", &[]);
    whole("```rust\n---\nname: demo\n---\n```\n", &[]);
    whole("\n\n---\n\nJust a rule.\n", &["description=Just a rule."]);
    // Two rules around prose.
    whole(
        "---\n\nProse, not keys.\n\n---\n\nMore.\n",
        &["description=Prose, not keys."],
    );
    let text = "é".repeat(2000);
    let description = parse(&text, "demo").frontmatter.description.unwrap();
    assert_eq!(description, "é".repeat(1024));
}

#[test]
fn a_large_block_is_not_parsed() {
    let filler = format!("filler: {}\n", "x".repeat(100)).repeat(BLOCK_LIMIT / 100);
    let block = format!("name: 'demo'\ndescription: d: e\n{filler}allowed-tools: Read");
    check(&block, &["name=demo", "description=d: e", "tools?"], &{
        let line = block.lines().count() + 1;
        format!("1:0 fm-too-large, {line}:1 tools-unknown")
    });
    check(
        &format!("{filler}name: demo\ndescription: >\n  x"),
        &[],
        "1:0 fm-too-large",
    );
    let exact = "name: demo\ndescription: d\nx: ";
    let fill = "y".repeat(BLOCK_LIMIT - exact.len() - 1);
    check(
        &format!("{exact}{fill}"),
        &["name=demo", "description=d"],
        "",
    );
    check(
        &format!("{exact}{fill}y"),
        &["name=demo", "description=d"],
        "1:0 fm-too-large",
    );
}
