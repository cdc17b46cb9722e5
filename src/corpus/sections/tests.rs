use proptest::prelude::*;

use super::*;
use crate::text::markdown::{open_fence, tests::nasty};

fn cut(body: &str) -> Sectioned {
    sections(body, 0, 1, "demo", &[], &[])
}

fn with_mandatory(body: &str, entries: &[&str]) -> Sectioned {
    let entries: Vec<String> = entries.iter().map(|&entry| entry.to_owned()).collect();
    sections(body, 0, 1, "demo", &entries, &[7, 8, 9])
}

/// Heading path and text of each section.
fn shape(body: &str) -> Vec<(String, &str)> {
    let row = |section: Section| (section.heading_path.join("/"), &body[section.range]);
    cut(body).sections.into_iter().map(row).collect()
}

fn classes(body: &str, entries: &[&str]) -> Vec<ContentClass> {
    let sectioned = with_mandatory(body, entries);
    sectioned
        .sections
        .iter()
        .map(|section| section.class)
        .collect()
}

fn lines(sectioned: &Sectioned) -> Vec<(u32, u32)> {
    let row = |section: &Section| (section.line_start, section.line_end);
    sectioned.sections.iter().map(row).collect()
}

fn codes(sectioned: &Sectioned) -> Vec<(Code, u32, u32)> {
    let row = |finding: &Finding| (finding.code, finding.line, finding.column);
    sectioned.findings.iter().map(row).collect()
}

fn s(path: &str) -> String {
    path.to_owned()
}

#[test]
fn a_comment_in_code_opens_no_section() {
    let body = "# A\n```sh\n# not\n```\ntext\n# B\nb\n";
    assert_eq!(
        shape(body),
        [
            (s("A"), "# A\n```sh\n# not\n```\ntext\n"),
            (s("B"), "# B\nb\n")
        ]
    );
}

#[test]
fn text_before_the_first_heading_stands_under_the_skills_name() {
    assert_eq!(
        shape("intro\n\n# A\na\n"),
        [(s("demo"), "intro\n\n"), (s("A"), "# A\na\n")]
    );
    assert_eq!(shape("just text\n"), [(s("demo"), "just text\n")]);
}

#[test]
fn a_preamble_without_text_joins_the_first_section() {
    for body in ["\n\n# A\na\n", "---\n\n# A\na\n", "<!-- x\ny -->\n# A\na\n"] {
        assert_eq!(shape(body), [(s("A"), body)]);
    }
}

#[test]
fn a_heading_without_text_rides_with_its_first_child() {
    assert_eq!(
        shape("# A\n## B\n\n<!-- c -->\n### C\nc\n## D\nd\n"),
        [
            (s("A/B/C"), "# A\n## B\n\n<!-- c -->\n### C\nc\n"),
            (s("A/D"), "## D\nd\n")
        ]
    );
}

#[test]
fn a_heading_without_text_and_child_is_bare() {
    let body = "# A\n## B\n***\n## C\nc\n# D\n";
    let bare: Vec<(String, bool)> = cut(body)
        .sections
        .into_iter()
        .map(|section| (section.heading_path.join("/"), section.bare))
        .collect();
    assert_eq!(bare, [(s("A/B"), true), (s("A/C"), false), (s("D"), true)]);
}

#[test]
fn paths_skip_levels_and_name_the_untitled() {
    let paths: Vec<String> = shape("### A\na\n# B\nb\n#### \nc\n## D\nd\n")
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(paths, ["A", "B", "B/(untitled)", "B/D"]);
}

#[test]
fn an_enormous_heading_is_cut_in_paths_but_matches_as_a_whole() {
    let text = "é".repeat(300_000);
    let sectioned = with_mandatory(&format!("# {text}\na\n"), &[&text]);
    assert!(sectioned.sections.len() > 200);
    for section in &sectioned.sections {
        assert_eq!(
            section.heading_path,
            [format!("{}…", "é".repeat(PATH_TEXT_MAX_CHARS))]
        );
        assert_eq!(section.class, ContentClass::Mandatory);
    }
}

