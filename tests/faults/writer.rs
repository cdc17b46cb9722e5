//! What writes, each over something older that it is to replace.

use crate::harness::{Dir, Output, outcome};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The time of runs that write it down.
const NOW: &str = "2026-11-30T12:00:00Z";
/// The identity of the pipeline.
const ID: &str = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
/// Bytes of what makes every new result larger than a block of `ulimit -f`, which is 512 or 1,024 bytes.
const LONG: usize = 3 * 1024;
/// How names of our temporary files start.
const TEMPORARY: &str = ".vibey-tmp-";

/// A command that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    Index,
    Packet,
    Markers,
    Materialize,
    Handoff,
}

/// All of them.
pub(super) const WRITERS: [Writer; 5] = [
    Writer::Index,
    Writer::Packet,
    Writer::Markers,
    Writer::Materialize,
    Writer::Handoff,
];

/// A writer whose result is out of date.
pub(super) struct Stage {
    pub(super) dir: Dir,
    pub(super) writer: Writer,
    /// The step of the handoff: a transition to where the pipeline is already would find nothing changed.
    step: &'static str,
    old: Seen,
}

/// The files of a result by their paths below the folder of the test; an index by the packet that comes of it.
pub(super) type Seen = BTreeMap<String, Vec<u8>>;

impl Stage {
    /// Writes the old result, then changes what it was made of.
    pub(super) fn new(writer: Writer) -> Self {
        let dir = Dir::new();
        age(&dir, writer, "old");
        if writer == Writer::Packet {
            build(&dir);
        }
        let mut stage = Self {
            dir,
            writer,
            step: "1",
            old: Seen::new(),
        };
        stage.run().expect(0);
        stage.old = stage.seen();
        assert!(!stage.old.is_empty());
        age(&stage.dir, writer, "new");
        stage.step = "2";
        stage
    }

    /// Where it runs.
    pub(super) fn cwd(&self) -> PathBuf {
        match self.writer {
            Writer::Index | Writer::Packet => self.dir.path(),
            Writer::Markers => self.dir.at("project"),
            Writer::Materialize => self.dir.at("app/project-brain"),
            Writer::Handoff => self.dir.home().join("projects/shop"),
        }
    }

