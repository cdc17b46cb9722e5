//! What do the commands print that look things up: `search`, `list`, `contract`, `completions`, `man`?

use crate::harness::{Dir, fixture};
use semver::Version;
use serde_json::json;
use vibey_context_contracts::report::{PluginEntry, SearchHit};
use vibey_context_contracts::version::ContractReport;

#[test]
fn search_finds_sections_and_says_why() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let run = dir
        .run([
            "search",
            "exponential backoff jitter",
            "--index",
            "index",
            "--json",
        ])
        .expect(0);
    let hits: Vec<SearchHit> = serde_json::from_value(run.json()).unwrap();
    let best = &hits[0];
    assert_eq!(best.skill, "http-retry");
    assert_eq!(best.heading_path.last().unwrap(), "Backoff");
    assert_eq!(best.source_path, "plugins/relay/skills/http-retry/SKILL.md");
    assert!(
        best.reasons
            .iter()
            .any(|reason| reason.starts_with("backoff:")),
        "{:?}",
        best.reasons
    );
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    let text = dir.read(&format!("{}/{}", fixture::ROOT, best.source_path));
    let line = text.lines().nth(best.line_start as usize - 1).unwrap();
    assert_eq!(line, "## Backoff");
    for row in run.json().as_array().unwrap() {
        assert!(row["explanation"].is_null(), "{row}");
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "explanation",
                "heading_path",
                "id",
                "line_end",
                "line_start",
                "plugin",
                "reasons",
                "score",
                "skill",
                "source_path"
            ]
        );
    }
}

#[test]
fn search_keeps_its_limit() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    for limit in [0, 1, 3] {
        let run = dir
            .run([
                "search",
                "rust code review",
                "--index",
                "index",
                "--json",
                "--limit",
                &limit.to_string(),
            ])
            .expect(0);
        assert_eq!(run.json().as_array().unwrap().len(), limit);
    }
    let many = dir
        .run([
            "search",
            "rust code review",
            "--index",
            "index",
            "--json",
            "--limit",
            "1000000",
        ])
        .expect(0);
    assert!(many.json().as_array().unwrap().len() > 3);
}

#[test]
fn search_for_people_names_the_place() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let plain = dir
        .run(["search", "webhooks signature", "--index", "index"])
        .expect(0);
    assert!(plain.stdout.contains("relay/webhooks"), "{}", plain.stdout);
    assert!(
        plain
            .stdout
            .contains("plugins/relay/skills/webhooks/SKILL.md:")
    );
    let explained = dir
        .run([
            "search",
            "webhooks signature",
            "--index",
            "index",
            "--explain",
        ])
        .expect(0);
    assert!(explained.stdout.len() > plain.stdout.len());
    assert!(
        explained.stdout.contains("signatur"),
        "{}",
        explained.stdout
    );
}

#[test]
fn search_for_nothing_is_no_error() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    for query in [
        "blorptang",
        "",
        "!!!",
        "🎉",
        "\"",
        "AND OR NOT",
        "title:x*",
        "-a",
    ] {
        let run = dir
            .run(["search", "--index", "index", "--json", "--", query])
            .expect(0);
        assert!(run.json().is_array(), "{query}");
    }
    let run = dir
        .run(["search", "blorptang", "--index", "index"])
        .expect(0);
    assert_eq!(run.stdout, "no section matches\n");
}

#[test]
fn list_holds_every_plugin_and_skill() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let run = dir.run(["list", "--index", "index", "--json"]).expect(0);
    let listing: Vec<PluginEntry> = serde_json::from_value(run.json()).unwrap();
    let names: Vec<&str> = listing.iter().map(|entry| entry.plugin.as_str()).collect();
    assert_eq!(names, ["atlas", "forge", "garden", "relay"]);
    assert_eq!(
        listing
            .iter()
            .map(|entry| entry.skills.len() as u64)
            .sum::<u64>(),
        fixture::SKILLS
    );
    let find = |name: &str| {
        listing
            .iter()
            .flat_map(|entry| &entry.skills)
            .find(|entry| entry.skill == name)
            .unwrap()
    };
    let backup = find("cluster-backup");
    assert_eq!(
        (backup.folder.as_str(), backup.version.as_str()),
        ("backup", "1.2.0")
    );
    assert_eq!(
        find("unsafe-code").version,
        "7.1",
        "its own version beats its plugin's"
    );
    assert_eq!(find("glossary").version, "");

    let one = dir
        .run(["list", "--index", "index", "--plugin", "relay"])
        .expect(0);
    assert!(one.stdout.starts_with("relay\n"), "{}", one.stdout);
    assert!(!one.stdout.contains("atlas"), "{}", one.stdout);
    let error = dir
        .run(["list", "--index", "index", "--plugin", "relais", "--json"])
        .fails("plugin_unknown")
        .error();
    assert!(error.help.unwrap().contains("`relay`"));
}

