//! Whatever the generator does, the markers are those of the snapshot in the end, or the result says that they are not.

use super::super::bed::{MANIFEST, Project, TEXT, code, statuses};
use super::super::maintain::{Task, maintain};
use super::*;
use serde_json::json;

/// The words that a generator needs to find the programs of a shell script.
fn environment() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]
}

fn generated(project: &Project) -> MarkersResult {
    let cancel = Cancel::new().unwrap();
    generate(project.path(), Path::new(MANIFEST), &environment(), &cancel)
}

/// Runs the script; the marker of `out` must be right in the end, and no journal left.
#[track_caller]
fn survives(script: &str, status: Status, generator: GeneratorStatus) -> MarkersResult {
    let project = Project::generated_by(&["out"], script);
    let result = generated(&project);
    assert_eq!(result.status, status, "{result:?}");
    assert_eq!(result.generator.unwrap().status, generator);
    assert_eq!(project.marker("out").as_deref(), Some(TEXT));
    assert!(!result.interrupted_generate);
    let check = maintain(project.path(), Path::new(MANIFEST), Task::Check);
    // A generator that rewrites its sources makes the next check fail, rightly.
    if project.read("docs/guide.md").as_deref() == Some(TEXT) && project.at(MANIFEST).exists() {
        assert_eq!(check.status, Status::Ok, "{check:?}");
    }
    result
}

#[test]
fn a_generator_that_rebuilds_its_folder_or_does_not() {
    use GeneratorStatus::Ok;
    let result = survives("true", Status::Ok, Ok);
    assert_eq!(statuses(&result), [MarkerStatus::Created]);
    for script in [
        "rm -rf out; mkdir out; echo x > out/x",
        "rm -rf out",
        "rm out/.agent-no-read.md",
        "echo other > out/.agent-no-read.md",
    ] {
        let result = survives(script, Status::Ok, Ok);
        assert_eq!(statuses(&result), [MarkerStatus::Restored], "{script}");
        assert_eq!((result.exit_code(), result.error), (0, None));
    }
}

#[test]
fn the_snapshot_counts_and_not_what_the_generator_made_of_its_sources() {
    use GeneratorStatus::Ok;
    survives(
        "echo other > docs/guide.md; rm out/.agent-no-read.md",
        Status::Ok,
        Ok,
    );
    survives("rm -rf docs markers.json out", Status::Ok, Ok);
    survives("rm -rf out .vibey", Status::Ok, Ok);
}

#[test]
fn a_generator_that_fails_leaves_right_markers_and_its_reason() {
    use GeneratorStatus::{Failed, OutputLimit, TimedOut};
    let delete = "rm -rf out; ";
    let result = survives(&format!("{delete} exit 3"), Status::GeneratorFailed, Failed);
    assert_eq!(result.generator.unwrap().exit_code, Some(3));
    assert_eq!((result.exit_code(), code(&result)), (1, "generator_failed"));
    let result = survives(
        &format!("{delete} kill -9 $$"),
        Status::GeneratorFailed,
        Failed,
    );
    assert_eq!(result.generator.unwrap().exit_code, None);
    survives(
        &format!("{delete} head -c 2000000 /dev/zero"),
        Status::GeneratorFailed,
        OutputLimit,
    );
    let project = Project::generated_by(&["out"], "");
    project.manifest(&json!({
        "version": 1,
        "markers": super::super::bed::entries(&["out"]),
        "generator": {"executable": "/bin/sh", "args": ["-c", "trap '' TERM; rm -rf out; sleep 100"], "timeoutMs": 300},
    }));
    let result = generated(&project);
    assert_eq!(result.generator.unwrap().status, TimedOut);
    assert_eq!(
        (result.exit_code(), project.marker("out").as_deref()),
        (1, Some(TEXT))
    );
}

#[test]
fn a_generator_that_can_not_start_still_has_its_markers() {
    for (executable, reason) in [
        ("no-such-program", "not found"),
        ("docs/guide.md", "not executable"),
    ] {
        let project = Project::new(&["out"]);
        project.manifest(&json!({
            "version": 1,
            "markers": super::super::bed::entries(&["out"]),
            "generator": {"executable": executable},
        }));
        let result = generated(&project);
        assert_eq!(
            result.generator.unwrap().status,
            GeneratorStatus::SpawnFailed
        );
        assert_eq!(
            (result.exit_code(), code(&result)),
            (1, "generator_spawn_failed")
        );
        assert!(result.error.unwrap().message.contains(reason));
        assert_eq!(project.marker("out").as_deref(), Some(TEXT));
    }
}

