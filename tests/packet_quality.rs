//! Is a packet worth its budget: whole passages in one frame, nothing too small for one, and little of the budget unused?

use crate::harness::library::Memory;
use crate::harness::runs::runs;
use crate::harness::{Dir, fixture};
use serde_json::{Value, json};
use std::fmt::Write as _;
use vibey_context::packet::compile::Compiled;
use vibey_context::packet::parse::Framed;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::packet::OmissionReason;

mod sweep;

/// More bytes than any frame of these corpora has.
const FRAME_MAX: usize = 300;

/// A corpus of one root, indexed in memory.
fn corpus(skills: &[(&str, &str, String)]) -> Memory {
    let dir = Dir::new();
    for (name, extra, body) in skills {
        let description = format!("All about the {name}.");
        dir.skill(&format!("skills/{name}"), name, &description, extra, body);
    }
    Memory::of(&dir.arg("skills"))
}

/// `bytes` bytes about `topic` in short lines, unlike any other text with another seed.
fn text(topic: &str, seed: usize, bytes: usize) -> String {
    const WORDS: &[&str] = &[
        "measure",
        "record",
        "before",
        "after",
        "carefully",
        "twice",
        "valve",
        "pressure",
        "ledger",
        "operator",
        "season",
        "north",
        "window",
        "repair",
        "ladder",
        "copper",
        "signal",
        "harvest",
        "river",
        "engine",
    ];
    let mut text = String::new();
    let mut state = seed * 7919 + 17;
    while text.len() + 40 < bytes {
        let _ = write!(text, "{topic}");
        for _ in 0..3 {
            state = (state * 1_103_515_245 + 12345) % (1 << 31);
            let _ = write!(text, " {}", WORDS[(state >> 12) % WORDS.len()]);
        }
        text.push('\n');
    }
    while text.len() + 1 < bytes {
        text.push('x');
    }
    text + "\n"
}

/// The frames of a packet, each as its sections' last headings.
fn headings(compiled: &Compiled) -> Vec<Vec<String>> {
    let mut chunks = compiled.manifest.included_chunks.iter();
    runs(&compiled.packet)
        .iter()
        .map(|run| {
            let some = chunks.by_ref().take(run.len());
            some.map(|chunk| chunk.heading_path.last().unwrap().clone())
                .collect()
        })
        .collect()
}

/// The line that opens the frame of a run.
fn opening<'a>(compiled: &'a Compiled, run: &[Framed]) -> &'a str {
    let sha256 = format!(" sha256=\"{}\"", run[0].attributes["sha256"]);
    compiled
        .packet
        .lines()
        .find(|line| line.starts_with("<!-- vibey-context:section ") && line.contains(&sha256))
        .unwrap()
}

fn required(names: &[&str], title: &str) -> Value {
    json!({"title": title, "required_skills": names})
}

#[test]
fn adjacent_sections_share_a_frame_that_names_each_of_them() {
    let one = format!("# Kettle\n\n{}\n", text("kettle", 1, 500));
    let two = format!("## Lid\n\n{}\n", text("lid", 2, 600));
    let three = format!("## Spout\n\n{}", text("spout", 3, 400));
    let whole = format!("{one}{two}{three}");
    let lines = |text: &str| text.lines().count();
    // The frontmatter and the blank line behind it.
    let first = fixture::skill_text("kettle", "d", "mandatory_sections: [Lid]", "");
    let a = lines(&first);
    let (b, c, d) = (
        a + 1 + lines(&one),
        a + 1 + lines(&one) + lines(&two),
        a + lines(&whole),
    );
    let memory = corpus(&[("kettle", "mandatory_sections: [Lid]", whole.clone())]);
    let compiled = memory.compile(&required(&["kettle"], "kettle"), 6000);
    let runs = runs(&compiled.packet);
    let [run] = runs.as_slice() else {
        panic!("{}", compiled.packet)
    };
    // The blank line behind the frontmatter belongs to the body's first section.
    let ranges = [
        format!("{a}-{}", b - 1),
        format!("{b}-{}", c - 1),
        format!("{c}-{d}"),
    ];
    let contents = [format!("\n{one}"), two, three];
    for (at, section) in run.iter().enumerate() {
        assert_eq!(section.content, contents[at]);
        assert_eq!(section.attributes["lines"], ranges[at]);
        let class = section.attributes.get("class").map(String::as_str);
        assert_eq!(class, (at == 1).then_some("mandatory"));
        assert_eq!(section.attributes["heading"], "Kettle");
        assert_eq!(
            section.attributes["sha256"],
            sha256_hex(format!("\n{whole}").as_bytes())
        );
    }
    let opening = opening(&compiled, run);
    for attribute in [
        format!(" lines=\"{a}-{d}\""),
        format!(" sections=\"{}\"", ranges.join(" ")),
        format!(" mandatory=\"{}\"", ranges[1]),
    ] {
        assert!(opening.contains(&attribute), "{attribute} in {opening}");
    }
}

