//! Is nothing left running, and nothing half-written, however a run ends?

use crate::fake::{self, left};
use crate::ledger::place::wait;
use crate::stage::{BOUND, PROMPT, Stage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Executor as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::Instant;
use vibey_context_host::signals::is_ignored;

/// A writer that does not come to its end, for as long as the value is there.
fn hold(ledger: &Path) -> SqliteConnection {
    wait(async {
        let mut connection = SqliteConnectOptions::new()
            .filename(ledger)
            .connect()
            .await
            .unwrap();
        connection.execute("BEGIN IMMEDIATE").await.unwrap();
        connection
    })
}

/// Waits until `ready` says so; fails after the bound.
fn until(what: &str, mut ready: impl FnMut() -> bool) {
    let began = Instant::now();
    while !ready() {
        assert!(began.elapsed() < BOUND, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

fn end(mut child: Child) -> ExitStatus {
    let mut status = None;
    until("the program does not end", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

/// Sends a signal as soon as the compiler hangs.
fn signal_when_hanging(stage: &Stage, child: &Child, signal: Signal) {
    until("the compiler does not start", || stage.has("fake/hanging"));
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn a_compiler_that_ignores_term_is_stopped_with_its_grandchild() {
    for fake_mode in ["hang", "hang-contract", "hang-index"] {
        let stage = Stage::with("inject", fake_mode);
        stage.set("timeout_seconds", json!(1));
        assert_eq!(stage.implement(&[]).expect(0).stdout, PROMPT);
        assert!(left(&stage, "pids").len() > 1);
        assert_eq!(fake::running(&stage), Vec::<String>::new());
        assert_eq!(
            stage.only_payload()["error_code"],
            "timed_out",
            "{fake_mode}"
        );
    }
}

#[test]
fn a_signal_to_the_shim_stops_the_compiler_and_is_its_end() {
    let signals = [Signal::TERM, Signal::INT, Signal::HUP];
    // What is ignored when we start (as below `nohup`) stays so, and is no end.
    let (ignored, heard): (Vec<_>, Vec<_>) = signals
        .into_iter()
        .partition(|one| is_ignored(one.as_raw()));
    assert!(heard.contains(&Signal::TERM), "ignored: {ignored:?}");
    for signal in heard {
        let stage = Stage::with("inject", "hang");
        let child = stage.begin(&["--prompt-out", "out", "--", "touch", "started"]);
        signal_when_hanging(&stage, &child, signal);
        assert_eq!(end(child).code(), Some(128 + signal.as_raw()));
        assert_eq!(fake::running(&stage), Vec::<String>::new());
        assert_eq!(stage.only_payload()["error_code"], "cancelled");
        // A job that was called off does not go on.
        assert!(!stage.has("out") && !stage.has("wt/started"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn kill_of_the_shim_takes_the_compiler_along() {
    let stage = Stage::with("inject", "hang");
    let child = stage.begin(&["--prompt-out", "out"]);
    signal_when_hanging(&stage, &child, Signal::KILL);
    assert_eq!(end(child).signal(), Some(9));
    // The compiler, not what it has started: that is the kernel's offer.
    let pids = left(&stage, "pids");
    let compiler = &pids[pids.len() - 2];
    until("the compiler runs on", || !fake::is_running(compiler));
    assert!(!stage.has("out"));
    // The next attempt finds everything in order.
    stage.set("command", fake::command(&stage, "ok", &crate::stage::job()));
    stage.implement(&[]).expect(0);
    assert_eq!(stage.only_payload()["status"], "ok");
}

#[test]
fn an_engine_gets_prompt_worktree_and_signals_and_its_code_comes_back() {
    let stage = Stage::with("shadow", "ok");
    let run = stage
        .implement(&["--", "sh", "-c", "pwd; cat; exit 7"])
        .expect(7);
    let worktree = format!("{}\n", stage.arg("wt"));
    assert_eq!(run.stdout, [worktree.as_bytes(), PROMPT].concat());
    stage
        .implement(&["--", "sh", "-c", "kill -KILL $$"])
        .expect(128 + 9);
    stage.implement(&["--", "no-such-engine"]).expect(127);
    stage.implement(&["--", "./no-such-engine"]).expect(127);
    stage.implement(&["--", "./prompt"]).expect(126);
    // Found where the person stands, not where an agent writes.
    stage.file("wt/engine", "#!/bin/sh\nexit 9\n");
    stage.executable("wt/engine");
    stage.implement(&["--", "./engine"]).expect(127);
    let mut in_path = stage.command(&stage.at(""), &stage.words(&["--", "engine"]));
    in_path.env("PATH", format!(".::{}", std::env::var("PATH").unwrap()));
    crate::stage::ran(in_path).expect(127);

    let child = stage.begin(&[
        "--",
        "sh",
        "-c",
        "trap 'exit 42' TERM; touch ready; while :; do sleep 0.01; done",
    ]);
    until("the engine does not start", || stage.has("wt/ready"));
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(end(child).code(), Some(42));
}

#[test]
fn an_engine_that_reads_nothing_and_a_prompt_of_a_megabyte_get_along() {
    let stage = Stage::with("off", "ok");
    stage.file("prompt", vec![b'x'; 1 << 20]);
    stage.implement(&["--", "true"]).expect(0);
    let run = stage.implement(&["--", "cat"]).expect(0);
    assert_eq!(run.stdout.len(), 1 << 20);
}

#[test]
fn what_an_engine_leaves_running_runs_on() {
    let stage = Stage::with("shadow", "ok");
    let script = "sleep 1000 >/dev/null 2>&1 & echo $!";
    let run = stage.implement(&["--", "sh", "-c", script]).expect(0);
    let pid = String::from_utf8(run.stdout).unwrap().trim().to_owned();
    stage.file("fake/pids", format!("{pid}\n"));
    assert_eq!(fake::running(&stage), [pid]);
}

#[test]
fn a_signal_to_a_batch_stops_it() {
    let stage = Stage::with("shadow", "hang");
    let lines: Vec<String> = (0..6)
        .map(|number| crate::batch::line(&stage, number).to_string())
        .collect();
    stage.file("jobs.jsonl", lines.join("\n"));
    let words = [
        "--project",
        "project",
        "run",
        "--jobs",
        "jobs.jsonl",
        "--parallel",
        "2",
    ];
    let mut command = stage.command(&stage.at(""), &words);
    let child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    signal_when_hanging(&stage, &child, Signal::TERM);
    assert_eq!(end(child).code(), Some(128 + 15));
    assert_eq!(fake::running(&stage), Vec::<String>::new());
    let rows = stage.rows();
    assert!((1..=2).contains(&rows.len()), "{rows:?}");
    assert!(
        rows.iter()
            .all(|row| row["payload"]["error_code"] == "cancelled")
    );
    assert!((0..6).all(|number| !stage.has(&format!("out-{number}"))));
}

#[test]
fn a_signal_ends_what_waits_for_a_reader() {
    let stage = Stage::with("shadow", "ok");
    stage.implement(&[]).expect(0);
    rustix::fs::mkfifoat(rustix::fs::CWD, stage.at("fifo"), rustix::fs::Mode::RWXU).unwrap();
    // Larger than any pipe.
    stage.file("prompt", vec![b'x'; 4 << 20]);
    let (_reader, writer) = std::io::pipe().unwrap();
    let mut unread = stage.command(&stage.at(""), &stage.words(&[]));
    unread.stdout(writer).stderr(std::process::Stdio::null());
    let mut begin: [&mut dyn FnMut() -> Child; 2] =
        [&mut || stage.begin(&["--prompt-out", "fifo"]), &mut || {
            unread.spawn().unwrap()
        }];
    for begin in &mut begin {
        let rows = stage.rows().len();
        let child = begin();
        until("the job is not recorded", || stage.rows().len() > rows);
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        // It may still have been on the way to the write.
        let status = end(child);
        let code = status.signal().map(|signal| 128 + signal);
        assert_eq!(code.or(status.code()), Some(128 + 15));
    }
}

#[test]
fn a_signal_ends_what_waits_for_the_ledger() {
    let stage = Stage::with("shadow", "ok");
    stage.implement(&[]).expect(0);
    stage.set("kill_grace_seconds", json!(0));
    let held = hold(&stage.at("project/.vibey/ledger.sqlite3"));
    let began = Instant::now();
    let child = stage.begin(&["--", "touch", "started"]);
    until("the compiler does not start", || {
        left(&stage, "calls").len() > 5
    });
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let status = end(child);
    assert!(!status.success(), "{status}");
    // Far below the half minute that the database would make it wait.
    assert!(began.elapsed() < std::time::Duration::from_secs(25));
    drop(held);
    assert!(!stage.has("wt/started"));
    assert_eq!(stage.rows().len(), 1);
}
