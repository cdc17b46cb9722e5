//! Which bytes does an engine get in which mode, and what stands in the ledger and the worktree then?

use crate::fake::{self, PACKET, left};
use crate::stage::{PROMPT, Stage, job};
use serde_json::{Value, json};

/// Behaviour of the fake, status and error code of the row.
const ANSWERS: [(&str, &str, Option<&str>); 27] = [
    ("ok", "ok", None),
    ("empty", "ok", None),
    ("newer", "ok", None),
    ("leaving", "ok", None),
    ("flood", "ok", None),
    ("garbage", "ok", None),
    ("embedded", "ok", Some("embedded_corpus")),
    ("low_confidence", "low_confidence", None),
    ("budget_insufficient", "budget_insufficient", None),
    ("contradiction", "error", Some("manifest_invalid")),
    ("crash", "error", Some("compiler_failed")),
    ("killed", "error", Some("signalled")),
    ("nothing", "error", Some("manifest_missing")),
    ("no_packet", "error", Some("manifest_missing")),
    ("no_json", "error", Some("manifest_invalid")),
    ("half", "error", Some("manifest_invalid")),
    ("no_digest", "error", Some("manifest_invalid")),
    ("over_budget", "error", Some("manifest_invalid")),
    ("huge", "error", Some("manifest_too_large")),
    ("changed", "error", Some("packet_mismatch")),
    ("linked", "error", Some("packet_mismatch")),
    ("other_request", "error", Some("request_mismatch")),
    ("other_budget", "error", Some("request_mismatch")),
    ("foreign_manifest", "error", Some("incompatible_compiler")),
    ("foreign", "error", Some("incompatible_compiler")),
    ("silent", "error", Some("handshake_failed")),
    ("no-index", "error", Some("index_failed")),
];

/// Answers whose packet reaches the prompt in mode inject.
const APPENDED: [&str; 5] = ["ok", "newer", "leaving", "flood", "garbage"];

fn with_packet() -> Vec<u8> {
    [PROMPT, b"\n\n", PACKET.as_bytes()].concat()
}

fn check(fake_mode: &str, status: &str, code: Option<&str>) {
    for mode in ["shadow", "inject"] {
        let stage = Stage::with(mode, fake_mode);
        let run = stage.implement(&[]).expect(0);
        let is_appended = mode == "inject" && APPENDED.contains(&fake_mode);
        let expected = if is_appended {
            with_packet()
        } else {
            PROMPT.to_vec()
        };
        assert!(
            run.stdout == expected,
            "{mode} {fake_mode}: {:?}",
            run.stderr
        );
        let row = stage.only_payload();
        assert_eq!(row["status"], status, "{fake_mode}: {row}");
        assert_eq!(row["error_code"], json!(code), "{fake_mode}: {row}");
        assert_eq!(row["appended"], is_appended, "{fake_mode}");
        assert_eq!(row["mode"], mode);
        // A person is told why there is no packet.
        assert_eq!(
            run.stderr.contains("warning: job `job-1`: "),
            code.is_some(),
            "{}",
            run.stderr
        );
        // What was not believed does not lie about.
        let lies = status != "error";
        assert_eq!(
            stage.has(&Stage::artifact("packet.json")),
            lies,
            "{fake_mode}"
        );
        assert_eq!(
            stage.has(&Stage::artifact("packet.md")),
            lies,
            "{fake_mode}"
        );
        assert_eq!(stage.git("wt", &["status", "--porcelain"]), "");
        assert_eq!(stage.git("project", &["status", "--porcelain"]), "");
        assert_eq!(fake::running(&stage), Vec::<String>::new(), "{fake_mode}");
    }
}

#[test]
fn a_prompt_changes_only_by_a_believed_packet_in_mode_inject() {
    for (fake_mode, status, code) in ANSWERS {
        check(fake_mode, status, code);
    }
}

#[test]
fn off_compiles_writes_and_records_nothing() {
    let stage = Stage::with("off", "ok");
    assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
    assert!(!stage.has("wt/.vibey") && !stage.has("project/.vibey/ledger.sqlite3"));
    assert_eq!(left(&stage, "calls"), Vec::<String>::new());
    // As in a project that has no configuration.
    std::fs::remove_dir_all(stage.at("project/.vibey")).unwrap();
    assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
    assert!(!stage.has("project/.vibey"));
}

