//! Does the whole file stay below its ceiling, and does what is trimmed give way in its order?

use super::rig::{Made, Rig};
use std::fmt::Write as _;
use vibey_context::text::tokens::{Tokenizer, estimate};

/// A document of about `paragraphs` times 30 tokens.
fn document(name: &str, paragraphs: usize) -> String {
    let mut text = format!("# {name}\n\nThe first paragraph of {name}.\n\n## One\n\n");
    for number in 0..paragraphs {
        if number == paragraphs / 2 {
            text.push_str("## Two\n\n");
        }
        let _ = write!(
            text,
            "Paragraph {number} of {name} says what the reader of a long document has to know about it.\n\n"
        );
    }
    text
}

/// Every role, some twice, in lengths from short to long.
fn rig() -> Rig {
    let rig = Rig::new();
    let mut links = Vec::new();
    for (name, role, paragraphs) in [
        ("spec-a", "spec", 120),
        ("spec-b", "spec", 60),
        ("decision", "prior-decision", 150),
        ("related", "related-work", 90),
        ("plain", "", 40),
        ("talk", "conversation", 200),
        ("notes", "scratch", 80),
        ("page", "external-reference", 30),
        ("short", "scratch", 1),
    ] {
        rig.file(&format!("tree/{name}.md"), document(name, paragraphs));
        links.push((format!("/{name}.md"), role));
    }
    let links: Vec<(&str, &str)> = links
        .iter()
        .map(|(uri, role)| (uri.as_str(), *role))
        .collect();
    rig.links(&links);
    rig
}

fn all_at_title_only(made: &Made) -> bool {
    let refs = made.manifest["refs"].as_array().unwrap();
    refs.iter().all(|one| one["trim_applied"] == "title-only")
}

#[test]
fn no_file_is_larger_than_its_ceiling() {
    let rig = rig();
    let mut hits = 0;
    for ceiling in (200..=40_000).step_by(499) {
        let text = ceiling.to_string();
        let made = rig.make(&["--consumer", "full", "--max-tokens", &text]);
        let size = estimate(&made.text);
        let warned = made.warnings().contains("more than the ceiling");
        if size > ceiling {
            assert!(all_at_title_only(&made) && warned, "{ceiling}: {size}");
        } else {
            assert!(!warned, "{ceiling}");
        }
        let trimmed = made.text.contains("\n## Budget trims\n");
        assert_eq!(made.manifest["ceiling_hit"], trimmed, "{ceiling}");
        assert_eq!(made.report["ceiling_hit"], trimmed);
        // Nothing is trimmed that need not be: one step back it would not fit.
        if !trimmed {
            assert!(size <= ceiling);
        }
        hits += u64::from(trimmed);
    }
    assert!(hits > 20 && hits < 80, "{hits}");
}

#[test]
fn a_trim_that_costs_more_than_it_saves_is_not_made() {
    let rig = Rig::new();
    let mut links = Vec::new();
    for number in 0..40 {
        let text = format!("# Leaf {number}\n\nOne short sentence, and no more.\n");
        rig.file(&format!("tree/a-leaf-with-a-long-name-{number}.md"), text);
        links.push(format!("/tree/a-leaf-with-a-long-name-{number}.md"));
    }
    let links: Vec<(&str, &str)> = links
        .iter()
        .map(|uri| (uri.as_str(), "prior-decision"))
        .collect();
    rig.links(&links);
    let whole = rig.make(&["--consumer", "full"]).text;
    let size = estimate(&whole);
    for ceiling in [size, size - 1, size / 2] {
        let made = rig.make(&["--consumer", "full", "--max-tokens", &ceiling.to_string()]);
        assert!(
            estimate(&made.text) <= size,
            "{ceiling}: {}",
            estimate(&made.text)
        );
        assert_eq!(made.manifest["ceiling_hit"], false, "{ceiling}");
        let warned = made.warnings().contains("more than the ceiling");
        assert_eq!(warned, ceiling < size);
    }
}

