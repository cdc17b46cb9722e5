//! Where the tests of the program take place: a repository with a linked worktree, in a folder of their own, and an
//! environment in which nothing is that was not put there.

use crate::fake;
use crate::ledger::place::location;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use vibey_conductor_shim::ledger::Ledger;
use vibey_conductor_shim::ledger::read::Filter;

/// The program under test.
pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_vibey-conductor");
/// A run that takes longer hangs. Far above any run, far below a caller's patience.
pub(crate) const BOUND: Duration = Duration::from_secs(60);
/// The prompt of every job: not UTF-8, and without a line break at its end.
pub(crate) const PROMPT: &[u8] = b"do the work \xff\xfe\0 marker-prompt-text";

/// A folder of one test. Gone when it is dropped, and with it every process of the fake compiler.
pub(crate) struct Stage {
    temp: TempDir,
    /// The URL of the ledger, where it is not the project's own file.
    pub(crate) ledger_url: Option<String>,
}

/// How a run ended.
pub(crate) struct Ran {
    /// The exit code; -1 for a process that a signal ended, the bound among them.
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Stage {
    /// A repository `project` and its linked worktree `wt`, without configuration.
    pub(crate) fn new() -> Self {
        let stage = Self {
            temp: tempfile::Builder::new()
                .prefix("vibey-shim-")
                .tempdir()
                .unwrap(),
            ledger_url: None,
        };
        for folder in ["home", "project"] {
            std::fs::create_dir(stage.at(folder)).unwrap();
        }
        stage.git("project", &["init", "-q", "-b", "main"]);
        stage.git("project", &["commit", "-q", "--allow-empty", "-m", "first"]);
        stage.git("project", &["worktree", "add", "-q", "-b", "work", "../wt"]);
        stage.file("prompt", PROMPT);
        stage
    }

    /// The same, with the job [`job`] and a project whose compiler is the fake.
    pub(crate) fn with(context_mode: &str, fake_mode: &str) -> Self {
        let stage = Self::new();
        stage.jobs(&job());
        stage.configure(json!({
            "mode": context_mode,
            "command": fake::command(&stage, fake_mode, &job()),
            "timeout_seconds": 20,
            "kill_grace_seconds": 1,
        }));
        stage
    }

    /// Writes `job.json`.
    pub(crate) fn jobs(&self, job: &Value) {
        self.file("job.json", job.to_string());
    }

    /// Writes the configuration.
    pub(crate) fn configure(&self, skills_context: Value) {
        let file = json!({"skills_context": skills_context});
        self.file("project/.vibey/project.json", file.to_string());
    }

    /// Changes one key of it.
    pub(crate) fn set(&self, key: &str, value: Value) {
        let text = self.read("project/.vibey/project.json");
        let mut file: Value = serde_json::from_slice(&text).unwrap();
        file["skills_context"][key] = value;
        self.file("project/.vibey/project.json", file.to_string());
    }

    pub(crate) fn at(&self, relative: &str) -> PathBuf {
        // macOS keeps temporary folders behind a link.
        self.temp.path().canonicalize().unwrap().join(relative)
    }

    pub(crate) fn arg(&self, relative: &str) -> String {
        self.at(relative).to_str().unwrap().to_owned()
    }

    pub(crate) fn file(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    #[track_caller]
    pub(crate) fn read(&self, relative: &str) -> Vec<u8> {
        let path = self.at(relative);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[track_caller]
    pub(crate) fn text(&self, relative: &str) -> String {
        String::from_utf8(self.read(relative)).unwrap()
    }

    /// Lets everybody execute a file.
    pub(crate) fn executable(&self, relative: &str) {
        std::fs::set_permissions(self.at(relative), Permissions::from_mode(0o755)).unwrap();
    }

    /// Whether something stands there, a dangling link too.
    pub(crate) fn has(&self, relative: &str) -> bool {
        self.at(relative).symlink_metadata().is_ok()
    }

    /// Runs git in a folder.
    pub(crate) fn git(&self, folder: &str, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(words)
            .current_dir(self.at(folder));
        let output = self.clean(&mut git).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn clean<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.at("home"))
    }

    /// The program, in the folder `cwd`.
    pub(crate) fn command(&self, cwd: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(BIN);
        self.clean(&mut command).args(words).current_dir(cwd);
        if let Some(url) = &self.ledger_url {
            command.env("VIBEY_LEDGER_URL", url);
        }
        command
    }

    /// Runs the program in the stage's folder.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        ran(self.command(&self.at(""), words))
    }

    /// The words of `implement` for `job.json` in the worktree, with `more` behind.
    pub(crate) fn words<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let mut words = vec![
            "implement",
            "--job",
            "job.json",
            "--worktree",
            "wt",
            "--prompt",
            "prompt",
        ];
        words.extend(more);
        words
    }

    /// Runs `implement`.
    pub(crate) fn implement(&self, more: &[&str]) -> Ran {
        self.run(&self.words(more))
    }

    /// Starts `implement` and goes on.
    pub(crate) fn begin(&self, more: &[&str]) -> Child {
        let mut command = self.command(&self.at(""), &self.words(more));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// Every row of the ledger, as `ledger export` prints it; empty where there is no ledger.
    pub(crate) fn rows(&self) -> Vec<Value> {
        if self.ledger_url.is_none() && !self.has("project/.vibey/ledger.sqlite3") {
            return Vec::new();
        }
        let text = self.rows_text();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The same as text. The library and not the program, so that a mistake of its command line hides no row.
    pub(crate) fn rows_text(&self) -> String {
        let file = self.arg("project/.vibey/ledger.sqlite3");
        let location = location(self.ledger_url.as_deref().unwrap_or(&file));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let ledger = Ledger::open_existing(&location).await.unwrap();
            let mut text = Vec::new();
            ledger.export(&Filter::default(), &mut text).await.unwrap();
            assert!(ledger.verify(None, None).await.unwrap().whole);
            ledger.close().await;
            String::from_utf8(text).unwrap()
        })
    }

    /// The payload of the only row.
    #[track_caller]
    pub(crate) fn only_payload(&self) -> Value {
        let rows = self.rows();
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows[0]["payload"].clone()
    }

    /// A file of the job in the worktree.
    pub(crate) fn artifact(ending: &str) -> String {
        format!("wt/.vibey/context/skills/job-1.{ending}")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for pid in fake::running(self) {
            let pid = pid.parse().ok().and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
        }
    }
}

/// An implement job.
pub(crate) fn job() -> Value {
    json!({
        "id": "job-1",
        "kind": "implement",
        "phase": "build",
        "payload": {"title": "marker-title-text", "objective": "rotate the signing keys"},
    })
}

/// Runs a command to its end, or to the bound.
pub(crate) fn ran(command: Command) -> Ran {
    let output = assert_cmd::Command::from_std(command)
        .timeout(BOUND)
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    /// Fails unless the run ended with `code`, and says what it printed.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        let stdout = String::from_utf8_lossy(&self.stdout);
        assert_eq!(
            self.code, code,
            "\nstdout: {stdout}\nstderr: {}",
            self.stderr
        );
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| {
            panic!(
                "{error}\nstdout: {}\nstderr: {}",
                String::from_utf8_lossy(&self.stdout),
                self.stderr
            )
        })
    }

    /// Fails unless the run ended with `code` and an error of this name (the run must have had `--json`).
    #[track_caller]
    pub(crate) fn fails(self, code: i32, name: &str) -> Self {
        let run = self.expect(code);
        assert_eq!(run.json()["error"]["code"], name, "{}", run.json());
        run
    }
}
