//! Does `doctor` see what is wrong, say what to do about it, and change nothing?

mod conductor;

use crate::corpus::unprivileged::{Unprivileged, mode};
use crate::harness::{Dir, Output, outcome};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use vibey_context_contracts::upkeep::{Check, DoctorReport, State, Topic};
use vibey_context_host::lock::try_acquire;

/// A repository with one skill where agents keep skills.
fn repository() -> Dir {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at("repo/.git")).unwrap();
    dir.skill(
        "repo/skills/one",
        "one",
        "Aligns a telescope.",
        "",
        "# One\n\nText.\n",
    );
    dir.request("r.json", &json!({"required_skills": ["one"]}));
    dir
}

fn run(dir: &Dir, args: &[&str]) -> Output {
    dir.run_in(&dir.at("repo"), args)
}

#[track_caller]
fn packet(dir: &Dir) {
    let (request, output) = (dir.arg("r.json"), dir.arg("p.md"));
    run(dir, &["packet", "--request", &request, "--output", &output]).expect(0);
}

/// What `doctor --json` prints, which must fit its schema and its own counts.
#[track_caller]
fn report(run: &Output) -> DoctorReport {
    let printed = run.json();
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts/schemas/doctor-report.v1.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    if let Err(error) = jsonschema::draft202012::new(&schema)
        .unwrap()
        .validate(&printed)
    {
        panic!("{error}");
    }
    let report: DoctorReport = serde_json::from_value(printed).unwrap();
    for check in &report.checks {
        assert_eq!(check.help.is_some(), check.state != State::Ok, "{check:?}");
    }
    assert_eq!(
        run.code,
        i32::from(report.summary.problems > 0),
        "{report:?}"
    );
    assert_eq!(run.stderr, "");
    report
}

#[track_caller]
fn doctor(dir: &Dir, args: &[&str]) -> DoctorReport {
    let words: Vec<&str> = ["doctor", "--json"].iter().chain(args).copied().collect();
    report(&run(dir, &words))
}

/// The one check about a topic.
#[track_caller]
fn the(report: &DoctorReport, topic: Topic) -> &Check {
    let found: Vec<&Check> = report
        .checks
        .iter()
        .filter(|one| one.topic == topic)
        .collect();
    let [check] = found.as_slice() else {
        panic!("{topic:?}: {found:?}")
    };
    check
}

#[track_caller]
fn says(report: &DoctorReport, topic: Topic, state: State, words: &str) {
    let check = the(report, topic);
    assert_eq!(check.state, state, "{check:?}");
    assert!(check.message.contains(words), "{check:?}");
}

/// Every path below the folders of a test with what stands in the files, and when they were changed.
fn everything(dir: &Dir) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut found = Vec::new();
    let mut folders = vec![dir.path(), dir.home()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let known = path.symlink_metadata().unwrap();
            if known.is_dir() {
                folders.push(path.clone());
            }
            let bytes = if known.is_file() {
                std::fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            found.push((path, bytes, known.modified().unwrap()));
        }
    }
    found.sort();
    found
}

/// The one default index below the repository.
fn index(dir: &Dir) -> PathBuf {
    let folder = dir.at("repo/.vibey/skills-context");
    let found = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let folders: Vec<PathBuf> = found.filter(|path| path.is_dir()).collect();
    let [index] = folders.as_slice() else {
        panic!("{folders:?}")
    };
    index.clone()
}

