//! Does a batch give every job what it would get alone, with one index and a whole ledger?

use crate::fake::{PACKET, left};
use crate::ledger::place::on_postgres;
use crate::stage::{PROMPT, Stage, job, ran};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const JOBS: usize = 64;

/// A line of a batch; every job has a prompt and a worktree folder of its own.
pub(crate) fn line(stage: &Stage, number: usize) -> Value {
    let mut job = job();
    job["id"] = json!(format!("job-{number}"));
    job["project_id"] = json!(format!("project-{}", number % 3));
    let prompt = [PROMPT, number.to_string().as_bytes()].concat();
    stage.file(&format!("prompt-{number}"), prompt);
    std::fs::create_dir_all(stage.at("wt").join(number.to_string())).unwrap();
    json!({
        "job": job,
        "worktree": format!("wt/{number}"),
        "prompt": format!("prompt-{number}"),
        "prompt_out": format!("out-{number}"),
    })
}

fn batch(stage: &Stage, name: &str, numbers: std::ops::Range<usize>) {
    let lines: Vec<String> = numbers
        .map(|number| line(stage, number).to_string())
        .collect();
    stage.file(name, lines.join("\n") + "\n\n");
}

fn words<'a>(jobs: &'a str, parallel: &'a str) -> Vec<&'a str> {
    vec![
        "--project",
        "project",
        "run",
        "--jobs",
        jobs,
        "--parallel",
        parallel,
        "--progress",
        "--json",
    ]
}

fn recorded(stage: &Stage) -> BTreeSet<String> {
    let rows = stage.rows();
    let ids: BTreeSet<String> = rows
        .iter()
        .map(|row| row["job"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), rows.len(), "no job stands twice");
    ids
}

fn calls(stage: &Stage, command: &str) -> usize {
    left(stage, "calls")
        .iter()
        .filter(|call| call.starts_with(command))
        .count()
}