#[test]
fn a_seed_prompt_or_another_kind_is_skipped_in_every_mode() {
    let mut seeded = job();
    seeded["payload"]["seed_prompt"] = json!("repair this");
    let mut other = job();
    other["kind"] = json!("review");
    let mut both = seeded.clone();
    both["kind"] = json!("review");
    for (job, reason) in [
        (&seeded, "seed_prompt"),
        (&other, "kind"),
        (&both, "seed_prompt"),
    ] {
        for mode in ["off", "shadow", "inject"] {
            let stage = Stage::with(mode, "ok");
            stage.jobs(job);
            assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
            assert!(!stage.has("wt/.vibey"));
            assert_eq!(left(&stage, "calls"), Vec::<String>::new());
            if mode == "off" {
                assert_eq!(stage.rows(), Vec::<Value>::new());
            } else {
                let payload = stage.only_payload();
                assert_eq!(payload["reason"], reason);
                assert_eq!(payload["mode"], mode);
            }
        }
    }
}

#[test]
fn a_compiler_that_is_not_there_or_no_program_is_recorded() {
    for command in [
        json!(["no-such-compiler"]),
        json!(["./prompt"]),
        json!(["/dev/null"]),
    ] {
        let stage = Stage::with("inject", "ok");
        stage.file("project/prompt", "not executable");
        stage.set("command", command);
        assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
        assert_eq!(stage.only_payload()["error_code"], "not_started");
    }
}

