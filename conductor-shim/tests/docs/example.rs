//! The repository, the jobs and the outcomes that docs/conductor.md describes.

use super::repository;
use crate::chain::compiler;
use crate::stage::{BIN, Stage};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use vibey_context_contracts::conductor::config::{Mode, parse};
use vibey_context_contracts::conductor::id::JobId;

/// The job of the first half of the page.
const JOB: &str = r#"{
  "id": "shop-311",
  "project_id": "shop",
  "phase": "build",
  "kind": "implement",
  "attempts": 1,
  "payload": {
    "title": "Give every invoice a tenant",
    "objective": "Add a NOT NULL tenant_id column with a foreign key to the invoices table while the old release keeps serving.",
    "languages": ["python", "sql"],
    "target_files": ["billing/migrations/0042_invoice_tenant.py"],
    "verification": {"commands": ["pytest tests/migrations"]}
  }
}
"#;
const PROMPT: &str =
    "You work in a checkout of shop. Implement SHOP-311: give every invoice a tenant.\n";

/// An agent that keeps its prompt: from standard input, or from the file that is named last.
const AGENT: &str = "#!/bin/sh\nfile=/dev/stdin\nfor last; do :; done\n[ ! -f \"$last\" ] || file=$last\n\
                     cat \"$file\" > ../got\n";

/// What the jobs of the batch are about; the last one is nothing that any skill helps with.
const WORK: [(&str, &str, &str); 8] = [
    (
        "build",
        "Order number column",
        "Add a NOT NULL order number column to the orders table without locking writers.",
    ),
    (
        "build",
        "Version the shipments endpoint",
        "Give the shipments HTTP API a second version that old clients survive.",
    ),
    (
        "build",
        "Charge once",
        "Two workers take the same queue entry and charge a card twice; use a lock or a constraint.",
    ),
    (
        "build",
        "Say what broke",
        "Replace swallowed exceptions by error messages that name the file and the remedy.",
    ),
    (
        "verify",
        "Test the date parser",
        "Write tests that fail for the date range parser: leap years, reversed ranges.",
    ),
    (
        "verify",
        "Search is slow",
        "Profile the search page, measure it and make it faster; benchmark before and after.",
    ),
    (
        "build",
        "Backup script",
        "Make the backup shell script survive blanks in file names and failing pipes.",
    ),
    (
        "plan",
        "Aunt Mildred",
        "Lilac balloons and violin music for a surprise party.",
    ),
];
/// Enough for 30 outcomes in each half.
const JOBS: usize = 80;
/// Agents work in trees of their own.
const TREES: usize = 4;

/// A stage on which commands are run.
pub(super) struct Example {
    stage: Stage,
}

impl Example {
    pub(super) fn new() -> Self {
        let stage = Stage::new();
        for folder in ["shop/.claude/skills", "bin"] {
            std::fs::create_dir_all(stage.at(folder)).unwrap();
        }
        symlink(BIN, stage.at("bin/vibey-conductor")).unwrap();
        symlink(compiler(), stage.at("bin/vibey-context")).unwrap();
        let skills = repository().join("src/corpus/starter/skills");
        copy(&skills, &stage.at("shop/.claude/skills"));
        stage.git("shop", &["init", "-q", "-b", "main"]);
        stage.git("shop", &["add", "."]);
        stage.git("shop", &["commit", "-q", "-m", "skills"]);
        for tree in ["311".to_owned()].into_iter().chain((0..TREES).map(tree)) {
            let path = format!("../{tree}");
            stage.git("shop", &["worktree", "add", "-q", "-b", &tree, &path]);
        }
        stage.file("jobs/311.json", JOB);
        stage.file("jobs/311.md", PROMPT);
        let jobs: Vec<Value> = (1..=JOBS).map(line).collect();
        let lines: Vec<String> = jobs.iter().map(|line| format!("{line}\n")).collect();
        stage.file("jobs/batch.jsonl", lines.concat());
        stage.file("jobs/outcomes.txt", outcomes());
        for job in 1..=JOBS {
            stage.file(&format!("jobs/{}.md", id(job)), PROMPT);
        }
        Self { stage }
    }

