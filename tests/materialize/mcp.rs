//! What becomes of links to MCP servers, whatever these do?

use super::mcp_server::{http, stdio};
use super::rig::{Made, Rig};
use super::web::{Web, response};
use serde_json::{Value, json};

/// A brain with links to these resources, and servers by name in the user's configuration.
struct Bed {
    rig: Rig,
    uris: Vec<String>,
}

impl Bed {
    fn new(servers: &Value, uris: &[&str]) -> Self {
        let rig = Rig::new();
        let config = json!({"mcpServers": servers}).to_string();
        let folder = rig.dir.home().join(".config/project-brain");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("mcp.json"), config).unwrap();
        let links: Vec<(&str, &str)> = uris.iter().map(|uri| (*uri, "spec")).collect();
        rig.links(&links);
        Self {
            rig,
            uris: uris.iter().map(|uri| (*uri).to_owned()).collect(),
        }
    }

    /// A file in which servers note that they run.
    fn note(dir: &tempfile::TempDir) -> String {
        dir.path().join("note").to_str().unwrap().to_owned()
    }

    /// Fails unless every link is unresolved for this reason.
    #[track_caller]
    fn all_are(&self, reason: &str, args: &[&str]) -> Made {
        let made = self.rig.make(args);
        for uri in &self.uris {
            assert_eq!(made.reason(uri), reason, "{uri}");
        }
        made
    }
}

const READ: [(&str, &str); 4] = [
    ("mcp://notes/whole", "whole link"),
    ("mcp://notes/bare", "bare bare"),
    ("mcp://notes/deep/er", "bare deep/er"),
    ("mcp://notes/notes://own", "bare notes://own"),
];

#[test]
fn resources_are_read_over_pipes_and_over_http() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, server) in [
        ("stdio", stdio("serves", &Bed::note(&scratch))),
        ("http", http("http")),
    ] {
        let bed = Bed::new(&json!({"notes": server}), &READ.map(|(uri, _)| uri));
        let made = bed.rig.make(&[]);
        let contents: Vec<String> = made
            .envelopes()
            .into_iter()
            .map(|one| one.content)
            .collect();
        assert_eq!(contents, READ.map(|(_, text)| format!("{text} at {name}")));
        assert_eq!(
            made.entry("mcp://notes/whole")["source"],
            "mcp://notes/whole"
        );
    }
    let note = std::fs::read_to_string(Bed::note(&scratch)).unwrap();
    assert_eq!(
        note.lines().count(),
        1,
        "one server is started once: {note}"
    );
}

#[test]
fn other_content_is_converted_or_named() {
    let bed = Bed::new(
        &json!({"notes": http("h")}),
        &["mcp://notes/page", "mcp://notes/mixed"],
    );
    let made = bed.rig.make(&[]);
    assert_eq!(made.envelopes()[0].content, "# Page\n\nx\n");
    assert_eq!(
        made.envelopes()[1].content,
        "first\n[image/png, 4 bytes: not shown]\n"
    );
}

#[test]
fn unknown_and_broken_resources_are_told_from_unreachable_servers() {
    let bed = Bed::new(
        &json!({"notes": http("h")}),
        &[
            "mcp://notes/none",
            "mcp://notes/broken",
            "mcp://notes/unsupported",
        ],
    );
    let made = bed.rig.make(&[]);
    assert_eq!(made.reason("mcp://notes/unsupported"), "mcp-error: -32601");
    let warnings = made.warnings();
    assert!(
        warnings.contains(
            "`mcp://notes/unsupported` is unresolved: mcp-error: -32601 (resources/read)"
        ),
        "{warnings}"
    );
    let said =
        "`mcp://notes/broken` is unresolved: mcp-error: -32603 (the index is broken and so on";
    let line = warnings
        .lines()
        .find(|line| line.starts_with(said))
        .unwrap();
    assert!(line.chars().count() < 300 && line.ends_with("…)"), "{line}");
    assert_eq!(made.reason("mcp://notes/none"), "not-found");
    assert_eq!(made.reason("mcp://notes/broken"), "mcp-error: -32603");
}

