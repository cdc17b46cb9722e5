//! Whose configuration counts, and what does git see of our files?

use crate::fake::left;
use crate::stage::{PROMPT, Stage, ran};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// A configuration that an agent would like to have: a command of its own.
fn planted(stage: &Stage, folder: &str) {
    let command = json!(["/bin/sh", "-c", format!("touch {}", stage.arg("planted"))]);
    let config = json!({"skills_context": {"mode": "inject", "command": command}});
    stage.file(&format!("{folder}/.vibey/project.json"), config.to_string());
}

#[track_caller]
fn is_untrusted(stage: &Stage) {
    stage
        .implement(&["--prompt-out", "out", "--json"])
        .fails(125, "worktree_untrusted");
    assert!(!stage.has("planted") && !stage.has("out"));
}

#[test]
fn a_linked_worktree_has_the_configuration_of_its_main_working_tree() {
    let stage = Stage::with("shadow", "ok");
    planted(&stage, "wt");
    std::fs::create_dir_all(stage.at("wt/deep/er")).unwrap();
    for worktree in ["wt", "wt/deep/er", "project"] {
        let words = [
            "implement",
            "--job",
            "job.json",
            "--worktree",
            worktree,
            "--prompt",
            "prompt",
        ];
        assert_eq!(stage.run(&words).expect(0).stdout, PROMPT);
    }
    assert_eq!(stage.rows().len(), 3);
    assert!(!stage.has("planted") && !stage.has("wt/.vibey/ledger.sqlite3"));
    // Who names it has it.
    let named = stage.run(&[
        "--project",
        "wt",
        "implement",
        "--job",
        "job.json",
        "--worktree",
        "wt",
        "--prompt",
        "prompt",
    ]);
    named.expect(0);
    assert!(stage.has("planted"));
}

#[test]
fn a_worktree_with_relative_links_is_trusted_too() {
    let stage = Stage::with("shadow", "ok");
    stage.file("wt/.git", "gitdir: ../project/.git/worktrees/wt\n");
    stage.file("project/.git/worktrees/wt/gitdir", "../../../../wt/.git\n");
    stage.implement(&[]).expect(0);
    assert_eq!(stage.rows().len(), 1);
}

#[test]
fn a_forged_git_file_is_refused() {
    // A repository of the agent's own, inside the worktree.
    let stage = Stage::with("shadow", "ok");
    std::fs::create_dir(stage.at("wt/mine")).unwrap();
    stage.git("wt/mine", &["init", "-q"]);
    planted(&stage, "wt/mine");
    stage.file(
        "wt/mine/.git/worktrees/wt/gitdir",
        format!("{}\n", stage.arg("wt/.git")),
    );
    stage.file(
        "wt/.git",
        format!("gitdir: {}\n", stage.arg("wt/mine/.git/worktrees/wt")),
    );
    is_untrusted(&stage);
    // Another repository, which does not know this worktree.
    let stage = Stage::with("shadow", "ok");
    stage.git("", &["init", "-q", "other"]);
    planted(&stage, "other");
    for target in [
        "other/.git",
        "other/.git/worktrees/wt",
        "nowhere",
        "project/.git/worktrees",
    ] {
        stage.file("wt/.git", format!("gitdir: {}\n", stage.arg(target)));
        is_untrusted(&stage);
    }
    std::fs::create_dir_all(stage.at("other/.git/worktrees/wt")).unwrap();
    stage.file(
        "wt/.git",
        format!("gitdir: {}\n", stage.arg("other/.git/worktrees/wt")),
    );
    is_untrusted(&stage);
    for back in ["project/.git", "wt", "wt/.git/x", "other/.git"] {
        stage.file(
            "other/.git/worktrees/wt/gitdir",
            format!("{}\n", stage.arg(back)),
        );
        is_untrusted(&stage);
    }
    for text in ["", "gitdir: ", "gitdir:", "x", "\0", "gitdir: \0"] {
        stage.file("wt/.git", text);
        is_untrusted(&stage);
    }
    // A link instead of a file.
    std::fs::remove_file(stage.at("wt/.git")).unwrap();
    symlink(stage.at("other/.git"), stage.at("wt/.git")).unwrap();
    is_untrusted(&stage);
}

