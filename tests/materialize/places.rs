//! Where does a run write, and what does it leave alone?

use super::rig::{NOW, Rig, THREAD, text};
use super::web::Web;
use crate::harness::outcome;
use std::os::unix::fs::symlink;

/// The name that a folder gets from the time of the tests.
const STAMP: &str = "20261130T120000Z";

/// The warning of the original skill; the path goes into it.
fn warning(path: &str) -> String {
    format!(
        "⚠ --persist will write materialized content to {path}. This content may include private data resolved from mcp://, https://, \
         or aliased-repo URIs. Ensure `.context/` is listed in `.gitignore` before committing. See CONVENTIONS § 1 for repository hygiene."
    )
}

fn rig() -> Rig {
    let rig = Rig::new();
    rig.file("tree/a.md", "# A\n\nText.\n");
    rig.links(&[("/a.md", "spec")]);
    rig
}

#[test]
fn results_go_to_the_scratch_folder_and_never_meet() {
    let rig = rig();
    let root = rig.scratch().join("app/t");
    for name in [STAMP.to_owned(), format!("{STAMP}-2"), format!("{STAMP}-3")] {
        let made = rig.make(&[]);
        let folder = root.join(name);
        assert_eq!(
            made.report["context_path"],
            text(&folder.join("context.md"))
        );
        assert_eq!(
            made.report["context_json_path"],
            text(&folder.join("context.json"))
        );
    }
    let named = rig.dir.arg("scratch");
    let mut command = rig.command(&[THREAD, "--json"]);
    let made = super::rig::made(outcome(command.env("MATERIALIZE_SCRATCH_ROOT", &named)));
    let path = format!("{named}/app/t/{STAMP}/context.md");
    assert_eq!(made.report["context_path"], path);
    let inside = text(&rig.brain().join("scratch"));
    let mut command = rig.command(&[THREAD, "--json"]);
    outcome(command.env("MATERIALIZE_SCRATCH_ROOT", inside)).fails("scratch_unsafe");
    let mut command = rig.command(&[THREAD, "--json"]);
    outcome(command.env_remove("HOME")).fails("no_cache_folder");
}

#[test]
fn the_brain_is_left_as_it_is_in_every_mode() {
    let rig = rig();
    let web = Web::text("remote");
    let uri = web.url("/");
    rig.links(&[
        ("/a.md", "spec"),
        (&uri, "external-reference"),
        ("/none.md", ""),
    ]);
    let before = rig.picture();
    for args in [
        &["--allow-private-network"][..],
        &["--detect-stale", "--allow-private-network"],
        &["--dry-run", "--allow-private-network"],
        &["--consumer", "brief", "--max-tokens", "200"],
        &["--refresh", "--verbosity", "verbose"],
    ] {
        rig.run(args).expect(0);
        assert_eq!(rig.picture(), before, "{args:?}");
    }
    rig.run(&["--persist", "--allow-private-network"]).expect(0);
    let mut after = rig.picture();
    let kept = rig.brain().join("threads/t/.context");
    after.retain(|path, _| !path.starts_with(&kept));
    // The folder that holds it has a new name in it.
    let folder = rig.brain().join("threads/t");
    let mut expected = before;
    expected.remove(&folder);
    after.remove(&folder);
    assert_eq!(after, expected);
    for name in ["context.md", "context.json"] {
        assert!(kept.join(STAMP).join(name).is_file(), "{name}");
    }
}

#[test]
fn out_writes_in_the_zones_and_nowhere_else() {
    let rig = rig();
    rig.dir.file("app/project-brain-evil/x", "");
    symlink(rig.dir.at("app"), rig.brain().join("up")).unwrap();
    let cache = text(&rig.dir.home().join(".cache/project-brain/x"));
    for (out, document, sidecar) in [
        ("out", "out/context.md", "out/context.json"),
        ("new/deep/", "new/deep/context.md", "new/deep/context.json"),
        ("notes.md", "notes.md", "notes.json"),
        (cache.as_str(), "context.md", "context.json"),
    ] {
        let made = rig.make(&["--out", out, "--persist"]);
        let path = made.report["context_path"].as_str().unwrap();
        assert!(path.ends_with(document), "{path}");
        let path = made.report["context_json_path"].as_str().unwrap();
        assert!(path.ends_with(sidecar), "{path}");
        assert_eq!(made.stderr, "", "`--out` wins, and nothing is kept");
        // What this tool has written it may replace.
        rig.make(&["--out", out]);
    }
    let tmp = std::env::temp_dir().join("vibey-never-written");
    let before = rig.picture();
    for out in [
        "/etc/x",
        &text(&tmp),
        "../x",
        "../project-brain-evil/x",
        "up/x",
        "none/../../x",
        &text(&rig.dir.home().join("x")),
        &text(&rig.dir.home().join(".cache/x")),
    ] {
        let error = rig
            .run(&["--out", out, "--json"])
            .fails("out_outside_zones")
            .error();
        assert!(
            error.message.contains("outside both safe zones"),
            "{}",
            error.message
        );
    }
    assert_eq!(rig.picture(), before);
    assert!(!tmp.exists());
}