    /// What a shell prints for `words`, in the repository, with its folder called `/srv`.
    pub(super) fn run(&self, words: &str) -> String {
        let root = self.stage.arg("");
        let root = root.trim_end_matches('/');
        let mut shell = Command::new("sh");
        let path = std::env::var("PATH").unwrap();
        shell
            .args(["-c", &format!("exec 2>&1\n{words}")])
            .current_dir(self.stage.at("shop"))
            .env_clear()
            .env("PATH", format!("{root}/bin:{path}"))
            .env("HOME", self.stage.at("home"))
            .env("LC_ALL", "C");
        let printed = crate::stage::ran(shell).stdout;
        let mut printed = String::from_utf8(printed).unwrap().replace(root, "/srv");
        if !printed.is_empty() && !printed.ends_with('\n') {
            printed.push('\n');
        }
        assert!(
            !printed.contains("```"),
            "the output ends its block: {printed}"
        );
        printed
    }

    /// Runs a script that ends well, in the repository, with a job, a worktree and an agent of the names that pages use.
    pub(super) fn script(&self, script: &str) {
        self.stage.file("shop/job.json", JOB);
        self.stage.file("shop/prompt.md", PROMPT);
        self.stage
            .git("shop", &["worktree", "add", "-q", "-b", "work", "../work"]);
        for agent in ["agent", "your-agent"] {
            let name = format!("bin/{agent}");
            self.stage.file(&name, AGENT);
            self.stage.executable(&name);
        }
        let root = self.stage.arg("");
        let mut shell = Command::new("sh");
        let path = std::env::var("PATH").unwrap();
        shell
            .args(["-e", "-c", script])
            .current_dir(self.stage.at("shop"))
            .env_clear()
            .env("PATH", format!("{}/bin:{path}", root.trim_end_matches('/')))
            .env("HOME", self.stage.at("home"));
        let ran = crate::stage::ran(shell);
        assert_eq!(ran.code, 0, "{script}\n{}", ran.stderr);
        assert!(self.stage.text("got").starts_with(PROMPT), "{script}");
    }
}

fn tree(number: usize) -> String {
    format!("tree-{number}")
}

fn id(job: usize) -> String {
    format!("shop-{}", 400 + job)
}

fn line(job: usize) -> Value {
    let (phase, title, objective) = match job {
        JOBS => WORK[WORK.len() - 1],
        _ => WORK[job % (WORK.len() - 1)],
    };
    let id = id(job);
    json!({
        "job": {
            "id": id,
            "project_id": "shop",
            "phase": phase,
            "kind": "implement",
            "payload": {"title": title, "objective": objective},
        },
        "worktree": format!("../{}", tree(job % TREES)),
        "prompt": format!("../jobs/{id}.md"),
        "prompt_out": format!("../jobs/{id}.final.md"),
    })
}

/// Made-up outcomes: four of five jobs with packets are accepted, and every second one without.
fn outcomes() -> String {
    let config = parse(br#"{"skills_context": {"mode": "inject", "share": 0.5}}"#).unwrap();
    let (mut with, mut without) = (0, 0);
    let mut lines = String::new();
    for job in 1..=JOBS {
        let id = JobId::new(&id(job)).unwrap();
        let is_accepted = if config.value.skills_context.mode_of(&id) == Mode::Inject {
            with += 1;
            with % 5 != 0
        } else {
            without += 1;
            without % 2 != 0
        };
        let result = if is_accepted { "accepted" } else { "rejected" };
        let (cents, turns) = (31 + job % 7, 9 + job % 5);
        lines.push_str(&format!("{id} {result} 0.{cents} {turns}\n"));
    }
    lines
}

fn copy(from: &Path, to: &Path) {
    for entry in from.read_dir().unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