#[test]
fn a_bare_repository_has_no_main_working_tree() {
    let stage = Stage::with("shadow", "ok");
    stage.git("", &["clone", "-q", "--bare", "project", "bare.git"]);
    stage.git("bare.git", &["worktree", "add", "-q", "../of-bare", "main"]);
    let words = [
        "implement",
        "--job",
        "job.json",
        "--worktree",
        "of-bare",
        "--prompt",
        "prompt",
        "--json",
        "--prompt-out",
        "out",
    ];
    stage.run(&words).fails(125, "worktree_untrusted");
    let named: Vec<&str> = ["--project", "project"].into_iter().chain(words).collect();
    stage.run(&named).expect(0);
}

#[test]
fn a_fresh_repository_and_a_plain_folder_are_projects_of_their_own() {
    let stage = Stage::with("shadow", "ok");
    let config = stage.read("project/.vibey/project.json");
    stage.git("", &["init", "-q", "fresh"]);
    for folder in ["fresh", "plain"] {
        std::fs::create_dir_all(stage.at(folder)).unwrap();
        stage.file(&format!("{folder}/.vibey/project.json"), &config);
        let words = [
            "implement",
            "--job",
            "job.json",
            "--worktree",
            folder,
            "--prompt",
            "prompt",
        ];
        stage.run(&words).expect(0);
        assert!(stage.has(&format!("{folder}/.vibey/ledger.sqlite3")));
    }
    assert_eq!(stage.git("fresh", &["status", "--porcelain"]), "");
}

#[test]
fn a_tracked_configuration_is_refused_even_in_mode_off() {
    for mode in ["inject", "off"] {
        let stage = Stage::with(mode, "ok");
        stage.git("project", &["add", "-f", ".vibey/project.json"]);
        stage
            .implement(&["--json", "--prompt-out", "out"])
            .fails(125, "config_tracked");
        stage
            .run(&["--project", "project", "new", "--json"])
            .fails(1, "config_tracked");
        stage.git("project", &["commit", "-q", "-m", "config"]);
        stage
            .implement(&["--json", "--prompt-out", "out"])
            .fails(125, "config_tracked");
        stage.git("project", &["rm", "-q", "--cached", ".vibey/project.json"]);
        stage.implement(&[]).expect(0);
    }
}

#[test]
fn a_configuration_that_comes_by_other_ways_is_refused() {
    // Behind a link that is tracked.
    let stage = Stage::with("shadow", "ok");
    std::fs::rename(stage.at("project/.vibey"), stage.at("project/other")).unwrap();
    symlink("other", stage.at("project/.vibey")).unwrap();
    stage.implement(&[]).expect(125);
    std::fs::remove_file(stage.at("project/.vibey")).unwrap();
    std::fs::create_dir(stage.at("project/.vibey")).unwrap();
    symlink(
        "../other/project.json",
        stage.at("project/.vibey/project.json"),
    )
    .unwrap();
    stage.implement(&[]).expect(125);
    // In a repository of its own, as a submodule is.
    let stage = Stage::with("shadow", "ok");
    stage.git("project/.vibey", &["init", "-q"]);
    stage
        .implement(&["--json", "--prompt-out", "out"])
        .fails(125, "config_tracked");
    // By another spelling, which some file systems take for the same.
    let stage = Stage::with("shadow", "ok");
    stage.file("project/.Vibey/PROJECT.json", "{}");
    stage.git("project", &["add", "-f", ".Vibey/PROJECT.json"]);
    stage
        .implement(&["--json", "--prompt-out", "out"])
        .fails(125, "config_tracked");
    assert_eq!(left(&stage, "calls"), Vec::<String>::new());
}

#[test]
fn git_runs_nothing_that_the_repository_names() {
    let stage = Stage::with("shadow", "ok");
    stage.file(
        "evil",
        format!("#!/bin/sh\ntouch {}\n", stage.arg("planted")),
    );
    stage.executable("evil");
    let script = &stage.arg("evil");
    for key in [
        "core.fsmonitor",
        "core.pager",
        "pager.ls-files",
        "core.sshCommand",
        "alias.ls-files",
        "core.editor",
    ] {
        stage.git("project", &["config", key, script]);
    }
    stage.git("project", &["config", "core.untrackedCache", "true"]);
    std::fs::create_dir_all(stage.at("project/.git/hooks")).unwrap();
    std::fs::copy(script, stage.at("project/.git/hooks/post-index-change")).unwrap();
    stage.implement(&[]).expect(0);
    assert!(!stage.has("planted"));
}

