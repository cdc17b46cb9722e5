//! What happens to a child when something happens to this process: such a test starts its own binary again,
//! in the role of the process that gets hurt.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command as Plain, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use vibey_context_host::process::{Leftovers, Outcome, Output, run};
use vibey_context_host::signals::{Signals, is_ignored};

use crate::bed::{lines_of, pids, runs, script, until};

/// Names the file of process numbers for the one that plays the role.
const ROLE: &str = "HOST_TEST_ROLE";

pub(crate) fn role() -> Option<String> {
    env::var(ROLE).ok()
}

/// The test of this name once more, in its role.
pub(crate) fn play(test: &str, path: &Path) -> Child {
    play_with(test, path, &[])
}

/// The same with further variables.
pub(crate) fn play_with(test: &str, path: &Path, variables: &[(&str, &str)]) -> Child {
    let mut command = Plain::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--test-threads=1"]);
    command
        .env(ROLE, path)
        .envs(variables.iter().copied())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Runs a program as one that belongs to a person at a terminal, and ends as it ended.
fn stand_in_for(script_text: &str, path: &str, signals: Signals) -> ! {
    let mut command = script(script_text, &[path]);
    command.stdout = Output::Inherit;
    command.stderr = Output::Inherit;
    command.timeout = None;
    command.leftovers = Leftovers::Leave;
    command.forward = Some(signals);
    match run(&command).outcome {
        Outcome::Exited(code) => std::process::exit(code),
        Outcome::Signalled(signal) => std::process::exit(128 + signal),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn end_of(mut player: Child) -> ExitStatus {
    until("the end of a process", || {
        player.try_wait().unwrap().is_some()
    });
    player.wait().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_parent_leaves_no_child() {
    const NAME: &str = "roles::a_killed_parent_leaves_no_child";
    if let Some(path) = role() {
        // On a thread that is not the first, as in a pool.
        let command = script("echo $$ > $1; exec sleep 100", &[&path]);
        let _ = std::thread::spawn(move || run(&command)).join();
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pids");
    let mut parent = play(NAME, &path);
    let child = pids(&lines_of(&path, 1))[0];
    assert!(runs(child));
    parent.kill().unwrap();
    assert_eq!(parent.wait().unwrap().signal(), Some(9));
    until("the death of the child", || !runs(child));
}

#[test]
fn signals_reach_the_program_and_its_answer_comes_back() {
    const NAME: &str = "roles::signals_reach_the_program_and_its_answer_comes_back";
    let handler = "trap 'exit 41' HUP; trap 'exit 42' INT; trap 'exit 43' QUIT; trap 'exit 44' TERM; \
                   echo $$ > $1; while :; do sleep 0.05; done";
    if let Some(path) = role() {
        stand_in_for(handler, &path, Signals::install().unwrap());
    }
    let cases = [
        (Signal::HUP, 41),
        (Signal::INT, 42),
        (Signal::QUIT, 43),
        (Signal::TERM, 44),
    ];
    for (signal, code) in cases {
        // What is ignored when we start, as in the background of a shell, stays so, and is passed on to nobody.
        if is_ignored(signal.as_raw()) {
            assert_ne!(signal, Signal::TERM);
            continue;
        }
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("pids");
        let player = play(NAME, &path);
        let program = pids(&lines_of(&path, 1))[0];
        assert!(runs(program));
        kill_process(Pid::from_child(&player), signal).unwrap();
        assert_eq!(end_of(player).code(), Some(code));
        assert!(!runs(program));
    }
}

#[test]
fn a_program_that_a_passed_signal_kills_was_killed_by_it() {
    const NAME: &str = "roles::a_program_that_a_passed_signal_kills_was_killed_by_it";
    if let Some(path) = role() {
        let signals = Signals::install().unwrap();
        stand_in_for("echo $$ > $1; exec sleep 100", &path, signals);
    }
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pids");
    let player = play(NAME, &path);
    assert!(runs(pids(&lines_of(&path, 1))[0]));
    kill_process(Pid::from_child(&player), Signal::TERM).unwrap();
    assert_eq!(end_of(player).code(), Some(128 + 15));
}

#[test]
fn the_first_signal_cancels_a_run() {
    const NAME: &str = "roles::the_first_signal_cancels_a_run";
    if let Some(path) = role() {
        let signals = Signals::install().unwrap();
        assert_eq!(signals.first(), None);
        let mut command = script("echo $$ > $1; exec sleep 100", &[&path]);
        command.cancel = Some(signals.cancel().clone());
        assert!(matches!(run(&command).outcome, Outcome::Cancelled));
        assert_eq!(signals.take(), [Signal::TERM.as_raw()]);
        std::process::exit(100 + signals.first().unwrap());
    }
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pids");
    let player = play(NAME, &path);
    let child = pids(&lines_of(&path, 1))[0];
    assert!(runs(child));
    kill_process(Pid::from_child(&player), Signal::TERM).unwrap();
    assert_eq!(end_of(player).code(), Some(100 + Signal::TERM.as_raw()));
    assert!(!runs(child));
}

/// A hang-up after `nohup` is not ours to receive; a child started with `SIGCHLD` ignored still has a status.
#[cfg(target_os = "linux")]
#[test]
fn signals_ignored_from_the_start_stay_ignored_but_for_the_death_of_children() {
    const NAME: &str =
        "roles::signals_ignored_from_the_start_stay_ignored_but_for_the_death_of_children";
    if let Some(path) = role() {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let ignored = status.lines().find(|line| line.starts_with("SigIgn:"));
        let mask = ignored.unwrap().split_whitespace().last().unwrap();
        let mask = u64::from_str_radix(mask, 16).unwrap();
        assert_eq!(mask & 0x1_0001, 0x1_0001, "SIGHUP and SIGCHLD are ignored");
        let signals = Signals::install().unwrap();
        kill_process(rustix::process::getpid(), Signal::HUP).unwrap();
        kill_process(rustix::process::getpid(), Signal::TERM).unwrap();
        until("the second signal", || signals.first().is_some());
        assert_eq!(signals.first(), Some(Signal::TERM.as_raw()));
        let outcome = run(&script("echo $$ > $1; exit 9", &[&path])).outcome;
        assert!(matches!(outcome, Outcome::Exited(9)), "{outcome:?}");
        std::process::exit(55);
    }
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pids");
    let mut env_program = Plain::new("env");
    env_program.arg("--ignore-signal=HUP,CHLD");
    env_program.arg(env::current_exe().unwrap());
    env_program.args(["--exact", NAME, "--test-threads=1"]);
    let player = env_program
        .env(ROLE, &path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(end_of(player).code(), Some(55));
}