#[test]
fn servers_that_die_hang_or_talk_garbage_are_unreachable() {
    for role in ["dies", "hangs", "garbage"] {
        let scratch = tempfile::tempdir().unwrap();
        let note = Bed::note(&scratch);
        // A second server could answer, and must not be asked.
        let servers = json!({"notes": stdio(role, &note), "other": http("other")});
        let bed = Bed::new(&servers, &["mcp://notes/whole", "mcp://notes/bare"]);
        bed.all_are("mcp-unreachable: notes", &["--timeout", "2"]);
        let note = std::fs::read_to_string(note).unwrap();
        let pid = note.split_whitespace().last().unwrap();
        assert!(
            !std::path::Path::new("/proc").join(pid).exists(),
            "{role} is left behind"
        );
    }
}

#[test]
fn what_is_answered_with_another_resource_is_named() {
    let bed = Bed::new(&json!({"notes": http("h")}), &["mcp://notes/other"]);
    let made = bed.rig.make(&[]);
    assert_eq!(made.content(), "of another");
    assert_eq!(
        made.warnings(),
        "`mcp://notes/other` was answered with `notes://another`"
    );
}

#[test]
fn what_a_server_has_started_ends_with_it() {
    let scratch = tempfile::tempdir().unwrap();
    let note = Bed::note(&scratch);
    // One in its group, one that has left it, and one whose parent has gone.
    let script = "sleep 1000 & echo $! >> \"$NOTE\"; setsid sleep 1000 & echo $! >> \"$NOTE\"; \
                  (setsid sh -c 'sleep 1000 & echo $! >> \"$NOTE\"'); sleep 0.2";
    let server = json!({"command": "/bin/sh", "args": ["-c", script], "env": {"NOTE": note, "PATH": "/usr/bin:/bin"}});
    let bed = Bed::new(&json!({"notes": server}), &["mcp://notes/whole"]);
    bed.all_are("mcp-unreachable: notes", &["--timeout", "5"]);
    let pids = std::fs::read_to_string(note).unwrap();
    assert_eq!(pids.lines().count(), 3, "{pids}");
    for pid in pids.lines() {
        assert!(
            !std::path::Path::new("/proc").join(pid).exists(),
            "{pid} is left behind"
        );
    }
}

#[test]
fn a_program_that_ends_says_how() {
    for (command, args, hint) in [
        (
            "/bin/sh",
            "echo starting >&2; echo 'cannot log in: password=hunter2hunter2' >&2; echo >&2; exit 3",
            "`/bin/sh` ended with exit status 3: cannot log in: password=[redacted:labelled]",
        ),
        ("/bin/sh", "exit 0", "`/bin/sh` ended with exit status 0"),
        ("/bin/sh", "kill -9 $$", "`/bin/sh` was ended by signal 9"),
        (
            "/no/such/program",
            "",
            "program `/no/such/program` not found",
        ),
        (
            "/bin/sh",
            "head -c 300000 /dev/zero | tr '\\0' 'a' >&2; echo >&2; echo last words >&2; exit 1",
            "`/bin/sh` ended with exit status 1: last words",
        ),
    ] {
        let server =
            json!({"command": command, "args": ["-c", args], "env": {"PATH": "/usr/bin:/bin"}});
        let bed = Bed::new(&json!({"notes": server}), &["mcp://notes/whole"]);
        let made = bed.all_are("mcp-unreachable: notes", &["--timeout", "20"]);
        let expected =
            format!("`mcp://notes/whole` is unresolved: mcp-unreachable: notes ({hint})");
        assert_eq!(made.warnings(), expected);
    }
}

#[test]
fn a_configuration_without_servers_is_warned_of() {
    let bed = Bed::new(&json!({}), &["mcp://notes/whole"]);
    let config = bed.rig.dir.home().join(".config/project-brain/mcp.json");
    std::fs::write(
        &config,
        json!({"servers": {"notes": http("h")}}).to_string(),
    )
    .unwrap();
    let made = bed.all_are("mcp-unreachable: notes", &[]);
    assert!(
        made.warnings()
            .starts_with("`mcp.json` has no `mcpServers`\n"),
        "{}",
        made.warnings()
    );
    let named = bed.rig.dir.file("servers.json", "{}");
    let made = bed.rig.make(&["--mcp-config", named.to_str().unwrap()]);
    assert!(
        made.warnings()
            .contains("`servers.json` has no `mcpServers`"),
        "{}",
        made.warnings()
    );
}

