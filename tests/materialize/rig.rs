//! A brain of one test, and what `materialize` makes of it.

use crate::harness::{Dir, Output, outcome};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use vibey_context::materialize::envelope::{Enveloped, envelopes};

/// The time of runs that name no other.
pub(crate) const NOW: &str = "2026-11-30T12:00:00Z";

/// The artifact of most tests, from the brain.
pub(crate) const THREAD: &str = "threads/t/thread.md";

/// A project `app` with its brain.
pub(crate) struct Rig {
    pub(crate) dir: Dir,
}

/// What a run has written.
#[derive(Debug)]
pub(crate) struct Made {
    /// The state passed forward.
    pub(crate) report: Value,
    pub(crate) text: String,
    /// `context.json`.
    pub(crate) manifest: Value,
    pub(crate) stderr: String,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let rig = Self { dir: Dir::new() };
        rig.file("CONVENTIONS.md", "# Conventions\n");
        rig.file("config.yaml", "primary_project: app\n");
        rig
    }

    /// Writes a file of the brain.
    pub(crate) fn file(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.dir
            .file(&format!("app/project-brain/{relative}"), content)
    }

    /// The brain.
    pub(crate) fn brain(&self) -> PathBuf {
        self.dir.at("app/project-brain")
    }

    /// Writes the artifact with links of these roles; `""` is none.
    pub(crate) fn links(&self, links: &[(&str, &str)]) {
        let entries: Vec<Value> = links
            .iter()
            .map(|(uri, role)| match *role {
                "" => json!(uri),
                role => json!({"uri": uri, "role": role}),
            })
            .collect();
        // JSON is YAML.
        self.artifact(&format!("soft_links: {}\n", json!(entries)));
    }

    /// Writes the artifact with this frontmatter.
    pub(crate) fn artifact(&self, frontmatter: &str) {
        self.file(THREAD, format!("---\n{frontmatter}---\n# The thread\n"));
    }

    /// A command of `materialize` in the brain, at the time of the tests unless `args` name one.
    pub(crate) fn command(&self, args: &[&str]) -> assert_cmd::Command {
        let mut command = self.dir.command(&self.brain());
        command.arg("materialize").args(args);
        if !args.contains(&"--now") {
            command.args(["--now", NOW]);
        }
        command
    }

    /// Runs `materialize` with these arguments alone.
    pub(crate) fn plain(&self, args: &[&str]) -> Output {
        outcome(&mut self.command(args))
    }

    /// Runs it on the artifact.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.plain(&[&[THREAD], args].concat())
    }

    /// Runs it on the artifact and reads what it wrote.
    #[track_caller]
    pub(crate) fn make(&self, args: &[&str]) -> Made {
        made(self.run(&[args, &["--json"]].concat()))
    }

    /// As [`Rig::make`], with links to this machine allowed.
    #[track_caller]
    pub(crate) fn make_local(&self, args: &[&str]) -> Made {
        self.make(&[args, &["--allow-private-network"]].concat())
    }

    /// Every file and folder of the project with its content and time of change.
    pub(crate) fn picture(&self) -> BTreeMap<PathBuf, (Option<Vec<u8>>, SystemTime)> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.dir.at("app")];
        while let Some(path) = open.pop() {
            let metadata = path.symlink_metadata().unwrap();
            let content = metadata.is_file().then(|| std::fs::read(&path).unwrap());
            if metadata.is_dir() {
                open.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
            }
            found.insert(path, (content, metadata.modified().unwrap()));
        }
        found
    }

    /// The cache of answers.
    pub(crate) fn cache(&self) -> PathBuf {
        self.scratch().join("cache")
    }

    /// Where results go by default.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.dir
            .home()
            .join(".cache/project-brain/materialize-context")
    }
}

/// Reads what a run with `--json` wrote.
#[track_caller]
pub(crate) fn made(run: Output) -> Made {
    let run = run.expect(0);
    let report = run.json();
    let read = |key: &str| {
        let path = report[key].as_str().unwrap();
        std::fs::read_to_string(path).unwrap()
    };
    Made {
        text: read("context_path"),
        manifest: serde_json::from_str(&read("context_json_path")).unwrap(),
        stderr: run.stderr,
        report,
    }
}

impl Made {
    /// The entry of a link in `context.json`.
    #[track_caller]
    pub(crate) fn entry(&self, uri: &str) -> &Value {
        let refs = self.manifest["refs"].as_array().unwrap();
        let found = refs.iter().find(|one| one["uri"] == uri);
        found.unwrap_or_else(|| panic!("no {uri} in {refs:?}"))
    }

    /// Why a link is unresolved, as `context.json` and `## Unresolved refs` say it; both must.
    #[track_caller]
    pub(crate) fn reason(&self, uri: &str) -> String {
        let reason = self.entry(uri)["reason"].as_str().unwrap().to_owned();
        let (_, list) = self.text.split_once("\n## Unresolved refs\n").unwrap();
        let line = list
            .lines()
            .find(|line| line.starts_with(&format!("- {uri} | ")));
        let line = line.unwrap_or_else(|| panic!("no {uri} in {list}"));
        assert_eq!(line.rsplit(" | ").next(), Some(reason.as_str()), "{line}");
        reason
    }

    /// The envelopes of `context.md`.
    pub(crate) fn envelopes(&self) -> Vec<Enveloped> {
        envelopes(&self.text)
    }

    /// The content of the only envelope.
    #[track_caller]
    pub(crate) fn content(&self) -> String {
        let mut envelopes = self.envelopes();
        assert_eq!(envelopes.len(), 1, "{}", self.text);
        envelopes.remove(0).content
    }

    pub(crate) fn warnings(&self) -> String {
        let warnings = self.manifest["warnings"].as_array().unwrap();
        let texts: Vec<&str> = warnings.iter().map(|text| text.as_str().unwrap()).collect();
        texts.join("\n")
    }
}

/// A path below a folder, as text.
pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
