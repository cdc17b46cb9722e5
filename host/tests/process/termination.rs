//! Whatever a program and its descendants do, the run is over in time and none of the group is left.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use vibey_context_host::cancel::Cancel;
use vibey_context_host::process::{Command, Finished, Leftovers, Outcome, run};

use crate::bed::{PATIENCE, lines_of, pids, runs, script, text};

/// Runs a script that writes the numbers of its processes, one a line, to the file `$1`; cancels it when
/// all of them are seen alive; and sees all of them dead at the return.
fn cancelled(script_text: &str, count: usize, adapt: impl FnOnce(&mut Command)) -> Finished {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pids");
    let mut command = script(script_text, &[path.to_str().unwrap()]);
    let cancel = Cancel::new().unwrap();
    command.cancel = Some(cancel.clone());
    adapt(&mut command);
    let runner = thread::spawn(move || run(&command));
    let family = alive(&path, count);
    cancel.cancel();
    let finished = runner.join().unwrap();
    assert!(matches!(finished.outcome, Outcome::Cancelled));
    assert_eq!(survivors(&family), []);
    finished
}

fn alive(path: &Path, count: usize) -> Vec<Pid> {
    let family = pids(&lines_of(path, count));
    assert_eq!(family.len(), count);
    assert_eq!(survivors(&family), family);
    family
}

fn survivors(family: &[Pid]) -> Vec<Pid> {
    family.iter().copied().filter(|pid| runs(*pid)).collect()
}

#[test]
fn a_run_is_cancelled_from_another_thread_at_once() {
    let finished = cancelled("echo $$ > $1; exec sleep 100", 1, |command| {
        command.grace = PATIENCE;
    });
    assert!(finished.duration < Duration::from_secs(10));
}

#[test]
fn one_switch_cancels_many_runs() {
    let cancel = Cancel::new().unwrap();
    let runners: Vec<_> = (0..8)
        .map(|_| {
            let mut command = script("exec sleep 100", &[]);
            command.cancel = Some(cancel.clone());
            thread::spawn(move || run(&command))
        })
        .collect();
    cancel.cancel();
    for runner in runners {
        let finished = runner.join().unwrap();
        assert!(matches!(finished.outcome, Outcome::Cancelled));
        assert!(finished.duration < PATIENCE);
    }
}

#[test]
fn who_ignores_the_request_is_killed_with_its_grandchildren() {
    let deaf = "trap '' TERM; sleep 100 & sh -c 'sleep 100 & echo $!; wait' >> $1 & \
                echo $! >> $1; echo $$ >> $1; while :; do sleep 100; done";
    let finished = cancelled(deaf, 3, |_| {});
    assert!(
        finished.duration >= Duration::from_millis(200),
        "the grace was given"
    );
    assert!(finished.stdout.ended, "nobody holds the pipe any more");
}

#[test]
fn a_timeout_leaves_nothing_of_a_deaf_group() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pids");
    let deaf = "trap '' TERM; sleep 100 & echo $! >> $1; echo $$ >> $1; wait; sleep 100";
    let mut command = script(deaf, &[path.to_str().unwrap()]);
    command.timeout = Some(Duration::from_secs(1));
    let runner = thread::spawn(move || run(&command));
    let family = alive(&path, 2);
    let finished = runner.join().unwrap();
    assert!(matches!(finished.outcome, Outcome::TimedOut));
    assert_eq!(survivors(&family), []);
    assert!(finished.duration < Duration::from_secs(10));
}

#[test]
fn a_stopped_program_ends_too() {
    let finished = cancelled("echo $$ > $1; kill -STOP $$", 1, |command| {
        command.grace = PATIENCE;
    });
    assert!(
        finished.duration < Duration::from_secs(10),
        "it heard the request"
    );
}

#[test]
fn a_grandchild_has_the_grace_when_its_parent_is_gone() {
    // Short naps: a signal that meets the shell between fork and exec is lost on the sleeper.
    let late = "sh -c 'trap \"sleep 0.2; echo late; exit\" TERM; echo $$ > $1; while :; do sleep 0.05; done' \
                sh $1 & wait";
    let finished = cancelled(late, 1, |command| command.grace = PATIENCE);
    assert_eq!(text(finished.stdout), "late\n");
    assert!(finished.duration < Duration::from_secs(10));
}

#[test]
fn a_leftover_that_holds_the_pipe_ends_with_its_leader() {
    let finished = run(&script("sleep 100 & kill -0 $! && echo $!", &[]));
    assert!(matches!(finished.outcome, Outcome::Exited(0)));
    let leftover = pids(&text(finished.stdout));
    assert_eq!(leftover.len(), 1, "it was alive");
    assert_eq!(survivors(&leftover), []);
    assert!(finished.duration < Duration::from_secs(10));
}

#[test]
fn a_leftover_that_holds_no_pipe_ends_with_its_leader() {
    let finished = run(&script(
        "sleep 100 > /dev/null 2>&1 & kill -0 $! && echo $!",
        &[],
    ));
    let leftover = pids(&text(finished.stdout));
    assert_eq!(leftover.len(), 1, "it was alive");
    assert_eq!(survivors(&leftover), []);
}

#[test]
fn a_leftover_may_stay_where_that_is_wanted() {
    let mut command = script("sleep 100 > /dev/null 2>&1 & echo $!", &[]);
    command.leftovers = Leftovers::Leave;
    let finished = run(&command);
    assert!(matches!(finished.outcome, Outcome::Exited(0)));
    let leftover = pids(&text(finished.stdout));
    assert_eq!(survivors(&leftover), leftover);
    kill_process(leftover[0], Signal::KILL).unwrap();
}

#[test]
fn what_a_leftover_writes_at_once_still_counts() {
    let finished = run(&script("(sleep 0.02; echo last) & echo first", &[]));
    assert_eq!(text(finished.stdout), "first\nlast\n");
}

/// `setsid` is a program of Linux distributions.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_held_from_outside_the_group_keeps_nobody_waiting() {
    let fled =
        "setsid sleep 100 & echo $! > $1; echo here; until grep -q sleep /proc/$!/stat; do :; done";
    for end in ["", "; sleep 100"] {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("pids");
        let mut command = script(&format!("{fled}{end}"), &[path.to_str().unwrap()]);
        command.timeout = Some(Duration::from_secs(2));
        let began = Instant::now();
        let finished = run(&command);
        let fugitive = pids(&fs::read_to_string(path).unwrap());
        assert_eq!(
            survivors(&fugitive),
            fugitive,
            "it is still holding the pipe"
        );
        assert!(began.elapsed() < PATIENCE);
        assert!(!finished.stdout.ended);
        assert_eq!(finished.stdout.head, b"here\n");
        match finished.outcome {
            Outcome::Exited(0) => assert!(end.is_empty()),
            Outcome::TimedOut => assert!(!end.is_empty()),
            other => panic!("{other:?}"),
        }
        kill_process(fugitive[0], Signal::KILL).unwrap();
    }
}