    /// The words behind the program's name.
    pub(super) fn words(&self) -> Vec<String> {
        let (root, index, request) = (
            self.dir.arg("s"),
            self.dir.arg("index"),
            self.dir.arg("r.json"),
        );
        let out = self.dir.arg("out/p.md");
        let words: &[&str] = match self.writer {
            Writer::Index => &["--skills", &root, "index", "build", "--output", &index],
            Writer::Packet => &[
                "packet",
                "--request",
                &request,
                "--index",
                &index,
                "--output",
                &out,
            ],
            Writer::Markers => &["markers", "apply", "--manifest", "m.json"],
            Writer::Materialize => &[
                "materialize",
                "threads/t/thread.md",
                "--out",
                "made",
                "--now",
                NOW,
            ],
            Writer::Handoff => &[
                "handoff",
                "transition",
                "--from",
                "spec-writer",
                "--to",
                "implementer",
                "--step",
                self.step,
                "--project",
                "shop",
                "--now",
                NOW,
                "--id",
                ID,
            ],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// Runs it without a fault.
    pub(super) fn run(&self) -> Output {
        self.dir.run_in(&self.cwd(), self.words())
    }

    /// The result as it stands, temporary files left out.
    #[track_caller]
    pub(super) fn seen(&self) -> Seen {
        if self.writer == Writer::Index {
            return index_seen(&self.dir);
        }
        let (base, folder) = match self.writer {
            Writer::Handoff => (self.dir.home(), self.dir.home().join(".claude/sdd")),
            Writer::Markers => (self.dir.path(), self.dir.at("project")),
            Writer::Materialize => (self.dir.path(), self.cwd().join("made")),
            _ => (self.dir.path(), self.dir.at("out")),
        };
        let mut found = Seen::new();
        collect(&base, &folder, &mut found);
        if self.writer == Writer::Markers {
            found.retain(|path, _| path.ends_with(".agent-no-read.md"));
        }
        // What the next change of a state keeps of it is not its result.
        found.retain(|path, _| !path.ends_with(".bak") && !path.ends_with("lock"));
        found
    }

    /// Fails unless a run under a fault has left the old result or the new one, file by file, has said why where it failed,
    /// and the next run, without the fault, works. Returns whether the run under the fault had worked.
    #[track_caller]
    pub(super) fn assert_whole(&self, fault: &str, run: &Output) -> bool {
        let place = format!("{:?} with {fault}", self.writer);
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(!told.contains("panicked"), "{place}: {told}");
        assert!((0..=2).contains(&run.code), "{place}: {} {told}", run.code);
        let worked = run.code == 0;
        assert!(worked || !told.trim().is_empty(), "{place}: no word");
        let between = self.seen();
        self.assert_each_whole(&place, &[between], worked);
        worked
    }

    /// Fails unless the next run works, and each of the results between has each file old or new; only new where `worked`.
    #[track_caller]
    pub(super) fn assert_each_whole(&self, place: &str, between: &[Seen], worked: bool) {
        let again = self.run();
        assert_eq!(
            again.code, 0,
            "{place}, then: {}{}",
            again.stdout, again.stderr
        );
        // A transition that is made again starts from where the first one led, and says so.
        let new = match between {
            [seen] if worked && self.writer == Writer::Handoff => seen.clone(),
            _ => self.seen(),
        };
        assert_ne!(new, self.old, "{place}: no test");
        for seen in between {
            for (path, bytes) in seen {
                let is = |result: &Seen| result.get(path) == Some(bytes);
                assert!(is(&new) || is(&self.old), "{place}: {path} is torn");
                assert!(is(&new) || !worked, "{place}: {path} is old, and 0");
            }
            let missing = self.old.keys().find(|path| !seen.contains_key(*path));
            // A packet takes its older self away before it begins: nobody is to take that for the answer to another request.
            if self.writer != Writer::Packet {
                assert_eq!(missing, None, "{place}");
            } else if seen.contains_key("out/p.json") {
                assert!(
                    seen.contains_key("out/p.md"),
                    "{place}: a manifest without its packet"
                );
            }
        }
    }

    /// Temporary files that lie about.
    pub(super) fn scratch(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for base in [self.dir.path(), self.dir.home()] {
            let mut all = Seen::new();
            collect_all(&base, &base, &mut all);
            let left = all.into_keys().filter(|path| path.contains(TEMPORARY));
            found.extend(left.map(PathBuf::from));
        }
        found
    }
}

/// Writes what a writer reads.
fn age(dir: &Dir, writer: Writer, age: &str) {
    let long = format!("{age} {}", "canary ".repeat(LONG / 7));
    match writer {
        Writer::Index | Writer::Packet => {
            if writer == Writer::Index || age == "old" {
                let body = format!("# One\n\nfirst {long}\n");
                dir.skill("s/one", "one", "d", "", &body);
            }
            let request = json!({"required_skills": ["one"], "objective": format!("canary {age}")});
            dir.request("r.json", &request);
            std::fs::create_dir_all(dir.at("out")).unwrap();
        }
        Writer::Markers => {
            let markers: Vec<Value> = ["a", "b", "c"]
                .iter()
                .map(|target| json!({"directory": target, "guidanceFile": format!("docs/{target}.md")}))
                .collect();
            let manifest = json!({"version": 1, "markers": markers});
            dir.file("project/m.json", manifest.to_string());
            for target in ["a", "b", "c"] {
                dir.file(
                    &format!("project/docs/{target}.md"),
                    format!("{target} {long}\n"),
                );
            }
        }
        Writer::Materialize => {
            let brain = "app/project-brain";
            dir.file(&format!("{brain}/CONVENTIONS.md"), "# Conventions\n");
            dir.file(&format!("{brain}/config.yaml"), "primary_project: app\n");
            dir.file(
                &format!("{brain}/notes/n.md"),
                format!("# Note\n\n{long}\n"),
            );
            let thread = "---\nsoft_links: [\"/notes/n.md\"]\n---\n# The thread\n";
            dir.file(&format!("{brain}/threads/t/thread.md"), thread);
        }
        Writer::Handoff => {
            let spec = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/fixtures/handoff/sdd/specs/shop/spec.md");
            let path = dir.home().join("projects/shop/specs/shop/spec.md");
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            if age == "old" {
                std::fs::copy(spec, path).unwrap();
            }
        }
    }
}

fn build(dir: &Dir) {
    let (root, index) = (dir.arg("s"), dir.arg("index"));
    dir.run(["--skills", &root, "index", "build", "--output", &index])
        .expect(0);
}

/// What a packet from the index holds.
#[track_caller]
fn index_seen(dir: &Dir) -> Seen {
    let (index, request) = (dir.arg("index"), dir.arg("r.json"));
    let seen = dir.arg("seen.md");
    dir.run([
        "packet",
        "--request",
        &request,
        "--index",
        &index,
        "--output",
        &seen,
    ])
    .expect(0);
    let found = dir.bytes("seen.md");
    dir.remove("seen.md");
    dir.remove("seen.json");
    let text = String::from_utf8(found).unwrap();
    let body = text.lines().filter(|line| line.starts_with("first "));
    Seen::from([("packet".to_owned(), body.collect::<String>().into_bytes())])
}

fn collect(base: &Path, folder: &Path, found: &mut Seen) {
    collect_all(base, folder, found);
    found.retain(|path, _| !path.contains(TEMPORARY));
}

fn collect_all(base: &Path, folder: &Path, found: &mut Seen) {
    let Ok(entries) = folder.read_dir() else {
        return;
    };
    for entry in entries.map(Result::unwrap) {
        let path = entry.path();
        let kind = path.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            collect_all(base, &path, found);
        } else if kind.is_file() {
            let name = path.strip_prefix(base).unwrap().to_str().unwrap();
            found.insert(name.to_owned(), std::fs::read(&path).unwrap());
        }
    }
}

/// Runs a stage's program in `sh`, behind lines of its own: `"$@"` is the program with its words.
pub(super) fn in_shell(stage: &Stage, shell: &[String], script: &str) -> Output {
    let mut words = shell
        .iter()
        .map(String::as_str)
        .chain(["/bin/sh", "-c", script, "sh"]);
    let mut command = assert_cmd::Command::new(words.next().unwrap());
    command
        .args(words)
        .arg(crate::harness::BIN)
        .args(stage.words())
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .env("HOME", stage.dir.home())
        .current_dir(stage.cwd())
        .timeout(crate::harness::BOUND);
    outcome(&mut command)
}
