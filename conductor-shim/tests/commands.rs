//! What do the commands around a job print, and with which code do they end?

use crate::fake::PACKET;
use crate::stage::{PROMPT, Stage, job};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn new_writes_mode_and_budget_and_keeps_what_is_not_ours() {
    let stage = Stage::new();
    let new = |words: &[&str]| {
        let all: Vec<&str> = ["--project", "project", "new", "--json"]
            .iter()
            .chain(words)
            .copied()
            .collect();
        stage.run(&all)
    };
    let first = new(&[]).expect(0).json();
    assert_eq!(
        (&first["mode"], &first["budget"]),
        (&json!("off"), &json!(6_000))
    );
    stage.file(
        "project/.vibey/project.json",
        r#"{"other": 1.50, "skills_context": {"command": ["x"], "mode": "off"}}"#,
    );
    let second = new(&[
        "--skills-context-mode",
        "shadow",
        "--skills-context-budget",
        "9000",
    ])
    .expect(0)
    .json();
    assert_eq!(
        (&second["mode"], &second["budget"]),
        (&json!("shadow"), &json!(9_000))
    );
    let text = stage.text("project/.vibey/project.json");
    assert!(text.contains("\"other\": 1.50"), "{text}");
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        file["skills_context"],
        json!({"command": ["x"], "mode": "shadow", "budget": 9_000})
    );
    for budget in ["999", "32001"] {
        new(&["--skills-context-budget", budget]).fails(1, "config_invalid");
    }
    assert_eq!(stage.text("project/.vibey/project.json"), text);
}

#[test]
fn implement_says_what_was_recorded_and_where_the_prompt_went() {
    let stage = Stage::with("inject", "ok");
    let said = stage
        .implement(&["--prompt-out", "out", "--json"])
        .expect(0)
        .json();
    let rows = stage.rows();
    assert_eq!(said["head"], rows[0]["digest"]);
    assert_eq!(
        (&said["status"], &said["appended"], &said["sequence"]),
        (&json!("ok"), &json!(true), &json!(1))
    );
    assert_eq!(
        stage.read("out"),
        [PROMPT, b"\n\n", PACKET.as_bytes()].concat()
    );
    // Behind what the engine prints.
    let run = stage
        .implement(&["--json", "--", "echo", "engine"])
        .expect(0);
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.starts_with("engine\n{\"appended\":true,"), "{text}");
    // There is no place for both.
    stage.implement(&["--json"]).fails(125, "usage");
}

#[test]
fn a_prompt_comes_from_standard_input_too_and_is_not_written_over() {
    let stage = Stage::with("shadow", "ok");
    let words = ["implement", "--job", "job.json", "--worktree", "wt"];
    let mut command = assert_cmd::Command::from_std(stage.command(&stage.at(""), &words));
    let output = command.write_stdin(PROMPT).output().unwrap();
    assert_eq!(output.stdout, PROMPT);
    for out in ["prompt", "job.json", "./wt/../prompt"] {
        stage.implement(&["--prompt-out", out]).expect(125);
    }
    assert_eq!(stage.read("prompt"), PROMPT);
    // What an earlier job left is gone when this one fails.
    stage.file("out", "old");
    stage.file("project/.vibey/project.json", "{");
    stage.implement(&["--prompt-out", "out"]).expect(125);
    assert!(!stage.has("out"));
}

#[test]
fn usage_ends_with_125_where_codes_of_engines_come_back() {
    let stage = Stage::new();
    for (words, code) in [
        (vec!["implement"], 125),
        (vec!["implement", "--job"], 125),
        (vec!["--project", "implement", "run", "--bad"], 125),
        (vec!["run", "--jobs", "x", "--parallel", "0"], 125),
        (vec!["--project", "run", "new", "--bad"], 1),
        (vec!["outcome"], 1),
        (vec!["bad"], 1),
        (vec![], 1),
        (vec!["--help"], 0),
        (vec!["implement", "--help"], 0),
        (vec!["--version"], 0),
        (vec!["completions", "bash"], 0),
    ] {
        stage.run(&words).expect(code);
    }
    stage.run(&["implement", "--json"]).fails(125, "usage");
    // An engine's own flag is not ours.
    let run = stage
        .run(&["implement", "--bad", "--", "x", "--json"])
        .expect(125);
    assert!(run.stdout.is_empty());
}

