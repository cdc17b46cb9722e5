//! Who has left the group ends with the run all the same, and nobody else does.
//!
//! A run of this kind ends every orphan of the process, so each test plays it in a process of its own; otherwise it would end
//! what the tests beside it have started.

use std::path::Path;
use std::process::Command as Plain;
use std::time::Duration;

use rustix::process::{Pid, Signal, child_subreaper, kill_process};
use vibey_context_host::cancel::Cancel;
use vibey_context_host::process::{Command, Leftovers, Outcome, run};

use crate::bed::{lines_of, pids, runs, script, until};
use crate::roles::{end_of, play, role};

/// Runs a script that writes the numbers of its descendants to `$1`, in the role; then says whether they are gone, by its exit
/// code, and ends.
fn adopts(script_text: &str, path: &str, adapt: impl FnOnce(&mut Command)) -> ! {
    let mut command = script(script_text, &[path]);
    command.leftovers = Leftovers::KillDescendants;
    adapt(&mut command);
    let finished = run(&command);
    let family = pids(&std::fs::read_to_string(path).unwrap());
    // Reaped too: not even a zombie has the number.
    let left = family.iter().any(|pid| exists(*pid));
    let expected = match finished.outcome {
        Outcome::Exited(code) => code,
        Outcome::TimedOut => 50,
        Outcome::Cancelled => 51,
        Outcome::OutputLimit => 52,
        other => panic!("{other:?}"),
    };
    assert!(finished.is_gone && !left, "{left}");
    assert_eq!(child_subreaper().unwrap(), None, "as it was before");
    std::process::exit(expected);
}

fn exists(pid: Pid) -> bool {
    Path::new(&format!("/proc/{}", pid.as_raw_nonzero())).exists()
}

/// Plays a test in its role and gives the exit code; `count` descendants must have lived.
fn played(test: &str, count: usize) -> Option<i32> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pids");
    let code = end_of(play(test, &path)).code();
    let family = pids(&lines_of(&path, count));
    assert_eq!(family.len(), count);
    assert!(!family.into_iter().any(runs));
    code
}

#[test]
fn a_child_in_a_session_of_its_own_ends_with_its_leader() {
    const NAME: &str = "descendants::a_child_in_a_session_of_its_own_ends_with_its_leader";
    if let Some(path) = role() {
        adopts("setsid sleep 100 & echo $! > $1; exit 7", &path, |_| {});
    }
    assert_eq!(played(NAME, 1), Some(7));
}

#[test]
fn a_daemon_that_forked_twice_ends() {
    const NAME: &str = "descendants::a_daemon_that_forked_twice_ends";
    if let Some(path) = role() {
        let daemon = "setsid sh -c 'sleep 100 > /dev/null 2>&1 & echo $! > $1' sh $1; exit 0";
        adopts(daemon, &path, |_| {});
    }
    assert_eq!(played(NAME, 1), Some(0));
}

#[test]
fn generations_of_sessions_that_ignore_requests_end() {
    const NAME: &str = "descendants::generations_of_sessions_that_ignore_requests_end";
    if let Some(path) = role() {
        let deaf = "trap '' TERM HUP; echo $$ >> $1; \
                    setsid sh -c 'echo $$ >> $1; setsid sh -c \"echo \\$\\$ >> $1; sleep 100\" & sleep 100' sh $1 & \
                    until [ $(wc -l < $1) = 3 ]; do sleep 0.01; done; exit 3";
        adopts(deaf, &path, |_| {});
    }
    assert_eq!(played(NAME, 3), Some(3));
}

#[test]
fn every_way_in_which_a_run_is_ended_ends_them() {
    const NAME: &str = "descendants::every_way_in_which_a_run_is_ended_ends_them";
    if let Some(path) = role() {
        let fled = "setsid sleep 100 & echo $! > $1; ";
        let way = std::env::var("WAY").unwrap();
        let rest = if way == "limit" { "yes" } else { "sleep 100" };
        adopts(&format!("{fled}{rest}"), &path, |command| {
            match way.as_str() {
                "timeout" => command.timeout = Some(Duration::from_millis(500)),
                "limit" => command.output_limit_bytes = Some(100_000),
                _ => {
                    let cancel = Cancel::new().unwrap();
                    command.cancel = Some(cancel.clone());
                    let path = path.clone();
                    std::thread::spawn(move || {
                        lines_of(path.as_ref(), 1);
                        cancel.cancel();
                    });
                }
            }
        });
    }
    for (way, code) in [("timeout", 50), ("cancel", 51), ("limit", 52)] {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("pids");
        let player = crate::roles::play_with(NAME, &path, &[("WAY", way)]);
        assert_eq!(end_of(player).code(), Some(code), "{way}");
        assert!(!runs(pids(&lines_of(&path, 1))[0]), "{way}");
    }
}

