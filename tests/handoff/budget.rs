//! A brief that does not fit comes down a ladder, and what is never cut is never cut.

use super::stage::{Stage, warnings};

/// Words of filler for a part of the specification.
fn filler(words: &str, bytes: usize) -> String {
    let line =
        format!("{words} goes on and on, with details that somebody wanted to write down here.\n");
    let paragraph = line.repeat(3);
    format!("{paragraph}\n").repeat(bytes / (paragraph.len() + 1))
}

/// A specification of 60 KB: the current story, criteria and decisions are small, all else is large.
fn large() -> String {
    let prior: String = (1..=4)
        .map(|number| {
            format!(
                "### US-{number} Prior{number}\n\nFirst of {number}. Second of {number}.\n\n{}\n",
                filler("Prior", 2_000)
            )
        })
        .collect();
    let later = filler("Later", 32_000);
    let files: String = (0..40)
        .map(|number| format!("- `src/file{number}.rs`\n"))
        .collect();
    format!(
        "# Spec\n\n## User Stories\n\n{prior}### US-5 Current\n\nThe current story needs what US-1 and US-2 have made, since it is \
         built on top of them, as everybody agreed at the meeting.\n\n#### Acceptance Criteria\n\n- Current criterion.\n\n\
         ### US-6 Later\n\n{later}\n\n## Requirements\n\n- One.\n\n## Success Criteria\n\n- Protected criterion.\n\n\
         ## Tech Stack\n\nFirst words about the stack.\n\n### Rationale\n\n{}\n### Stack details\n\n{}\n\
         ## Key Decisions\n\n- Protected decision.\n\n## Deviations\n\n- Protected deviation.\n\n## Files Modified\n\n{files}\n",
        filler("Rationale", 9_000),
        filler("Stack", 16_000)
    )
}

fn configured(window: u64) -> Stage {
    let stage = Stage::empty();
    stage.configure(&format!(
        r#"{{"defaults": {{"context_window": {window}}}}}"#
    ));
    stage.file("specs/shop/spec.md", large());
    for step in 1..=5 {
        stage.step(&step.to_string()).expect(0);
    }
    stage
}

/// What was left out, in order.
fn dropped(brief: &str) -> Vec<&str> {
    warnings(brief)
        .into_iter()
        .filter_map(|line| line.strip_prefix("- Left out for the budget: "))
        .collect()
}

#[test]
fn the_ladder_is_gone_down_in_order_until_the_brief_fits() {
    let stage = configured(8_000);
    assert!(stage.read("specs/shop/spec.md").len() > 60_000);
    let report = stage
        .transition("spec-writer", "implementer", &["--step", "5", "--json"])
        .expect(0)
        .json();
    let brief = stage.brief("phase2-step5");
    let budget = &report["budget"];
    assert_eq!(
        (&budget["limit"], &budget["window"]),
        (&4_800.into(), &8_000.into())
    );
    let (tokens, raw) = (
        budget["tokens"].as_u64().unwrap(),
        budget["raw_tokens"].as_u64().unwrap(),
    );
    assert!(
        tokens <= 4_800 && (4_800..=8_000).contains(&raw),
        "{budget}"
    );
    assert_eq!(budget["status"], "pressure");
    assert!(
        brief.contains("- **Status**: ⚠️ Context pressure\n"),
        "{brief}"
    );
    assert!(brief.contains(&format!(
        "- **Estimated tokens**: ~{tokens} tokens\n- **Target model window**: 8K tokens\n"
    )));
    let gone = dropped(&brief);
    let order = [
        "which sections were not handed over",
        "the second sentence of 4 prior stories",
        "the sentences of 2 dependencies",
        "the list of 40 changed files",
        "blocks of rationale: 1 in Tech Stack",
    ];
    assert_eq!(gone[..5], order, "{gone:?}");
    assert!(
        brief.contains("- **US-1 (Prior1)**: First of 1. [✓ Completed]\n"),
        "{brief}"
    );
    assert!(brief.contains("- **US-1**: Prior1\n"), "{brief}");
    for kept in [
        "The current story needs",
        "Current criterion.",
        "Protected criterion.",
        "Protected decision.",
        "Protected deviation.",
    ] {
        assert!(brief.contains(kept), "{kept}");
    }
}

