//! Faults of the machine over a job and its ledger: the prompt reaches the engine, and the chain stays whole. The table is
//! docs/reliability.md.

use crate::stage::{PROMPT, Ran, Stage, ran};
use std::process::Command;

/// Handles that are enough for every job.
const ENOUGH: usize = 256;

/// Runs `implement` in `sh`, behind a line of its own.
fn behind(stage: &Stage, line: &str) -> Ran {
    let plain = stage.command(&stage.at(""), &stage.words(&[]));
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", &format!("{line}\nexec \"$@\""), "sh"])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(stage.at(""))
        .env_clear();
    for (name, value) in plain.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    ran(command)
}

#[test]
fn a_job_out_of_handles_has_its_prompt_and_a_whole_chain() {
    let stage = Stage::with("inject", "ok");
    stage.implement(&[]).expect(0);
    let mut rows = stage.rows().len();
    let mut failed = 0;
    for handles in (8..40).chain([ENOUGH]) {
        let run = behind(&stage, &format!("ulimit -n {handles} || exit 99"));
        let shown = format!("{handles} handles: {} {}", run.code, run.stderr);
        assert!(!run.stderr.contains("panicked"), "{shown}");
        // 126 and 127 are the loader of the system, which was out of handles before the program began.
        match run.code {
            0 => assert!(run.stdout.starts_with(PROMPT), "{shown}"),
            125 => {
                failed += 1;
                assert!(run.stdout.is_empty() || run.stdout == PROMPT, "{shown}");
                assert!(!run.stderr.is_empty(), "{shown}");
            }
            126 | 127 => assert!(handles < ENOUGH, "{shown}"),
            _ => panic!("{shown}"),
        }
        assert!(run.code == 0 || handles < ENOUGH, "{shown}");
        // Reading verifies the chain. A job that says 0 has its row.
        let now = stage.rows().len();
        assert!(now - rows >= usize::from(run.code == 0), "{shown}: no row");
        rows = now;
    }
    assert!(failed > 0, "a job was never out of handles");
}
