//! Does `clean` remove what is left over, and nothing that anybody needs or that is not ours?

mod indexes;
mod kept;
mod scratch;

use crate::harness::{Dir, Output};
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use vibey_context_contracts::upkeep::{CleanKind, CleanOutcome, CleanReport};

/// Seconds of a day.
const DAY: u64 = 86_400;

/// A repository with one skill where agents keep skills, and one elsewhere.
fn repository() -> Dir {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at("repo/.git")).unwrap();
    for folder in ["skills/one", "more/two"] {
        let name = folder.rsplit('/').next().unwrap();
        dir.skill(
            &format!("repo/{folder}"),
            name,
            "Aligns a telescope.",
            "",
            "# One\n\nText.\n",
        );
    }
    dir.request("r.json", &json!({"objective": "align the telescope"}));
    dir
}

fn run(dir: &Dir, args: &[&str]) -> Output {
    dir.run_in(&dir.at("repo"), args)
}

/// What `clean --json` prints, which must fit its schema.
#[track_caller]
fn report(run: &Output) -> CleanReport {
    let printed = run.json();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts/schemas/clean-report.v1.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    if let Err(error) = jsonschema::draft202012::new(&schema)
        .unwrap()
        .validate(&printed)
    {
        panic!("{error}");
    }
    let report: CleanReport = serde_json::from_value(printed).unwrap();
    for entry in &report.entries {
        let stays = matches!(entry.outcome, CleanOutcome::Kept | CleanOutcome::Failed);
        assert_eq!(entry.reason.is_some(), stays, "{entry:?}");
        let is_there = Path::new(&entry.path).symlink_metadata().is_ok();
        let is_folder = matches!(entry.kind, CleanKind::Index | CleanKind::Answer);
        assert_eq!(
            is_there,
            is_folder || entry.outcome != CleanOutcome::Removed,
            "{entry:?}"
        );
    }
    assert_eq!(run.stderr, "");
    report
}

#[track_caller]
fn clean(dir: &Dir, args: &[&str]) -> CleanReport {
    let words: Vec<&str> = ["clean", "--json"].iter().chain(args).copied().collect();
    report(&run(dir, &words).expect(0))
}

/// Kind, path and outcome of every entry; paths relative to the folder of the test.
fn rows(dir: &Dir, report: &CleanReport) -> Vec<(CleanKind, String, CleanOutcome)> {
    let entries = report.entries.iter();
    entries
        .map(|entry| {
            let path = Path::new(&entry.path);
            let path = path.strip_prefix(dir.path()).unwrap_or(path);
            (entry.kind, path.to_str().unwrap().to_owned(), entry.outcome)
        })
        .collect()
}

/// Sets the times of a file, or of everything below a folder, to some seconds ago.
fn age(path: &Path, seconds: u64) {
    if path.is_symlink() {
        return;
    }
    if path.is_dir() {
        for entry in path.read_dir().unwrap() {
            age(&entry.unwrap().path(), seconds);
        }
    }
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::open(path).unwrap().set_modified(time).unwrap();
}

/// The default indexes below the repository.
fn indexes(dir: &Dir) -> Vec<PathBuf> {
    let folder = dir.at("repo/.vibey/skills-context");
    let found = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = found.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The index of the skills that lie where agents keep them.
fn built(dir: &Dir) -> PathBuf {
    run(dir, &["index", "build"]).expect(0);
    let [index] = indexes(dir).try_into().unwrap();
    index
}

/// Every path below a folder with what stands in the files.
fn tree(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(tree(&path));
        }
        let bytes = path.is_file().then(|| std::fs::read(&path).unwrap());
        found.push((path, bytes));
    }
    found.sort();
    found
}

#[test]
fn where_nothing_is_left_over_nothing_happens() {
    let dir = repository();
    let before = tree(&dir.path());
    let report = clean(&dir, &[]);
    assert_eq!(report.entries, []);
    assert_eq!((report.freed_bytes, report.older_than_days), (0, 30));
    assert!(tree(&dir.path()) == before, "it has made something");
    built(&dir);
    let before = tree(&dir.path());
    assert_eq!(clean(&dir, &["--older-than", "0"]).entries, []);
    assert!(tree(&dir.path()) == before);
    let text = run(&dir, &["clean"]).expect(0).stdout;
    assert_eq!(text, "freed 0 bytes in 0 places\n");
}

#[test]
fn people_read_what_goes_and_why_something_stays() {
    let dir = repository();
    let old = dir.file("repo/.vibey-tmp-old", "12345");
    dir.file("repo/.vibey-tmp-new", "1");
    age(&old, 3 * DAY);
    let text = run(&dir, &["clean", "--dry-run"]).expect(0).stdout;
    for line in [
        format!(
            "would remove: leftover of a killed run, 5 bytes, 3 days old\n    {}\n",
            old.display()
        ),
        "kept: leftover of a killed run, 1 byte, ".to_owned(),
        "    it is younger than a day, and somebody may be writing it\n".to_owned(),
        "5 bytes in 1 place would be freed\n".to_owned(),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
    assert!(old.exists());
    let text = run(&dir, &["clean"]).expect(0).stdout;
    assert!(text.contains("removed: leftover"), "{text}");
    assert!(text.ends_with("freed 5 bytes in 1 place\n"), "{text}");
    assert!(!old.exists());
}

#[test]
fn a_project_file_that_is_wrong_stops_it_before_anything_is_removed() {
    let dir = repository();
    let old = dir.file("repo/.vibey-tmp-old", "12345");
    age(&old, 3 * DAY);
    dir.file("repo/vibey-context.toml", "skils = []\n");
    run(&dir, &["clean", "--json"]).fails("project_file");
    run(&dir, &["clean", "--json", "nowhere", "--no-project-file"]).fails("usage");
    assert!(old.exists());
}
