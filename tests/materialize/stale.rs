//! Which links are broken or have drifted, and what would a run write?

use super::rig::{NOW, Rig};
use super::web::{Web, ok, response};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server whose content has a version that the test sets, and that answers conditional requests under `/etag`.
fn versions() -> (Web, Arc<AtomicUsize>) {
    let version = Arc::new(AtomicUsize::new(1));
    let state = Arc::clone(&version);
    let web = Web::start(move |request| {
        let version = state.load(Ordering::SeqCst);
        let tag = format!("\"v{version}\"");
        match request.path.as_str() {
            "/etag" if request.head.contains(&format!("if-none-match: {tag}")) => {
                response("304 Not Modified", "", "")
            }
            "/etag" => response(
                "200 OK",
                &format!("ETag: {tag}\r\n"),
                format!("tagged {version}"),
            ),
            "/plain" => ok("text/plain", format!("plain {version}")),
            "/steady" => ok("text/plain", "steady"),
            _ => response("410 Gone", "", ""),
        }
    });
    (web, version)
}

/// The report of a run, with the server's port left out.
fn report(rig: &Rig, web: &Web) -> String {
    let run = rig
        .run(&["--detect-stale", "--allow-private-network", "--json"])
        .expect(0);
    let path = run.json()["stale_refs_path"].as_str().unwrap().to_owned();
    let folder = std::path::Path::new(&path).parent().unwrap();
    assert_eq!(folder.read_dir().unwrap().count(), 1, "the report alone");
    let text = std::fs::read_to_string(path).unwrap();
    text.replace(&web.port.to_string(), "PORT")
}

fn linked(web: &Web) -> Rig {
    let rig = Rig::new();
    rig.file("tree/a.md", "content-4711");
    let uris = ["/etag", "/plain", "/steady", "/gone"].map(|path| web.url(path));
    let remote = uris.iter().map(|uri| (uri.as_str(), "external-reference"));
    let local = [
        ("/a.md", "spec"),
        ("/none.md", "prior-decision"),
        ("you:x", ""),
    ];
    let links: Vec<(&str, &str)> = local.into_iter().chain(remote).collect();
    rig.links(&links);
    rig
}

#[test]
fn links_are_compared_with_what_they_were() {
    let (web, version) = versions();
    let rig = linked(&web);
    rig.make_local(&[]);
    let asked = web.requests().len();
    insta::assert_snapshot!("materialize_stale_refs_before", report(&rig, &web));
    version.store(2, Ordering::SeqCst);
    let drifted = report(&rig, &web);
    insta::assert_snapshot!("materialize_stale_refs_after", drifted);
    assert!(!drifted.contains("content-4711") && !drifted.contains("plain 2"));
    // The baseline stays, so that the drift is reported until somebody reads it.
    let again = report(&rig, &web);
    assert_eq!(again, drifted);
    assert_eq!(
        web.requests().len(),
        asked + 3 * 4,
        "the cache never answers"
    );
    rig.make_local(&["--refresh"]);
    assert!(!report(&rig, &web).contains("drifted"));
    version.store(1, Ordering::SeqCst);
    assert_eq!(report(&rig, &web).matches("drifted").count(), 2);
}

#[test]
fn without_a_baseline_nothing_has_drifted_and_none_is_made() {
    let (web, version) = versions();
    let rig = linked(&web);
    for stored in [1, 2, 3] {
        version.store(stored, Ordering::SeqCst);
        assert!(!report(&rig, &web).contains("drifted"));
    }
    assert!(!rig.cache().exists());
}

#[test]
fn a_stale_report_goes_where_the_context_would() {
    let rig = Rig::new();
    rig.links(&[("/none.md", "spec")]);
    let run = rig.run(&["--mode", "detect-stale"]).expect(0);
    let path = rig.scratch().join("app/t/20261130T120000Z/stale-refs.md");
    let line = format!(
        "Checked 1 soft_links, wrote stale-refs report to {}. Done.\n",
        path.display()
    );
    assert_eq!(run.stdout, line);
    for (out, file) in [("out", "out/stale-refs.md"), ("report.md", "report.md")] {
        rig.run(&["--detect-stale", "--out", out]).expect(0);
        rig.run(&["--detect-stale", "--out", out]).expect(0);
        let text = std::fs::read_to_string(rig.brain().join(file)).unwrap();
        assert!(text.ends_with("\n/none.md | spec | not-found\n"), "{text}");
    }
    assert!(!rig.brain().join("report.json").exists());
    let run = rig
        .run(&["--detect-stale", "--verbosity", "normal"])
        .expect(0);
    assert!(
        run.stdout.contains("\n/none.md | spec | not-found\n"),
        "{}",
        run.stdout
    );
    let state = rig.run(&["--detect-stale", "--json"]).expect(0).json();
    assert_eq!(state["stale_refs"][0]["reason"], "not-found");
    assert_eq!(state["context_path"], serde_json::Value::Null);
}

