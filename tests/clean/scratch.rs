//! Temporary files beside outputs.

use super::{DAY, age, clean, repository, rows};
use vibey_context_contracts::upkeep::{CleanKind, CleanOutcome};

#[test]
fn only_old_files_of_our_name_go_and_only_where_outputs_are() {
    let dir = repository();
    for name in [
        "repo/.vibey-tmp-a",
        "repo/.vibey/context/.vibey-tmp-b",
        "out/.vibey-tmp-c",
        "out/deep/.vibey-tmp-d",
        "elsewhere/.vibey-tmp-e",
        "repo/vibey-tmp-f",
        "repo/.vibey-tmp-folder/x",
    ] {
        dir.file(name, "12345");
    }
    dir.link(dir.at("elsewhere/.vibey-tmp-e"), "repo/.vibey-tmp-link");
    age(&dir.path(), 2 * DAY);
    dir.file("repo/.vibey-tmp-young", "1");
    let out = dir.arg("out");
    // By two paths it is one folder.
    let report = clean(&dir, &[&out, "../out", "--older-than", "99"]);
    let row = |path: &str, outcome| (CleanKind::Scratch, path.to_owned(), outcome);
    assert_eq!(
        rows(&dir, &report),
        [
            row("out/.vibey-tmp-c", CleanOutcome::Removed),
            row("repo/.vibey-tmp-a", CleanOutcome::Removed),
            row("repo/.vibey-tmp-young", CleanOutcome::Kept),
            row("repo/.vibey/context/.vibey-tmp-b", CleanOutcome::Removed),
        ]
    );
    for name in [
        "out/deep/.vibey-tmp-d",
        "elsewhere/.vibey-tmp-e",
        "repo/vibey-tmp-f",
        "repo/.vibey-tmp-folder/x",
        "repo/.vibey-tmp-link",
    ] {
        assert!(dir.has(name), "{name}");
    }
}

#[test]
fn a_file_of_the_future_is_young() {
    let dir = repository();
    let file = dir.file("repo/.vibey-tmp-a", "1");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1_000 * DAY);
    std::fs::File::open(&file)
        .unwrap()
        .set_modified(later)
        .unwrap();
    let report = clean(&dir, &["--older-than", "0"]);
    assert_eq!(report.entries.len(), 1);
    assert_eq!(report.entries[0].outcome, CleanOutcome::Kept);
    assert_eq!(report.entries[0].age_seconds, 0);
}
