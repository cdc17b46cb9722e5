//! How does a host that runs agents embed `markers` in its build?
//!
//! The host owns three things: a project with a manifest, a fixed build task, and the rule by which agents read. The demo makes
//! such a project in a temporary folder and
//!
//! 1. builds it twice; each time the generator deletes `generated` and makes it anew,
//! 2. sees after each build that the marker is there and up to date,
//! 3. asks what an agent may read: not `generated`, but `src` and `docs`; a search leaves `generated` out,
//! 4. runs the project's test, which uses the generated code,
//! 5. prints reports, decisions and results, never generated code or what a program wrote, and removes the project.
//!
//! A build that can not promise its markers is a controlled `BUILD_FAILURE`, and nothing is loaded or tested after it.
//!
//! `cargo run --example marked_build`

use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use vibey_context::markers::{Task, explain, generate, maintain};
use vibey_context_contracts::markers::result::{MarkersResult, Status};
use vibey_context_host::cancel::Cancel;
use vibey_context_host::process::{Command, Input, Leftovers, Outcome, Output, run as run_program};
use vibey_context_host::read::{EntryKind, list_dir};
use vibey_context_host::write::{Durability, create_folder, replace};

/// The manifest, which the host chooses and no agent does.
const MANIFEST: &str = "context-markers.json";

/// Removes the whole folder and makes it from `src`, as many generators do.
const GENERATOR: &str = r#"
rm -rf generated
mkdir generated
printf 'answer() { echo %s; }\n' "$(cat src/answer.txt)" > generated/runtime.sh
echo "a generator's own words, which nobody shows"
"#;

/// The project's files.
const FILES: &[(&str, &str)] = &[
    (
        MANIFEST,
        r#"{
  "version": 1,
  "markers": [{"directory": "generated", "guidanceFile": "docs/generated-guidance.md"}],
  "generator": {"executable": "sh", "args": ["scripts/generate.sh"], "timeoutMs": 20000}
}
"#,
    ),
    (
        "docs/generated-guidance.md",
        "# Generated runtime\n\n- Read docs/runtime-api.md for the public interface.\n- Edit src/ for changes.\n- Build to see them.\n",
    ),
    (
        "docs/runtime-api.md",
        "# Runtime\n\n`answer` prints the answer.\n",
    ),
    ("src/answer.txt", "42\n"),
    ("scripts/generate.sh", GENERATOR),
    (
        "scripts/test.sh",
        ". generated/runtime.sh\ntest \"$(answer)\" = \"$(cat src/answer.txt)\"\n",
    ),
];

/// Longer than any test of this project takes.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// What the host says of a build that failed: a code and a reason, and nothing that a program has written.
#[derive(Debug)]
struct BuildFailure {
    reason: String,
}

impl BuildFailure {
    fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }

    fn diagnostic(&self) -> Value {
        json!({"code": "BUILD_FAILURE", "reason": self.reason})
    }
}

/// A host with its project.
struct Host {
    root: PathBuf,
    environment: Vec<(OsString, OsString)>,
    cancel: Cancel,
}

impl Host {
    /// The fixed build task. Only after it may anything load what it has generated.
    fn build(&self) -> Result<MarkersResult, BuildFailure> {
        let manifest = Path::new(MANIFEST);
        let report = generate(&self.root, manifest, &self.environment, &self.cancel);
        if report.status != Status::Ok {
            let status = json!(report.status);
            let reason = format!("generation or restoration of markers failed: {status}");
            return Err(BuildFailure::new(reason));
        }
        if maintain(&self.root, manifest, Task::Check).status != Status::Ok {
            return Err(BuildFailure::new("markers are not up to date"));
        }
        Ok(report)
    }

    /// The fixed test task. Its output is nobody's business but its own.
    fn test(&self) -> Result<(), BuildFailure> {
        let finished = run_program(&Command {
            program: "sh".into(),
            args: vec!["scripts/test.sh".into()],
            directory: self.root.clone(),
            environment: self.environment.clone(),
            stdin: Input::Null,
            stdout: Output::Null,
            stderr: Output::Null,
            output_limit_bytes: None,
            timeout: Some(TEST_TIMEOUT),
            grace: Duration::ZERO,
            cancel: Some(self.cancel.clone()),
            forward: None,
            leftovers: Leftovers::Kill,
        });
        match finished.outcome {
            Outcome::Exited(0) => Ok(()),
            _ => Err(BuildFailure::new("the tests failed")),
        }
    }

    /// The rule by which an agent reads: where nobody can tell, it does not.
    fn may_read(&self, path: &Path) -> bool {
        explain(&self.root, path).is_ok_and(|answer| answer.readable)
    }

