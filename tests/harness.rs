//! How do the tests start the program: in an empty environment, in a folder of their own, and never for ever?

pub(crate) mod bench;
mod every_file;
pub(crate) mod fixture;
pub(crate) mod library;
pub(crate) mod runs;
pub(crate) mod swapper;

use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The program under test.
pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_vibey-context");

/// A run that takes longer hangs. Far above any run (debug builds need a second), far below a caller's patience.
pub(crate) const BOUND: Duration = Duration::from_secs(60);

/// A folder of one test: `work` for its files, `home` for the program's idea of a home. Gone when it is dropped.
pub(crate) struct Dir {
    temp: TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Output {
    /// The exit code; -1 for a process that a signal ended, the bound among them.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Dir {
    pub(crate) fn new() -> Self {
        let temp = tempfile::Builder::new()
            .prefix("vibey-test-")
            .tempdir()
            .unwrap();
        for name in ["work", "home"] {
            std::fs::create_dir(temp.path().join(name)).unwrap();
        }
        Self { temp }
    }

    /// The folder for the test's files.
    pub(crate) fn path(&self) -> PathBuf {
        self.temp.path().join("work")
    }

    /// The home folder of runs.
    pub(crate) fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    /// The name of the temporary folder itself, which no output may hold.
    pub(crate) fn name(&self) -> String {
        self.temp
            .path()
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// The path of `relative` below [`Dir::path`].
    pub(crate) fn at(&self, relative: &str) -> PathBuf {
        self.path().join(relative)
    }

    /// The same as text, for arguments.
    pub(crate) fn arg(&self, relative: &str) -> String {
        self.at(relative).to_str().unwrap().to_owned()
    }

    /// Writes a file and the folders above it.
    pub(crate) fn file(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Writes `FOLDER/SKILL.md` with a name, a description, further frontmatter lines and a body.
    pub(crate) fn skill(
        &self,
        folder: &str,
        name: &str,
        description: &str,
        extra: &str,
        body: &str,
    ) {
        let text = fixture::skill_text(name, description, extra, body);
        self.file(&format!("{folder}/SKILL.md"), text);
    }

    /// Writes a request file from a JSON value.
    pub(crate) fn request(&self, relative: &str, value: &serde_json::Value) -> String {
        self.file(relative, value.to_string());
        self.arg(relative)
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, relative: &str) {
        symlink(target, self.at(relative)).unwrap();
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        String::from_utf8(self.bytes(relative)).unwrap()
    }

    pub(crate) fn bytes(&self, relative: &str) -> Vec<u8> {
        let path = self.at(relative);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn json(&self, relative: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(relative)).unwrap()
    }

    /// Whether something stands there, a dangling link too.
    pub(crate) fn has(&self, relative: &str) -> bool {
        self.at(relative).symlink_metadata().is_ok()
    }

    pub(crate) fn remove(&self, relative: &str) {
        std::fs::remove_file(self.at(relative)).unwrap();
    }

    /// Every regular file below `relative`, folders in byte order.
    pub(crate) fn files_below(&self, relative: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.at(relative), &mut found);
        found
    }

    /// A command with nothing but `PATH` (an empty folder) and `HOME`, in `cwd`.
    pub(crate) fn command(&self, cwd: &Path) -> assert_cmd::Command {
        self.program(cwd, BIN)
    }

    /// The same with another program.
    pub(crate) fn program(&self, cwd: &Path, program: &str) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(program);
        command
            .env_clear()
            .env("PATH", self.home().join("no-programs"))
            .env("HOME", self.home())
            .current_dir(cwd)
            .timeout(BOUND);
        command
    }

    /// Runs the program in [`Dir::path`].
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Output {
        self.run_in(&self.path(), args)
    }

    /// Runs the program in `cwd`.
    pub(crate) fn run_in<S: AsRef<OsStr>>(
        &self,
        cwd: &Path,
        args: impl IntoIterator<Item = S>,
    ) -> Output {
        outcome(self.command(cwd).args(args))
    }

    /// Runs the program with bytes on standard input.
    pub(crate) fn run_with<S: AsRef<OsStr>>(
        &self,
        stdin: impl Into<Vec<u8>>,
        args: impl IntoIterator<Item = S>,
    ) -> Output {
        outcome(self.command(&self.path()).args(args).write_stdin(stdin))
    }
}

/// Runs a command to its end.
pub(crate) fn outcome(command: &mut assert_cmd::Command) -> Output {
    let output = command.output().unwrap();
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Output {
    /// Fails unless the run ended with `code`, and says what it printed.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "\nstdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("{error}\nstdout: {}\nstderr: {}", self.stdout, self.stderr)
        })
    }

    /// The error object that `--json` prints, read by the contract's own type.
    #[track_caller]
    pub(crate) fn error(&self) -> vibey_context_contracts::error::ErrorBody {
        let report: vibey_context_contracts::error::ErrorReport =
            serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
                panic!("{error}\nstdout: {}\nstderr: {}", self.stdout, self.stderr)
            });
        report.error
    }

    /// Fails unless the run ended with 1 and an error of this code (the run must have had `--json`).
    #[track_caller]
    pub(crate) fn fails(self, code: &str) -> Self {
        let run = self.expect(1);
        assert_eq!(run.error().code, code, "{}", run.stdout);
        assert_eq!(run.stderr, "", "with --json nothing stands on stderr");
        run
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = folder
        .read_dir()
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let kind = path.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            walk(&path, found);
        } else if kind.is_file() {
            found.push(path);
        }
    }
}
