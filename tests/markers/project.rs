//! A project with a manifest: how do the tests of this folder call `markers`?

use super::report::Report;
use super::tree::Tree;
use crate::harness::{BIN, BOUND, Dir, Output, outcome};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The name of a marker.
pub(crate) const MARKER: &str = ".agent-no-read.md";

/// The guidance of [`Project::new`], which is a marker's text too.
pub(crate) const GUIDANCE: &str = "Read docs/api.md, not this: canary of the guidance.\n";

/// Where generators find their programs, whatever the environment says.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// The operations.
pub(crate) const OPERATIONS: [&str; 3] = ["apply", "check", "generate"];

/// The codes of a way to a source that leads through a link out of the project or into an output directory: which of the two
/// faults is named first is not promised.
pub(crate) const BEYOND: [&str; 3] = ["symlink", "outside", "source_in_target"];

/// `project` below the folder of a test: `out` with a generated file and without marker, guidance in `docs/g.md`, a manifest
/// `m.json`, a generator `gen.sh`. Beside it `outside`, which nothing may touch.
pub(crate) struct Project {
    pub(crate) dir: Dir,
}

impl Project {
    /// A project whose generator leaves a file `ran`.
    pub(crate) fn new() -> Self {
        Self::generating("echo canary; touch ran")
    }

    /// A project with this script for a generator.
    pub(crate) fn generating(script: &str) -> Self {
        let dir = Dir::new();
        let project = Self { dir };
        project.file("docs/g.md", GUIDANCE);
        project.file("out/generated", "");
        project.script(script);
        project.dir.file("outside/kept", "kept");
        project.manifest(&manifest(&["out"]));
        project
    }

    /// The root.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.at("project")
    }

    /// The path of something in the project.
    pub(crate) fn at(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.dir.file(&format!("project/{relative}"), content)
    }

    /// Makes a folder of the project and those above it.
    pub(crate) fn folder(&self, relative: &str) {
        std::fs::create_dir_all(self.at(relative)).unwrap();
    }

    /// Writes `m.json`.
    pub(crate) fn manifest(&self, value: &Value) {
        self.file("m.json", value.to_string());
    }

    /// Writes the generator.
    pub(crate) fn script(&self, script: &str) {
        self.file("gen.sh", format!("PATH={PATH}\nexport PATH\n{script}\n"));
    }

    /// Whether something stands there, a dangling link too.
    pub(crate) fn has(&self, relative: &str) -> bool {
        self.at(relative).symlink_metadata().is_ok()
    }

    /// The text of a file of the project.
    #[track_caller]
    pub(crate) fn read(&self, relative: &str) -> String {
        self.dir.read(&format!("project/{relative}"))
    }

    /// The text of the marker of `directory`, which must be a regular file.
    #[track_caller]
    pub(crate) fn marker(&self, directory: &str) -> String {
        let path = format!("{directory}/{MARKER}");
        let found = self.at(&path).symlink_metadata().unwrap();
        assert!(found.is_file(), "{path} is no regular file");
        self.read(&path)
    }

    /// Makes a symbolic link in the project.
    pub(crate) fn link(&self, target: &str, relative: &str) {
        self.dir.link(target, &format!("project/{relative}"));
    }

    /// Everything in the project and outside.
    pub(crate) fn tree(&self) -> Tree {
        Tree::of(&self.dir.path())
    }

    /// `vibey-context markers ARGS` in the project.
    pub(crate) fn command<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> assert_cmd::Command {
        let mut command = self.dir.command(&self.root());
        command.env("PATH", PATH).arg("markers").args(args);
        command
    }

    /// Runs `markers ARGS` and reads its report.
    #[track_caller]
    pub(crate) fn call<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Report {
        Report::of(&self.dir, &outcome(&mut self.command(args)))
    }

    /// Runs an operation with `m.json`.
    #[track_caller]
    pub(crate) fn run(&self, operation: &str) -> Report {
        let report = self.call([operation, "--manifest", "m.json"]);
        let named = serde_json::to_value(report.result.operation).unwrap();
        assert_eq!(named, operation);
        report
    }

    /// Fails unless a call is refused and nothing is written by it, in the project or outside; says why it is.
    #[track_caller]
    pub(crate) fn refused<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        let before = self.tree();
        let report = self.call(args).is("2 invalid");
        before.assert_still(&self.dir.path());
        report.fault()
    }

    /// Fails unless every operation with this manifest is refused, and for the same reason; returns it.
    #[track_caller]
    pub(crate) fn all_refused(&self, manifest: impl AsRef<OsStr>) -> String {
        let args = |operation: &str| {
            [operation, "--manifest"]
                .map(OsStr::new)
                .into_iter()
                .map(ToOwned::to_owned)
                .chain([manifest.as_ref().to_owned()])
                .collect::<Vec<_>>()
        };
        let faults = OPERATIONS.map(|operation| self.refused(args(operation)));
        let [apply, check, generate] = &faults;
        assert!(
            apply == check && check == generate,
            "other reasons: {faults:?}"
        );
        faults[0].clone()
    }

    /// Starts an operation with `m.json`, its standard input an open pipe.
    pub(crate) fn begin(&self, operation: &str) -> Begun<'_> {
        self.begin_as(operation, |_| ())
    }

    /// The same, in a way that `change` says.
    pub(crate) fn begin_as(&self, operation: &str, change: impl FnOnce(&mut Command)) -> Begun<'_> {
        let mut command = Command::new(BIN);
        command
            .args(["markers", operation, "--manifest", "m.json"])
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", self.dir.home())
            .current_dir(self.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        change(&mut command);
        Begun {
            project: self,
            child: command.spawn().unwrap(),
        }
    }

    /// The names in `.vibey/markers`, sorted.
    pub(crate) fn state(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .at(".vibey/markers")
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The processes whose numbers are in a file of the project, one a line, that still run.
    #[track_caller]
    pub(crate) fn running(&self, pids: &str) -> Vec<String> {
        let pids = self.read(pids);
        assert_ne!(pids, "", "no process was written down");
        pids.lines()
            .filter(|pid| is_running(pid))
            .map(str::to_owned)
            .collect()
    }
}

