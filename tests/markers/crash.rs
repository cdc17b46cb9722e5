//! A `generate` that is killed can restore nothing: what it leaves says so, until `apply` has mended it.

use super::project::{Begun, GUIDANCE, MARKER, Project, until};
use super::report::Report;
use crate::corpus::unprivileged::{Unprivileged, mode};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt as _;

/// What the generator does before it hangs.
const HANG: &str = "touch ready; while :; do sleep 0.05; done";

/// Kills a `generate` whose generator has done its work and hangs.
#[track_caller]
fn killed(project: &Project) {
    let mut begun: Begun<'_> = project.begin("generate");
    begun.wait_for("ready");
    kill_process(Pid::from_child(&begun.child), Signal::KILL).unwrap();
    let mut status = None;
    until("the call survives SIGKILL", || {
        status = begun.child.try_wait().unwrap();
        status.is_some()
    });
    assert_eq!(status.unwrap().signal(), Some(9));
    drop(begun);
    std::fs::remove_file(project.at("ready")).unwrap();
}

#[test]
fn a_killed_generate_fails_the_next_check_and_apply_mends() {
    let project = Project::generating(&format!("rm -rf out; {HANG}"));
    killed(&project);
    for _ in 0..2 {
        let before = project.tree();
        let report = project.run("check");
        before.assert_still(&project.dir.path());
        let report = report.is("1 checkFailed, out missing, interrupted");
        assert!(
            report.fault().starts_with("interrupted_generate"),
            "{}",
            report.fault()
        );
    }
    project.run("apply").is("0 ok, out created");
    project.run("check").is("0 ok, out unchanged");
    assert_eq!(project.marker("out"), GUIDANCE);
}

#[test]
fn what_a_killed_generate_has_started_ends_with_it() {
    let script = "sh -c 'echo $$ >pid; rm -rf out; touch ready; while :; do sleep 0.05; rm -rf out; done'; true";
    let project = Project::generating(script);
    killed(&project);
    let pid = project.read("pid");
    let stat = format!("/proc/{}/stat", pid.trim());
    until("the generator's own child lives on", || {
        // A dead one that nobody has reaped yet does nothing any more.
        std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "))
    });
    project
        .run("check")
        .is("1 checkFailed, out missing, interrupted");
    project.run("apply").is("0 ok, out created");
    project.run("check").is("0 ok, out unchanged");
}

#[test]
fn a_generator_that_deletes_the_lock_is_still_alone() {
    let project =
        Project::generating("rm -rf .vibey; touch ready; while [ ! -e go ]; do sleep 0.05; done");
    let mut begun: Begun<'_> = project.begin("generate");
    begun.wait_for("ready");
    project.run("apply").is("2 invalid");
    project.file("go", "");
    until("the call does not end", || {
        begun.child.try_wait().unwrap().is_some()
    });
    project.run("check").is("0 ok, out unchanged");
}

#[test]
fn what_an_apply_that_was_killed_left_beside_a_marker_goes_with_the_next() {
    let project = Project::generating("true");
    project.run("apply").is("0 ok, out created");
    // As a kill between the writing and the renaming leaves it; the guidance is then what it was before.
    project.file("out/.vibey-tmp-x1", "half");
    project.run("apply").is("0 ok, out unchanged");
    assert!(
        project.at("out/.vibey-tmp-x1").exists(),
        "no reason to look"
    );
    project.file(".vibey/markers/staging", "");
    project.file(".vibey/markers/.vibey-tmp-x2", "half");
    project.run("apply").is("0 ok, out unchanged");
    for gone in [
        "out/.vibey-tmp-x1",
        ".vibey/markers/.vibey-tmp-x2",
        ".vibey/markers/staging",
    ] {
        assert!(!project.at(gone).exists(), "{gone}");
    }
}

#[test]
fn a_check_fails_although_the_markers_look_right() {
    let project = Project::generating(HANG);
    killed(&project);
    assert_eq!(project.marker("out"), GUIDANCE);
    let report = project.run("check");
    let report = report.is("1 checkFailed, out unchanged, interrupted");
    let error = report.result.error.unwrap();
    assert!(
        error.message.contains("apply"),
        "no remedy: {}",
        error.message
    );
    project.run("apply").is("0 ok, out unchanged");
    project.run("check").is("0 ok, out unchanged");
}