#[test]
fn the_last_rung_leaves_a_pointer() {
    let stage = configured(5_000);
    let brief = stage.brief("phase2-step5");
    assert!(
        dropped(&brief)
            .last()
            .unwrap()
            .starts_with("all but the first paragraph of Tech Stack, specs/shop/spec.md lines ")
    );
    assert!(
        brief.contains(
            "First words about the stack.\n\n[… the rest stands in `specs/shop/spec.md`, lines "
        ),
        "{brief}"
    );
    assert!(
        brief.contains("- **Status**: 🔴 Over budget (compressed)\n"),
        "the raw brief is larger than the window"
    );
}

#[test]
fn what_can_not_be_brought_down_is_said_to_be_over() {
    let stage = configured(1_000);
    let brief = stage.brief("phase2-step5");
    assert!(brief.contains("🔴 Over budget (compressed)"), "{brief}");
    for kept in [
        "The current story needs",
        "Current criterion.",
        "Protected criterion.",
        "Protected decision.",
    ] {
        assert!(brief.contains(kept), "{kept}");
    }
    assert!(stage.dashboard().contains(r#"<rect class="bad""#));
}

#[test]
fn a_brief_at_its_limit_is_left_alone() {
    let stage = configured(200_000);
    let brief = stage.brief("phase2-step5");
    assert_eq!(dropped(&brief), [""; 0]);
    assert!(brief.contains("- **Status**: ✅ Within budget\n"));
}

#[test]
fn the_estimate_is_over_the_brief_with_its_numbers_empty() {
    let stage = Stage::implementing();
    for (words, bytes_per_token) in [
        (&["refresh", "--json"][..], Some(4)),
        (&["refresh", "--json", "--tokenizer", "o200k_base"], None),
    ] {
        let report = stage.run(words).expect(0).json();
        let mut measured = String::new();
        for line in stage.brief("phase2-step1").lines() {
            let numbered = [
                "- **Estimated tokens**",
                "- **Target model window**",
                "- **Budget used**",
                "- **Budget remaining**",
            ];
            match line.starts_with("- **") && numbered.iter().any(|field| line.starts_with(field)) {
                true => measured.extend(line.chars().filter(|c| !c.is_ascii_digit())),
                false => measured.push_str(line),
            }
            measured.push('\n');
        }
        let tokens = report["budget"]["tokens"].as_u64().unwrap();
        match bytes_per_token {
            Some(bytes) => assert_eq!(tokens, (measured.len() as u64).div_ceil(bytes)),
            None => assert_eq!(report["budget"]["tokenizer"], "o200k_base"),
        }
        assert_eq!(
            report["budget"]["used_percent"],
            (tokens * 100 + 64_000) / 128_000
        );
    }
}

#[test]
fn one_endless_paragraph_and_thousands_of_sections_come_down_too() {
    let endless = format!(
        "## Tech Stack\n\n{}\n\n## Decisions\n\n- D\n",
        "words ".repeat(60_000)
    );
    let many: String = (0..3_000)
        .map(|one| format!("## Tech Stack {one}\n\nOne line of it.\n\n"))
        .collect();
    for (tail, pointer) in [
        (endless, "[… the rest stands in `specs/shop/spec.md`"),
        (many, "[… 3000 sections stand in `specs/shop/spec.md`"),
    ] {
        let stage = Stage::empty();
        stage.configure(r#"{"version":1,"defaults":{"context_window":8000}}"#);
        let text = format!(
            "# S\n\n## User Stories\n\n### US-1: A\n\nBody.\n\n## Requirements\n\nr\n\n## Success Criteria\n\n- SC-1 holds.\n\n{tail}{}",
            filler("word", 600)
        );
        stage.file("specs/shop/spec.md", text);
        stage
            .transition("spec-writer", "implementer", &[])
            .expect(0);
        let brief = stage.brief("phase2-step1");
        assert!(brief.contains(pointer), "{brief}");
        assert!(
            brief.contains("- SC-1 holds.") && brief.len() < 12_000,
            "{}",
            brief.len()
        );
        assert!(!brief.contains("tokens over the limit are left"));
    }
}

#[test]
fn what_is_still_over_says_by_how_much() {
    let stage = configured(1_000);
    stage.file("specs/shop/spec.md", large());
    let run = stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    assert!(
        run.stdout
            .contains("tokens over the limit are left; what is left is never cut"),
        "{}",
        run.stdout
    );
}
