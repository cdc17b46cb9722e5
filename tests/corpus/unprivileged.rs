//! How does a test meet refused permissions where it runs as root, who is refused nothing?

use crate::harness::{BIN, BOUND, Dir, Output, outcome};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

/// The user and group `nobody` of most systems; any one without rights will do.
const NOBODY: u32 = 65534;

/// Runs programs as a user without rights, where the tests run as root; else as the user who runs the tests.
pub(crate) struct Unprivileged<'d> {
    dir: &'d Dir,
    bin: PathBuf,
    prefix: Vec<String>,
}

impl<'d> Unprivileged<'d> {
    /// Gives everything in `dir` to that user. Modes are set after this.
    pub(crate) fn new(dir: &'d Dir) -> Self {
        let above = dir.path().parent().unwrap().to_owned();
        let root = rustix::process::geteuid().is_root();
        if !root {
            let (bin, prefix) = (BIN.into(), Vec::new());
            return Self { dir, bin, prefix };
        }
        // The build folder may lie in a home that nobody else enters.
        let bin = above.join("vibey-context");
        copy(Path::new(BIN), &bin);
        mode(&bin, 0o755);
        mode(&above, 0o755);
        give(&dir.path());
        give(&dir.home());
        let found = Self {
            dir,
            bin,
            prefix: prefix(),
        };
        let run = found.run(found.bin.clone(), &dir.path(), ["--version"]);
        assert_eq!(run.code, 0, "cannot run as uid {NOBODY}: {}", run.stderr);
        found
    }

    /// Runs the program in `cwd`.
    pub(crate) fn program<'a>(
        &self,
        cwd: &Path,
        args: impl IntoIterator<Item = &'a str>,
    ) -> Output {
        self.run(self.bin.clone(), cwd, args)
    }

    /// Runs the program without `HOME`.
    pub(crate) fn homeless<'a>(
        &self,
        cwd: &Path,
        args: impl IntoIterator<Item = &'a str>,
    ) -> Output {
        outcome(
            self.command(self.bin.clone(), cwd)
                .env_remove("HOME")
                .args(args),
        )
    }

    /// Fails unless that user really is refused to read a file or list a folder, so that no test passes for nothing.
    #[track_caller]
    pub(crate) fn assert_unreadable(&self, path: &Path) {
        let tool = if path.is_dir() { "ls" } else { "cat" };
        let run = self.run(tool_at(tool), &self.dir.path(), [path.to_str().unwrap()]);
        assert_ne!(run.code, 0, "{} can be read", path.display());
    }

    /// Fails unless that user really is refused to make a file in a folder.
    #[track_caller]
    pub(crate) fn assert_unwritable(&self, folder: &Path) {
        let file = folder.join("probe");
        let run = self.run(tool_at("touch"), &self.dir.path(), [file.to_str().unwrap()]);
        assert_ne!(run.code, 0, "{} can be written", folder.display());
        assert!(!file.exists());
    }

    fn run<'a>(
        &self,
        program: PathBuf,
        cwd: &Path,
        args: impl IntoIterator<Item = &'a str>,
    ) -> Output {
        outcome(self.command(program, cwd).args(args))
    }

    fn command(&self, program: PathBuf, cwd: &Path) -> assert_cmd::Command {
        let mut words = self.prefix.iter().map(PathBuf::from).chain([program]);
        let mut command = assert_cmd::Command::new(words.next().unwrap());
        command
            .args(words)
            .env_clear()
            .env("HOME", self.dir.home())
            .current_dir(cwd)
            .timeout(BOUND);
        command
    }
}

impl Drop for Unprivileged<'_> {
    /// Opens everything again, so that the temporary folder can be removed by whoever made it.
    fn drop(&mut self) {
        open_again(&self.dir.path());
    }
}

/// Copies a program so that it can be started at once. A copy that this process writes itself may for a moment still be open
/// for writing in a child that another test has just forked, and is then "busy".
pub(crate) fn copy(from: &Path, to: &Path) {
    let done = std::process::Command::new(tool_at("cp"))
        .args([from, to])
        .status()
        .unwrap();
    assert!(done.success());
}

/// Sets the mode of a file or folder.
pub(crate) fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn open_again(path: &Path) {
    if path.is_symlink() || !path.is_dir() {
        return;
    }
    mode(path, 0o755);
    for entry in path.read_dir().unwrap() {
        open_again(&entry.unwrap().path());
    }
}

fn give(path: &Path) {
    if path.is_symlink() {
        return;
    }
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        for entry in path.read_dir().unwrap() {
            give(&entry.unwrap().path());
        }
    }
}

/// The words before a program that make it run as nobody.
fn prefix() -> Vec<String> {
    let id = NOBODY.to_string();
    if let Some(setpriv) = find("setpriv") {
        let ids = [format!("--reuid={id}"), format!("--regid={id}")];
        let mut words = vec![setpriv.to_str().unwrap().to_owned()];
        words.extend(ids);
        words.push("--clear-groups".to_owned());
        return words;
    }
    if let Some(runuser) = find("runuser") {
        let runuser = runuser.to_str().unwrap();
        return [runuser, "-u", "nobody", "--"].map(str::to_owned).to_vec();
    }
    panic!(
        "as root this test needs `setpriv` or `runuser` (both of util-linux) to become another user"
    );
}

fn tool_at(name: &str) -> PathBuf {
    find(name).unwrap_or_else(|| panic!("this test needs `{name}`"))
}

/// Where a program of the system lies.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists())
}