#[test]
fn a_server_that_stops_answering_keeps_what_it_has_said() {
    let scratch = tempfile::tempdir().unwrap();
    let server = stdio("hangs-later", &Bed::note(&scratch));
    let bed = Bed::new(
        &json!({"notes": server}),
        &["mcp://notes/whole", "mcp://notes/zzz"],
    );
    let made = bed.rig.make(&["--timeout", "2"]);
    assert_eq!(made.content(), "whole link at stdio");
    assert_eq!(made.reason("mcp://notes/zzz"), "mcp-unreachable: notes");
}

#[test]
fn servers_that_are_not_there_are_unreachable_with_a_hint() {
    let closed = json!({"url": "http://127.0.0.1:9/mcp"});
    let missing = json!({"command": "/no/such/program"});
    for server in [closed, missing] {
        let bed = Bed::new(&json!({"notes": server}), &["mcp://notes/whole"]);
        bed.all_are("mcp-unreachable: notes", &["--timeout", "5"]);
    }
    let bed = Bed::new(
        &json!({"other": http("other")}),
        &["mcp://notes/whole", "mcp://Other/bare"],
    );
    let made = bed.rig.make(&[]);
    assert_eq!(made.reason("mcp://notes/whole"), "mcp-unreachable: notes");
    assert_eq!(made.reason("mcp://Other/bare"), "mcp-unreachable: Other");
    assert!(
        made.warnings().contains("--mcp-config"),
        "{}",
        made.warnings()
    );
}

#[test]
fn a_project_names_servers_only_where_it_is_trusted() {
    let scratch = tempfile::tempdir().unwrap();
    let note = Bed::note(&scratch);
    let bed = Bed::new(&json!({}), &["mcp://notes/whole"]);
    let hostile = json!({"mcpServers": {"notes": stdio("serves", &note)}}).to_string();
    bed.rig.dir.file("app/.mcp.json", &hostile);
    bed.rig.file(".mcp.json", &hostile);
    let made = bed.all_are("mcp-unreachable: notes", &[]);
    assert!(
        made.warnings().contains("--trust-project-mcp"),
        "{}",
        made.warnings()
    );
    assert!(
        !std::path::Path::new(&note).exists(),
        "the server was started"
    );
    let made = bed.rig.make(&["--trust-project-mcp"]);
    assert_eq!(made.content(), "whole link at stdio");
}

#[test]
fn a_named_configuration_stands_instead_of_the_users_own() {
    let bed = Bed::new(&json!({"notes": http("own")}), &["mcp://notes/whole"]);
    let named = json!({"mcpServers": {"notes": http("named")}}).to_string();
    let path = bed.rig.dir.file("servers.json", named);
    let made = bed.rig.make(&["--mcp-config", path.to_str().unwrap()]);
    assert_eq!(made.content(), "whole link at named");
    std::fs::write(&path, "{").unwrap();
    let refused = bed.rig.run(&[
        "--refresh",
        "--json",
        "--mcp-config",
        path.to_str().unwrap(),
    ]);
    refused.fails("mcp_config");
    let none = bed.rig.run(&["--json", "--mcp-config", "none.json"]);
    none.fails("mcp_config");
}

