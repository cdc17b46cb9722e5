//! All markers or none as far as a file system allows, and no temporary file in the end.

use super::super::bed::{FOLDER, Project, TEXT};
use super::super::plan;
use super::super::root::Root;
use super::*;
use vibey_context_host::path::RelPath;
use vibey_context_host::write::TEMP_PREFIX;

fn planned(project: &Project) -> Plan {
    let root = Root::open(project.path()).unwrap();
    plan::read(&root, Path::new(super::super::bed::MANIFEST)).unwrap()
}

fn statuses(applied: &Applied) -> Vec<MarkerStatus> {
    applied.markers.iter().map(|marker| marker.status).collect()
}

fn has_temporaries(project: &Project) -> bool {
    project
        .everything()
        .iter()
        .any(|line| line.contains(TEMP_PREFIX))
}

#[test]
fn what_is_missing_is_created_what_differs_updated_and_what_is_right_untouched() {
    let project = Project::new(&["new/deep", "old", "right"]);
    project.file("old/.agent-no-read.md", "x".repeat(20_000));
    project.file("old/generated.rs", "kept");
    project.file("right/.agent-no-read.md", TEXT);
    let before = project.everything();
    let plan = planned(&project);
    let applied = apply(project.path(), &plan, || Ok(()));
    assert_eq!(applied.fault, None);
    assert_eq!(
        statuses(&applied),
        [
            MarkerStatus::Created,
            MarkerStatus::Updated,
            MarkerStatus::Unchanged
        ]
    );
    for directory in ["new/deep", "old", "right"] {
        assert_eq!(project.marker(directory).as_deref(), Some(TEXT));
    }
    let after = project.everything();
    let untouched = |line: &&String| line.contains("right/") || line.contains("generated.rs");
    let kept = |lines: &[String]| lines.iter().filter(untouched).cloned().collect::<Vec<_>>();
    assert_eq!(kept(&after), kept(&before));
    assert!(!has_temporaries(&project));
    // Once more: nothing at all changes, times included.
    let again = apply(project.path(), &plan, || Ok(()));
    assert_eq!(statuses(&again), [MarkerStatus::Unchanged; 3]);
    assert_eq!(project.everything(), after);
}

/// A folder of `/proc` is one that nobody can write to, not even root.
#[cfg(target_os = "linux")]
#[test]
fn a_batch_of_which_one_can_not_be_staged_changes_no_marker() {
    let project = Project::new(&["a", "b"]);
    project.file("a/.agent-no-read.md", "old");
    project.folder("b");
    let below_root = |directory: &str| {
        let place = project.path().canonicalize().unwrap().join(directory);
        RelPath::new(place.to_str().unwrap().trim_start_matches('/')).unwrap()
    };
    let mut plan = planned(&project);
    let proc_folder = RelPath::new("proc/no-such-folder").unwrap();
    let directories = [below_root("a"), below_root("b"), proc_folder];
    let third = plan.entries[0].clone();
    plan.entries.push(third);
    for (entry, directory) in plan.entries.iter_mut().zip(directories) {
        entry.marker = directory.join(crate::policy::MARKER_FILE).unwrap();
        entry.directory = directory;
    }
    let before = project.everything();
    let applied = apply(Path::new("/"), &plan, || Ok(()));
    let fault = applied.fault.as_ref().unwrap();
    assert_eq!(
        fault.path.as_deref(),
        Some("proc/no-such-folder/.agent-no-read.md")
    );
    assert_eq!(
        statuses(&applied),
        [
            MarkerStatus::Outdated,
            MarkerStatus::Missing,
            MarkerStatus::Failed
        ]
    );
    // The folders have had a temporary file.
    let texts = |lines: &[String]| -> Vec<String> {
        let files = lines.iter().filter(|line| !line.ends_with(FOLDER));
        files.cloned().collect()
    };
    assert_eq!(texts(&project.everything()), texts(&before));
    // Restoring goes on instead: what can be saved is saved.
    let restored = restore(Path::new("/"), &plan, applied.markers);
    assert_eq!(
        statuses(&restored),
        [
            MarkerStatus::Restored,
            MarkerStatus::Restored,
            MarkerStatus::Failed
        ]
    );
    assert_eq!(project.marker("a").as_deref(), Some(TEXT));
    assert!(restored.fault.is_some() && !has_temporaries(&project));
}

#[test]
fn a_temporary_of_a_killed_call_is_swept() {
    let project = Project::new(&["a"]);
    project.file(&format!("a/{TEMP_PREFIX}dead"), "half");
    sweep(project.path(), &planned(&project)).unwrap();
    assert!(!has_temporaries(&project));
}

#[test]
fn what_a_generator_put_in_the_place_of_a_marker_is_not_replaced() {
    let project = Project::new(&["link", "file", "pipe", "kept"]);
    let plan = planned(&project);
    let before = apply(project.path(), &plan, || Ok(())).markers;
    for directory in ["link", "file", "kept"] {
        std::fs::remove_dir_all(project.at(directory)).unwrap();
    }
    project.folder("elsewhere");
    project.link("elsewhere", "link");
    project.file("file", "now a file");
    std::fs::remove_file(project.at("pipe/.agent-no-read.md")).unwrap();
    project.link("../docs/guide.md", "pipe/.agent-no-read.md");
    let restored = restore(project.path(), &plan, before);
    assert_eq!(
        statuses(&restored),
        [
            MarkerStatus::Failed,
            MarkerStatus::Failed,
            MarkerStatus::Failed,
            MarkerStatus::Restored
        ]
    );
    assert_eq!(restored.fault.unwrap().code, "symlink");
    assert_eq!(project.marker("elsewhere"), None);
    assert_eq!(project.read("file").as_deref(), Some("now a file"));
    assert_eq!(project.read("docs/guide.md").as_deref(), Some(TEXT));
    assert_eq!(project.marker("kept").as_deref(), Some(TEXT));
}