#[test]
fn a_frame_of_nothing_but_mandatory_sections_says_so_once() {
    let body = format!(
        "# Kettle\n\n{}\n## Lid\n\n{}",
        text("kettle", 1, 500),
        text("lid", 2, 500)
    );
    let memory = corpus(&[("kettle", "mandatory_sections: [Kettle]", body)]);
    let compiled = memory.compile(&required(&["kettle"], "kettle"), 6000);
    let runs = runs(&compiled.packet);
    assert_eq!(runs.len(), 1);
    let opening = opening(&compiled, &runs[0]);
    assert!(opening.contains(" class=\"mandatory\""), "{opening}");
    assert!(!opening.contains(" mandatory="), "{opening}");
    for section in &runs[0] {
        assert_eq!(section.attributes["class"], "mandatory");
    }
}

#[test]
fn sections_with_a_gap_between_them_do_not_share_a_frame() {
    // The second copy of a text is left out, which makes a gap.
    let same = format!("## Same\n\n{}\n", text("gasket", 9, 500));
    let body = format!(
        "# Kettle\n\n{}\n{same}## Lid\n\n{}\n{same}## Spout\n\n{}",
        text("kettle", 1, 500),
        text("lid", 2, 500),
        text("spout", 3, 500)
    );
    let memory = corpus(&[("kettle", "", body)]);
    let compiled = memory.compile(&required(&["kettle"], "kettle"), 6000);
    assert_eq!(
        headings(&compiled),
        [vec!["Kettle", "Same", "Lid"], vec!["Spout"]]
    );
    assert_eq!(
        compiled.manifest.omitted_by_reason.get("duplicate"),
        Some(&1)
    );
}

#[test]
fn the_parts_of_a_large_section_have_a_frame_each() {
    let body = format!(
        "# Kettle\n\n{}\n## Long\n\n{}\n## Lid\n\n{}",
        text("kettle", 1, 500),
        text("long", 2, 7000),
        text("lid", 3, 500)
    );
    let memory = corpus(&[("kettle", "", body)]);
    let compiled = memory.compile(&required(&["kettle"], "kettle"), 6000);
    let chunks = &compiled.manifest.included_chunks;
    let parts = chunks.iter().filter(|chunk| chunk.part.is_some()).count();
    assert!(parts >= 3);
    let runs = runs(&compiled.packet);
    assert_eq!(runs.len(), parts + 2);
    for (at, run) in runs.iter().enumerate() {
        assert_eq!(run.len(), 1);
        let part = (1..=parts)
            .contains(&at)
            .then(|| format!("{at} of {parts}"));
        assert_eq!(run[0].attributes.get("part"), part.as_ref());
    }
}

#[test]
fn what_is_smaller_than_its_frame_comes_only_with_its_neighbour() {
    let body = format!(
        "# Kettle\n\n{}\n## Long\n\n{}\n## Tiny\n\nA lid rattles.\n",
        text("kettle", 1, 1500),
        text("spout", 2, 2600)
    );
    let memory = corpus(&[("kettle", "", body)]);
    let request = required(&["kettle"], "kettle and lid");
    let tiny = |compiled: &Compiled| {
        let record = memory.reader.skill(0).unwrap();
        let id = &record.sections[2].id;
        let rows = &compiled.manifest.omitted_chunks;
        rows.iter().find(|row| row.id == *id).map(|row| row.reason)
    };
    // There is room for `Tiny` in its own frame, and not for `Long`.
    let alone = memory.compile(&request, 1000);
    assert_eq!(headings(&alone), [["Kettle"]]);
    assert_eq!(tiny(&alone), Some(OmissionReason::BelowThreshold));
    assert!(alone.packet.len() + 2 * FRAME_MAX < 4000);
    assert_eq!(alone.manifest.omitted_by_reason.get("budget"), Some(&1));

    let both = memory.compile(&request, 1300);
    assert_eq!(headings(&both), [["Kettle", "Long", "Tiny"]]);
    assert_eq!(tiny(&both), None);
}

#[test]
fn a_text_that_is_in_the_packet_is_a_duplicate_even_where_it_would_be_too_small() {
    let same = "## Same\n\nA lid rattles.\n\n";
    let one = format!("# Kettle\n\n{}\n{same}", text("kettle", 1, 500));
    let two = format!(
        "# Urn\n\n{}\n## Long\n\n{}\n{same}",
        text("urn", 2, 500),
        text("long", 3, 6000)
    );
    let memory = corpus(&[("kettle", "", one), ("urn", "", two)]);
    let compiled = memory.compile(&required(&["kettle", "urn"], "kettle"), 6000);
    assert_eq!(compiled.packet.matches("rattles").count(), 1);
    let rows = &compiled.manifest.omitted_chunks;
    let reasons: Vec<OmissionReason> = rows.iter().map(|row| row.reason).collect();
    assert_eq!(reasons, [OmissionReason::Duplicate]);
}
