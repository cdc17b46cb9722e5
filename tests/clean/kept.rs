//! Results and answers of `materialize`.

use super::{DAY, age, report, repository, tree};
use crate::harness::{Dir, outcome};
use std::path::Path;
use vibey_context_contracts::upkeep::{CleanKind, CleanOutcome, CleanReport};
use vibey_context_host::lock::try_acquire;

const RESULT: &str = "project/thread-1/20260101T000000Z";
const DOCUMENT: &str =
    "---\nkind: materialized-context\nartifact: a\ngenerated_at: 2026-01-01T00:00:00Z\n---\n\nx\n";

/// A folder for results and answers with one of each; returns the answer's folder below it.
fn filled(dir: &Dir, scratch: &str) -> String {
    let answer = format!("cache/{}", "a".repeat(64));
    for (name, text) in [
        (format!("{RESULT}/context.md"), DOCUMENT),
        (format!("{answer}/meta.json"), "{}"),
        (format!("{answer}/response.bin"), "12345"),
        (format!("{answer}/lock"), ""),
        (format!("{answer}/.vibey-tmp-x"), "12"),
    ] {
        dir.file(&format!("{scratch}/{name}"), text);
    }
    answer
}

/// `clean` with the folder of results that the environment names.
#[track_caller]
fn clean(dir: &Dir, scratch: &str, args: &[&str]) -> CleanReport {
    let mut command = dir.command(&dir.at("repo"));
    command
        .env("MATERIALIZE_SCRATCH_ROOT", dir.at(scratch))
        .args(["clean", "--json"])
        .args(args);
    report(&outcome(&mut command).expect(0))
}

fn outcomes(report: &CleanReport) -> Vec<(CleanKind, CleanOutcome, u64)> {
    let entries = report.entries.iter();
    entries
        .map(|entry| (entry.kind, entry.outcome, entry.size_bytes))
        .collect()
}

#[test]
fn old_results_and_answers_go_and_young_ones_stay() {
    let dir = repository();
    let answer = filled(&dir, "s");
    let scratch = dir.at("s");
    age(&scratch, 29 * DAY);
    assert_eq!(clean(&dir, "s", &[]).entries, []);
    age(&scratch, 31 * DAY);
    dir.file("s/project/thread-1/20260101T000000Z-2/context.md", DOCUMENT);
    let before = tree(&scratch);
    let size = DOCUMENT.len() as u64;
    let dry = clean(&dir, "s", &["--dry-run"]);
    assert_eq!(
        outcomes(&dry),
        [
            (CleanKind::Result, CleanOutcome::WouldRemove, size),
            (CleanKind::Answer, CleanOutcome::WouldRemove, 9)
        ]
    );
    assert!(tree(&scratch) == before);
    assert_eq!(dry.freed_bytes, clean(&dir, "s", &[]).freed_bytes);
    let left: Vec<_> = tree(&scratch.join(&answer))
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(left, [scratch.join(&answer).join("lock")]);
    assert!(!dir.has(&format!("s/{RESULT}")));
    assert!(dir.has("s/project/thread-1/20260101T000000Z-2/context.md"));
    age(&scratch, 31 * DAY);
    let rest = clean(&dir, "s", &[]);
    assert_eq!(
        outcomes(&rest),
        [(CleanKind::Result, CleanOutcome::Removed, size)]
    );
}

#[test]
fn what_a_run_works_on_and_what_is_not_ours_stay() {
    let dir = repository();
    let answer = filled(&dir, "s");
    let scratch = dir.at("s");
    for (name, text) in [
        ("project/thread-1/20260101T000000Z-7/context.md", DOCUMENT),
        ("project/thread-1/20260101T000000Z-7/notes.md", "mine"),
        ("project/thread-1/20260101T000000Z-8/context.md", "# Mine\n"),
        ("project/thread-1/notes/context.md", DOCUMENT),
        ("project/20260101T000000Z/context.md", DOCUMENT),
        ("cache/mine/meta.json", "{}"),
    ] {
        dir.file(&format!("s/{name}"), text);
    }
    dir.file("victim/context.md", DOCUMENT);
    dir.link(dir.at("victim"), "s/project/thread-1/20260101T000000Z-9");
    let second = format!("s/cache/{}", "b".repeat(64));
    dir.file(&format!("{second}/meta.json"), "{}");
    dir.file(&format!("{second}/mine"), "x");
    age(&scratch, 60 * DAY);
    let guard = try_acquire(&scratch.join(&answer).join("lock"))
        .unwrap()
        .unwrap();
    let before = tree(&dir.path());
    for args in [&["--dry-run"][..], &[]] {
        let report = clean(&dir, "s", args);
        let kept: Vec<(&str, &str)> = report
            .entries
            .iter()
            .filter(|entry| entry.outcome == CleanOutcome::Kept)
            .map(|entry| {
                let name = Path::new(&entry.path)
                    .file_name()
                    .unwrap()
                    .to_str()
                    .unwrap();
                (&name[name.len() - 2..], entry.reason.as_deref().unwrap())
            })
            .collect();
        assert_eq!(
            kept,
            [
                ("-7", "it holds `notes.md`, which we did not make"),
                ("-8", "it holds `context.md`, which we did not make"),
                ("aa", "a run works on it"),
                ("bb", "it holds `mine`, which we did not make"),
            ]
        );
        assert_eq!(report.entries.len(), 5);
    }
    drop(guard);
    let gone: Vec<_> = before
        .iter()
        .map(|(path, _)| path)
        .filter(|path| !path.exists())
        .collect();
    assert_eq!(
        gone,
        [
            &scratch.join(RESULT),
            &scratch.join(RESULT).join("context.md")
        ]
    );
}

#[test]
fn the_default_place_is_that_of_materialize() {
    let dir = repository();
    let home = dir.home();
    let place = "home/.cache/project-brain/materialize-context";
    std::os::unix::fs::symlink(&home, dir.at("home")).unwrap();
    filled(&dir, place);
    age(&home, 60 * DAY);
    let run = dir.run_in(&dir.at("repo"), ["clean", "--json"]).expect(0);
    let report = report(&run);
    assert_eq!(report.entries.len(), 2, "{report:?}");
    assert!(!dir.has(&format!("{place}/{RESULT}")));
}
