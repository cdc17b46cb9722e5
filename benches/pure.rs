//! The pure functions that builds and packets spend their time in, each alone: `cargo bench --bench pure`.
//!
//! Whole processes are measured by the scripts of this folder and by `tests/scale/measure.py`.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use vibey_context::corpus::build::{Observer, Origin, in_memory};
use vibey_context::corpus::embedded;
use vibey_context::corpus::frontmatter;
use vibey_context::corpus::sections::sections;
use vibey_context::packet::query;
use vibey_context::text::neutralise::frame_safe;
use vibey_context_contracts::request::Request;
use vibey_context_index::analysis::Analyzer;
use vibey_context_index::rank::rank;
use vibey_context_index::segment;

/// A starter skill as its file has it.
const SKILL: &str = include_str!("../src/corpus/starter/skills/safe-database-migrations/SKILL.md");

fn main() {
    divan::main();
}

struct Quiet;

impl Observer for Quiet {}

/// From text to stems and forms, as the body of a skill is indexed.
#[divan::bench]
fn analysis(bencher: Bencher<'_, '_>) {
    let mut analyzer = Analyzer::default();
    bencher.counter(BytesCount::of_str(SKILL)).bench_local(|| {
        let mut lines = String::new();
        analyzer.lines_with_forms(black_box(SKILL), &mut lines);
        lines
    });
}

#[divan::bench]
fn frontmatter_of_a_skill(bencher: Bencher<'_, '_>) {
    let parse = || frontmatter::parse(black_box(SKILL), "safe-database-migrations");
    bencher.counter(BytesCount::of_str(SKILL)).bench(parse);
}

#[divan::bench]
fn sections_of_a_skill(bencher: Bencher<'_, '_>) {
    let front = frontmatter::parse(SKILL, "safe-database-migrations");
    let cut = || {
        sections(
            black_box(SKILL),
            front.body_start,
            front.body_line,
            "safe-database-migrations",
            &front.frontmatter.mandatory_sections,
            &front.frontmatter.mandatory_lines,
        )
    };
    bencher.counter(BytesCount::of_str(SKILL)).bench(cut);
}

#[divan::bench]
fn neutralise(bencher: Bencher<'_, '_>) {
    let safe = || frame_safe(black_box(SKILL), "> ").0.len();
    bencher.counter(BytesCount::of_str(SKILL)).bench(safe);
}

/// A shard of the starter skills, from records to the bytes of its file.
#[divan::bench]
fn shard(bencher: Bencher<'_, '_>) {
    let skills = embedded::corpus().skills;
    let key = "0".repeat(64);
    bencher.bench(|| segment::build(black_box(&skills), &key, &mut |_| {}));
}

/// A request over the starter skills, from its words to ranked skills and sections.
#[divan::bench]
fn ranking(bencher: Bencher<'_, '_>) {
    let Ok((_, reader, _)) = in_memory(&Origin::Embedded, &mut Quiet) else {
        return;
    };
    let request = Request {
        objective: "Backfill a column of a large table in batches without locking it".to_owned(),
        ..Request::default()
    };
    let asked = query(&request).query;
    bencher.bench(|| rank(&reader, black_box(&asked), None));
}