#[test]
fn a_job_that_is_none_ends_with_125() {
    let stage = Stage::with("off", "ok");
    for (text, code) in [
        ("{", "job_json"),
        ("{}", "job_invalid"),
        (r#"{"id": "a/b", "kind": "implement"}"#, "job_invalid"),
        (r#"{"id": "..", "kind": "implement"}"#, "job_invalid"),
    ] {
        stage.file("job.json", text);
        stage
            .implement(&["--json", "--prompt-out", "out"])
            .fails(125, code);
    }
    std::fs::remove_file(stage.at("job.json")).unwrap();
    stage
        .implement(&["--json", "--prompt-out", "out"])
        .fails(125, "not_found");
}

#[test]
fn an_outcome_is_that_of_a_job_which_the_ledger_knows() {
    let stage = Stage::with("shadow", "ok");
    let outcome = |words: &[&str]| {
        let all = [
            "--project",
            "project",
            "outcome",
            "--json",
            "--job",
            "job-1",
            "--attempt",
            "1",
            "--result",
            "accepted",
        ];
        stage.run(&all.iter().chain(words).copied().collect::<Vec<_>>())
    };
    outcome(&[]).fails(1, "ledger_missing");
    stage.implement(&[]).expect(0);
    let said = outcome(&[
        "--cost",
        "0.125",
        "--turns",
        "3",
        "--retries",
        "1",
        "--tokens",
        "1000",
    ])
    .expect(0)
    .json();
    assert_eq!(
        (&said["project"], &said["sequence"]),
        (&json!("default"), &json!(2))
    );
    let row = stage.rows().pop().unwrap();
    assert_eq!(row["digest"], said["head"]);
    assert_eq!(
        row["payload"],
        json!({"schema_version": 1, "result": "accepted", "cost_micro_usd": 125_000, "turns": 3, "retries": 1, "tokens": 1000})
    );
    outcome(&["--cost", "-1"]).expect(1);
    outcome(&["--cost", "a lot"]).fails(1, "usage");
    // The same id in another project.
    let mut other = job();
    other["project_id"] = json!("other");
    stage.jobs(&other);
    stage.implement(&[]).expect(0);
    outcome(&[]).fails(1, "job_ambiguous");
    assert_eq!(
        outcome(&["--project-id", "other"]).expect(0).json()["sequence"],
        2
    );
    let unknown = [
        "--project",
        "project",
        "outcome",
        "--json",
        "--job",
        "job-2",
        "--attempt",
        "1",
        "--result",
        "rejected",
    ];
    stage.run(&unknown).fails(1, "job_unknown");
    assert_eq!(stage.rows().len(), 4);
}

#[test]
fn an_output_never_takes_the_place_of_what_is_kept() {
    let stage = Stage::with("shadow", "ok");
    stage.implement(&[]).expect(0);
    let job = crate::stage::job();
    let id = job["id"].as_str().unwrap();
    std::os::unix::fs::symlink(stage.at("project/.vibey"), stage.at("other-name")).unwrap();
    for kept in [
        "project/.vibey/project.json",
        "project/.vibey/ledger.sqlite3",
        "project/.vibey/ledger.sqlite3-wal",
        "project/.vibey/./../.vibey/.gitignore",
        "other-name/ledger.sqlite3",
        "project/.vibey/skills-context/index/manifest.json",
        &format!("wt/.vibey/context/skills/{id}.request.json"),
    ] {
        stage.implement(&["--prompt-out", kept]).expect(125);
        let page = ["--project", "project", "report", "--html", kept, "--json"];
        let page = &page[..5];
        stage.run(page).expect(1);
        let line = json!({"job": job, "worktree": "wt", "prompt": "prompt", "prompt_out": kept});
        stage.file("jobs.jsonl", line.to_string());
        let batch = ["--project", "project", "run", "--jobs", "jobs.jsonl"];
        stage.run(&batch).expect(125);
    }
    assert_eq!(stage.rows().len(), 1);
    // Nor what the configuration names.
    stage.set("index_path", json!("../index"));
    std::fs::create_dir(stage.at("index")).unwrap();
    stage
        .implement(&["--prompt-out", "index/manifest.json"])
        .expect(125);
    stage.set("index_path", json!(".vibey/skills-context/index"));
    // The rest of the folder is anybody's.
    std::fs::create_dir(stage.at("project/.vibey/prompts")).unwrap();
    stage
        .implement(&["--prompt-out", "project/.vibey/prompts/p.md"])
        .expect(0);
}

#[test]
fn what_stands_beside_the_configuration_is_told() {
    let stage = Stage::with("shadow", "ok");
    let path = "project/.vibey/project.json";
    let url = "postgresql://u:PASSWORD-MARK@db.example/d";
    stage.file(path, json!({"mode": "shadow"}).to_string());
    let run = stage.implement(&[]).expect(0);
    assert!(
        run.stderr.contains("`mode` of project.json is not read"),
        "{}",
        run.stderr
    );
    stage.file(path, json!({"ledger_url_file": url}).to_string());
    let run = stage.implement(&[]).expect(125);
    assert!(run.stderr.contains("holds a URL"), "{}", run.stderr);
    assert!(!run.stderr.contains("PASSWORD-MARK"), "{}", run.stderr);
    for url in ["u:PASSWORD-MARK@host/d", "host=h password=PASSWORD-MARK"] {
        let file = json!({"ledger_url_file": url, "skills_context": {"mode": "shadow"}});
        stage.file(path, file.to_string());
        let run = stage.implement(&[]).expect(125);
        assert!(!run.stderr.contains("PASSWORD-MARK"), "{}", run.stderr);
    }
    let url = stage.file("url", "postgresql://db.example/d");
    std::fs::set_permissions(&url, std::fs::Permissions::from_mode(0o600)).unwrap();
    let file = json!({"ledger_url_file": url, "skills_context": {"mode": "shadow"}});
    stage.file(path, file.to_string());
    stage.implement(&["--prompt-out", "url"]).expect(125);
    assert!(stage.has("url"));
}