#[test]
fn what_counts_as_text() {
    for text in [
        "x",
        "- x",
        "----x",
        "--",
        "* _ *",
        "<!-- a --> b",
        "```\n```",
        "<!-- a --><br>",
    ] {
        assert!(has_text(text), "{text:?}");
    }
    for text in [
        "",
        " \n\t\n",
        "---",
        " * * *",
        "___\n\n***",
        "<!-- a\nb -->\n<!-- c -->",
        "<!-- open\nx",
    ] {
        assert!(!has_text(text), "{text:?}");
    }
}

#[test]
fn lines_are_those_of_the_whole_text() {
    let text = "---\nname: x\n---\n\n# A\na\n\n# B\nb";
    let sectioned = sections(text, 16, 4, "demo", &[], &[]);
    assert_eq!(lines(&sectioned), [(4, 7), (8, 9)]);
    assert_eq!(sectioned.sections[0].range, 16..24);
    assert_eq!(lines(&cut("\n")), [(1, 1)]);
}

#[test]
fn mandatory_entries_cover_subtrees_and_every_occurrence() {
    use ContentClass::{Mandatory as M, Procedure as P};
    let body = "# T\nt\n## Hard `rules`\na\n### Sub\nb\n## Other\nc\n### HARD  rules\nd\n#### x\ne\n### y\nf\n";
    let want = [P, M, M, P, M, M, P];
    for entry in [
        "hard rules",
        "## Hard rules",
        "Hard `rules`",
        " Hard\n**rules** ",
    ] {
        assert_eq!(classes(body, &[entry]), want, "{entry:?}");
    }
    assert_eq!(classes("## ÄÖ {#a}\n", &["äö"]), [M], "bare sections too");
    assert_eq!(classes(body, &["hard rules", "Sub", "t"]), [M; 7]);
}

#[test]
fn a_mandatory_heading_rides_along() {
    use ContentClass::{Mandatory as M, Procedure as P};
    assert_eq!(classes("# A\n## B\nb\n## C\nc\n", &["A"]), [M, M]);
    assert_eq!(classes("# A\n## B\nb\n## C\nc\n", &["B"]), [M, P]);
}

#[test]
fn a_mandatory_entry_without_heading_rejects() {
    let sectioned = with_mandatory("# A\na\n#\nb\n", &["A", "B", "", "demo"]);
    assert!(sectioned.mandatory_missing);
    assert_eq!(
        codes(&sectioned),
        [
            (Code::MandatoryMissing, 0, 0),
            (Code::MandatoryMissing, 8, 0),
            (Code::MandatoryMissing, 9, 0)
        ]
    );
    assert_eq!(sectioned.findings[1].message, "no heading has the text `B`");
    assert!(!with_mandatory("# A\na\n", &["A"]).mandatory_missing);
}

#[test]
fn headings_tell_the_class() {
    use ContentClass::{Example, Procedure, Reference, Source};
    for (heading, want) in [
        ("## Examples", Example),
        ("## Example: fix a bug", Example),
        ("## 3.2 Worked example (verified)", Example),
        ("## Example workflow", Example),
        ("## Create sample data", Procedure),
        ("## Sampling", Procedure),
        ("## §7. Quick Reference", Reference),
        ("## API reference — classes", Reference),
        ("## Glossary", Reference),
        ("## Cheat-sheet", Reference),
        ("## Table of limits", Reference),
        ("## Sources (this file)", Source),
        ("## Further reading", Source),
        ("## Sources of meaning", Procedure),
        ("## Data sources", Procedure),
        (
            "## Write down what the user gives you as an example",
            Procedure,
        ),
        ("## Steps", Procedure),
        ("## ⚠", Procedure),
    ] {
        assert_eq!(
            classes(&format!("{heading}\nx\n"), &[]),
            [want],
            "{heading}"
        );
    }
}

