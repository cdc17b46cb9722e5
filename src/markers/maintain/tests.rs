//! `apply` and `check`, with and without a journal, a lock, and a second caller.

use super::super::bed::{MANIFEST, Project, TEXT, code, statuses};
use super::*;
use vibey_context_host::lock::try_acquire;

fn done(project: &Project, task: Task) -> MarkersResult {
    maintain(project.path(), Path::new(MANIFEST), task)
}

#[test]
fn check_tells_what_apply_would_do_and_touches_nothing() {
    let project = Project::new(&["a", "b/c"]);
    project.file("b/c/.agent-no-read.md", "old");
    let before = project.everything();
    let result = done(&project, Task::Check);
    assert_eq!(result.status, Status::CheckFailed);
    assert_eq!(
        statuses(&result),
        [MarkerStatus::Missing, MarkerStatus::Outdated]
    );
    assert_eq!(project.everything(), before);
    assert_eq!(done(&project, Task::Apply).exit_code(), 0);
    let after = project.everything();
    assert_eq!(done(&project, Task::Check).status, Status::Ok);
    assert_eq!(project.everything(), after);
    assert_eq!(
        project.read(".vibey/markers/.gitignore").as_deref(),
        Some("*\n")
    );
}

#[test]
fn a_refused_call_creates_nothing() {
    let project = Project::new(&["a", "a"]);
    let before = project.everything();
    for task in [Task::Apply, Task::Check] {
        let result = done(&project, task);
        assert_eq!(
            (result.status, code(&result)),
            (Status::Invalid, "target_duplicate")
        );
        assert_eq!(result.exit_code(), 2);
    }
    assert_eq!(project.everything(), before);
    let nowhere = maintain(&project.at("none"), Path::new(MANIFEST), Task::Apply);
    assert_eq!(code(&nowhere), "not_found");
}

#[test]
fn a_journal_without_its_process_fails_every_check_until_an_apply() {
    let project = Project::new(&["a"]);
    done(&project, Task::Apply);
    // An old lock file and the number of some process say nothing.
    project.file(".vibey/markers/lock", "1");
    project.file(".vibey/markers/journal.json", "{\"pid\": 1}");
    let result = done(&project, Task::Check);
    assert_eq!(
        (result.status, code(&result)),
        (Status::CheckFailed, "interrupted_generate")
    );
    assert!(result.interrupted_generate);
    assert_eq!(statuses(&result), [MarkerStatus::Unchanged]);
    let result = done(&project, Task::Apply);
    assert_eq!(
        (result.exit_code(), result.interrupted_generate),
        (0, false)
    );
    assert_eq!(done(&project, Task::Check).exit_code(), 0);
}

#[test]
fn a_journal_without_even_a_lock_file_is_an_interrupted_one() {
    let project = Project::new(&["a"]);
    project.file(".vibey/markers/journal.json", "");
    let before = project.everything();
    assert!(done(&project, Task::Check).interrupted_generate);
    assert_eq!(project.everything(), before);
}

#[test]
fn who_comes_second_is_told_so_within_a_bound() {
    let project = Project::new(&["a"]);
    done(&project, Task::Apply);
    let guard = try_acquire(&project.at(".vibey/markers/lock"))
        .unwrap()
        .unwrap();
    let result = done(&project, Task::Apply);
    assert_eq!((result.status, code(&result)), (Status::Invalid, "busy"));
    assert_eq!(result.exit_code(), 2);
    // Without a journal `check` does not ask for the lock.
    assert_eq!(done(&project, Task::Check).status, Status::Ok);
    project.file(".vibey/markers/journal.json", "");
    let result = done(&project, Task::Check);
    assert_eq!(
        (code(&result), result.interrupted_generate),
        ("busy", false)
    );
    drop(guard);
    assert!(done(&project, Task::Check).interrupted_generate);
}

#[test]
fn a_lock_that_is_no_plain_file_is_refused() {
    let project = Project::new(&["a"]);
    project.folder(".vibey/markers");
    project.link("nowhere", ".vibey/markers/lock");
    let result = done(&project, Task::Apply);
    assert_eq!((result.status, code(&result)), (Status::Invalid, "symlink"));
    assert!(!project.at(".vibey/markers/nowhere").exists());
    assert_eq!(project.marker("a"), None);
}

#[test]
fn empty_guidance_makes_an_empty_marker() {
    let project = Project::new(&["a"]);
    project.file("docs/guide.md", "\u{feff} \r\n\u{a0}");
    assert_eq!(done(&project, Task::Apply).exit_code(), 0);
    assert_eq!(project.marker("a").as_deref(), Some(""));
    project.file("docs/guide.md", TEXT);
    assert_eq!(
        statuses(&done(&project, Task::Check)),
        [MarkerStatus::Outdated]
    );
}

#[test]
fn an_apply_that_fails_clears_no_journal() {
    let project = Project::new(&["a"]);
    project.folder(".vibey/markers/journal.json");
    let result = done(&project, Task::Apply);
    assert_eq!(
        (result.status, result.exit_code()),
        (Status::MaintenanceFailed, 2)
    );
    assert!(result.interrupted_generate);
}
