//! Where do sections begin and end? By the Markdown parser, for every shape that fools a line scan.

use super::judge::{ROOT, judge, sibling};
use crate::harness::Dir;
use serde_json::json;
use vibey_context::packet::parse;

const FRONT: &str = "---\nname: demo\ndescription: d\n---\n";

/// The heading paths of a body with their lines; the body starts in line 5.
#[track_caller]
fn sections(body: &str, expected: &[&str]) -> Dir {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/demo/SKILL.md"), format!("{FRONT}{body}"));
    // `judge` asserts that the sections are the body, byte for byte, and checks the index with `--deep`.
    let verdict = judge(&dir);
    let found: Vec<String> = verdict.skills[0]
        .record
        .sections
        .iter()
        .map(|s| {
            format!(
                "{} {}-{}",
                s.heading_path.join(" > "),
                s.line_start,
                s.line_end
            )
        })
        .collect();
    assert_eq!(found, expected, "{body}");
    dir
}

#[test]
fn a_comment_in_a_fence_is_no_heading() {
    sections(
        "# A\n```sh\n# not\n```\ntext\n# B\nend\n",
        &["A 5-9", "B 10-11"],
    );
}

#[test]
fn fences_pair_as_commonmark_says() {
    sections(
        "````md\n```\n# x\n```\n````\n# Y\nend\n",
        &["demo 5-9", "Y 10-11"],
    );
    sections("~~~\n```\n# x\n~~~\n# Y\nend\n", &["demo 5-8", "Y 9-10"]);
    // A longer fence closes, one with an info text does not.
    sections("```\n# x\n`````\n# Y\nend\n", &["demo 5-7", "Y 8-9"]);
    sections(
        "```\n# x\n``` sh\n# y\n```\n# Z\nend\n",
        &["demo 5-9", "Z 10-11"],
    );
    // No fence: a backtick in the info text.
    sections("``` a`b\n# Y\nend\n", &["demo 5-5", "Y 6-7"]);
    // Indented code, and a fence inside a list.
    sections(
        "# A\n\n    # no\n\n- x\n  ```\n# B\nend\n",
        &["A 5-10", "B 11-12"],
    );
}

#[test]
fn only_headings_of_the_document_open_a_section() {
    sections("> # Q\n\n1. # in\n\n# R\nend\n", &["demo 5-8", "R 9-10"]);
    sections("<!--\n# no\n-->\n\n# R\nend\n", &["R 5-10"]);
    sections("<div>\n# no\n</div>\n\n# R\nend\n", &["demo 5-8", "R 9-10"]);
}

#[test]
fn setext_headings_and_paths() {
    sections(
        "Top\n===\nx\n\nSub\n---\ny\n\n### Deep\nz\n\n## Next\nw\n",
        &[
            "Top 5-8",
            "Top > Sub 9-12",
            "Top > Sub > Deep 13-15",
            "Top > Next 16-17",
        ],
    );
}

#[test]
fn text_before_the_first_heading_and_text_without_any_are_kept() {
    sections("intro\n\n# A\nx\n", &["demo 5-6", "A 7-8"]);
    sections("just text\n", &["demo 5-5"]);
    sections("no line end", &["demo 5-5"]);
}

#[test]
fn a_heading_without_text_rides_with_its_first_child() {
    sections("# A\n\n## B\n\ntext\n", &["A > B 5-9"]);
}

#[test]
fn a_section_larger_than_any_budget_is_split_and_nothing_is_lost() {
    let dir = Dir::new();
    sibling(&dir);
    let paragraphs: String = (0..4000)
        .map(|n| format!("Paragraph {n} says é.\n\n"))
        .collect();
    let one_line = "é".repeat(300_000);
    let fence = format!("```\n{}```\n", "code\n".repeat(5_000));
    let body = format!("# A\n\n{paragraphs}{one_line}\n\n{fence}\n# B\n\nend\n");
    dir.file(&format!("{ROOT}/demo/SKILL.md"), format!("{FRONT}{body}"));
    let verdict = judge(&dir);
    let sections = &verdict.skills[0].record.sections;
    assert!(sections.len() > 100, "{}", sections.len());
    let parts: Vec<_> = sections.iter().filter_map(|s| s.part).collect();
    for (at, part) in parts.iter().enumerate() {
        assert_eq!(
            (part.number as usize, part.of as usize),
            (at + 1, parts.len())
        );
    }
    assert_eq!(sections.last().unwrap().heading_path, ["B"]);
}

#[test]
fn an_unclosed_fence_does_not_swallow_the_next_skill_of_a_packet() {
    let dir = Dir::new();
    let broken = "# A\n\ntext\n\n```\n# x\n";
    dir.file(
        &format!("{ROOT}/a/SKILL.md"),
        format!("{FRONT}{broken}").replace("demo", "a"),
    );
    dir.file(
        &format!("{ROOT}/b/SKILL.md"),
        format!("{FRONT}# B\n\nbody of b\n").replace("demo", "b"),
    );
    let verdict = judge(&dir);
    assert_eq!(verdict.found, ["a/SKILL.md:9:0 fence-unclosed"]);
    let request = dir.request("q.json", &json!({"required_skills": ["a", "b"]}));
    let (index, out) = (dir.arg("judged-index"), dir.arg("p.md"));
    dir.run([
        "packet",
        "--request",
        &request,
        "--index",
        &index,
        "--output",
        &out,
    ])
    .expect(0);
    let packet = dir.read("p.md");
    let sections = parse::sections(&packet);
    let contents: Vec<&str> = sections.iter().map(|s| s.content.as_str()).collect();
    assert_eq!(contents, [broken, "# B\n\nbody of b\n"]);
    // To a Markdown reader too: the fence is closed before the next frame.
    let outline = vibey_context::text::markdown::outline(&packet);
    assert_eq!(outline.unclosed_fence, None);
    let headings: Vec<&str> = outline.headings.iter().map(|h| h.text.as_str()).collect();
    assert_eq!(
        headings,
        ["Skills context packet", "local/a", "A", "local/b", "B"]
    );
}
