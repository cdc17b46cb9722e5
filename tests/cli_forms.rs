//! Do the argument forms that conductors use hold, and does every other form fail as it should?

use crate::harness::{Dir, fixture};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use vibey_context_contracts::index::{BuildOutcome, IndexReport};
use vibey_context_contracts::packet::{PacketManifest, Status};

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn the_three_frozen_forms_work_from_an_unrelated_folder() {
    let dir = Dir::new();
    let root = fixture::write(&dir);
    let request = dir.request("request.json", &fixture::migration());
    let index = dir.arg("deep/index");
    let build = ["--skills", &root, "index", "build", "--output", &index];
    let built = dir.run_in(Path::new("/"), build).expect(0);
    assert_eq!(built.stderr, "");

    let inspect = ["--skills", &root, "index", "inspect", &index, "--json"];
    let inspected = dir.run_in(Path::new("/"), inspect).expect(0);
    assert_eq!(inspected.stderr, "");
    let report = inspected.json();
    let present = keys(&report);
    for key in [
        "schema_version",
        "index_version",
        "skills_release",
        "corpus_sha256",
        "skill_count",
        "chunk_count",
    ] {
        assert!(present.contains(key), "{key} is missing in {present:?}");
    }
    assert_eq!(report["skill_count"], fixture::SKILLS);
    assert_eq!(report["skills_release"], "2.4.1");

    let (packet, manifest) = (dir.arg("out/p.md"), dir.arg("out/m.json"));
    dir.file("out/keep", "");
    let form = [
        "--skills",
        &root,
        "packet",
        "--request",
        &request,
        "--index",
        &index,
        "--budget",
        "4000",
        "--output",
        &packet,
        "--manifest",
        &manifest,
    ];
    let run = dir.run_in(Path::new("/"), form).expect(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let written: PacketManifest = serde_json::from_value(dir.json("out/m.json")).unwrap();
    assert_eq!(written.status, Status::Ok);
    assert_eq!(written.maximum_context_tokens, 4000);
    assert_eq!(
        written.corpus_sha256,
        report["corpus_sha256"].as_str().unwrap()
    );
    assert!(
        written
            .selected_skills
            .contains(&"atlas/postgres-migrations".to_owned())
    );
    assert!(
        dir.read("out/p.md")
            .starts_with("# Skills context packet\n")
    );
}

#[test]
fn a_second_build_is_fresh_and_touches_nothing() {
    let dir = Dir::new();
    let root = fixture::indexed(&dir);
    let index = dir.arg("index");
    let stamps = || -> Vec<_> {
        let files = dir.files_below("index").into_iter();
        files
            .map(|path| {
                let modified = path.metadata().unwrap().modified().unwrap();
                (path, modified)
            })
            .collect()
    };
    let build = || {
        let report: IndexReport = serde_json::from_value(
            dir.run([
                "--skills", &root, "index", "build", "--output", &index, "--json",
            ])
            .expect(0)
            .json(),
        )
        .unwrap();
        report.outcome.unwrap()
    };
    // The first refresh may have to look again at files as young as the build itself.
    let first = build();
    assert!(
        matches!(first, BuildOutcome::Fresh | BuildOutcome::Refreshed),
        "{first:?}"
    );
    let before = stamps();
    assert_eq!(build(), BuildOutcome::Fresh);
    let after = stamps();
    let changed: Vec<_> = after.iter().filter(|row| !before.contains(row)).collect();
    assert_eq!(changed, Vec::<&(std::path::PathBuf, _)>::new());
    assert_eq!(before.len(), after.len());
}

#[test]
fn the_global_option_stands_before_and_behind_the_command() {
    let dir = Dir::new();
    let root = fixture::write(&dir);
    let before = dir.run(["--skills", &root, "list", "--json"]).expect(0);
    let behind = dir.run(["list", "--json", "--skills", &root]).expect(0);
    assert_eq!(before.stdout, behind.stdout);
    assert!(before.stdout.contains("postgres-migrations"));
}

#[test]
fn help_and_version_go_to_stdout_even_where_everything_is_broken() {
    let dir = Dir::new();
    for (args, needle) in [
        (vec!["--help"], "Usage: vibey-context"),
        (vec!["-h"], "Usage: vibey-context"),
        (
            vec!["--version"],
            concat!("vibey-context ", env!("CARGO_PKG_VERSION")),
        ),
        (
            vec!["-V"],
            concat!("vibey-context ", env!("CARGO_PKG_VERSION"), "\n"),
        ),
        (vec!["packet", "--help"], "--request <FILE>"),
        (vec!["index", "inspect", "--help"], "--skills-list"),
    ] {
        let run = dir
            .run_in(Path::new("/"), args.iter().chain(&["--skills", "/nowhere"]))
            .expect_help(&args);
        assert!(run.stdout.contains(needle), "{args:?}: {}", run.stdout);
        assert_eq!(run.stderr, "", "{args:?}");
    }
}

#[test]
fn usage_errors_end_with_one_and_never_with_two() {
    let dir = Dir::new();
    for args in [
        &[][..],
        &["frobnicate"],
        &["--frobnicate"],
        &["packet"],
        &["packet", "--request"],
        &[
            "packet",
            "--request",
            "r",
            "--output",
            "p",
            "--budget",
            "many",
        ],
        &[
            "packet",
            "--request",
            "r",
            "--output",
            "p",
            "--budget",
            "-1",
        ],
        &["packet", "--request", "r", "--output", "p", "surplus"],
        &["search"],
        &["why", "skill"],
        &["reproduce", "--manifest", "m"],
        &["index", "frobnicate"],
        &["completions", "csh"],
        &["--embedded", "--skills", "/", "list"],
    ] {
        let run = dir.run(args.iter()).expect(1);
        assert_eq!(run.stdout, "", "{args:?}");
        assert!(!run.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn usage_errors_are_an_object_where_json_is_asked_for() {
    let dir = Dir::new();
    for args in [
        &["packet", "--json"][..],
        &["packet", "--json", "--frobnicate"],
        &["search", "--json"],
        &["frobnicate", "--json"],
        &["index", "inspect", "--json", "--limit", "3"],
    ] {
        let run = dir.run(args.iter()).fails("usage");
        let error = run.error();
        assert!(!error.message.is_empty(), "{args:?}");
        assert!(error.help.is_some(), "{args:?}");
        assert!(
            !error.message.contains('\n') && !error.message.ends_with('.'),
            "{}",
            error.message
        );
    }
    let message = |args: &[&str]| dir.run(args).fails("usage").error().message;
    assert_eq!(
        message(&["packet", "--json", "--tokenizer", "gpt4"]),
        "invalid value 'gpt4' for '--tokenizer <NAME>' [possible values: utf8-bytes/4, o200k_base, cl100k_base]"
    );
    assert_eq!(
        message(&["packet", "--json", "--request", "r"]),
        "the following required arguments were not provided: --output <FILE>"
    );
}

#[test]
fn tips_help() {
    let dir = Dir::new();
    let near = dir.run(["search", "--explian", "x"]).expect(1).stderr;
    assert!(near.contains("'--explain'"), "{near}");
    let far = dir.run(["search", "--frobnicate", "x"]).expect(1).stderr;
    assert!(!far.contains("as a value"), "{far}");
}

#[test]
fn the_hint_to_check_names_the_same_roots() {
    let dir = Dir::new();
    let skill = |folder: &str| dir.file(&format!("{folder}/a/SKILL.md"), "# A\n\nText.\n");
    skill("one");
    skill("it's two");
    let roots = ["--skills", "one", "--skills", "it's two"];
    let build = ["index", "build", "--output", "index"];
    let text = dir.run(roots.iter().chain(&build)).expect(0).stdout;
    let hint = "run `vibey-context --skills one --skills 'it'\\''s two' check` for what";
    assert!(text.contains(hint), "{text}");
    let text = dir.run(["index", "inspect", "index"]).expect(0).stdout;
    let first = format!("run `vibey-context --skills {} ", dir.arg("one"));
    assert!(text.contains(&first), "{text}");
}

#[test]
fn a_skills_path_that_holds_no_skill_is_never_replaced_by_another_corpus() {
    let dir = Dir::new();
    dir.skill(
        "skills/here",
        "here",
        "Lies in the default place.",
        "",
        "# Here\n\nText.\n",
    );
    dir.file("empty/note.txt", "no skill");
    let request = dir.request("request.json", &fixture::migration());
    for root in ["empty", "missing", "empty/note.txt"] {
        let root = dir.arg(root);
        for args in [
            vec!["index", "build", "--json"],
            vec!["list", "--json"],
            vec!["search", "migration", "--json"],
            vec!["check", "--json"],
            vec![
                "packet",
                "--request",
                &request,
                "--output",
                "p.md",
                "--json",
            ],
        ] {
            let run = dir
                .run(["--skills", root.as_str()].iter().chain(&args))
                .fails("skills_root");
            assert!(run.error().help.is_some(), "{args:?}");
        }
    }
    assert!(!dir.has("p.md") && !dir.has("p.json"));
}

#[test]
fn without_any_skills_the_starter_corpus_speaks_and_says_so() {
    let dir = Dir::new();
    let request = dir.request(
        "request.json",
        &serde_json::json!({"objective": "bisect a regression that crashes with a segfault and a core dump"}),
    );
    let run = dir
        .run(["packet", "--request", &request, "--output", "p.md"])
        .expect(0);
    assert!(run.stderr.contains("starter corpus"), "{}", run.stderr);
    assert_eq!(dir.json("p.json")["corpus_origin"], "embedded");
    let quiet = dir
        .run([
            "--embedded",
            "packet",
            "--request",
            &request,
            "--output",
            "q.md",
        ])
        .expect(0);
    assert_eq!(quiet.stderr, "");
    assert_eq!(dir.bytes("p.md"), dir.bytes("q.md"));
}

impl crate::harness::Output {
    #[track_caller]
    fn expect_help(self, args: &[&str]) -> Self {
        assert_eq!(self.code, 0, "{args:?}: {}{}", self.stdout, self.stderr);
        self
    }
}
