//! What do `check`, `index` and the library say of one folder of skills, and do they agree?

use crate::harness::Dir;
use serde_json::{Value, json};
use std::path::PathBuf;
use vibey_context::corpus::build::{self, Observer, Origin};
use vibey_context::corpus::discover::Root;
use vibey_context::corpus::exclude::Exclude;
use vibey_context::corpus::source;
use vibey_context_index::record::IndexedSkill;

/// Where [`judge`] expects the skills below a [`Dir`].
pub(crate) const ROOT: &str = "r";

/// Where [`judge`] puts the index.
const INDEX: &str = "judged-index";

/// What only `check` says, and only of descriptions: most skills here have a filler for one, which is not what their tests
/// are about (`tests/check_descriptions.rs` is).
const FILLERS: [&str; 2] = ["description-generic", "duplicate-description"];

/// What was said.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// `PATH:LINE:COLUMN CODE` of each diagnostic, in their order.
    pub(crate) found: Vec<String>,
    /// The diagnostics themselves.
    pub(crate) diagnostics: Vec<Value>,
    /// `found = ok + degraded + rejected + nested`, as `4 = 1 + 2 + 1, 0 nested`.
    pub(crate) summary: String,
    /// What `index build --json` printed.
    pub(crate) report: Value,
    /// `plugin/skill PATH` of each skill in the index.
    pub(crate) listed: Vec<String>,
    /// Name and description of each skill in the index.
    pub(crate) described: Vec<(String, String)>,
    /// What the library read.
    pub(crate) skills: Vec<IndexedSkill>,
}

struct Quiet;

impl Observer for Quiet {}

/// Judges the skills below [`ROOT`] by every way there is. What must hold for any folder of skills is asserted here.
#[track_caller]
pub(crate) fn judge(dir: &Dir) -> Verdict {
    let root = dir.arg(ROOT);
    let check = dir.run(["check", &root, "--json"]);
    let report = check.json();
    let mut diagnostics = report["diagnostics"].as_array().unwrap().clone();
    let failed = diagnostics.iter().any(|one| one["severity"] == "error");
    assert_eq!(check.code, i32::from(failed), "{}", check.stdout);
    assert_eq!(check.stderr, "");
    let strict = dir.run(["check", &root, "--json", "--strict"]);
    assert_eq!(strict.code, i32::from(!diagnostics.is_empty()));
    assert_eq!(strict.stdout, check.stdout);
    diagnostics.retain(|one| !FILLERS.contains(&one["code"].as_str().unwrap()));

    if dir.has(INDEX) {
        std::fs::remove_dir_all(dir.at(INDEX)).unwrap();
    }
    let index = dir.arg(INDEX);
    let build = [
        "--skills", &root, "index", "build", "--output", &index, "--json",
    ];
    let built = dir.run(build).expect(0).json();
    assert_eq!(built["skills"], report["summary"], "check and index differ");
    let inspect = [
        "index",
        "inspect",
        &index,
        "--json",
        "--deep",
        "--skills-list",
    ];
    let inspected = dir.run(inspect).expect(0).json();
    assert_eq!(inspected["skills"], report["summary"]);
    let entries = inspected["skills_list"].as_array().unwrap();

    let skills = library(dir);
    let ids: Vec<Value> = skills
        .iter()
        .map(|skill| json!(skill.record.source_path))
        .collect();
    let paths: Vec<Value> = entries.iter().map(|e| e["source_path"].clone()).collect();
    assert_eq!(paths, ids, "index and library differ");
    assert_eq!(inspected["skill_count"], skills.len());

    let verdict = Verdict {
        found: diagnostics.iter().map(shown).collect(),
        summary: summary(&report["summary"]),
        listed: entries.iter().map(listed).collect(),
        described: entries
            .iter()
            .map(|e| (text(&e["skill"]), text(&e["description"])))
            .collect(),
        diagnostics,
        report: built,
        skills,
    };
    accounted(&verdict, &report["summary"]);
    partitioned(dir, &verdict.skills);
    verdict
}