#[test]
fn what_another_server_said_stands_for_nothing() {
    let uri = "mcp://notes/whole";
    let scratch = tempfile::tempdir().unwrap();
    let note = Bed::note(&scratch);
    let first = json!({"notes": stdio("serves", &note)});
    let bed = Bed::new(&first, &[uri]);
    let config = bed.rig.dir.home().join(".config/project-brain/mcp.json");
    let configure = |servers: &Value| {
        std::fs::write(&config, json!({"mcpServers": servers}).to_string()).unwrap();
    };
    assert_eq!(bed.rig.make(&[]).content(), "whole link at stdio");
    let starts = || std::fs::read_to_string(&note).unwrap().lines().count();
    assert_eq!(bed.rig.make(&[]).content(), "whole link at stdio");
    assert_eq!(starts(), 1, "the second answer is that of the cache");
    // What the server is given may change; it stays the same one.
    let mut second = first.clone();
    second["notes"]["env"]["TOKEN"] = json!("t");
    configure(&second);
    assert_eq!(bed.rig.make(&[]).content(), "whole link at stdio");
    assert_eq!(starts(), 1);
    configure(&json!({"other": http("other")}));
    bed.all_are("mcp-unreachable: notes", &[]);
    let stale = bed.rig.run(&["--detect-stale", "--json"]).expect(0).json();
    assert_eq!(stale["stale_refs"][0]["reason"], "mcp-unreachable: notes");
    let other = json!({"notes": http("http")});
    configure(&other);
    let stale = bed.rig.run(&["--detect-stale", "--json"]).expect(0).json();
    assert_eq!(
        stale["stale_refs"],
        json!([]),
        "another server is no baseline"
    );
    assert_eq!(bed.rig.make(&[]).content(), "whole link at http");
    let mut moved = first;
    moved["notes"]["cwd"] = json!("/");
    configure(&moved);
    assert_eq!(bed.rig.make(&[]).content(), "whole link at stdio");
    assert_eq!(starts(), 2);
}

#[test]
fn what_a_server_knows_us_by_goes_to_no_other_host() {
    let other = Web::text("elsewhere");
    // Another host, and another port of the same one.
    for elsewhere in [
        other.url("/mcp").replace("127.0.0.1", "localhost"),
        other.url("/mcp"),
    ] {
        let web = Web::start(move |_| {
            response(
                "307 Temporary Redirect",
                &format!("Location: {elsewhere}\r\n"),
                "",
            )
        });
        let server = json!({"url": web.url("/mcp"), "headers": {"X-Key": "k3y"}});
        let bed = Bed::new(&json!({"notes": server}), &["mcp://notes/whole"]);
        bed.all_are("mcp-unreachable: notes", &["--timeout", "5"]);
        assert!(web.requests()[0].head.contains("x-key: k3y"));
        assert_eq!(other.requests().len(), 0);
    }
}

#[test]
fn user_and_password_of_a_link_are_shown_nowhere() {
    let bed = Bed::new(
        &json!({"notes": http("h")}),
        &["mcp://ana:SECRETPW@notes/whole"],
    );
    let made = bed.rig.make(&[]);
    assert_eq!(made.reason("mcp://notes/whole"), "mcp-unreachable: notes");
    let run = bed.rig.run(&["--verbosity", "verbose"]).expect(0);
    for text in [
        &made.text,
        &made.manifest.to_string(),
        &run.stdout,
        &run.stderr,
    ] {
        assert!(!text.contains("SECRETPW"), "{text}");
    }
}

#[test]
fn parts_of_a_resource_are_kept_apart() {
    let uris = ["mcp://notes/notes://own", "mcp://notes/bare"];
    let bed = Bed::new(&json!({"notes": http("h")}), &uris);
    bed.rig.make(&[]);
    // The server decides what stands behind a `#`, so the cache must not.
    bed.rig.links(&[("mcp://notes/bare#part", "spec")]);
    assert_eq!(
        bed.rig.make(&[]).reason("mcp://notes/bare#part"),
        "not-found"
    );
}

#[test]
fn a_started_server_sees_little_of_the_environment() {
    let bed = Bed::new(
        &json!({"notes": {"command": "/bin/sh", "args": ["-c", "export -p > \"$OUT\""], "env": {"OUT": "env.txt"}}}),
        &["mcp://notes/whole"],
    );
    let mut command = bed.rig.command(&[super::rig::THREAD, "--json"]);
    command.env("SECRET_TOKEN", "s3cr3t").env("LANG", "C.UTF-8");
    crate::harness::outcome(&mut command).expect(0);
    let seen = bed.rig.dir.home().join(".config/project-brain/env.txt");
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("C.UTF-8") && seen.contains("HOME="), "{seen}");
    assert!(!seen.contains("SECRET_TOKEN"), "{seen}");
}