/// A manifest with these directories, all with the guidance `docs/g.md`, and the generator `gen.sh`.
pub(crate) fn manifest(directories: &[&str]) -> Value {
    let markers: Vec<Value> = directories
        .iter()
        .map(|directory| json!({"directory": directory, "guidanceFile": "docs/g.md"}))
        .collect();
    json!({
        "version": 1,
        "markers": markers,
        "generator": {"executable": "/bin/sh", "args": ["gen.sh"], "timeoutMs": 60_000}
    })
}

/// An operation at work.
pub(crate) struct Begun<'p> {
    project: &'p Project,
    pub(crate) child: Child,
}

impl Begun<'_> {
    /// Waits until a file of the project is there, or the call has ended without it, which fails.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, relative: &str) {
        until(&format!("{relative} does not come"), || {
            self.project.has(relative) || self.child.try_wait().unwrap().is_some()
        });
        assert!(self.project.has(relative), "ended without {relative}");
    }

    /// Waits for its end and reads its report.
    #[track_caller]
    pub(crate) fn end(self) -> Report {
        let dir = &self.project.dir;
        let (_, run) = self.finish();
        Report::of(dir, &run)
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn finish(mut self) -> (ExitStatus, Output) {
        let mut status = None;
        until("the call does not end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let status = status.unwrap();
        let mut run = Output {
            code: status.code().unwrap_or(-1),
            stdout: String::new(),
            stderr: String::new(),
        };
        let (mut stdout, mut stderr) = (
            self.child.stdout.take().unwrap(),
            self.child.stderr.take().unwrap(),
        );
        stdout.read_to_string(&mut run.stdout).unwrap();
        stderr.read_to_string(&mut run.stderr).unwrap();
        (status, run)
    }
}

impl Drop for Begun<'_> {
    /// A failed test leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until `ready` says so; fails after the bound.
#[track_caller]
pub(crate) fn until(what: &str, mut ready: impl FnMut() -> bool) {
    let began = Instant::now();
    while !ready() {
        assert!(began.elapsed() < BOUND, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs; one that is dead and not yet reaped does not.
pub(crate) fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}
