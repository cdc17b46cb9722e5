//! Processes that a generator leaves behind: ended before markers are restored, so that none of them can take a marker away.

use super::project::{GUIDANCE, MARKER, Project};
use std::time::Duration;

/// How long the test waits for a deed that must not happen; the process of the issue acts after 300 ms.
const LATE: Duration = Duration::from_millis(1500);

/// Fails unless `generate` succeeds with the marker in place and none of the written processes at work.
#[track_caller]
fn assert_gone(project: &Project, script: &str) {
    let report = project.run("generate");
    assert_eq!(project.running("pids"), Vec::<String>::new(), "{script}");
    report.is("0 ok, out restored, generator ok 0");
    assert_eq!(project.marker("out"), GUIDANCE);
}

/// Commands that start a background process; `{}` is what it does.
const GROUP: &[&str] = &[
    "({}) &",
    "({}) >/dev/null 2>&1 </dev/null &",
    "trap '' HUP; ({}) >/dev/null 2>&1 &",
    // A grandchild, whose parent is gone.
    "(({}) &) &",
];

/// The same for a process that leaves the group.
#[cfg(target_os = "linux")]
const SESSION: &[&str] = &[
    "setsid sh -c '{}' &",
    "setsid sh -c '{}' >/dev/null 2>&1 </dev/null &",
    "setsid -f sh -c '{}' >/dev/null 2>&1",
    "setsid sh -c 'setsid sh -c \"{}\" >/dev/null 2>&1 & exit' &",
];

#[cfg(not(target_os = "linux"))]
const SESSION: &[&str] = &[];

#[test]
fn a_background_child_does_not_delete_the_marker_after_the_report() {
    let late = format!("sleep 0.3; rm -rf out/{MARKER} out; touch deed");
    let projects: Vec<(Project, String)> = GROUP
        .iter()
        .chain(SESSION)
        .map(|start| {
            let start = start.replace("{}", &late);
            let script = format!("rm -rf out; {start}\nexit 0");
            (Project::generating(&script), script)
        })
        .collect();
    for (project, script) in &projects {
        let report = project.run("generate");
        assert_eq!(
            report.shown(),
            "0 ok, out restored, generator ok 0",
            "{script}"
        );
    }
    std::thread::sleep(LATE);
    for (project, script) in &projects {
        assert!(!project.has("deed"), "{script}");
        assert_eq!(project.marker("out"), GUIDANCE, "{script}");
        project.run("check").is("0 ok, out unchanged");
    }
}

#[test]
fn nothing_that_a_generator_started_outlives_it() {
    for start in GROUP.iter().chain(SESSION) {
        let start = start.replace("{}", "exec sh stay.sh");
        // The leader waits until the other has written down its number, so that it is not missed.
        let script = format!("rm -rf out; {start}\nuntil [ -s pids ]; do sleep 0.01; done");
        let project = Project::generating(&script);
        project.file(
            "stay.sh",
            "echo $$ >pids.new; mv pids.new pids; exec sleep 1000\n",
        );
        assert_gone(&project, &script);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_that_ignores_term_and_has_children_of_its_own_is_ended() {
    let project = Project::generating(
        "rm -rf out\nsetsid sh deep.sh </dev/null >/dev/null 2>&1 &\nuntil [ -e ready ]; do sleep 0.01; done",
    );
    project.file(
        "deep.sh",
        "trap '' TERM HUP INT\necho $$ >>list\nsetsid sh deeper.sh &\necho $! >>list\nsleep 1000 &\necho $! >>list\nwhile :; do sleep 1; done\n",
    );
    project.file(
        "deeper.sh",
        "trap '' TERM HUP INT\necho $$ >>list\nsetsid -f sh -c 'echo $$ >>list; mv list pids; touch ready; exec sleep 1000'\nwhile :; do sleep 1; done\n",
    );
    assert_gone(&project, "deep");
    assert!(project.read("pids").lines().count() >= 4);
}

#[cfg(target_os = "linux")]
#[test]
fn what_left_the_group_is_ended_at_a_timeout_too() {
    let project = Project::generating(
        "rm -rf out\nsetsid sh -c 'echo $$ >list; mv list pids; exec sleep 1000' &\nwhile :; do sleep 1; done",
    );
    let mut value = super::project::manifest(&["out"]);
    value["generator"]["timeoutMs"] = serde_json::json!(1500);
    project.manifest(&value);
    let expected = "1 generatorFailed, out restored, generator timedOut";
    project.run("generate").is(expected);
    assert_eq!(project.running("pids"), Vec::<String>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn sessions_that_start_each_other_without_end_are_ended_or_told() {
    let project = Project::generating(
        "rm -rf out\nexec 9>held; flock 9\nsetsid sh chain.sh 0 >/dev/null 2>&1 &\nexit 0",
    );
    // Each link of the chain has left the group and is gone before anybody could signal it. It ends itself at last.
    project.file(
        "chain.sh",
        "[ -e stop ] || [ $1 -gt 20000 ] || (setsid sh chain.sh $(($1 + 1)) >/dev/null 2>&1 &)\n",
    );
    let report = project.run("generate");
    // All of them hold this lock by the descriptor that they inherit.
    let free = std::process::Command::new("flock")
        .args(["-n", "held", "true"])
        .current_dir(project.root())
        .status()
        .unwrap();
    project.file("stop", "");
    if report.code == 0 {
        assert!(free.success(), "the report says ok, and the chain goes on");
        report.is("0 ok, out restored, generator ok 0");
    } else {
        assert_eq!(report.fault(), "generator_survives");
    }
}

#[test]
fn a_child_that_holds_the_output_open_keeps_nobody_waiting() {
    // The report comes although nobody closes the pipe; the harness ends a call that hangs.
    let project = Project::generating("rm -rf out\nsleep 1000 &\necho $! >pids");
    assert_gone(&project, "a held pipe");
}
