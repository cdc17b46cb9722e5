//! What does a child see of us, and what does the ledger keep of a job?

use crate::fake::{self, left};
use crate::stage::{Stage, job, ran};
use serde_json::{Value, json};

/// Made up, and in the shape of a real one.
const SECRET: &str = "ghp_marker0secret0marker0secret0mark12";

/// A job with a marker in every text, and a secret in most.
fn marked() -> Value {
    let text = |name: &str| format!("marker-{name}-text token={SECRET}");
    let list = |name: &str| json!([text(name), text(&format!("{name}2"))]);
    json!({
        "id": "job-1",
        "project_id": "project-1",
        "kind": "implement",
        "cycle": "marker-cycle-text",
        "phase": format!("build token={SECRET}"),
        "work_item_id": "marker-item-text",
        "payload": {
            "title": text("title"),
            "objective": text("objective"),
            "requirements": list("requirements"),
            "acceptance_criteria": list("criteria"),
            "languages": list("languages"),
            "dependencies": list("dependencies"),
            "paths": list("paths"),
            "target_files": list("target"),
            "changed_files": list("changed"),
            "verification": {"commands": list("commands")},
            "repair_detail": {"log": text("repair"), "password": "marker-password-text"},
        },
    })
}

#[test]
fn no_task_text_packet_text_or_secret_reaches_the_ledger() {
    for fake_mode in [
        "hostile",
        "crash",
        "garbage",
        "foreign",
        "low_confidence",
        "changed",
    ] {
        let stage = Stage::with("inject", fake_mode);
        stage.jobs(&marked());
        stage.set("command", fake::command(&stage, fake_mode, &marked()));
        stage.implement(&[]).expect(0);
        let text = stage.rows_text();
        assert_eq!(text.lines().count(), 1);
        for word in [
            "marker",
            "ghp_",
            "hunter2",
            "xxxxx".repeat(40).as_str(),
            stage.arg("").as_str(),
        ] {
            assert!(!text.contains(word), "{fake_mode}: {word} in {text}");
        }
        // Nor the file itself, its free pages and its log included.
        for file in ["ledger.sqlite3", "ledger.sqlite3-wal"] {
            let path = format!("project/.vibey/{file}");
            if stage.has(&path) {
                let bytes = stage.read(&path);
                assert!(
                    !bytes.windows(6).any(|six| six == b"marker"),
                    "{fake_mode}: {file}"
                );
            }
        }
        let request = stage.text(&Stage::artifact("request.json"));
        assert!(
            request.contains("marker-objective-text") && !request.contains("ghp_"),
            "{request}"
        );
    }
}

#[test]
fn the_compiler_sees_the_list_and_the_engine_all_but_ours() {
    let stage = Stage::with("shadow", "ok");
    let words = stage.words(&["--", "env"]);
    let mut command = stage.command(&stage.at(""), &words);
    command
        .env("LANG", "C")
        .env("LC_ALL", "C")
        .env("TMPDIR", stage.at("home"))
        .env("TZ", "UTC");
    for name in [
        "AWS_SECRET_ACCESS_KEY",
        "GIT_DIR",
        "LD_LIBRARY_PATHS",
        "HTTPS_PROXY",
        "VIBEY_OTHER",
        "VIBEY_TOKEN",
    ] {
        command.env(name, "marker-environment-text");
    }
    let run = ran(command).expect(0);
    for call in ["contract", "index", "packet"] {
        let names: Vec<String> = left(&stage, &format!("environment.{call}"))
            .iter()
            .map(|line| line.split('=').next().unwrap().to_owned())
            .collect();
        let mut sorted = names.clone();
        sorted.sort();
        assert_eq!(
            sorted,
            ["HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ"],
            "{call}"
        );
    }
    let seen = String::from_utf8(run.stdout).unwrap();
    assert!(
        seen.contains("AWS_SECRET_ACCESS_KEY=marker") && seen.contains("GIT_DIR=marker"),
        "{seen}"
    );
    assert!(!seen.contains("VIBEY_"), "{seen}");
}

#[test]
fn neither_sees_the_url_of_the_ledger_and_no_message_shows_its_password() {
    let url = "postgresql://u:marker-password@127.0.0.1:1/d";
    let stage = Stage::with("inject", "ok");
    let mut command = stage.command(&stage.at(""), &stage.words(&["--", "env"]));
    command.env("VIBEY_LEDGER_URL", url);
    // No such server: the engine runs all the same, on the plain prompt.
    let run = ran(command).expect(125);
    assert!(
        !String::from_utf8(run.stdout)
            .unwrap()
            .contains("marker-password")
    );
    assert!(
        run.stderr.contains("postgresql://u@127.0.0.1:1/d"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("marker-password"), "{}", run.stderr);
    assert!(
        !left(&stage, "environment.packet")
            .concat()
            .contains("marker-password")
    );
    assert!(!stage.has("project/.vibey/ledger.sqlite3"));
}

#[test]
fn a_job_that_is_refused_is_not_quoted() {
    let stage = Stage::with("shadow", "ok");
    let mut bad = job();
    bad["id"] = json!(format!("x/{SECRET}"));
    stage.jobs(&bad);
    let run = stage.implement(&[]).expect(125);
    assert!(!run.stderr.contains("ghp_"), "{}", run.stderr);
}
