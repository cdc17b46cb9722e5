//! SIGINT and SIGTERM during `generate`: a cancellation, after which markers are restored.

use super::project::{GUIDANCE, Project};
use super::report::Report;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;
use vibey_context_host::signals::is_ignored;

const CANCELLED: &str = "1 cancelled, out restored, generator cancelled";

/// Starts `generate` and sends these signals to it alone, one after the other, as soon as the generator is ready.
#[track_caller]
fn signalled(project: &Project, signals: &[Signal]) {
    let mut begun = project.begin("generate");
    begun.wait_for("ready");
    for signal in signals {
        kill_process(Pid::from_child(&begun.child), *signal).unwrap();
    }
    begun.end().is(CANCELLED);
    assert_eq!(project.running("pids"), Vec::<String>::new());
    assert_eq!(project.marker("out"), GUIDANCE);
    project.run("check").is("0 ok, out unchanged");
}

/// The signals, without those that are ignored where the tests run, as below `nohup`.
fn heard() -> Vec<Signal> {
    let heard: Vec<Signal> = [Signal::TERM, Signal::INT]
        .into_iter()
        .filter(|signal| !is_ignored(signal.as_raw()))
        .collect();
    assert!(heard.contains(&Signal::TERM));
    heard
}

#[test]
fn a_signal_ends_the_generator_and_restores_markers() {
    for signal in heard() {
        let project = Project::generating(
            "sleep 1000 & echo $! >pids; echo $$ >>pids; rm -rf out; touch ready; wait",
        );
        signalled(&project, &[signal]);
    }
}

#[test]
fn a_generator_that_ignores_the_signal_is_killed() {
    for signal in heard() {
        let project = Project::generating(
            "trap '' TERM INT; echo $$ >pids; rm -rf out; touch ready; while :; do sleep 0.05; done",
        );
        signalled(&project, &[signal]);
    }
}

#[test]
fn more_signals_do_not_interrupt_the_restore() {
    let project = Project::generating(
        "trap '' TERM INT; echo $$ >pids; rm -rf out; touch ready; while :; do sleep 0.05; done",
    );
    let all = heard();
    signalled(&project, &all.repeat(10));
}

#[test]
fn a_generator_that_ends_well_when_it_is_asked_to_is_cancelled_all_the_same() {
    let project = Project::generating(
        "trap 'exit 0' TERM; echo $$ >pids; rm -rf out; touch ready; while :; do sleep 0.01; done",
    );
    signalled(&project, &[Signal::TERM]);
}

#[test]
fn a_cancelled_call_whose_restore_fails_says_that() {
    let project = Project::generating(
        "rm -rf out; echo canary >out; touch ready; while :; do sleep 0.01; done",
    );
    let mut begun = project.begin("generate");
    begun.wait_for("ready");
    kill_process(Pid::from_child(&begun.child), Signal::TERM).unwrap();
    begun
        .end()
        .is("1 maintenanceFailed, out failed, generator cancelled, interrupted");
    assert_eq!(project.read("out"), "canary\n");
}

#[test]
fn at_any_moment_a_signal_leaves_right_markers_or_nothing_at_all() {
    // No timing is asserted: each moment is as good as another.
    for delay in 0..25 {
        let project = Project::generating("rm -rf out; mkdir out; rm -rf out");
        let before = project.tree();
        let begun = project.begin("generate");
        std::thread::sleep(Duration::from_millis(delay));
        kill_process(Pid::from_child(&begun.child), Signal::TERM).unwrap();
        let (status, run) = begun.finish();
        let was_ended = status.signal() == Some(Signal::TERM.as_raw());
        if was_ended && project.has("out/.agent-no-read.md") {
            // It was no longer listening, and so was done.
            assert_eq!(project.marker("out"), GUIDANCE);
            project.run("check").is("0 ok, out unchanged");
        } else if was_ended {
            // It was not yet listening, and so had not yet begun.
            before.assert_still(&project.dir.path());
            assert_eq!(run.stdout, "");
        } else {
            let report = Report::of(&project.dir, &run);
            assert!([0, 1].contains(&report.code), "{}", report.shown());
            assert_eq!(project.marker("out"), GUIDANCE);
            project.run("check").is("0 ok, out unchanged");
        }
    }
}

#[test]
fn a_signal_to_the_whole_group_is_one_cancellation() {
    // As Ctrl-C does it, although the generator has a group of its own.
    use std::os::unix::process::CommandExt as _;
    if is_ignored(Signal::INT.as_raw()) {
        return;
    }
    let project =
        Project::generating("echo $$ >pids; rm -rf out; touch ready; while :; do sleep 0.05; done");
    let mut begun = project.begin_as("generate", |command| {
        command.process_group(0);
    });
    begun.wait_for("ready");
    rustix::process::kill_process_group(Pid::from_child(&begun.child), Signal::INT).unwrap();
    begun.end().is(CANCELLED);
    assert_eq!(project.running("pids"), Vec::<String>::new());
    assert_eq!(project.marker("out"), GUIDANCE);
}
