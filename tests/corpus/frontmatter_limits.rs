//! Frontmatter that is too long or wants too much: bounded in time and memory, and told.

use super::judge::{ROOT, fm, judge, sibling};
use crate::harness::Dir;
use std::fmt::Write as _;

/// The largest block that is read as YAML, in bytes.
const BLOCK_LIMIT: usize = 64 * 1024;

#[track_caller]
fn found(lines: &str) -> (Vec<String>, (String, String)) {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/demo/SKILL.md"), fm(lines));
    let verdict = judge(&dir);
    let codes = verdict.found.iter().map(|one| {
        let rest = one.strip_prefix("demo/SKILL.md:");
        rest.expect("the sibling is flawless").to_owned()
    });
    (codes.collect(), verdict.described[0].clone())
}

#[test]
fn a_description_is_measured_in_characters_of_its_value() {
    for (text, long) in [
        ("x".repeat(1024), false),
        ("x".repeat(1025), true),
        ("🔥".repeat(1024), false),
        ("é".repeat(1025), true),
    ] {
        let (codes, (_, description)) = found(&format!("name: demo\ndescription: {text}"));
        let expected: &[&str] = match long {
            true => &["3:14 description-too-long"],
            false => &[],
        };
        assert_eq!(codes, expected);
        assert_eq!(description, text, "kept whole, whatever its length");
    }
    // Folded: 1,025 characters in the file, 1,024 in the value.
    let folded = format!(
        "name: demo\ndescription: >-\n  {}\n  {}",
        "x".repeat(511),
        "y".repeat(512)
    );
    assert_eq!(found(&folded).0, [""; 0]);
}

#[test]
fn a_block_of_one_byte_too_many_is_told_and_the_plain_lines_are_read() {
    let start = "name: demo\ndescription: d\nx: ";
    let fill = "y".repeat(BLOCK_LIMIT - start.len() - 1);
    assert_eq!(found(&format!("{start}{fill}")).0, [""; 0]);
    let (codes, described) = found(&format!("{start}{fill}y"));
    assert_eq!(codes, ["1:0 fm-too-large"]);
    assert_eq!(described, ("demo".into(), "d".into()));
}

#[test]
fn an_alias_bomb_is_refused_before_it_is_a_value() {
    let mut lines = "name: demo\ndescription: d\na0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..=9 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(",");
        let _ = writeln!(lines, "a{level}: &a{level} [{aliases}]");
    }
    let (codes, described) = found(lines.trim_end());
    assert!(!codes.is_empty());
    assert!(
        codes.iter().all(|one| one.ends_with(" fm-refused")),
        "{codes:?}"
    );
    assert_eq!(described, ("demo".into(), "d".into()));
}

#[test]
fn anchors_aliases_tags_and_merge_keys_cost_only_their_own_key() {
    for (line, column) in [("license: !!str x", 10), ("license: &a x", 10)] {
        let (codes, described) = found(&format!("name: demo\ndescription: d\n{line}"));
        assert_eq!(codes, [format!("4:{column} fm-refused")]);
        assert_eq!(described, ("demo".into(), "d".into()));
    }
}

#[test]
fn a_name_that_breaks_the_specification_is_told_and_kept() {
    for (name, code) in [
        ("Demo_1", "name-invalid"),
        ("ce:plan", "name-invalid"),
        ("..", "name-invalid"),
        (&"x".repeat(65), "name-too-long"),
    ] {
        let (codes, described) = found(&format!("name: {name}\ndescription: d"));
        assert!(codes.contains(&format!("2:7 {code}")), "{codes:?}");
        assert_eq!(described.0, name);
    }
}