#[test]
fn out_replaces_nothing_that_it_has_not_written() {
    let rig = rig();
    rig.file("mine.md", "# Mine\n");
    rig.file("folder/context.json", "{\"refs\": []}");
    rig.file("data.json", "{}");
    rig.file(
        "leaf.md",
        "---\nkind: materialized-context\nartifact: x\ngenerated_at: now\nid: leaf\nsoft_links: []\n---\n",
    );
    rig.file(
        "start.md",
        "---\nkind: materialized-context\n---\nMy notes about it.\n",
    );
    let before = rig.picture();
    for out in [
        THREAD,
        "mine.md",
        "folder",
        "data.md",
        "tree/a.md",
        "leaf.md",
        "start.md",
    ] {
        rig.run(&["--out", out, "--json"]).fails("not_ours");
    }
    for out in [THREAD, "mine.md", "tree/a.md", "leaf.md", "start.md"] {
        rig.run(&["--out", out, "--json", "--detect-stale"])
            .fails("not_ours");
    }
    assert_eq!(rig.picture(), before);
    // What a report does not write is not in its way.
    for out in ["folder", "data.md"] {
        rig.run(&["--out", out, "--detect-stale"]).expect(0);
    }
    for out in [".git/hooks", ".git/notes.md", ".ssh", ".env.md"] {
        rig.run(&["--out", out, "--json"]).fails("out_private");
    }
    assert!(!rig.brain().join(".git").exists() && !rig.brain().join(".ssh").exists());
}

#[test]
fn answers_of_servers_stay_out_of_the_brain_in_every_mode() {
    let rig = rig();
    let web = Web::text("remote");
    rig.links(&[(&web.url("/"), "spec")]);
    let before = rig.picture();
    let brain = rig.brain();
    // A cache that leads into the brain, one that leads nowhere, and roots in the brain.
    let link = rig.dir.at("scratch-a");
    std::fs::create_dir(&link).unwrap();
    symlink(brain.join("tree"), link.join("cache")).unwrap();
    let dangling = rig.dir.at("scratch-b");
    std::fs::create_dir(&dangling).unwrap();
    symlink(brain.join("new"), dangling.join("cache")).unwrap();
    let xdg = rig.dir.at("xdg");
    std::fs::create_dir(&xdg).unwrap();
    symlink(&brain, xdg.join("project-brain")).unwrap();
    let cache = text(&rig.dir.home().join(".cache/project-brain/x"));
    for (name, value) in [
        ("MATERIALIZE_SCRATCH_ROOT", &link),
        ("MATERIALIZE_SCRATCH_ROOT", &dangling),
        ("MATERIALIZE_SCRATCH_ROOT", &brain.join("scratch")),
        ("XDG_CACHE_HOME", &brain),
        ("XDG_CACHE_HOME", &xdg),
    ] {
        for args in [
            &[][..],
            &["--dry-run"],
            &["--detect-stale"],
            &["--out", "out"],
            &["--out", &cache],
        ] {
            let mut command =
                rig.command(&[&[THREAD, "--json", "--allow-private-network"], args].concat());
            let run = outcome(command.env(name, value)).expect(1);
            let code = run.error().code;
            assert!(
                code == "scratch_unsafe" || code == "out_outside_zones",
                "{name} {value:?} {args:?}: {code}"
            );
            assert_eq!(rig.picture(), before, "{name} {value:?} {args:?}");
        }
    }
    assert_eq!(web.requests().len(), 0);
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let rig = rig();
    let long = "A paragraph of some length, one of many.\n\n".repeat(3_000);
    rig.file("tree/a.md", format!("# A\n\n{long}"));
    // A file may have so many blocks of 512 bytes: enough for the sidecar, not for the document.
    let limited = |args: &[&str]| {
        let script = "ulimit -f 40; exec \"$0\" \"$@\"";
        let mut command = rig.dir.program(&rig.brain(), "/bin/sh");
        command.args([
            "-c",
            script,
            crate::harness::BIN,
            "materialize",
            THREAD,
            "--consumer",
            "full",
            "--now",
            NOW,
        ]);
        outcome(command.args(args)).expect(1)
    };
    let root = rig.scratch().join("app/t");
    limited(&[]);
    assert_eq!(
        root.read_dir().unwrap().count(),
        0,
        "no folder with half of a result"
    );
    limited(&["--persist"]);
    let kept = rig.brain().join("threads/t/.context");
    assert_eq!(kept.read_dir().unwrap().count(), 0);
    for out in ["out", "notes.md"] {
        rig.run(&["--out", out, "--consumer", "brief"]).expect(0);
        let contents = || -> Vec<_> {
            let picture = rig.picture().into_iter();
            picture
                .map(|(path, (content, _))| (path, content))
                .collect()
        };
        let before = contents();
        limited(&["--out", out]);
        assert!(contents() == before, "{out}");
    }
}

