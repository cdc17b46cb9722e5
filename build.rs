//! Of which commit is this program? `--version` says it; nothing that has a digest does.
//!
//! Only builds for others ask: a commit while one works would compile the whole crate anew. Both programs are built with this
//! file: in the folder of the second one lies a link to it.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a build script runs before the program and speaks with cargo over standard output"
)]

use std::path::Path;
use std::process::Command;

/// Hexadecimal digits of a commit: enough for a repository of any size.
const DIGITS: usize = 12;

/// What `cargo package` writes into an archive: the commit that it was made of.
const PACKAGED: &str = ".cargo_vcs_info.json";

/// What changes when `HEAD` does: itself, and its log where it names a branch.
const HEADS: [&str; 2] = ["HEAD", "logs/HEAD"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let folder = Path::new(&folder);
    let commit = if is_release {
        packaged(folder).or_else(|| checked_out(folder))
    } else {
        None
    };
    let shown = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=VIBEY_COMMIT={shown}");
}

/// The commit of an archive.
fn packaged(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join(PACKAGED)).ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    commit(rest.split('"').next()?)
}

/// The commit of a checkout, at the root of which this file lies, asked of git. A folder inside somebody else's repository is
/// none.
fn checked_out(folder: &Path) -> Option<String> {
    let script = folder.join("build.rs").canonicalize().ok()?;
    let folder = script.parent()?;
    if !folder.join(".git").exists() {
        return None;
    }
    for head in HEADS {
        let path = git(folder, &["rev-parse", "--git-path", head])?;
        let path = folder.join(path);
        // A file that is not there would run this script each time.
        if path.is_file() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    commit(&git(folder, &["rev-parse", "HEAD"])?)
}

fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.args(words).current_dir(folder);
    // Set where git itself has started the build, and then they may name another repository.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    let output = command.output().ok().filter(|run| run.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}

/// The first digits of a commit.
fn commit(text: &str) -> Option<String> {
    let digits: String = text.chars().take(DIGITS).collect();
    let is_commit = digits.len() == DIGITS && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    is_commit.then_some(digits)
}
