//! What real files get wrong, row by row: fields, body and findings of each.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use super::{AllowedTools, BLOCK_LIMIT, Parsed, parse};

const BODY: &str = "# Demo\nbody\n";

/// A file with the frontmatter `block` and a body.
fn file(block: &str) -> String {
    format!("---\n{block}\n---\n{BODY}")
}

/// The fields that are set, one a line; line feeds in them as `\n`.
fn fields(parsed: &Parsed) -> String {
    let fm = &parsed.frontmatter;
    let mut out = String::new();
    let texts = [
        ("name", &fm.name),
        ("description", &fm.description),
        ("license", &fm.license),
        ("compatibility", &fm.compatibility),
        ("version", &fm.version),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            writeln!(out, "{key}={}", text.replace('\n', "\\n")).unwrap();
        }
    }
    match &fm.allowed_tools {
        AllowedTools::Absent => {}
        AllowedTools::Listed(tools) => writeln!(out, "tools={}", tools.join("|")).unwrap(),
        AllowedTools::Unknown => writeln!(out, "tools?").unwrap(),
    }
    for (key, value) in &fm.metadata {
        writeln!(out, "metadata.{key}={}", value.replace('\n', "\\n")).unwrap();
    }
    let lists = [
        ("domains", &fm.domains),
        ("phases", &fm.phases),
        ("languages", &fm.languages),
        ("technologies", &fm.technologies),
        ("mandatory", &fm.mandatory_sections),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            writeln!(out, "{key}={}", list.join("|")).unwrap();
        }
    }
    out
}

/// The findings as `line:column code`.
fn findings(parsed: &Parsed) -> String {
    let findings: Vec<_> = parsed
        .findings
        .iter()
        .map(|f| format!("{}:{} {}", f.line, f.column, f.code.as_str()))
        .collect();
    findings.join(", ")
}

/// Checks a block: its fields, its findings, and that the body is all of what follows.
#[track_caller]
fn check(block: &str, expect_fields: &[&str], expect_findings: &str) {
    let text = file(block);
    let parsed = check_file(&text, expect_fields, expect_findings);
    assert_eq!(text.get(parsed.body_start..), Some(BODY), "{block}");
}

#[track_caller]
fn check_file(text: &str, expect_fields: &[&str], expect_findings: &str) -> Parsed {
    let parsed = parse(text, "demo");
    let found = fields(&parsed);
    let found: Vec<_> = found.lines().collect();
    assert_eq!(
        (found.as_slice(), findings(&parsed).as_str()),
        (expect_fields, expect_findings),
        "in\n{text}\n{:#?}",
        parsed.findings
    );
    parsed
}

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
    // Keys of the body are not metadata, known ones below the first blank line are.
    whole(
        "---\nname: demo\n\ndescription: d\n\nUsage: x\nallowed-tools: Bash\n",
        both,
        "1:1 fm-unterminated",
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
fn a_large_block_is_not_parsed() {
    let filler = format!("filler: {}\n", "x".repeat(100)).repeat(BLOCK_LIMIT / 100);
    let block = format!("name: 'demo'\ndescription: d: e\n{filler}allowed-tools: Read");
    check(&block, &["name=demo", "description=d: e", "tools?"], &{
        let line = block.lines().count() + 1;
        format!("1:0 fm-too-large, {line}:16 tools-unknown")
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

#[test]
fn columns_count_characters() {
    check(
        "name: demo\ndescription: \"é🔥\" then: x",
        &["name=demo", "description=\"é🔥\" then: x"],
        "3:19 fm-recovered",
    );
}