#[test]
fn an_artifact_that_agents_may_not_read_is_none() {
    let rig = rig();
    rig.file("tree/closed/.agent-no-read.md", "");
    rig.file(
        "tree/closed/leaf.md",
        "---\nsoft_links: []\n---\n# Secret title\n",
    );
    for artifact in ["tree/closed/leaf.md", "tree/closed"] {
        let run = rig.plain(&[artifact, "--json"]).fails("artifact_excluded");
        let error = run.error();
        assert!(error.message.contains(".agent-no-read.md") && error.help.is_some());
        assert!(!run.stdout.contains("Secret title"));
    }
    assert!(!rig.scratch().exists());
}

#[test]
fn a_home_that_is_not_there_is_not_asked_for() {
    let rig = rig();
    let mut command = rig.command(&[THREAD, "--json"]);
    let error = outcome(command.env("HOME", "/nonexistent/x"))
        .fails("no_cache_folder")
        .error();
    let help = error.help.unwrap();
    assert!(
        !help.contains("set `HOME`") && help.contains("`MATERIALIZE_SCRATCH_ROOT`"),
        "{help}"
    );
}

#[test]
fn keeping_a_result_is_warned_of_at_every_verbosity() {
    let rig = rig();
    let path = rig
        .brain()
        .join(format!("threads/t/.context/{STAMP}/context.md"));
    for (number, verbosity) in [(1, "terse"), (2, "normal"), (3, "verbose")] {
        let now = format!("2026-11-30T12:00:0{number}Z");
        let run = rig
            .run(&["--persist", "--verbosity", verbosity, "--now", &now])
            .expect(0);
        let path = text(&path).replace(STAMP, &format!("20261130T12000{number}Z"));
        assert_eq!(run.stderr.lines().next(), Some(warning(&path).as_str()));
        assert!(
            run.stderr
                .contains("no rule of a `.gitignore` covers `.context/`")
        );
        assert!(!run.stderr.contains("private content:"), "{}", run.stderr);
    }
    rig.dir.file("app/.gitignore", ".context/\n");
    let run = rig.run(&["--persist", "--json"]).expect(0);
    assert_eq!(run.stderr, format!("{}\n", warning(&text(&path))));
    rig.run(&["--persist", "--json", "--now", NOW]).expect(1);
}