#[test]
fn an_incompatible_compiler_is_named_with_both_versions() {
    let stage = Stage::with("inject", "foreign");
    let run = stage.implement(&[]).expect(0);
    for words in [
        "vibey-context 9.4.2",
        "in version 2.3.0",
        "needs 1.0 or a later 1.x",
    ] {
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let payload = stage.only_payload();
    assert_eq!(payload["compiler_version"], "9.4.2");
    assert_eq!(payload["contract_version"], "2.3.0");
}

#[test]
fn the_row_says_how_the_compiler_ended() {
    for (fake_mode, return_code, signal) in [
        ("ok", json!(0), Value::Null),
        ("low_confidence", json!(2), Value::Null),
        ("crash", json!(70), Value::Null),
        ("killed", Value::Null, json!(9)),
        ("refusing", json!(1), Value::Null),
        ("changed", json!(0), Value::Null),
    ] {
        let stage = Stage::with("shadow", fake_mode);
        stage.implement(&[]).expect(0);
        let payload = stage.only_payload();
        assert_eq!(
            (&payload["return_code"], &payload["signal"]),
            (&return_code, &signal),
            "{fake_mode}"
        );
        assert_eq!(
            payload["query_sha256"].as_str().unwrap().len(),
            64,
            "{fake_mode}"
        );
    }
}

#[test]
fn what_an_earlier_attempt_left_is_removed_before_the_compiler_starts() {
    let stage = Stage::with("shadow", "ok");
    stage.implement(&[]).expect(0);
    for ending in ["packet.md", "packet.json", "request.json"] {
        assert!(stage.has(&Stage::artifact(ending)), "{ending}");
    }
    stage.file(&Stage::artifact("stderr.txt"), "old");
    stage.set("command", fake::command(&stage, "nothing", &job()));
    stage.implement(&[]).expect(0);
    for ending in ["packet.md", "packet.json", "stderr.txt"] {
        assert!(!stage.has(&Stage::artifact(ending)), "{ending}");
    }
    assert!(stage.has(&Stage::artifact("request.json")));
    // Nothing that would look like an answer is left by a compiler that never runs, either.
    stage.set("command", fake::command(&stage, "ok", &job()));
    stage.implement(&[]).expect(0);
    stage.set("command", json!(["no-such-compiler"]));
    stage.implement(&[]).expect(0);
    assert!(!stage.has(&Stage::artifact("packet.json")));
}

#[test]
fn standard_error_is_kept_redacted_and_bounded() {
    let stage = Stage::with("shadow", "garbage");
    stage.implement(&[]).expect(0);
    let text = stage.text(&Stage::artifact("stderr.txt"));
    assert_eq!(text, "a \u{fffd}\u{fffd} password=[redacted:labelled]\n");
    let stage = Stage::with("shadow", "flood");
    stage.implement(&[]).expect(0);
    assert!(stage.text(&Stage::artifact("stderr.txt")).len() < 100_000);
}

#[test]
fn with_a_share_inject_applies_to_some_jobs_and_shadow_to_the_rest() {
    let stage = Stage::with("inject", "ok");
    stage.set("share", json!(0.5));
    let mut modes = std::collections::BTreeMap::new();
    for number in 0..24 {
        let mut job = job();
        job["id"] = json!(format!("job-{number}"));
        stage.jobs(&job);
        let prompt = stage.implement(&[]).expect(0).stdout;
        let mode = if prompt == PROMPT { "shadow" } else { "inject" };
        *modes.entry(mode).or_insert(0) += 1;
        assert_eq!(stage.rows()[number]["payload"]["mode"], mode);
    }
    // Each with a probability of 2 in 16 million to be missing, and always the same.
    assert_eq!(
        modes.keys().copied().collect::<Vec<_>>(),
        ["inject", "shadow"]
    );
}

#[test]
fn a_broken_ledger_leaves_the_plain_prompt_and_125_unless_the_engine_failed() {
    let stage = Stage::with("inject", "ok");
    stage.file(
        "project/.vibey/ledger.sqlite3",
        "no database, whatever it is called",
    );
    let run = stage.implement(&[]).expect(125);
    assert_eq!(run.stdout, PROMPT);
    assert!(
        run.stderr.contains("is not in the ledger"),
        "{}",
        run.stderr
    );
    assert_eq!(stage.implement(&["--", "cat"]).expect(125).stdout, PROMPT);
    stage.implement(&["--", "sh", "-c", "exit 3"]).expect(3);
}

#[test]
fn a_worktree_in_which_nothing_can_be_written_costs_no_job() {
    let stage = Stage::with("inject", "ok");
    stage.file("wt/.vibey", "a file");
    assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
    assert_eq!(stage.only_payload()["error_code"], "artifact_failed");
    // Nor does a link that leads our files elsewhere.
    std::fs::remove_file(stage.at("wt/.vibey")).unwrap();
    std::fs::create_dir(stage.at("elsewhere")).unwrap();
    for link in [".vibey", ".vibey/context", ".vibey/context/skills"] {
        let stage = Stage::with("inject", "ok");
        std::fs::create_dir_all(stage.at("elsewhere/skills")).unwrap();
        std::fs::create_dir_all(stage.at("wt").join(link).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(stage.at("elsewhere"), stage.at("wt").join(link)).unwrap();
        assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
        assert_eq!(
            stage.only_payload()["error_code"],
            "artifact_failed",
            "{link}"
        );
        assert_eq!(stage.at("elsewhere").read_dir().unwrap().count(), 1);
    }
}

#[test]
fn a_file_size_limit_is_a_full_disk_and_no_end() {
    let stage = Stage::with("inject", "ok");
    // A first run leaves a ledger that is larger than the limit.
    stage.implement(&[]).expect(0);
    let words = stage.words(&["--", "cat"]).join(" ");
    let mut shell = std::process::Command::new("sh");
    shell
        .args([
            "-c",
            &format!("ulimit -f 0; exec {} {words}", crate::stage::BIN),
        ])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", stage.at("home"))
        .current_dir(stage.at(""));
    let run = crate::stage::ran(shell).expect(125);
    assert_eq!(run.stdout, PROMPT);
}

#[test]
fn a_folder_that_turns_into_a_link_leads_nowhere() {
    let stage = Stage::with("inject", "swap");
    std::fs::create_dir(stage.at("elsewhere")).unwrap();
    let id = job()["id"].as_str().unwrap().to_owned();
    let victim = stage.file(&format!("elsewhere/{id}.packet.md"), "of somebody else");
    assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
    assert!(stage.at("wt/.vibey/context/skills").is_symlink());
    assert_eq!(std::fs::read(victim).unwrap(), b"of somebody else");
    assert_eq!(stage.at("elsewhere").read_dir().unwrap().count(), 1);
    assert_eq!(stage.only_payload()["status"], "error");
}