#[test]
fn contract_names_every_version() {
    let dir = Dir::new();
    let run = dir.run(["contract", "--json"]).expect(0);
    let report: ContractReport = serde_json::from_value(run.json()).unwrap();
    assert_eq!(report.compiler.name, "vibey-context");
    assert_eq!(report.compiler.version, env!("CARGO_PKG_VERSION"));
    for name in [
        "request",
        "packet_manifest",
        "index_manifest",
        "check_report",
        "search_result",
        "error",
    ] {
        let version = report
            .contracts
            .get(name)
            .unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(Version::parse(version).unwrap().major, 1, "{name}");
    }
    let plain = dir.run(["contract"]).expect(0);
    assert!(
        plain.stdout.contains("packet_manifest 1."),
        "{}",
        plain.stdout
    );
    // What the manifest says of itself is one of these, or an earlier minor version.
    let request = dir.request(
        "request.json",
        &json!({"required_skills": ["git-history-hygiene"]}),
    );
    dir.run([
        "--embedded",
        "packet",
        "--request",
        &request,
        "--output",
        "p.md",
    ])
    .expect(0);
    let manifest = dir.json("p.json");
    // The lowest version that describes it: 1.1 has one key more, where a project file took part.
    assert_eq!(manifest["contract_version"], "1.0.0");
    std::fs::create_dir(dir.at(".git")).unwrap();
    dir.skill("s/a", "a", "d", "", "# A\n\nx\n");
    dir.file("vibey-context.toml", "skills = ['s']\n");
    let request = dir.request("request.json", &json!({"required_skills": ["a"]}));
    dir.run(["packet", "--request", &request, "--output", "p.md"])
        .expect(0);
    let newest = dir.json("p.json")["contract_version"].clone();
    assert_eq!(newest, report.contracts["packet_manifest"].as_str());
    assert_eq!(manifest["compiler"], run.json()["compiler"]);
    assert_eq!(manifest["index_version"], report.index_format);
}

#[test]
fn completions_and_manual_know_every_command() {
    let dir = Dir::new();
    let manual = dir.run(["man"]).expect(0).stdout;
    assert!(manual.contains(".TH vibey-context 1"), "{manual}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = dir.run(["completions", shell]).expect(0).stdout;
        for command in [
            "index",
            "packet",
            "search",
            "reproduce",
            "why",
            "list",
            "check",
            "evaluate",
            "contract",
            "completions",
            "man",
        ] {
            assert!(script.contains(command), "{shell} does not know {command}");
            assert!(
                manual.contains(command),
                "the manual does not know {command}"
            );
        }
        assert!(script.contains("expect-corpus"), "{shell}");
    }
    assert!(
        manual.contains("expect\\-corpus"),
        "options are missing in the manual"
    );
}

#[test]
fn commands_that_need_nothing_work_in_a_folder_that_is_gone() {
    let dir = Dir::new();
    dir.file("gone/x", "");
    for (args, code) in [
        (&["contract"][..], 0),
        (&["man"], 0),
        (&["--version"], 0),
        // Absolute places go on working; a relative one does not exist.
        (&["list"], 0),
        (&["check", "x"], 1),
    ] {
        let gone = dir.arg("gone");
        let script = format!(
            "cd '{gone}' && rm -r '{gone}' && exec {} {}",
            crate::harness::BIN,
            args.join(" ")
        );
        dir.file("gone/x", "");
        let output = std::process::Command::new("/bin/sh")
            .args(["-c", &script])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", dir.home())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn an_index_is_described_for_people_and_programs() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let plain = dir.run(["index", "inspect", "index"]).expect(0);
    assert!(plain.stdout.contains("16"), "{}", plain.stdout);
    let deep = dir
        .run([
            "index",
            "inspect",
            "index",
            "--json",
            "--deep",
            "--skills-list",
        ])
        .expect(0)
        .json();
    assert_eq!(deep["deep"], true);
    assert_eq!(
        deep["skills_list"].as_array().unwrap().len() as u64,
        fixture::SKILLS
    );
    assert!(deep["size_bytes"].as_u64().unwrap() > 10_000);
    let skills = &deep["skills"];
    let count = |name: &str| skills[name].as_u64().unwrap();
    assert_eq!(
        count("found"),
        count("ok") + count("degraded") + count("rejected")
    );
    assert_eq!(count("found"), fixture::SKILLS);
}