#[test]
fn thousands_of_links_are_trimmed_at_once() {
    let rig = Rig::new();
    rig.file("tree/a.md", document("a", 8));
    let uris: Vec<String> = (0..2_000).map(|number| format!("/a.md#{number}")).collect();
    let links: Vec<(&str, &str)> = uris.iter().map(|uri| (uri.as_str(), "")).collect();
    rig.links(&links);
    // The bound of every run would end one that puts the file together for each step.
    let made = rig.make(&["--consumer", "full", "--max-tokens", "1000"]);
    let trimmed = made.text.matches("→ title only").count();
    assert_eq!(made.manifest["refs_trimmed"], trimmed);
    assert_eq!(trimmed, 2_000);
}

#[test]
fn roles_give_way_in_their_order_the_longest_first() {
    let rig = rig();
    let mut log = String::new();
    for ceiling in ["25000", "14000", "9000", "3000", "400"] {
        let made = rig.make(&["--consumer", "full", "--max-tokens", ceiling]);
        let list = made.text.split_once("\n## Budget trims\n\n");
        let list = list.map_or("", |(_, rest)| rest.split("\n\n").next().unwrap());
        let _ = writeln!(log, "=== {ceiling}\n{list}\n");
    }
    insta::assert_snapshot!("materialize_budget_trims", log);
}

#[test]
fn the_file_says_what_it_costs_without_its_own_numbers() {
    let rig = rig();
    says_what_it_costs(&rig);
    // Whatever comes last, a link, a list or nothing, every byte counts.
    for name in ["a", "ab", "abc", "abcd"] {
        rig.file(&format!("tree/{name}.md"), name);
        rig.links(&[(&format!("/{name}.md"), "spec")]);
        says_what_it_costs(&rig);
        rig.links(&[(&format!("/{name}"), "spec")]);
        says_what_it_costs(&rig);
    }
    rig.links(&[]);
    says_what_it_costs(&rig);
}

#[track_caller]
fn says_what_it_costs(rig: &Rig) {
    for consumer in ["reviewer", "author", "brief", "full"] {
        let made = rig.make(&["--consumer", consumer]);
        let mut empty = String::new();
        let mut frontmatter = true;
        for (number, line) in made.text.lines().enumerate() {
            frontmatter &= number == 0 || line != "---";
            let name = line.split(':').next().unwrap();
            let number =
                ["max_tokens", "token_estimate"].contains(&name) || name.starts_with("refs_");
            if frontmatter && number {
                let _ = writeln!(empty, "{name}: ");
            } else {
                let _ = writeln!(empty, "{line}");
            }
        }
        assert_eq!(
            made.report["token_estimate"],
            estimate(&empty),
            "{consumer}"
        );
    }
}

#[test]
fn presets_and_numbers_set_the_ceiling() {
    let rig = rig();
    for (args, ceiling) in [
        (&["--consumer", "reviewer"][..], Some(8_000)),
        (&["--consumer", "brief"], Some(2_000)),
        (&[], Some(32_000)),
        (&["--consumer", "full"], None),
        (&["--consumer", "full", "--max-tokens", "5000"], Some(5_000)),
        (
            &["--consumer", "brief", "--max-tokens", "9000"],
            Some(9_000),
        ),
    ] {
        let made = rig.make(args);
        assert_eq!(made.manifest["max_tokens"].as_u64(), ceiling, "{args:?}");
        if let Some(ceiling) = ceiling {
            assert!(estimate(&made.text) <= ceiling, "{args:?}");
        }
    }
}

#[test]
fn a_vocabulary_is_kept_to_as_well() {
    let rig = rig();
    let made = rig.make(&["--max-tokens", "3000", "--tokenizer", "o200k_base"]);
    assert_eq!(made.manifest["tokenizer"], "o200k_base");
    assert!(Tokenizer::O200kBase.count(&made.text) <= 3_000);
    assert_eq!(made.manifest["ceiling_hit"], true);
}