/// Every skill found is indexed, a copy or rejected, and every one that is not flawless is named.
#[track_caller]
fn accounted(verdict: &Verdict, summary: &Value) {
    let count = |key: &str| summary[key].as_u64().unwrap();
    let (degraded, rejected) = (count("degraded"), count("rejected"));
    assert_eq!(count("found"), count("ok") + degraded + rejected);
    let copies = verdict
        .diagnostics
        .iter()
        .filter(|one| one["code"] == "duplicate-content")
        .count() as u64;
    let indexed = verdict.skills.len() as u64;
    assert_eq!(indexed + copies + rejected, count("found"));
    let places = |severity: &str| {
        let named: std::collections::BTreeSet<&str> = verdict
            .diagnostics
            .iter()
            .filter(|one| one["severity"] == severity)
            .map(|one| one["path"].as_str().unwrap())
            .collect();
        named.len() as u64
    };
    assert_eq!(places("error"), rejected, "{:?}", verdict.found);
    assert!(places("warning") >= degraded, "{:?}", verdict.found);
}

/// The sections of a skill are its body, and its body is the end of its file.
#[track_caller]
fn partitioned(dir: &Dir, skills: &[IndexedSkill]) {
    for skill in skills {
        let record = &skill.record;
        let joined: String = record
            .sections
            .iter()
            .map(|section| &skill.text[section.start as usize..section.end as usize])
            .collect();
        assert_eq!(joined, skill.text, "{}", record.source_path);
        let file = dir.bytes(&format!("{ROOT}/{}", record.source_path));
        let whole = source::decode(file).unwrap();
        assert!(whole.ends_with(&skill.text), "{}", record.source_path);
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        for section in &record.sections {
            let range = section.line_start as usize - 1..section.line_end as usize;
            let text = &skill.text[section.start as usize..section.end as usize];
            let of_lines = lines[range].concat();
            assert!(of_lines.contains(text), "lines of {}", section.id);
        }
    }
}

/// What the library reads below [`ROOT`].
pub(crate) fn library(dir: &Dir) -> Vec<IndexedSkill> {
    let path: PathBuf = dir.at(ROOT).canonicalize().unwrap();
    let origin = Origin::Named(vec![Root {
        path,
        exclude: Exclude::default(),
    }]);
    build::corpus(&origin, &mut Quiet).unwrap().skills
}

/// Which skills answer to a name: what `packet` takes for `required_skills: [name]`, or the code of its error.
#[track_caller]
pub(crate) fn answers(dir: &Dir, name: &str) -> Vec<String> {
    let request = json!({"required_skills": [name]});
    let file = dir.request("answers.json", &request);
    let (index, out) = (dir.arg(INDEX), dir.arg("answers.md"));
    let manifest = dir.arg("answers-manifest.json");
    let args = [
        "packet",
        "--request",
        &file,
        "--index",
        &index,
        "--output",
        &out,
        "--manifest",
        &manifest,
        "--json",
    ];
    let run = dir.run(args);
    if run.code == 1 {
        return vec![run.error().code];
    }
    run.expect(0);
    let manifest = dir.json("answers-manifest.json");
    let chunks = manifest["included_chunks"].as_array().unwrap();
    let mut paths: Vec<String> = chunks.iter().map(|c| text(&c["source_path"])).collect();
    paths.dedup();
    paths
}

/// A file of frontmatter lines and a small body.
pub(crate) fn fm(lines: &str) -> String {
    format!("---\n{lines}\n---\n# Demo\nbody\n")
}

/// Writes a flawless skill, `good`, beside those that a test is about.
pub(crate) fn sibling(dir: &Dir) {
    dir.skill(
        &format!("{ROOT}/good"),
        "good",
        "A flawless skill.",
        "",
        "# Good\n\nText.\n",
    );
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn shown(diagnostic: &Value) -> String {
    let (path, code) = (text(&diagnostic["path"]), text(&diagnostic["code"]));
    format!(
        "{path}:{}:{} {code}",
        diagnostic["line"], diagnostic["column"]
    )
}

fn summary(summary: &Value) -> String {
    let count = |key: &str| summary[key].as_u64().unwrap();
    format!(
        "{} = {} + {} + {}, {} nested",
        count("found"),
        count("ok"),
        count("degraded"),
        count("rejected"),
        count("nested")
    )
}

fn listed(entry: &Value) -> String {
    format!(
        "{}/{} {}",
        text(&entry["plugin"]),
        text(&entry["skill"]),
        text(&entry["source_path"])
    )
}
