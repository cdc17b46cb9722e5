//! A project in a home of its own, a fixed time and a fixed UUID: what a run writes is the same in every run.

use crate::harness::{BIN, Dir, Output};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Time of a run, where a test names none.
pub(super) const NOW: &str = "2026-11-30T10:00:00Z";
/// UUID of a new pipeline.
pub(super) const ID: &str = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
/// When every file of a fixture was last changed: 2026-11-29T08:00:00Z.
const CHANGED: u64 = 1_795_939_200;
/// Where state, briefs and dashboards lie, below the stage's home.
const HOME: &str = ".claude/sdd";

/// A project named `shop` in `~/projects/shop`.
pub(super) struct Stage {
    pub(super) dir: Dir,
    /// Name of the project.
    name: &'static str,
}

/// The files of a fixture.
pub(super) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/handoff")
        .join(path)
}

impl Stage {
    /// A project without files.
    pub(super) fn empty() -> Self {
        let stage = Self {
            dir: Dir::new(),
            name: "shop",
        };
        std::fs::create_dir_all(stage.project()).unwrap();
        stage
    }

    /// A project with the specification of the example.
    pub(super) fn specified() -> Self {
        let stage = Self::empty();
        stage.copy("sdd/specs/shop/spec.md", "specs/shop/spec.md");
        stage
    }

    /// The same, and the implementer at work.
    pub(super) fn implementing() -> Self {
        let stage = Self::specified();
        stage
            .transition("spec-writer", "implementer", &[])
            .expect(0);
        stage
    }

    /// A project of another name.
    pub(super) fn named(name: &'static str) -> Self {
        let mut stage = Self::empty();
        stage.name = name;
        stage
    }

    pub(super) fn project(&self) -> PathBuf {
        self.dir.home().join("projects/shop")
    }

    /// A path below the folder of states.
    pub(super) fn home(&self, path: &str) -> PathBuf {
        self.dir.home().join(HOME).join(path)
    }

    pub(super) fn state_path(&self) -> PathBuf {
        self.home(&format!("pipeline-state-{}.json", self.name))
    }

    /// Writes a file of the project.
    pub(super) fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        set_time(&path, CHANGED);
    }

    /// Copies a file of the fixtures into the project.
    pub(super) fn copy(&self, from: &str, to: &str) {
        self.file(to, std::fs::read(fixture(from)).unwrap());
    }

    pub(super) fn remove(&self, path: &str) {
        std::fs::remove_file(self.project().join(path)).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.project().join(path)).unwrap()
    }

    /// Sets the time of a file's last change, in seconds behind that of the fixtures.
    pub(super) fn touch(&self, path: &str, seconds: u64) {
        set_time(&self.project().join(path), CHANGED + seconds);
    }

    /// Writes the configuration.
    pub(super) fn configure(&self, json: &str) {
        let path = self.home("pipeline-config.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, json).unwrap();
    }

    /// Runs `handoff` in the project.
    pub(super) fn run(&self, words: &[&str]) -> Output {
        self.run_at(NOW, words)
    }

    /// The same at another time.
    pub(super) fn run_at(&self, now: &str, words: &[&str]) -> Output {
        let common = ["--project", self.name, "--now", now, "--id", ID];
        self.dir.run_in(
            &self.project(),
            ["handoff"].iter().chain(words).chain(&common),
        )
    }

    pub(super) fn transition(&self, from: &str, to: &str, more: &[&str]) -> Output {
        let words = ["transition", "--from", from, "--to", to];
        self.run(&[&words, more].concat())
    }

    /// A transition from the specification to the implementer at a step.
    pub(super) fn step(&self, step: &str) -> Output {
        self.transition("spec-writer", "implementer", &["--step", step])
    }

    /// The same run as a child that a test may kill.
    pub(super) fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(BIN);
        command
            .arg("handoff")
            .args(words)
            .args(["--project", self.name, "--id", ID])
            .env_clear()
            .env("HOME", self.dir.home())
            .current_dir(self.project())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        command
    }

    pub(super) fn state_text(&self) -> String {
        std::fs::read_to_string(self.state_path()).unwrap()
    }

    pub(super) fn state(&self) -> Value {
        serde_json::from_str(&self.state_text()).unwrap()
    }

    pub(super) fn write_state(&self, state: &Value) {
        std::fs::write(
            self.state_path(),
            serde_json::to_string_pretty(state).unwrap(),
        )
        .unwrap();
    }

    /// The text of a brief: `phase2-step1`.
    pub(super) fn brief(&self, name: &str) -> String {
        let path = self.home(&format!("context-briefs/{}/{name}.md", self.name));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(super) fn has_brief(&self, name: &str) -> bool {
        self.home(&format!("context-briefs/{}/{name}.md", self.name))
            .exists()
    }

    pub(super) fn dashboard(&self) -> String {
        std::fs::read_to_string(self.home(&format!("dashboards/{}/dashboard.html", self.name)))
            .unwrap()
    }
}

fn set_time(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

/// The bullets of a section of a brief.
pub(super) fn section<'a>(brief: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = brief.lines().skip_while(|line| *line != heading).skip(1);
    lines
        .take_while(|line| !line.starts_with("## "))
        .filter(|line| !line.is_empty())
        .collect()
}

/// The warnings of a brief.
pub(super) fn warnings(brief: &str) -> Vec<&str> {
    section(brief, "## Warnings & Known Issues")
}
