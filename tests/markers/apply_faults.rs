//! A batch that can not be written whole is not written at all, and leaves no temporary file.

use super::project::{MARKER, Project};
use super::report::Report;
use super::tree::Tree;
use crate::corpus::unprivileged::{Unprivileged, find, mode};
use crate::harness::{BIN, BOUND, Output, outcome};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The targets; what fails is the third.
const TARGETS: [&str; 4] = ["a", "b", "c", "d"];

/// Longer than the limits below, for the third target's marker alone.
const LONG: usize = 6 * 1024;

/// Four targets that have old markers; all guidance is new since.
fn outdated() -> Project {
    let project = Project::new();
    let markers: Vec<Value> = TARGETS
        .iter()
        .map(|target| json!({"directory": target, "guidanceFile": format!("docs/{target}.md")}))
        .collect();
    project.manifest(&json!({
        "version": 1,
        "markers": markers,
        "generator": {"executable": "/bin/sh", "args": ["gen.sh"]}
    }));
    let write = |age: &str| {
        for target in TARGETS {
            let more = "x".repeat(if target == "c" && age == "new" {
                LONG
            } else {
                0
            });
            project.file(
                &format!("docs/{target}.md"),
                format!("canary {age} {target}{more}\n"),
            );
        }
    };
    write("old");
    project
        .run("apply")
        .is("0 ok, a created, b created, c created, d created");
    write("new");
    project
}

fn targets(project: &Project) -> Vec<(PathBuf, Tree)> {
    TARGETS
        .iter()
        .map(|target| project.at(target))
        .map(|path| (path.clone(), Tree::of(&path)))
        .collect()
}

/// Fails unless a run says that the third target failed and claims nothing of the others, and every old marker is there.
#[track_caller]
fn assert_nothing_done(project: &Project, run: &Output) {
    let report = Report::of(&project.dir, run);
    let shown = report.shown();
    assert!(shown.starts_with("2 maintenanceFailed"), "{shown}");
    for untrue in ["created", "updated", "restored", "unchanged", "missing"] {
        assert!(!shown.contains(untrue), "{shown}");
    }
    assert!(shown.contains("c failed"), "{shown}");
    for target in TARGETS {
        assert_eq!(project.marker(target), format!("canary old {target}\n"));
        let names: Vec<_> = project.at(target).read_dir().unwrap().collect();
        assert_eq!(names.len(), 1, "a temporary file is left: {names:?}");
    }
}

/// Makes it work again and shows that it does.
#[track_caller]
fn assert_mended(project: &Project) {
    project
        .run("apply")
        .is("0 ok, a updated, b updated, c updated, d updated");
    let c = project.marker("c");
    assert!(c.starts_with("canary new c") && c.len() > LONG);
}

#[test]
fn a_folder_that_can_not_be_written_stops_the_batch_before_it_starts() {
    for operation in ["apply", "generate"] {
        let project = outdated();
        let nobody = Unprivileged::new(&project.dir);
        mode(&project.at("c"), 0o555);
        nobody.assert_unwritable(&project.at("c"));
        let before = targets(&project);
        let args = ["markers", operation, "--manifest", "m.json"];
        let run = nobody.program(&project.root(), args);
        assert_nothing_done(&project, &run);
        assert!(!project.has("ran"), "the generator ran");
        for (path, tree) in before {
            // Folders beside it show that a temporary file came and went; markers show nothing.
            let marker = path.join(MARKER);
            assert_eq!(tree.line(&format!("/{MARKER}")), Tree::of(&marker).line(""));
        }
        mode(&project.at("c"), 0o755);
        let run = nobody.program(&project.root(), args);
        assert_eq!(run.code, 0, "{}", run.stdout);
    }
}

#[test]
fn a_folder_that_can_not_be_made_stops_the_batch_too() {
    let project = outdated();
    std::fs::remove_dir_all(project.at("c")).unwrap();
    let nobody = Unprivileged::new(&project.dir);
    // Everything that is to be written is there but the third target.
    mode(&project.root(), 0o555);
    nobody.assert_unwritable(&project.root());
    let args = ["markers", "apply", "--manifest", "m.json"];
    let run = nobody.program(&project.root(), args);
    let shown = Report::of(&project.dir, &run).shown();
    assert!(shown.starts_with("2 maintenanceFailed"), "{shown}");
    for untrue in ["created", "updated", "restored", "unchanged"] {
        assert!(!shown.contains(untrue), "{shown}");
    }
    for target in ["a", "b", "d"] {
        assert_eq!(project.marker(target), format!("canary old {target}\n"));
        assert_eq!(project.at(target).read_dir().unwrap().count(), 1);
    }
    assert!(!project.has("c"));
}

