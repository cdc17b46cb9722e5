//! The true chain: the program with the real compiler.
//!
//! The compiler is a program of this workspace that this package must not depend on. `cargo test --workspace` builds it;
//! otherwise `cargo build -p vibey-context` does, or `VIBEY_TEST_COMPILER` names one.

use crate::stage::{BIN, PROMPT, Stage};
use serde_json::json;
use std::path::{Path, PathBuf};
use vibey_conductor_shim::compiler::Compiler;
use vibey_conductor_shim::environment::Variables;
use vibey_context_contracts::conductor::config::SkillsContext;
use vibey_context_contracts::conductor::event::FailureCode;

pub(crate) fn compiler() -> String {
    let sibling = Path::new(BIN).with_file_name("vibey-context");
    let path = std::env::var_os("VIBEY_TEST_COMPILER").map_or(sibling, PathBuf::from);
    assert!(
        path.is_file(),
        "there is no compiler at `{}`: run `cargo build -p vibey-context`, or name one in VIBEY_TEST_COMPILER",
        path.display()
    );
    path.to_str().unwrap().to_owned()
}

fn stage(mode: &str) -> Stage {
    let stage = Stage::with(mode, "ok");
    stage.set("command", json!([compiler()]));
    stage.set("skills", json!(["skills"]));
    stage.file(
        "project/skills/rotating-keys/SKILL.md",
        "---\nname: rotating-keys\ndescription: Rotate the signing keys of a service\n---\n# Rotating keys\n\n\
         Rotate signing keys in two steps, so that old signatures stay valid.\n",
    );
    stage.git("project", &["add", "skills"]);
    stage
}

#[test]
fn a_packet_is_compiled_recorded_appended_and_compiled_again() {
    let stage = stage("inject");
    let prompt = stage.implement(&[]).expect(0).stdout;
    let packet = stage.read(&Stage::artifact("packet.md"));
    assert_eq!(prompt, [PROMPT, b"\n\n", &packet].concat());
    let row = stage.only_payload();
    assert_eq!(row["status"], "ok");
    assert_eq!(row["corpus_origin"], "roots");
    assert_eq!(
        row["selected_skills"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["local/rotating-keys"]
    );
    let again = ["reproduce", "--worktree", "wt", "--job", "job-1"];
    let run = stage.run(&again).expect(0);
    assert!(
        String::from_utf8(run.stdout)
            .unwrap()
            .starts_with("same bytes")
    );
    // The request alone compiles the packet by hand.
    let by_hand = std::process::Command::new(compiler())
        .args([
            "packet",
            "--request",
            &stage.arg(&Stage::artifact("request.json")),
            "--output",
            "-",
        ])
        .args(["--index", &stage.arg("project/.vibey/skills-context/index")])
        .output()
        .unwrap();
    assert_eq!(by_hand.stdout, packet);
    // An agent may have changed it since, and so may the skills have changed.
    stage.file(&Stage::artifact("packet.md"), "something else");
    stage.run(&again).expect(2);
    stage.file(&Stage::artifact("packet.md"), &packet);
    stage.run(&again).expect(0);
    stage.file("project/skills/rotating-keys/SKILL.md", "---\nname: rotating-keys\ndescription: Rotate the signing keys of a service\n---\n# Rotating keys\n\nDo not.\n");
    let run = stage.run(&again).expect(2);
    assert!(String::from_utf8(run.stdout).unwrap().contains("corpus"));
    stage
        .run(&["reproduce", "--worktree", "wt", "--job", "job-2", "--json"])
        .fails(1, "not_found");
    assert_eq!(
        stage
            .git(
                "project",
                &["status", "--porcelain", "--untracked-files=all"]
            )
            .lines()
            .count(),
        1
    );
    assert_eq!(stage.git("wt", &["status", "--porcelain"]), "");
}

#[test]
fn a_misconfigured_root_injects_nothing() {
    let stage = stage("inject");
    stage.set("skills", json!(["no-such-folder"]));
    assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
    assert_eq!(stage.only_payload()["error_code"], "index_failed");
    let stage = self::stage("inject");
    std::fs::rename(stage.at("project/skills"), stage.at("project/unused")).unwrap();
    stage.set("skills", json!([]));
    assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
    let row = stage.only_payload();
    assert_eq!(row["corpus_origin"], "embedded");
    assert_eq!(row["appended"], false);
}

#[test]
fn a_batch_from_a_cold_start_has_one_index() {
    let stage = stage("shadow");
    let lines: Vec<String> = (0..16)
        .map(|number| crate::batch::line(&stage, number).to_string())
        .collect();
    stage.file("jobs.jsonl", lines.join("\n"));
    stage
        .run(&[
            "--project",
            "project",
            "run",
            "--jobs",
            "jobs.jsonl",
            "--parallel",
            "8",
        ])
        .expect(0);
    let rows = stage.rows();
    assert_eq!(rows.len(), 16);
    assert!(
        rows.iter().all(|row| row["payload"]["status"] == "ok"),
        "{rows:?}"
    );
    let generations = stage.at("project/.vibey/skills-context/index/generations");
    assert_eq!(generations.read_dir().unwrap().count(), 1);
}

#[test]
fn the_skills_of_the_index_are_listed() {
    let stage = stage("shadow");
    stage.implement(&[]).expect(0);
    let config = SkillsContext {
        command: vec![compiler()],
        ..SkillsContext::default()
    };
    let nothing = Variables::new([]);
    let compiler = Compiler::new(&stage.at("project"), &config, &nothing, None);
    let skills = crate::ledger::place::wait(compiler.skills()).unwrap();
    assert_eq!(
        skills.into_iter().collect::<Vec<_>>(),
        ["local/rotating-keys"]
    );
    let elsewhere = Compiler::new(&stage.at("wt"), &config, &nothing, None);
    let failure = crate::ledger::place::wait(elsewhere.skills()).unwrap_err();
    assert_eq!(failure.code, FailureCode::IndexFailed);
}