#[test]
fn it_tells_missing_fresh_and_stale_apart_and_changes_nothing() {
    let dir = repository();
    let watched = |args: &[&str]| {
        let before = everything(&dir);
        let report = doctor(&dir, args);
        assert!(everything(&dir) == before, "doctor has changed something");
        report
    };
    let report = watched(&[]);
    assert_eq!(
        report.summary.warnings + report.summary.problems,
        0,
        "{report:?}"
    );
    says(&report, Topic::Index, State::Ok, "none yet");
    says(
        &report,
        Topic::Program,
        State::Ok,
        env!("CARGO_PKG_VERSION"),
    );
    says(&report, Topic::Skills, State::Ok, "1 skill");
    assert_eq!(
        the(&report, Topic::Skills).path,
        Some(dir.arg("repo/skills"))
    );
    packet(&dir);
    let report = watched(&[]);
    says(&report, Topic::Index, State::Ok, "fresh: 1 skills");
    says(&report, Topic::Lock, State::Ok, "free");
    says(&report, Topic::Cache, State::Ok, "1 index");
    assert!(the(&report, Topic::Index).size_bytes.unwrap() > 0);

    dir.skill(
        "repo/skills/two",
        "two",
        "Aligns another.",
        "",
        "# Two\n\nText.\n",
    );
    let report = watched(&[]);
    says(
        &report,
        Topic::Index,
        State::Warning,
        "stale: skills have changed",
    );
    says(
        &watched(&["--embedded"]),
        Topic::Index,
        State::Ok,
        "none yet",
    );
    let index = index(&dir);
    let report = watched(&["--index", index.to_str().unwrap()]);
    says(
        &report,
        Topic::Index,
        State::Warning,
        "stale: skills have changed",
    );
    packet(&dir);
    says(
        &doctor(&dir, &[]),
        Topic::Index,
        State::Ok,
        "fresh: 2 skills",
    );
}

#[test]
fn people_read_a_line_for_each_check_with_its_remedy() {
    let dir = repository();
    dir.file("repo/vibey-context.toml", "budget = 8000\nskils = []\n");
    let text = run(&dir, &["doctor"]).expect(1).stdout;
    for line in [
        "ok      program: vibey-context ",
        "problem project file: key `skils` is not known at line 2, column 1\n",
        "        help: did you mean `skills`?\n",
        "warning skills: they are not known while the project file is wrong\n",
        " ok, 1 warning, 1 problem\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let text = run(&dir, &["doctor", "--no-project-file"]).expect(0).stdout;
    assert!(
        text.contains("ok      project file: passed over\n"),
        "{text}"
    );
    dir.file(
        "repo/vibey-context.toml",
        "budget = 8000\nexclude = ['two']\n",
    );
    let text = run(&dir, &["doctor"]).expect(0).stdout;
    assert!(
        text.contains("project file: it names 1 pattern, a budget of 8000 tokens\n"),
        "{text}"
    );
}

#[test]
fn a_damaged_an_old_and_a_foreign_index_are_told_apart() {
    let dir = repository();
    packet(&dir);
    let index = index(&dir);
    let named = index.to_str().unwrap();
    let generation = index
        .join("generations")
        .read_dir()
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let shards = generation
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let shard = shards
        .into_iter()
        .find(|path| path.extension().is_some_and(|it| it == "shard"));
    let shard = shard.unwrap();
    let whole = std::fs::read(&shard).unwrap();
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&shard, &bytes).unwrap();
    for args in [&[][..], &["--index", named]] {
        says(
            &doctor(&dir, args),
            Topic::Index,
            State::Problem,
            "damaged: checksum of",
        );
    }
    std::fs::write(&shard, &whole).unwrap();

    let manifest = index.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let now = format!(
        "\"index_version\": {}",
        vibey_context_contracts::version::INDEX_FORMAT
    );
    std::fs::write(&manifest, text.replace(&now, "\"index_version\": 1")).unwrap();
    says(
        &doctor(&dir, &[]),
        Topic::Index,
        State::Warning,
        "has format 1",
    );
    says(
        &doctor(&dir, &["--index", named]),
        Topic::Index,
        State::Problem,
        "has format 1",
    );
    std::fs::write(&manifest, text.replace(&now, "\"index_version\": 99")).unwrap();
    says(
        &doctor(&dir, &[]),
        Topic::Index,
        State::Problem,
        "has format 99",
    );
    std::fs::write(&manifest, "{}").unwrap();
    says(
        &doctor(&dir, &[]),
        Topic::Index,
        State::Problem,
        "not an index",
    );
    let missing = dir.arg("none");
    says(
        &doctor(&dir, &["--index", &missing]),
        Topic::Index,
        State::Problem,
        "no index at",
    );
}