#[test]
fn the_nearest_heading_decides_and_the_title_never() {
    use ContentClass::{Example, Procedure, Reference};
    let body = "# API reference\na\n## Steps\nb\n## Reference\nc\n### Limits\nd\n### Examples\ne\n";
    assert_eq!(
        classes(body, &[]),
        [Procedure, Procedure, Reference, Reference, Example]
    );
    assert_eq!(
        classes("# Reference\na\n# B\nb\n", &[]),
        [Reference, Procedure]
    );
}

#[test]
fn findings_name_their_place() {
    let text = "---\nx\n---\n# A\né\u{200b}\n```\n\u{202e}\n";
    let sectioned = sections(text, 10, 4, "demo", &[], &[]);
    assert_eq!(
        codes(&sectioned),
        [(Code::HiddenCharacters, 5, 2), (Code::FenceUnclosed, 6, 0)]
    );
    assert_eq!(
        sectioned.findings[0].message,
        "2 hidden characters, the first of them U+200B"
    );
}

#[test]
fn a_body_without_text_is_a_finding() {
    for body in ["", "\n \n", "# A\n", "# A\n## B\n---\n", "<!-- x -->"] {
        let sectioned = cut(body);
        assert_eq!(codes(&sectioned), [(Code::BodyEmpty, 0, 0)], "{body:?}");
        assert!(sectioned.sections.iter().all(|section| section.bare));
    }
    assert_eq!(cut("").sections, []);
    assert_eq!(cut("x").findings, []);
    assert_eq!(
        sections("x", 9, 1, "demo", &[], &[]).sections,
        [],
        "a start beyond the end"
    );
}

/// Lengths of the parts of a section, whose numbers are checked.
fn part_lengths(body: &str) -> Vec<usize> {
    let found = cut(body).sections;
    let parts = found.len();
    for (nth, section) in found.iter().enumerate() {
        assert_eq!(
            (section.part as usize, section.parts as usize),
            (nth + 1, parts)
        );
    }
    found
        .into_iter()
        .map(|section| section.range.len())
        .collect()
}

fn para(len: usize) -> String {
    format!("{}\n\n", "x".repeat(len - 2))
}

#[test]
fn a_section_up_to_the_limit_stays_whole() {
    for (len, parts) in [
        (PART_MAX_BYTES - 1, 1),
        (PART_MAX_BYTES, 1),
        (PART_MAX_BYTES + 1, 2),
    ] {
        assert_eq!(
            part_lengths(&"x\n".repeat(len).split_off(len)).len(),
            parts,
            "{len}"
        );
    }
}

#[test]
fn parts_end_at_blocks() {
    let body = format!("# A\n{}{}{}", para(1000), para(1500), para(1000));
    assert_eq!(part_lengths(&body), [2504, 1000]);
}

#[test]
fn a_list_is_split_at_its_items_and_a_paragraph_at_its_lines() {
    let item = format!("- {}\n  {}\n", "x".repeat(496), "y".repeat(498));
    assert_eq!(part_lengths(&item.repeat(4)), [2000, 2000]);
    let line = format!("{}\n", "x".repeat(999));
    assert_eq!(part_lengths(&line.repeat(4)), [2000, 2000]);
}

#[test]
fn code_and_tables_stay_whole() {
    let code = format!("```\n{}```\n", "# x\n\n".repeat(1000));
    let body = format!("# A\n{}{code}{}", para(800), para(800));
    assert_eq!(part_lengths(&body), [804, code.len(), 800]);
    // A lead of a line or two is no part of its own before something that is too large anyway.
    assert_eq!(part_lengths(&format!("# A\n{}{code}", para(150))).len(), 1);
    let table = format!("| a |\n|---|\n{}", "| b |\n".repeat(1000));
    assert_eq!(
        part_lengths(&format!("{}{table}\n", para(800))),
        [800, table.len() + 1]
    );
    let nested = format!("- {}", code.replace('\n', "\n  "));
    assert_eq!(part_lengths(&nested).len(), 1);
}

#[test]
fn a_heading_stays_with_what_follows() {
    let code = format!("```\n{}```\n", "x\n".repeat(2000));
    let body = format!("# A\n\n{code}{}", para(800));
    assert_eq!(part_lengths(&body), [code.len() + 5, 800]);
}