#[test]
fn a_target_that_became_something_else_fails_the_call_and_every_check() {
    for script in ["rm -rf out; ln -s docs out", "rm -rf out; echo x > out"] {
        let project = Project::generated_by(&["out", "fine"], &format!("{script}; rm -rf fine"));
        let result = generated(&project);
        assert_eq!(result.status, Status::MaintenanceFailed);
        assert_eq!(result.generator.unwrap().status, GeneratorStatus::Ok);
        assert_eq!(result.exit_code(), 1);
        assert_eq!(
            statuses(&result),
            [MarkerStatus::Failed, MarkerStatus::Restored]
        );
        assert_eq!(project.marker("docs"), None);
        assert!(result.interrupted_generate);
        std::fs::remove_file(project.at("out")).unwrap();
        let manifest = Path::new(MANIFEST);
        assert_eq!(
            maintain(project.path(), manifest, Task::Check).exit_code(),
            1
        );
        assert_eq!(
            maintain(project.path(), manifest, Task::Apply).exit_code(),
            0
        );
        assert_eq!(
            maintain(project.path(), manifest, Task::Check).exit_code(),
            0
        );
    }
}

/// The child says its number, waits, and would then delete; the leader ends as soon as it has been said.
#[test]
fn what_the_generator_leaves_running_is_gone_before_the_restore() {
    let late = "echo $$ > pid; sleep 100; rm -rf out";
    for child in [
        format!("sh -c '{late}'"),
        format!("setsid sh -c '{late}'"),
        format!("setsid sh -c \"setsid sh -c '{late}' & sleep 100\""),
    ] {
        // Elsewhere who has left the group lives on.
        if !cfg!(target_os = "linux") && child.contains("setsid") {
            continue;
        }
        let child = child.replace("\"setsid sh -c 'echo $$", "\"setsid sh -c 'echo \\$\\$");
        let script = format!("{child} > /dev/null 2>&1 & until [ -s pid ]; do sleep 0.01; done");
        let project = Project::generated_by(&["out"], &script);
        let result = generated(&project);
        assert_eq!(result.status, Status::Ok, "{script}");
        let pid = project.read("pid").unwrap();
        let process = Path::new("/proc").join(pid.trim());
        assert!(!process.exists(), "{script}: {pid}");
        assert_eq!(project.marker("out").as_deref(), Some(TEXT));
    }
}

#[test]
fn a_cancelled_call_restores() {
    let project = Project::generated_by(&["out"], "rm -rf out; touch started; sleep 100");
    let cancel = Cancel::new().unwrap();
    let result = std::thread::scope(|scope| {
        let call =
            scope.spawn(|| generate(project.path(), Path::new(MANIFEST), &environment(), &cancel));
        while !project.at("started").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        cancel.cancel();
        call.join().unwrap()
    });
    assert_eq!((result.status, result.exit_code()), (Status::Cancelled, 1));
    assert_eq!(result.generator.unwrap().status, GeneratorStatus::Cancelled);
    assert_eq!(project.marker("out").as_deref(), Some(TEXT));
    // One that is cancelled before it begins: the same, and no generator has run.
    std::fs::remove_file(project.at("started")).unwrap();
    let result = generate(project.path(), Path::new(MANIFEST), &environment(), &cancel);
    assert_eq!(result.status, Status::Cancelled);
    assert!(!project.at("started").exists());
}

#[test]
fn a_root_that_was_replaced_meanwhile_is_not_written_to() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::generated_by(&["out"], "mv \"$PWD\" \"$PWD-old\"; mkdir \"$PWD\"");
    let root = dir.path().join("project");
    // A project of its own place, so that its neighbour goes with the temporary folder.
    std::fs::create_dir(&root).unwrap();
    for name in [MANIFEST, "docs/guide.md"] {
        let to = root.join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(project.at(name), to).unwrap();
    }
    let cancel = Cancel::new().unwrap();
    let result = generate(&root, Path::new(MANIFEST), &environment(), &cancel);
    assert_eq!(
        (result.status, code(&result)),
        (Status::MaintenanceFailed, "root_replaced")
    );
    assert_eq!(statuses(&result), [MarkerStatus::Failed]);
    assert_eq!(root.read_dir().unwrap().count(), 0);
    assert!(
        dir.path()
            .join("project-old/out/.agent-no-read.md")
            .exists()
    );
}

#[test]
fn without_a_generator_nothing_is_created() {
    let project = Project::new(&["out"]);
    let before = project.everything();
    let result = generated(&project);
    assert_eq!(
        (result.status, code(&result)),
        (Status::Invalid, "generator_missing")
    );
    assert_eq!(project.everything(), before);
}

#[test]
fn the_journal_is_there_while_the_generator_runs() {
    let script = "cp .vibey/markers/journal.json copy.json; read line && exit 8; true";
    let project = Project::generated_by(&["out"], script);
    assert_eq!(generated(&project).status, Status::Ok);
    assert!(project.read("copy.json").unwrap().contains(MANIFEST));
    assert_eq!(project.read(".vibey/markers/journal.json"), None);
}
