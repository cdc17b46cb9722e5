//! Does every cell of the role table give what it says?

use super::rig::Rig;
use std::fmt::Write as _;

/// A document whose parts can be told apart, longer than any excerpt.
fn document() -> String {
    let mut text =
        "---\ntitle: The title\n---\n# Heading\n\n<!-- a note -->\n\nFirst paragraph.\n\n"
            .to_owned();
    for section in 1..=4 {
        let _ = write!(text, "## Section {section}\n\n");
        for line in 1..=30 {
            let _ = write!(
                text,
                "Sentence {line} of section {section}, which is long enough to fill some room in the excerpt of a reader.\n\n"
            );
        }
        let _ = write!(text, "### Part of {section}\n\nMore.\n\n");
    }
    text
}

/// The lines of a content, the monotonous ones left out.
fn outline(content: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut left_out = 0;
    for line in content.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("Sentence ") {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            lines.push(format!("({left_out} sentences)"));
            left_out = 0;
        }
        lines.push(line.to_owned());
    }
    if left_out > 0 {
        lines.push(format!("({left_out} sentences)"));
    }
    lines.join("\n")
}

#[test]
fn every_cell_of_the_table() {
    let rig = Rig::new();
    rig.file("tree/doc.md", document());
    let mut table = String::new();
    for role in [
        "spec",
        "prior-decision",
        "related-work",
        "conversation",
        "scratch",
        "external-reference",
        "",
        "unknown",
    ] {
        for consumer in ["reviewer", "author", "brief", "full"] {
            rig.links(&[("/doc.md", role)]);
            let made = rig.make(&["--consumer", consumer, "--max-tokens", "100000"]);
            let entry = made.entry("/doc.md");
            let trim = entry["trim_applied"].as_str().unwrap_or("-");
            let tokens = &entry["token_estimate"];
            let name = if role.is_empty() { "(no role)" } else { role };
            let _ = writeln!(table, "=== {name} for {consumer}: {trim}, {tokens} tokens");
            let _ = writeln!(table, "{}\n", outline(&made.content()));
        }
    }
    insta::assert_snapshot!("materialize_role_table", table);
}

#[test]
fn what_is_small_is_never_trimmed() {
    let rig = Rig::new();
    rig.file("tree/a.md", "x\n");
    for role in ["scratch", "related-work", "spec"] {
        rig.links(&[("/a.md", role)]);
        let made = rig.make(&["--consumer", "brief"]);
        assert_eq!(made.content(), "x\n");
        assert_eq!(made.report["refs_trimmed"], 0);
        assert!(made.text.contains("- Status: resolved\n"));
    }
}