#[test]
fn a_build_that_is_at_work_is_seen() {
    let dir = repository();
    packet(&dir);
    let guard = try_acquire(&index(&dir).join("lock")).unwrap().unwrap();
    says(
        &doctor(&dir, &[]),
        Topic::Lock,
        State::Warning,
        "held by a build",
    );
    drop(guard);
    says(&doctor(&dir, &[]), Topic::Lock, State::Ok, "free");
}

#[test]
fn roots_without_skills_and_skills_that_cannot_be_read_are_named() {
    let dir = repository();
    dir.file("repo/empty/x", "");
    let report = doctor(&dir, &["--skills", "empty"]);
    says(&report, Topic::Skills, State::Problem, "no skill");
    let report = doctor(&dir, &["--skills", "missing"]);
    says(&report, Topic::Skills, State::Problem, "cannot be used");
    dir.link("nowhere", "repo/skills/broken");
    let report = doctor(&dir, &[]);
    says(
        &report,
        Topic::Skills,
        State::Warning,
        "1 skill, and 1 more that cannot be read",
    );
    // Outside a repository, where nothing is.
    std::fs::create_dir(dir.at("bare")).unwrap();
    let run = dir.run_in(&dir.at("bare"), ["doctor", "--json"]);
    let bare = report_of(&run);
    says(&bare, Topic::Skills, State::Warning, "starter corpus");
    assert!(
        the(&bare, Topic::Skills)
            .message
            .contains(&dir.arg("bare/.claude/skills"))
    );
}

fn report_of(run: &Output) -> DoctorReport {
    report(run)
}

#[test]
fn a_place_that_cannot_be_written_is_a_warning_and_the_next_one_is_named() {
    let dir = repository();
    let nobody = Unprivileged::new(&dir);
    let repo = dir.at("repo");
    mode(&repo, 0o555);
    nobody.assert_unwritable(&repo);
    let report = report(&nobody.program(&repo, ["doctor", "--json"]));
    let places: Vec<&Check> = report
        .checks
        .iter()
        .filter(|check| check.topic == Topic::FileSystem)
        .collect();
    let [first, second] = places.as_slice() else {
        panic!("{places:?}")
    };
    assert_eq!(first.state, State::Warning, "{first:?}");
    assert!(first.message.contains("may not be written"), "{first:?}");
    assert_eq!(first.path, Some(dir.arg("repo")));
    assert_eq!(second.state, State::Ok, "{second:?}");
    assert_eq!(second.path.as_deref(), dir.home().to_str());

    let homeless = report_of(&nobody.homeless(&repo, ["doctor", "--json"]));
    let program: Vec<&Check> = homeless
        .checks
        .iter()
        .filter(|check| check.topic == Topic::Program)
        .collect();
    assert_eq!(program.len(), 2);
    assert!(program[1].message.contains("no home folder"), "{program:?}");
}

#[test]
fn what_has_piled_up_is_counted() {
    let dir = repository();
    let scratch = dir.at("scratch");
    let answer = format!("scratch/cache/{}", "a".repeat(64));
    dir.file(&format!("{answer}/meta.json"), "{}");
    dir.file(&format!("{answer}/response.bin"), "12345");
    dir.file("scratch/p/a/20260101T000000Z/context.json", "{}");
    let mut command = dir.command(&dir.at("repo"));
    command
        .env("MATERIALIZE_SCRATCH_ROOT", &scratch)
        .args(["doctor", "--json"]);
    let report = report(&outcome(&mut command));
    let caches: Vec<(&str, Option<u64>)> = report
        .checks
        .iter()
        .filter(|check| check.topic == Topic::Cache)
        .map(|check| (check.message.as_str(), check.size_bytes))
        .collect();
    assert_eq!(
        caches,
        [("1 answer of a server", Some(7)), ("1 result", Some(2))]
    );
}