/// A program that waits until its daemon is gone would wait for ever if nobody reaped the daemon.
#[test]
fn an_orphan_that_dies_meanwhile_is_reaped_meanwhile() {
    const NAME: &str = "descendants::an_orphan_that_dies_meanwhile_is_reaped_meanwhile";
    if let Some(path) = role() {
        let waits = "sh -c 'setsid sleep 0.05 & echo $! > $1' sh $1; \
                     while kill -0 $(cat $1) 2> /dev/null; do sleep 0.01; done; exit 9";
        adopts(waits, &path, |_| {});
    }
    assert_eq!(played(NAME, 1), Some(9));
}

#[test]
fn children_from_before_and_of_other_runs_live_on() {
    const NAME: &str = "descendants::children_from_before_and_of_other_runs_live_on";
    if let Some(path) = role() {
        let mut before = Plain::new("sleep").arg("100").spawn().unwrap();
        let other = std::thread::spawn(|| run(&script("sleep 0.7; exit 5", &[])).outcome);
        let mut command = script("setsid sleep 100 & echo $! > $1; sleep 0.2", &[&path]);
        command.leftovers = Leftovers::KillDescendants;
        assert!(run(&command).is_gone);
        assert!(before.try_wait().unwrap().is_none(), "it was here before");
        before.kill().unwrap();
        before.wait().unwrap();
        assert!(matches!(other.join().unwrap(), Outcome::Exited(5)));
        std::process::exit(60);
    }
    assert_eq!(played(NAME, 1), Some(60));
}

#[test]
fn two_runs_take_turns_and_a_waiting_one_can_be_cancelled() {
    const NAME: &str = "descendants::two_runs_take_turns_and_a_waiting_one_can_be_cancelled";
    if let Some(path) = role() {
        let adopting = |text: &str| {
            let mut command = script(text, &[&path]);
            command.leftovers = Leftovers::KillDescendants;
            command
        };
        let first = adopting("echo $$ > $1; while [ -e $1 ]; do sleep 0.01; done");
        let first = std::thread::spawn(move || run(&first).outcome);
        lines_of(path.as_ref(), 1);
        let mut second = adopting("exit 0");
        let cancel = Cancel::new().unwrap();
        second.cancel = Some(cancel.clone());
        let waiting = std::thread::spawn(move || run(&second).outcome);
        cancel.cancel();
        assert!(matches!(waiting.join().unwrap(), Outcome::Cancelled));
        std::fs::rename(&path, format!("{path}-kept")).unwrap();
        assert!(matches!(first.join().unwrap(), Outcome::Exited(0)));
        assert!(matches!(
            run(&adopting("exit 4")).outcome,
            Outcome::Exited(4)
        ));
        std::fs::rename(format!("{path}-kept"), &path).unwrap();
        std::process::exit(61);
    }
    assert_eq!(played(NAME, 1), Some(61));
}

/// The plain rule leaves them, which is why there is another.
#[test]
fn without_the_order_a_session_of_its_own_lives_on() {
    // The leader lives until the other has left its group.
    let mut command = script(
        "there=$(mktemp -u)
         setsid sh -c 'touch \"$1\"; exec sleep 100' sh \"$there\" > /dev/null 2>&1 &
         while [ ! -e \"$there\" ]; do sleep 0.01; done
         rm \"$there\"; echo $!",
        &[],
    );
    command.leftovers = Leftovers::Kill;
    let finished = run(&command);
    let fled = pids(&crate::bed::text(finished.stdout))[0];
    until("the new session", || runs(fled));
    kill_process(fled, Signal::KILL).unwrap();
}
