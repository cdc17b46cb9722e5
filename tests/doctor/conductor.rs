//! Is the other program asked, and never one that an agent may have written?

use super::{doctor, report, repository, the};
use crate::corpus::unprivileged::mode;
use crate::harness::{Dir, outcome};
use vibey_context_contracts::upkeep::{Check, State, Topic};

/// A program that says that it is run, and prints something.
fn program(dir: &Dir, relative: &str, prints: &str) -> String {
    let ran = dir.at("ran");
    let text = format!("#!/bin/sh\n: > {}\nprintf '%s' '{prints}'\n", ran.display());
    let path = dir.file(relative, text);
    mode(&path, 0o755);
    dir.arg(relative)
}

/// The check with `path` as `PATH`.
fn with_path(dir: &Dir, path: &str) -> Check {
    let mut command = dir.command(&dir.at("repo"));
    command.env("PATH", path).args(["doctor", "--json"]);
    the(&report(&outcome(&mut command)), Topic::Conductor).clone()
}

#[test]
fn its_version_is_compared_with_ours() {
    let dir = repository();
    let ours = env!("CARGO_PKG_VERSION");
    for (prints, state, words) in [
        (
            format!("vibey-conductor {ours}\n"),
            State::Ok,
            "of this version",
        ),
        (
            "vibey-conductor 99.0.1\n".to_owned(),
            State::Warning,
            "two versions",
        ),
        (
            "vibey-conductor soon\n".to_owned(),
            State::Problem,
            "no version",
        ),
        (String::new(), State::Problem, "no version"),
    ] {
        program(&dir, "bin/vibey-conductor", &prints);
        let check = with_path(&dir, &format!("/nonexistent:{}", dir.arg("bin")));
        assert_eq!(check.state, state, "{check:?}");
        assert!(check.message.contains(words), "{check:?}");
        assert!(dir.has("ran"));
        dir.remove("ran");
    }
    let check = with_path(&dir, "/nonexistent");
    assert_eq!(check.state, State::Ok, "{check:?}");
    dir.file("bin/vibey-conductor", "#!/bin/sh\nexit 3\n");
    let check = with_path(&dir, &dir.arg("bin"));
    assert_eq!(check.state, State::Problem, "{check:?}");
    assert!(check.message.contains("exit code 3"), "{check:?}");
}

#[test]
fn a_program_where_agents_write_is_run_only_if_it_is_named() {
    let dir = repository();
    let ours = format!("vibey-conductor {}", env!("CARGO_PKG_VERSION"));
    let named = program(&dir, "repo/bin/vibey-conductor", &ours);
    // By its folder, by a link from outside, and by a folder that the working directory chooses.
    std::fs::create_dir(dir.at("links")).unwrap();
    dir.link(&named, "links/vibey-conductor");
    for (path, state) in [
        (dir.arg("repo/bin"), State::Warning),
        (dir.arg("links"), State::Warning),
        ("bin".to_owned(), State::Ok),
        (String::new(), State::Ok),
    ] {
        let check = with_path(&dir, &path);
        assert_eq!(check.state, state, "{path}: {check:?}");
        assert!(!dir.has("ran"), "{path}: it was run");
    }
    let report = doctor(&dir, &["--conductor", "bin/vibey-conductor"]);
    let check = the(&report, Topic::Conductor);
    assert_eq!(check.state, State::Ok, "{check:?}");
    assert!(dir.has("ran"));
    let report = doctor(&dir, &["--conductor", "bin/none"]);
    assert_eq!(the(&report, Topic::Conductor).state, State::Problem);
}