#[test]
fn without_git_a_repository_is_not_trusted_and_a_plain_folder_needs_none() {
    let stage = Stage::with("shadow", "ok");
    let run = |folder: &str| {
        let words = [
            "--project",
            folder,
            "implement",
            "--job",
            "job.json",
            "--worktree",
            "wt",
            "--prompt",
            "prompt",
        ];
        let mut command = stage.command(&stage.at(""), &words);
        command.env("PATH", stage.at("home"));
        ran(command)
    };
    let run_in_repository = run("project").expect(125);
    assert!(
        run_in_repository.stderr.contains("cannot find `git`"),
        "{}",
        run_in_repository.stderr
    );
    std::fs::create_dir_all(stage.at("plain/.vibey")).unwrap();
    std::fs::copy(
        stage.at("project/.vibey/project.json"),
        stage.at("plain/.vibey/project.json"),
    )
    .unwrap();
    run("plain").expect(0);
}

#[test]
fn a_broken_configuration_stops_a_job_before_its_engine() {
    let stage = Stage::with("shadow", "ok");
    for text in [
        "{",
        "[]",
        r#"{"skills_context": {"mode": "on"}}"#,
        r#"{"skills_context": {"mod": "off"}}"#,
    ] {
        stage.file("project/.vibey/project.json", text);
        let run = stage.implement(&["--", "touch", "started"]).expect(125);
        assert!(run.stderr.contains("project.json"), "{}", run.stderr);
        assert!(!stage.has("wt/started"));
    }
    stage.file("url", "postgresql://u:p@h/d");
    let config = json!({"skills_context": {"mode": "shadow"}, "ledger_url_file": stage.arg("url")});
    stage.file("project/.vibey/project.json", config.to_string());
    std::fs::set_permissions(stage.at("url"), Permissions::from_mode(0o644)).unwrap();
    let run = stage.implement(&["--", "touch", "started"]).expect(125);
    assert!(run.stderr.contains("0644"), "{}", run.stderr);
    assert!(!stage.has("wt/started"));
}

#[test]
fn lines_are_added_to_a_gitignore_and_none_is_taken_away() {
    let stage = Stage::new();
    stage.file("project/.vibey/.gitignore", "theirs\n/project.json\r\nlast");
    for _ in 0..2 {
        stage.run(&["--project", "project", "new"]).expect(0);
        assert_eq!(
            stage.text("project/.vibey/.gitignore"),
            "theirs\n/project.json\r\nlast\n/ledger.sqlite3*\n/.gitignore\n"
        );
    }
    let git_files = ["project/.git/info/exclude", "project/.gitignore"];
    assert!(!stage.has(git_files[1]));
    assert!(!stage.text(git_files[0]).contains("vibey"));
}

#[test]
fn the_index_lies_in_the_project_and_where_it_is_configured() {
    let stage = Stage::with("shadow", "ok");
    stage.implement(&[]).expect(0);
    let default = stage.arg("project/.vibey/skills-context/index");
    stage.set("index_path", json!("elsewhere/index"));
    stage.set("skills", json!(["skills", "/opt/skills"]));
    stage.implement(&[]).expect(0);
    let calls = left(&stage, "calls");
    assert_eq!(calls[1], format!("index build --output {default}"));
    assert!(
        calls[2].contains(&format!("--index {default} ")),
        "{}",
        calls[2]
    );
    // The roots stand before the command.
    let roots = format!(
        "--skills {} --skills /opt/skills",
        stage.arg("project/skills")
    );
    assert!(calls.last().unwrap().starts_with(&roots), "{calls:?}");
    let configured = format!("--index {} ", stage.arg("project/elsewhere/index"));
    assert!(calls.last().unwrap().contains(&configured), "{calls:?}");
    assert!(!stage.has("wt/.vibey/skills-context"));
}

#[test]
fn an_unknown_folder_is_an_error() {
    let stage = Stage::with("shadow", "ok");
    for words in [
        vec!["--project", "none", "new", "--json"],
        vec!["--project", "prompt", "new", "--json"],
    ] {
        stage.run(&words).fails(1, "not_a_folder");
    }
    let run = stage
        .run(&[
            "implement",
            "--job",
            "job.json",
            "--worktree",
            "none",
            "--prompt",
            "prompt",
        ])
        .expect(125);
    assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    assert_eq!(stage.rows(), Vec::<Value>::new());
}