#[test]
fn an_apply_that_fails_or_is_refused_mends_nothing() {
    let project = Project::generating(HANG);
    killed(&project);
    let good = project.read("m.json");
    project.file("m.json", "canary");
    project.run("apply").is("2 invalid, interrupted");
    project.file("m.json", &good);
    project.file("docs/g.md", "x".repeat(9000));
    project.run("apply").is("2 invalid, interrupted");
    project.file("docs/g.md", GUIDANCE);
    project
        .run("check")
        .is("1 checkFailed, out unchanged, interrupted");
    project.run("apply").is("0 ok, out unchanged");
    project.run("check").is("0 ok, out unchanged");
}

#[test]
fn a_dead_generate_does_not_block_the_next_one() {
    let project = Project::generating(&format!("rm -rf out; {HANG}"));
    project.run("apply");
    let state = project.state();
    killed(&project);
    assert_ne!(project.state(), state, "a journal is left");
    project.script("rm -rf out");
    project
        .run("generate")
        .is("0 ok, out restored, generator ok 0");
    assert_eq!(project.state(), state, "and none after this");
    project.run("check").is("0 ok, out unchanged");
}

#[test]
fn what_stands_in_a_left_journal_or_lock_means_nothing() {
    let own = std::process::id().to_string();
    let live = format!("{{\"pid\":{own}}}");
    for content in [
        "",
        "\0\0",
        "canary",
        own.as_str(),
        live.as_str(),
        "{\"version\":2}",
    ] {
        let project = Project::generating(HANG);
        killed(&project);
        let names = project.state();
        for name in names.iter().filter(|name| *name != ".gitignore") {
            project.file(&format!(".vibey/markers/{name}"), content);
        }
        // A half-written journal is one too.
        project
            .run("check")
            .is("1 checkFailed, out unchanged, interrupted");
        project.run("apply").is("0 ok, out unchanged");
        project.run("check").is("0 ok, out unchanged");
    }
}

#[test]
fn a_left_journal_without_its_lock_file_is_one() {
    let project = Project::generating(HANG);
    killed(&project);
    let lock = project.at(".vibey/markers/lock");
    std::fs::remove_file(&lock).unwrap();
    project
        .run("check")
        .is("1 checkFailed, out unchanged, interrupted");
    assert!(!lock.exists(), "check creates none");
    project.run("apply").is("0 ok, out unchanged");
}

#[test]
fn a_left_journal_is_found_where_nothing_can_be_written() {
    let project = Project::generating(HANG);
    killed(&project);
    let nobody = Unprivileged::new(&project.dir);
    mode(&project.at(".vibey/markers/lock"), 0o444);
    for folder in [".vibey/markers", ".vibey", "out", "."] {
        mode(&project.at(folder), 0o555);
        nobody.assert_unwritable(&project.at(folder));
    }
    let before = project.tree();
    let run = nobody.program(
        &project.root(),
        ["markers", "check", "--manifest", "m.json"],
    );
    Report::of(&project.dir, &run).is("1 checkFailed, out unchanged, interrupted");
    before.assert_still(&project.dir.path());
}

#[cfg(target_os = "linux")]
#[test]
fn the_generator_does_not_outlive_a_killed_generate() {
    let project = Project::generating(&format!("echo $$ >pids; rm -f out/{MARKER}; {HANG}"));
    killed(&project);
    until("the generator runs on", || {
        project.running("pids").is_empty()
    });
    project
        .run("check")
        .is("1 checkFailed, out missing, interrupted");
}

#[test]
fn any_moment_to_be_killed_leaves_old_or_new_markers_and_a_way_back() {
    // No timing is asserted: each moment is as good as another.
    for delay in 0..25 {
        // `exec`, so that the kernel ends all of the generator with the call.
        let project = Project::generating("exec rm -rf out");
        project.run("apply");
        project.file("docs/g.md", "new canary\n");
        let mut begun = project.begin(if delay % 2 == 0 { "apply" } else { "generate" });
        std::thread::sleep(std::time::Duration::from_millis(delay * 2));
        let _ = begun.child.kill();
        let ended = begun.child.wait().unwrap();
        drop(begun);
        match std::fs::read_to_string(project.at(&format!("out/{MARKER}"))) {
            Ok(text) => assert!(
                [GUIDANCE, "new canary\n"].contains(&text.as_str()),
                "{text}"
            ),
            Err(_) => {
                // Gone only while the generator was at work, which the journal tells.
                assert_eq!(ended.signal(), Some(9));
                assert!(project.run("check").result.interrupted_generate);
            }
        }
        let check = project.run("check");
        assert!(check.code == 0 || check.code == 1, "{}", check.shown());
        assert_eq!(project.run("apply").code, 0);
        project.run("check").is("0 ok, out unchanged");
        for entry in project.at("out").read_dir().unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!([MARKER, "generated"].contains(&name.as_str()), "{name}");
        }
    }
}