#[test]
fn many_jobs_share_one_handshake_and_one_index() {
    let stage = Stage::with("inject", "ok");
    batch(&stage, "jobs.jsonl", 0..JOBS);
    let run = stage.run(&words("jobs.jsonl", "8")).expect(0);
    assert_eq!(run.stderr, "64 jobs: 64 ok; 64 prompts got a packet\n");
    let lines = String::from_utf8(run.stdout).unwrap();
    let heads: BTreeSet<String> = lines
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["head"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(heads.len(), JOBS);
    assert_eq!(recorded(&stage).len(), JOBS);
    assert_eq!(
        (
            calls(&stage, "contract"),
            calls(&stage, "index"),
            calls(&stage, "packet")
        ),
        (1, 1, JOBS)
    );
    for number in 0..JOBS {
        let expected = [
            PROMPT,
            number.to_string().as_bytes(),
            b"\n\n",
            PACKET.as_bytes(),
        ]
        .concat();
        assert_eq!(stage.read(&format!("out-{number}")), expected);
    }
}

#[test]
fn three_processes_share_a_file_and_one_that_is_killed_spoils_nothing() {
    three_processes(&Stage::with("shadow", "ok"));
}

#[test]
fn three_processes_share_a_server_and_one_that_is_killed_spoils_nothing() {
    on_postgres(|place| {
        let mut stage = Stage::with("shadow", "ok");
        stage.ledger_url = Some(place.text.clone());
        three_processes(&stage);
    });
}

fn three_processes(stage: &Stage) {
    let mut children: Vec<_> = (0..3)
        .map(|at| {
            let name = format!("jobs-{at}.jsonl");
            batch(stage, &name, at * 32..(at + 1) * 32);
            let mut command = stage.command(&stage.at(""), &words(&name, "4"));
            command
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut victim = children.remove(0);
    // What it prints is acknowledged; it is killed after the first rows.
    let mut acknowledged = BTreeSet::new();
    let mut out = std::io::BufReader::new(victim.stdout.take().unwrap());
    for _ in 0..5 {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut out, &mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        acknowledged.insert(line["job"].as_str().unwrap().to_owned());
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let recorded = recorded(stage);
    assert!(acknowledged.is_subset(&recorded));
    let others: BTreeSet<String> = (32..96).map(|number| format!("job-{number}")).collect();
    assert!(others.is_subset(&recorded));
    // The killed batch may be run again as it is.
    stage.run(&words("jobs-0.jsonl", "4")).expect(0);
}

#[test]
fn a_failing_compiler_fails_no_job_and_is_asked_for_its_index_once() {
    let stage = Stage::with("inject", "no-index");
    batch(&stage, "jobs.jsonl", 0..8);
    let run = stage.run(&words("jobs.jsonl", "3")).expect(0);
    assert_eq!(run.stderr.matches("warning: job `").count(), 8);
    assert_eq!((calls(&stage, "index"), calls(&stage, "packet")), (1, 0));
    assert!(
        stage
            .rows()
            .iter()
            .all(|row| row["payload"]["error_code"] == "index_failed")
    );
    assert!(stage.has("wt/3/.vibey/context/skills/job-3.stderr.txt"));
}

#[test]
fn one_job_without_a_prompt_does_not_stop_the_others() {
    let stage = Stage::with("shadow", "ok");
    batch(&stage, "jobs.jsonl", 0..3);
    std::fs::remove_file(stage.at("prompt-1")).unwrap();
    let run = stage.run(&words("jobs.jsonl", "1")).expect(125);
    assert!(run.stderr.contains("job `job-1`"), "{}", run.stderr);
    assert!(stage.has("out-0") && !stage.has("out-1") && stage.has("out-2"));
    assert_eq!(recorded(&stage).len(), 2);
}

#[test]
fn a_broken_line_is_named_before_the_first_job_runs() {
    let stage = Stage::with("shadow", "ok");
    let good = line(&stage, 0);
    let other = |key: &str, value: Value| {
        let mut line = line(&stage, 1);
        line[key] = value;
        line
    };
    for (second, words) in [
        (
            json!({"job": {"id": "../x", "kind": "implement"}}),
            "jobs.jsonl:3:",
        ),
        (json!([]), "jobs.jsonl:3:"),
        (other("prompt_out", json!("out-0")), "two jobs"),
        (other("prompt_out", json!("./wt/../out-0")), "two jobs"),
        (
            other("prompt_out", json!("prompt-0")),
            "both read and written",
        ),
        (
            other("prompt_out", json!("jobs.jsonl")),
            "both read and written",
        ),
    ] {
        stage.file("out-0", "");
        stage.file("jobs.jsonl", format!("{good}\n\n{second}\n"));
        let run = ran(stage.command(
            &stage.at(""),
            &["--project", "project", "run", "--jobs", "jobs.jsonl"],
        ));
        let run = run.expect(125);
        assert!(run.stderr.contains(words), "{}", run.stderr);
        assert_eq!(stage.rows(), Vec::<Value>::new());
    }
}

#[test]
fn an_output_in_two_spellings_is_one() {
    let stage = Stage::with("shadow", "ok");
    std::fs::create_dir(stage.at("out")).unwrap();
    std::os::unix::fs::symlink("out", stage.at("link")).unwrap();
    for second in ["out/../out/./p", "link/p"] {
        let mut lines: Vec<Value> = (0..2).map(|number| line(&stage, number)).collect();
        lines[0]["prompt_out"] = "out/p".into();
        lines[1]["prompt_out"] = second.into();
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        stage.file("jobs.jsonl", lines.join("\n"));
        let run = stage.run(&words("jobs.jsonl", "2")).expect(125);
        let said = [run.stdout, run.stderr.into_bytes()].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains("is written by two jobs"), "{second}: {said}");
        assert_eq!(stage.rows().len(), 0);
    }
}