    /// What a search by an agent goes through, in byte order of the paths.
    fn searched(&self) -> Result<Vec<String>, BuildFailure> {
        let mut found = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let entries = list_dir(&self.root.join(&folder))
                .map_err(|_| BuildFailure::new("a folder cannot be listed"))?;
            for entry in entries {
                let path = folder.join(&entry.name);
                match entry.kind {
                    // Pruned as a whole: its names are not even listed.
                    _ if !self.may_read(&path) => {}
                    EntryKind::Dir if entry.name != ".vibey" => folders.push(path),
                    EntryKind::File => found.push(path.to_string_lossy().into_owned()),
                    _ => {}
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

/// Writes the project's files.
fn create_project(root: &Path) -> Result<(), BuildFailure> {
    let failed = |_| BuildFailure::new("the project cannot be written");
    for (name, text) in FILES {
        let path = root.join(name);
        if let Some(folder) = path.parent() {
            create_folder(folder, Durability::Rebuildable).map_err(failed)?;
        }
        replace(&path, text.as_bytes(), Durability::Rebuildable).map_err(failed)?;
    }
    Ok(())
}

/// The five steps; each `say` is a line that people and models may see.
fn demonstrate(host: &Host, say: &mut dyn FnMut(Value)) -> Result<(), BuildFailure> {
    for build in 1..=2 {
        let report = host.build()?;
        say(json!({"build": build, "report": report}));
    }
    for path in [
        "generated/runtime.sh",
        "src/answer.txt",
        "docs/runtime-api.md",
    ] {
        let readable = host.may_read(Path::new(path));
        say(json!({"path": path, "readable": readable}));
    }
    say(json!({"search": host.searched()?}));
    host.test()?;
    say(json!({"tests": "passed"}));
    Ok(())
}

fn main() -> ExitCode {
    let mut say = |line: Value| {
        // Who does not listen misses nothing else.
        let _ = writeln!(io::stdout(), "{line}");
    };
    let demonstrated = match (tempfile::tempdir(), Cancel::new()) {
        (Ok(folder), Ok(cancel)) => {
            let host = Host {
                root: folder.path().to_path_buf(),
                environment: std::env::vars_os().collect(),
                cancel,
            };
            create_project(&host.root).and_then(|()| demonstrate(&host, &mut say))
        }
        _ => Err(BuildFailure::new("there is no temporary folder")),
    };
    match demonstrated {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(failure.diagnostic());
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project with another generator, built in a folder of its own.
    fn host(generator: &str) -> (tempfile::TempDir, Host) {
        let folder = tempfile::tempdir().unwrap();
        create_project(folder.path()).unwrap();
        let script = folder.path().join("scripts/generate.sh");
        replace(&script, generator.as_bytes(), Durability::Rebuildable).unwrap();
        let host = Host {
            root: folder.path().to_path_buf(),
            environment: std::env::vars_os().collect(),
            cancel: Cancel::new().unwrap(),
        };
        (folder, host)
    }

    fn lines(host: &Host) -> Vec<Value> {
        let mut lines = Vec::new();
        if let Err(failure) = demonstrate(host, &mut |line| lines.push(line)) {
            lines.push(failure.diagnostic());
        }
        lines
    }

    #[test]
    fn the_five_steps_keep_generated_code_from_agents() {
        let (_folder, host) = host(GENERATOR);
        let lines = lines(&host);
        let marker = |line: &Value| line["report"]["markers"][0]["status"].clone();
        assert_eq!(marker(&lines[0]), "restored");
        assert_eq!(marker(&lines[1]), "restored");
        let readable: Vec<bool> = lines
            .iter()
            .filter_map(|line| line["readable"].as_bool())
            .collect();
        assert_eq!(readable, [false, true, true]);
        let searched = lines[5]["search"].as_array().unwrap();
        assert!(searched.contains(&json!("src/answer.txt")));
        assert_eq!(searched.len(), FILES.len(), "{searched:?}");
        assert_eq!(lines.last(), Some(&json!({"tests": "passed"})));
        let all = Value::from(lines).to_string();
        for secret in ["answer()", "own words", "Generated runtime"] {
            assert!(!all.contains(secret), "{secret} in {all}");
        }
    }

    #[test]
    fn every_failure_is_the_controlled_one_and_nothing_is_tested_after_it() {
        for (generator, reason) in [
            ("echo SECRET >&2; exit 3", "generatorFailed"),
            (
                "rm -rf generated; ln -s docs generated",
                "maintenanceFailed",
            ),
            (
                "echo changed > docs/generated-guidance.md",
                "not up to date",
            ),
        ] {
            let (_folder, host) = host(generator);
            let lines = lines(&host);
            let [failure] = lines.as_slice() else {
                panic!("{lines:?}");
            };
            assert_eq!(failure["code"], "BUILD_FAILURE");
            let told = failure["reason"].as_str().unwrap();
            assert!(told.contains(reason) && !told.contains("SECRET"), "{told}");
        }
    }

    #[test]
    fn a_marker_at_the_root_closes_everything() {
        let (_folder, host) = host(GENERATOR);
        let marker = host.root.join(".agent-no-read.md");
        replace(&marker, b"", Durability::Rebuildable).unwrap();
        assert!(!host.may_read(Path::new("src/answer.txt")));
        assert_eq!(host.searched().unwrap(), [""; 0]);
    }
}
