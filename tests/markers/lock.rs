//! Two calls on one project at once: one works, the other says `busy` and changes nothing; nobody waits for ever.

use super::project::{GUIDANCE, OPERATIONS, Project, manifest};
use super::report::Report;
use crate::corpus::unprivileged::find;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A generator that works until `go` is there, and writes down each run.
const UNTIL_GO: &str =
    "echo run >>runs; rm -rf out; touch ready; until [ -e go ]; do sleep 0.01; done; rm -rf out";

#[test]
fn while_one_generates_every_other_call_is_busy() {
    let project = Project::generating(UNTIL_GO);
    let mut first = project.begin("generate");
    first.wait_for("ready");
    project.file("n.json", manifest(&["elsewhere"]).to_string());
    let before = project.tree();
    // Another manifest makes it no other project.
    let calls = OPERATIONS.map(|operation| (operation, "m.json"));
    for (operation, manifest) in calls.into_iter().chain([("apply", "n.json")]) {
        let report = project.call([operation, "--manifest", manifest]);
        let report = report.is("2 invalid");
        assert_eq!(report.result.error.unwrap().code, "busy", "{operation}");
    }
    before.assert_still(&project.dir.path());
    // A call that is wrong is told so, without waiting for anybody.
    assert_eq!(project.all_refused("none.json"), "not_found at none.json");
    project.file("go", "");
    first.end().is("0 ok, out restored, generator ok 0");
    assert_eq!(project.read("runs"), "run\n");
    assert!(!project.has("elsewhere"));
    project.run("check").is("0 ok, out unchanged");
}

#[test]
fn two_projects_do_not_know_each_other() {
    let one = Project::generating(UNTIL_GO);
    let mut first = one.begin("generate");
    first.wait_for("ready");
    let other = Project::generating("rm -rf out");
    other
        .run("generate")
        .is("0 ok, out restored, generator ok 0");
    one.file("go", "");
    first.end().is("0 ok, out restored, generator ok 0");
}

#[test]
fn of_many_at_once_each_runs_alone_or_is_busy() {
    let project = Project::generating(
        "mkdir alone || touch together; echo run >>runs; rm -rf out; sleep 0.05; rmdir alone",
    );
    let all: Vec<_> = (0..6).map(|_| project.begin("generate")).collect();
    let mut ran = 0;
    for begun in all {
        let report = begun.end();
        if report.code == 0 {
            assert_eq!(report.result.markers.len(), 1);
            ran += 1;
        } else {
            let report = report.is("2 invalid");
            assert_eq!(report.result.error.unwrap().code, "busy");
        }
    }
    assert!(ran >= 1);
    assert_eq!(project.read("runs"), "run\n".repeat(ran));
    assert!(!project.has("together"), "two generators ran at once");
    assert_eq!(project.marker("out"), GUIDANCE);
    project.run("check").is("0 ok, out unchanged");
}

#[test]
fn many_applies_at_once_write_one_result() {
    let project = Project::new();
    let names: Vec<String> = (0..20).map(|number| format!("o{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    project.manifest(&manifest(&names));
    let all: Vec<_> = (0..8).map(|_| project.begin("apply")).collect();
    let mut creators = 0;
    for begun in all {
        let report = begun.end();
        let shown = report.shown();
        if report.code == 0 {
            creators += usize::from(shown.contains("created"));
            assert!(
                !(shown.contains("created") && shown.contains("unchanged")),
                "{shown}"
            );
        } else {
            assert_eq!(report.result.error.unwrap().code, "busy");
        }
    }
    assert_eq!(creators, 1);
    assert_eq!(project.run("check").code, 0);
    for name in names {
        assert_eq!(project.at(name).read_dir().unwrap().count(), 1);
    }
}

/// Holds the lock in another process, until its standard input is closed.
fn hold(project: &Project) -> Child {
    let flock = find("flock").expect("this test needs `flock` (util-linux)");
    let mut holder = Command::new(flock)
        .arg(project.at(".vibey/markers/lock"))
        .args(["sh", "-c", "echo held; cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(holder.stdout.as_mut().unwrap());
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "held\n");
    holder
}

#[test]
fn check_asks_for_the_lock_only_where_it_finds_a_journal() {
    let project = Project::generating(UNTIL_GO);
    project.run("apply").is("0 ok, out created");
    let mut holder = hold(&project);
    project.run("check").is("0 ok, out unchanged");
    for operation in ["apply", "generate"] {
        let report = project.run(operation).is("2 invalid");
        assert_eq!(report.result.error.unwrap().code, "busy");
    }
    drop(holder.stdin.take());
    assert!(holder.wait().unwrap().success());

    // With a journal that nobody owns, whoever holds the lock is at work.
    let mut begun = project.begin("generate");
    begun.wait_for("ready");
    begun.child.kill().unwrap();
    begun.child.wait().unwrap();
    drop(begun);
    project.file("go", "");
    let mut holder = hold(&project);
    let report = project.run("check").is("2 invalid");
    assert_eq!(report.result.error.unwrap().code, "busy");
    drop(holder.stdin.take());
    assert!(holder.wait().unwrap().success());
    let shown = project.run("check").shown();
    assert!(shown.ends_with("interrupted"), "{shown}");
}

#[test]
fn what_has_changed_while_a_call_waited_is_read_again() {
    for (changed, expected) in [
        (manifest(&["other"]).to_string(), "0 ok, other created"),
        ("canary".to_owned(), "2 invalid"),
    ] {
        let project = Project::new();
        project.manifest(&manifest(&["first"]));
        project.run("apply").is("0 ok, first created");
        project.manifest(&manifest(&["out"]));
        let mut holder = hold(&project);
        let waiting = project.begin("apply");
        // Time to read the manifest once. Where it is too short the call reads the new one at once, which is right too.
        std::thread::sleep(Duration::from_millis(400));
        project.file("m.json", changed);
        drop(holder.stdin.take());
        assert!(holder.wait().unwrap().success());
        let report = waiting.end();
        let is_busy = report
            .result
            .error
            .as_ref()
            .is_some_and(|error| error.code == "busy");
        assert!(report.shown() == expected || is_busy, "{}", report.shown());
        assert!(!project.has("out/.agent-no-read.md"), "by the old manifest");
    }
}

#[test]
fn a_lock_file_is_never_replaced() {
    use super::tree::identity;
    let project = Project::generating("rm -rf out");
    project.run("apply");
    let inode = || identity(&project.at(".vibey/markers/lock")).0;
    let before = inode();
    for operation in ["apply", "generate", "check"] {
        project.run(operation);
        assert_eq!(
            inode(),
            before,
            "a new file under the name would be a second lock"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_the_generator_left_behind_holds_no_lock() {
    // The lock ends with its owner, also where the owner is killed and cannot end what it started.
    let project = Project::generating(
        "setsid sh -c 'echo $$ >list; mv list pids; touch ready; exec sleep 1000' & wait",
    );
    let mut begun = project.begin("generate");
    begun.wait_for("ready");
    begun.child.kill().unwrap();
    begun.child.wait().unwrap();
    drop(begun);
    let report: Report = project.run("apply");
    for pid in project.running("pids") {
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    report.is("0 ok, out unchanged");
}