#[test]
fn an_enormous_line_is_split_behind_a_space_or_between_characters() {
    let words = "word ".repeat(4000);
    let found = cut(&words).sections;
    assert!(
        found
            .iter()
            .all(|section| section.range.len() <= PART_MAX_BYTES)
    );
    assert!(
        found
            .iter()
            .all(|section| words[section.range.clone()].ends_with(' '))
    );
    assert!(
        found
            .iter()
            .all(|section| (section.line_start, section.line_end) == (1, 1))
    );
    let lengths = part_lengths(&"你".repeat(2000));
    assert_eq!(lengths, [2799, 2799, 402]);
}

#[test]
fn no_tiny_last_part_is_left() {
    let lengths = part_lengths(&"x".repeat(PART_MAX_BYTES + 1));
    assert_eq!(lengths, [2601, 200]);
    let line = format!("{}\n", "x".repeat(99));
    assert_eq!(part_lengths(&line.repeat(29)), [2700, 200]);
    let code = format!("```\n{}```\n", "x\n".repeat(2000));
    assert_eq!(part_lengths(&format!("{code}\nshort\n")).len(), 1);
}

#[test]
fn parts_of_hostile_size_take_no_quadratic_time() {
    for body in [
        "\n".repeat(1 << 20),
        "x\n".repeat(1 << 19),
        "# a\n".repeat(1 << 16),
        "- ".repeat(2000),
    ] {
        assert_partition(&body).unwrap();
    }
}

fn assert_partition(text: &str) -> Result<(), TestCaseError> {
    let found = cut(text).sections;
    let mut at = 0;
    let mut expected_part = 1;
    for section in &found {
        prop_assert_eq!(section.range.start, at);
        prop_assert!(section.range.end > at);
        prop_assert!(text.get(section.range.clone()).is_some());
        prop_assert_eq!(section.part, expected_part);
        expected_part = if section.part == section.parts {
            1
        } else {
            section.part + 1
        };
        prop_assert!(!section.heading_path.is_empty());
        at = section.range.end;
    }
    prop_assert_eq!(expected_part, 1);
    prop_assert_eq!(at, text.len());
    Ok(())
}

fn assert_lines_and_cuts(text: &str) -> Result<(), TestCaseError> {
    // The reader leaves no carriage returns; the parser's ranges are rough around them.
    let is_clean = !text.contains('\r');
    let atoms = markdown::outline(text).atoms;
    // The first code block or table that ends behind a place.
    let atom = |at: usize| atoms.get(atoms.partition_point(|atom| atom.end <= at));
    let mut line = 1;
    for section in cut(text).sections {
        let Range { start, end } = section.range;
        let part = &text[start..end];
        let newlines = count(part.matches('\n').count());
        let is_whole = part.ends_with('\n');
        prop_assert_eq!(section.line_start, line);
        prop_assert_eq!(section.line_end, line + newlines - u32::from(is_whole));
        line += newlines;
        if is_clean {
            prop_assert!(
                atom(start).is_none_or(|atom| atom.start >= start),
                "{}",
                start
            );
            let has_atom = atom(start).is_some_and(|atom| atom.start < end);
            prop_assert!(has_atom || part.len() <= PART_MAX_BYTES, "{}", part.len());
        }
        if let Some(line) = open_fence(part) {
            let newline = if is_whole { "" } else { "\n" };
            let closed = format!("{part}{newline}{line}\n");
            prop_assert_eq!(open_fence(&closed), None, "{}", closed);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn sections_partition_nasty_markdown(text in nasty()) {
        assert_partition(&text)?;
        assert_lines_and_cuts(&text)?;
    }

    #[test]
    fn sections_partition_any_text(text in any::<String>()) {
        assert_partition(&text)?;
        assert_lines_and_cuts(&text)?;
    }

    #[test]
    fn sections_partition_large_markdown(blocks in prop::collection::vec((nasty(), 1..60_usize), 1..8)) {
        let text: String = blocks.iter().map(|(block, times)| block.repeat(*times)).collect();
        assert_partition(&text)?;
        assert_lines_and_cuts(&text)?;
    }
}