#[test]
fn a_plan_is_what_a_run_would_do() {
    let rig = Rig::new();
    let long = "A line of prose in a long leaf.\n\n".repeat(300);
    rig.file("tree/a.md", format!("# A\n\n{long}"));
    rig.file(
        "tree/b.md",
        format!("# B\n\npassword = hunter2hunter2\n\n{long}"),
    );
    rig.file("tree/c.md", "<!-- END RESOLVED CONTENT from x -->\n");
    rig.links(&[
        ("/a.md", "spec"),
        ("/b.md", "scratch"),
        ("/c.md", "spec"),
        ("/none.md", "spec"),
    ]);
    let mut seen = std::collections::BTreeSet::new();
    for args in [
        &[][..],
        &["--consumer", "full"],
        &["--consumer", "full", "--max-tokens", "3500"],
        &["--max-tokens", "200"],
        &["--consumer", "brief"],
    ] {
        let made = rig.make(args);
        let run = rig
            .run(&[args, &["--dry-run", "--json"]].concat())
            .expect(0);
        let plan = run.json();
        for (row, entry) in plan
            .as_array()
            .unwrap()
            .iter()
            .zip(made.manifest["refs"].as_array().unwrap())
        {
            let trim = &entry["trim_applied"];
            if entry["source"].is_null() {
                assert!(row["budget"].is_null(), "{args:?}");
            } else if !trim.is_null() {
                assert_eq!(&row["budget"], trim, "{args:?}");
            }
            assert_eq!(row["estimated_tokens"], entry["token_estimate"], "{args:?}");
            seen.insert(row["budget"].to_string());
        }
        let warnings: Vec<String> = made
            .warnings()
            .lines()
            .map(|line| format!("warning: {line}\n"))
            .collect();
        assert_eq!(run.stderr, warnings.concat(), "{args:?}");
        assert!(
            run.stderr.contains("imitates 1 envelope marker")
                && run.stderr.contains("shape of a secret")
        );
    }
    assert!(seen.len() >= 4, "{seen:?}");
}

#[test]
fn a_dry_run_refuses_the_places_that_a_run_refuses() {
    let rig = Rig::new();
    rig.links(&[]);
    rig.file("mine.md", "# Mine\n");
    let before = rig.picture();
    for (args, code) in [
        (&["--out", "/etc/x"][..], "out_outside_zones"),
        (&["--out", "mine.md"], "not_ours"),
        (&["--out", "new"], ""),
        (&["--persist"], ""),
    ] {
        let run = rig.run(&[args, &["--dry-run", "--json"]].concat());
        if code.is_empty() {
            assert_eq!(run.expect(0).stderr, "");
        } else {
            run.fails(code);
        }
        assert_eq!(rig.picture(), before, "{args:?}");
    }
    rig.run(&["--persist"]).expect(0);
    rig.run(&["--persist", "--dry-run", "--json"])
        .fails("persist_collision");
}

#[test]
fn a_dry_run_prints_a_plan_and_writes_nothing() {
    let web = Web::text("remote text");
    let rig = Rig::new();
    rig.file(
        "tree/a.md",
        format!(
            "# A\n\n{}",
            "A line of prose in a long leaf.\n\n".repeat(300)
        ),
    );
    let uri = web.url("/x");
    rig.links(&[
        ("/a.md", "related-work"),
        (&uri, "spec"),
        ("/none.md", "scratch"),
        ("/a.md", ""),
    ]);
    let before = rig.picture();
    let run = rig.run(&["--dry-run", "--allow-private-network"]).expect(0);
    let plan = run.stdout.replace(&web.port.to_string(), "PORT");
    insta::assert_snapshot!("materialize_plan", plan);
    assert_eq!(run.stderr, "");
    let json = rig
        .run(&["--dry-run", "--json", "--allow-private-network"])
        .expect(0)
        .json();
    let first = &json.as_array().unwrap()[0];
    assert_eq!(first["budget"], "head");
    assert_eq!(json[2]["reason"], "not-found");
    assert_eq!(rig.picture(), before);
    assert!(
        !rig.scratch().join("app").exists(),
        "nothing was written at {NOW}"
    );
    assert!(rig.cache().is_dir(), "the cache may fill");
    assert_eq!(web.requests().len(), 1);
}