/// Runs `apply` in `sh` behind `before`, which takes away the space for a large file.
fn squeezed(project: &Project, before: &str, then: &str) -> assert_cmd::Command {
    let script = format!("{before}\n\"$@\"\ncode=$?\n{then}\nexit $code");
    let mut command = assert_cmd::Command::new("/bin/sh");
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .current_dir(project.root())
        .timeout(BOUND);
    command.args([
        "-c",
        &script,
        "sh",
        BIN,
        "markers",
        "apply",
        "--manifest",
        "m.json",
    ]);
    command
}

#[test]
fn a_file_that_can_not_grow_stops_the_batch() {
    let project = outdated();
    // A block of this limit has 512 or 1,024 bytes, by the shell. Who ignores the signal gets an error, as from a full disk.
    let limit = "trap '' XFSZ; ulimit -f 1 || exit 99";
    let probe = format!(
        "{limit}\ncat docs/c.md >../probe && exit 98; rm ../probe; cat docs/a.md >../probe || exit 97"
    );
    let before = targets(&project);
    let run = outcome(&mut squeezed(&project, &probe, "rm ../probe"));
    assert_nothing_done(&project, &run);
    for (path, tree) in before {
        let marker = path.join(MARKER);
        assert_eq!(tree.line(&format!("/{MARKER}")), Tree::of(&marker).line(""));
    }
    assert_mended(&project);
}

/// Whether a test may mount something where nobody else sees it; only the kernel and the container decide.
fn mounts() -> Option<Vec<String>> {
    let unshare = find("unshare")?.to_str()?.to_owned();
    [vec!["-m"], vec!["-r", "-m"]]
        .into_iter()
        .find_map(|flags| {
            let words: Vec<String> = [unshare.as_str()]
                .into_iter()
                .chain(flags)
                .map(str::to_owned)
                .collect();
            let mut probe = std::process::Command::new(&words[0]);
            probe
                .args(&words[1..])
                .args(["mount", "-t", "tmpfs", "probe", "/mnt"]);
            let made = probe.output().is_ok_and(|output| output.status.success());
            made.then_some(words)
        })
}

#[test]
fn a_full_disk_stops_the_batch() {
    // Where nothing may be mounted, the limit of the test above is the full disk.
    let Some(words) = mounts() else { return };
    let project = outdated();
    let inside = r#"
        mount -t tmpfs -o size=16k full c || exit 99
        printf 'canary old c\n' >c/.agent-no-read.md || exit 98
        cat /dev/zero >c/filler 2>/dev/null && exit 97
        cat docs/c.md >c/probe 2>/dev/null && exit 96
        rm -f c/probe"#;
    let after = "ls -A c >../names; cat c/.agent-no-read.md >../marker";
    let mut command = assert_cmd::Command::new(&words[0]);
    let shell = squeezed(&project, inside, after);
    let words = words[1..].iter().map(Into::into);
    let shell = [shell.get_program().to_owned()]
        .into_iter()
        .chain(shell.get_args().map(ToOwned::to_owned));
    command
        .args(words.chain(shell))
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .current_dir(project.root())
        .timeout(BOUND);
    let run = outcome(&mut command);
    // Outside of the namespace, the old folder still lies there.
    assert_nothing_done(&project, &run);
    assert_eq!(project.dir.read("names"), format!("{MARKER}\nfiller\n"));
    assert_eq!(project.dir.read("marker"), "canary old c\n");
    assert_mended(&project);
}

#[test]
fn a_report_that_can_not_be_printed_is_no_success() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let project = Project::new();
    let script = "\"$@\" >/dev/full";
    let mut command = assert_cmd::Command::new("/bin/sh");
    command
        .args([
            "-c",
            script,
            "sh",
            BIN,
            "markers",
            "apply",
            "--manifest",
            "m.json",
        ])
        .env_clear()
        .current_dir(project.root())
        .timeout(BOUND);
    let run = outcome(&mut command);
    assert_ne!(run.code, 0, "{}", run.stderr);
    super::report::assert_discreet(&project.dir, &run);
}