#[test]
fn a_collision_is_refused_and_so_is_a_way_out() {
    let rig = rig();
    rig.run(&["--persist"]).expect(0);
    let before = rig.picture();
    let run = rig.run(&["--persist", "--json"]).expect(1);
    assert_eq!(run.error().code, "persist_collision");
    assert!(
        run.error()
            .help
            .unwrap()
            .contains("pick a different `--out`")
    );
    assert_eq!(rig.picture(), before);
    let rig = self::rig();
    let elsewhere = rig.dir.at("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, rig.brain().join("threads/t/.context")).unwrap();
    let run = rig.run(&["--persist", "--json"]).expect(1);
    assert_eq!(run.error().code, "persist_escapes");
    assert_eq!(elsewhere.read_dir().unwrap().count(), 0);
}

#[test]
fn private_content_and_secrets_are_named_before_they_are_kept() {
    let rig = rig();
    let web = Web::text("remote");
    let uri = web.url("/");
    let file = rig.dir.file("notes.md", "of this machine");
    let file = format!("file://{}", text(&file));
    rig.links(&[("/a.md", "spec"), (&uri, "spec"), (&file, "spec")]);
    let run = rig.run(&["--persist", "--allow-private-network"]).expect(0);
    assert!(
        run.stderr
            .contains("it holds private content: 1 from http://, 1 from file://"),
        "{}",
        run.stderr
    );
    rig.file("tree/a.md", "# A\n\npassword = hunter2hunter2\n");
    rig.links(&[("/a.md", "spec")]);
    let later = ["--now", "2026-12-01T12:00:00Z"];
    let refused = rig
        .run(&[&["--persist", "--json"], &later[..]].concat())
        .expect(1);
    assert_eq!(refused.error().code, "persist_secrets");
    assert!(
        !rig.brain()
            .join("threads/t/.context/20261201T120000Z")
            .exists()
    );
    let made = rig.make(&[&["--persist", "--confirm-persist"], &later[..]].concat());
    assert_eq!(made.entry("/a.md")["secrets"], 1);
    assert!(
        made.warnings()
            .contains("`/a.md` holds 1 shape of a secret (labelled)"),
        "{}",
        made.warnings()
    );
    rig.run(&[]).expect(0);
}

#[test]
fn what_is_to_be_known_of_a_kept_result_stands_in_its_report_too() {
    let rig = rig();
    let file = rig.dir.file("notes.md", "of this machine");
    let file = format!("file://{}", text(&file));
    rig.file(
        "config.yaml",
        "primary_project: app\naliases: {app: {root: .., brain: .}, other: ../../other}\n",
    );
    rig.dir.file("app/src/a.py", "x = 1\n");
    rig.dir.file("other/b.md", "theirs");
    rig.links(&[
        (&file, "spec"),
        ("app:src/a.py", "spec"),
        ("app:tree/a.md", "spec"),
        ("other:b.md", "spec"),
    ]);
    let made = rig.make(&["--persist"]);
    // The artifact's own project is none of the others.
    let private = "it holds private content: 1 from aliased repositories, 1 from file://";
    let ignored = "no rule of a `.gitignore` covers `.context/`";
    assert_eq!(
        made.report["warnings"],
        serde_json::json!([private, ignored])
    );
    for sentence in [private, ignored] {
        assert!(
            made.stderr.contains(&format!("warning: {sentence}\n")),
            "{}",
            made.stderr
        );
    }
    assert_eq!(
        made.warnings(),
        "",
        "they are about the place, not about the content"
    );
}

#[test]
fn secrets_come_into_the_brain_by_no_option_unless_that_is_confirmed() {
    let rig = rig();
    rig.file("tree/a.md", "# A\n\npassword = hunter2hunter2\n");
    rig.file(
        "tree/b.md",
        "# B\n\npassword = hunter3hunter3\ntoken = hunter4hunter4\n",
    );
    rig.links(&[("/a.md", "spec"), ("/tree/a.md", "spec"), ("/b.md", "spec")]);
    let before = rig.picture();
    for (out, option) in [
        (&["--out", "out"][..], "--out"),
        (&["--out", "notes.md"], "--out"),
        (&["--persist"], "--persist"),
        (&["--out", "out", "--persist"], "--out"),
    ] {
        let error = rig.run(&[out, &["--json"]].concat()).expect(1).error();
        assert_eq!(error.code, "persist_secrets");
        // A file that two links lead to counts once.
        assert_eq!(
            error.message,
            format!("{option} would keep 3 secrets in the brain")
        );
        let plan = rig.run(&[out, &["--dry-run"]].concat()).expect(0);
        assert!(
            plan.stderr
                .contains("`/b.md` holds 2 shapes of secrets (labelled)"),
            "{}",
            plan.stderr
        );
        assert!(
            plan.stderr
                .contains(&format!("a run is refused: {option} would keep 3")),
            "{}",
            plan.stderr
        );
    }
    assert_eq!(rig.picture(), before);
    let cache = text(&rig.dir.home().join(".cache/project-brain/x"));
    rig.run(&["--out", &cache]).expect(0);
    rig.run(&["--out", "out", "--detect-stale"]).expect(0);
    let made = rig.make(&["--out", "out", "--confirm-persist"]);
    assert_eq!(made.entry("/b.md")["secrets"], 2);
    rig.links(&[("/a.md", "spec")]);
    let error = rig
        .run(&["--out", "out", "--json"])
        .fails("persist_secrets")
        .error();
    assert_eq!(error.message, "--out would keep 1 secret in the brain");
}

#[test]
fn strict_keeps_only_what_was_confirmed() {
    let rig = rig();
    let before = rig.picture();
    let run = rig.run(&["--persist", "--strict"]).expect(1);
    assert!(
        run.stderr.starts_with("⚠ --persist will write"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("--confirm-persist"), "{}", run.stderr);
    assert_eq!(rig.picture(), before);
    rig.run(&["--persist", "--strict", "--confirm-persist"])
        .expect(0);
    rig.run(&["--strict"]).expect(0);
}
