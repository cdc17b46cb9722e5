//! What is kept of servers' answers, and how long does it stand for them?

use super::rig::{Rig, THREAD, made};
use super::web::{Web, ok, response};
use crate::harness::outcome;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server whose answer names how often it was asked.
fn counting() -> Web {
    let count = AtomicUsize::new(0);
    Web::start(move |_| {
        let count = count.fetch_add(1, Ordering::SeqCst);
        ok("text/plain", format!("answer {count}"))
    })
}

fn rig(web: &Web) -> Rig {
    let rig = Rig::new();
    rig.links(&[(&web.url("/x"), "spec")]);
    rig
}

#[test]
fn a_second_run_asks_nobody_and_a_refresh_does() {
    let web = counting();
    let rig = rig(&web);
    let first = rig.make_local(&[]);
    assert_eq!(first.content(), "answer 0");
    let later = ["--now", "2026-11-30T20:00:00Z"];
    let second = rig.make_local(&later);
    assert_eq!(second.content(), "answer 0");
    assert_eq!(web.requests().len(), 1);
    // Cached bytes keep the time at which they came.
    assert!(
        second.text.contains("fetched: 2026-11-30T12:00:00.000Z"),
        "{}",
        second.text
    );
    assert_eq!(rig.make_local(&["--refresh"]).content(), "answer 1");
    assert_eq!(rig.make_local(&[]).content(), "answer 1");
    assert_eq!(web.requests().len(), 2);
}

#[test]
fn an_answer_stands_for_less_than_a_day() {
    let web = counting();
    let rig = rig(&web);
    for (now, content) in [
        ("2026-11-30T12:00:00Z", "answer 0"),
        ("2026-12-01T11:59:59Z", "answer 0"),
        ("2026-12-01T12:00:00Z", "answer 1"),
        ("2026-12-02T11:59:59Z", "answer 1"),
    ] {
        assert_eq!(rig.make_local(&["--now", now]).content(), content, "{now}");
    }
}

#[test]
fn a_corrupt_entry_is_warned_of_and_fetched_again() {
    let web = counting();
    let rig = rig(&web);
    for (round, name) in ["response.bin", "meta.json"].iter().enumerate() {
        rig.make_local(&[]);
        let entry = rig
            .cache()
            .read_dir()
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        std::fs::write(entry.join(name), "broken").unwrap();
        let made = rig.make_local(&[]);
        assert_eq!(made.content(), format!("answer {}", round + 1), "{name}");
        assert!(made.warnings().contains("corrupt"), "{}", made.warnings());
        assert_eq!(rig.make_local(&[]).warnings(), "");
    }
}

#[test]
fn whatever_stands_in_an_entry_gives_way_to_an_answer() {
    let web = counting();
    let rig = rig(&web);
    for (round, name) in ["response.bin", "meta.json"].iter().enumerate() {
        rig.make_local(&[]);
        let path = meta(&rig).with_file_name(name);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir_all(path.join("folder")).unwrap();
        let made = rig.make_local(&[]);
        assert_eq!(made.content(), format!("answer {}", 2 * round + 1));
        let sentence = format!("is corrupt and is not used: `{name}` is a folder");
        assert!(made.warnings().ends_with(&sentence), "{}", made.warnings());
        assert_eq!(rig.make_local(&[]).warnings(), "");
        std::fs::remove_file(&path).unwrap();
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let made = rig.make_local(&[]);
        assert_eq!(made.content(), format!("answer {}", 2 * round + 2));
        assert!(
            made.warnings().ends_with("is a fifo"),
            "{}",
            made.warnings()
        );
    }
}

#[test]
fn a_lock_that_somebody_holds_holds_nobody_up_for_each_link() {
    let web = counting();
    let rig = Rig::new();
    let uris: Vec<String> = (0..8)
        .map(|number| web.url(&format!("/{number}")))
        .collect();
    let links: Vec<(&str, &str)> = uris.iter().map(|uri| (uri.as_str(), "spec")).collect();
    rig.links(&links);
    rig.make_local(&[]);
    let locks: Vec<_> = rig
        .cache()
        .read_dir()
        .unwrap()
        .map(|entry| {
            let lock = entry.unwrap().path().join("lock");
            vibey_context_host::lock::acquire(&lock, std::time::Duration::ZERO, &mut || {}).unwrap()
        })
        .collect();
    assert_eq!(locks.len(), 8);
    // What is whole is read at once.
    assert_eq!(rig.make_local(&[]).warnings(), "");
    assert_eq!(web.requests().len(), 8);
    // The bound of every run would end one that waits for each.
    let made = rig.make_local(&["--refresh"]);
    assert_eq!(made.report["refs_resolved"], 8);
    assert!(
        made.warnings()
            .contains("the cache can not be written: it is in use"),
        "{}",
        made.warnings()
    );
}

#[test]
fn failures_are_never_kept() {
    let down = Arc::new(AtomicUsize::new(1));
    let state = Arc::clone(&down);
    let web = Web::start(move |_| match state.load(Ordering::SeqCst) {
        0 => ok("text/plain", "up again"),
        _ => response("503 Service Unavailable", "", "down"),
    });
    let rig = rig(&web);
    let uri = web.url("/x");
    assert_eq!(rig.make_local(&[]).reason(&uri), "http 503");
    assert!(!rig.cache().exists());
    down.store(0, Ordering::SeqCst);
    assert_eq!(rig.make_local(&[]).content(), "up again");
}

#[test]
fn a_refresh_that_fails_says_so_and_keeps_what_was() {
    let down = Arc::new(AtomicUsize::new(0));
    let state = Arc::clone(&down);
    let web = Web::start(move |_| match state.load(Ordering::SeqCst) {
        0 => ok("text/plain", "kept"),
        _ => response("500 Internal Server Error", "", ""),
    });
    let rig = rig(&web);
    assert_eq!(rig.make_local(&[]).content(), "kept");
    down.store(1, Ordering::SeqCst);
    assert_eq!(
        rig.make_local(&["--refresh"]).reason(&web.url("/x")),
        "http 500"
    );
    assert_eq!(rig.make_local(&[]).content(), "kept");
}

#[test]
fn eight_processes_at_once_leave_one_whole_answer() {
    let web = counting();
    let rig = rig(&web);
    let runs: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| rig.run(&["--allow-private-network", "--refresh", "--json"])))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let mut paths = std::collections::BTreeSet::new();
    for run in runs {
        let made = made(run);
        assert!(made.content().starts_with("answer "));
        assert_eq!(made.warnings(), "");
        paths.insert(made.report["context_path"].to_string());
    }
    assert_eq!(paths.len(), 8, "each has a place of its own");
    let after = rig.make_local(&[]);
    assert_eq!(after.warnings(), "");
    assert!(after.content().starts_with("answer "));
    let entry = rig
        .cache()
        .read_dir()
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut names: Vec<String> = entry
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["lock", "meta.json", "response.bin"]);
}

/// The description of the only answer.
fn meta(rig: &Rig) -> std::path::PathBuf {
    let entry = rig.cache().read_dir().unwrap().next().unwrap();
    entry.unwrap().path().join("meta.json")
}

#[test]
fn an_answer_of_this_machine_stands_only_where_this_machine_may_be_asked() {
    let web = counting();
    let uri = web.url("/x");
    // By its address and by its name.
    for link in [uri.clone(), uri.replace("127.0.0.1", "localhost")] {
        let rig = Rig::new();
        rig.links(&[(&link, "spec")]);
        let first = rig.make_local(&[]).content();
        let refused = rig.make(&[]);
        assert_eq!(refused.reason(&link), "network-error: private-address");
        assert!(!refused.text.contains("answer"), "{}", refused.text);
        assert_eq!(rig.make_local(&[]).content(), first, "it is still there");
    }
    let rig = rig(&web);
    rig.make_local(&[]);
    let asked = web.requests().len();
    let plan = rig.run(&["--dry-run"]).expect(0);
    assert!(plan.stdout.contains("private-address"), "{}", plan.stdout);
    assert_eq!(web.requests().len(), asked);
}

#[test]
fn an_answer_of_an_address_that_is_never_asked_stands_for_nothing() {
    let web = counting();
    let rig = rig(&web);
    rig.make_local(&[]);
    let forbidden = "http://169.254.169.254/latest";
    let planted = rig
        .cache()
        .join(vibey_context_contracts::digest::sha256_hex(
            forbidden.as_bytes(),
        ));
    let text = std::fs::read_to_string(meta(&rig))
        .unwrap()
        .replace(&web.url("/x"), forbidden);
    std::fs::create_dir(&planted).unwrap();
    std::fs::write(planted.join("meta.json"), text.replace("private", "public")).unwrap();
    std::fs::write(planted.join("response.bin"), "answer 0").unwrap();
    rig.links(&[(forbidden, "spec")]);
    assert_eq!(
        rig.make_local(&[]).reason(forbidden),
        "network-error: address-refused"
    );
}

#[test]
fn an_answer_of_nobody_knows_whom_is_asked_for_again() {
    let web = counting();
    let rig = rig(&web);
    rig.make_local(&[]);
    let mut text: serde_json::Value =
        serde_json::from_slice(&std::fs::read(meta(&rig)).unwrap()).unwrap();
    assert_eq!(text["peer"], "private");
    text.as_object_mut().unwrap().remove("peer");
    std::fs::write(meta(&rig), text.to_string()).unwrap();
    let made = rig.make_local(&[]);
    assert_eq!(
        (made.content().as_str(), made.warnings().as_str()),
        ("answer 1", "")
    );
    assert_eq!(rig.make_local(&[]).content(), "answer 1");
}

#[test]
fn validators_are_kept_for_later() {
    let web = Web::start(|_| {
        let headers = "Content-Type: text/plain\r\nETag: \"v1\"\r\nLast-Modified: Mon, 30 Nov 2026 10:00:00 GMT\r\n";
        response("200 OK", headers, "x")
    });
    let rig = rig(&web);
    rig.make_local(&[]);
    let entry = rig
        .cache()
        .read_dir()
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let meta = std::fs::read_to_string(entry.join("meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    assert_eq!(meta["uri"], web.url("/x"));
    assert_eq!(meta["etag"], "\"v1\"");
    assert_eq!(meta["last_modified"], "Mon, 30 Nov 2026 10:00:00 GMT");
    assert_eq!(meta["content_type"], "text/plain");
    assert_eq!(meta["fetched_at"], "2026-11-30T12:00:00.000Z");
}

#[test]
fn a_cache_that_can_not_be_written_costs_a_warning() {
    let web = counting();
    let rig = rig(&web);
    // A file where the folder should be.
    std::fs::create_dir_all(rig.scratch()).unwrap();
    std::fs::write(rig.cache(), "").unwrap();
    let made = rig.make_local(&[]);
    assert_eq!(made.content(), "answer 0");
    assert!(
        made.warnings().contains("the cache can not be written"),
        "{}",
        made.warnings()
    );
    let mut command = rig.command(&[THREAD, "--allow-private-network", "--out", "out", "--json"]);
    let made = super::rig::made(outcome(command.env_remove("HOME")));
    assert_eq!(made.warnings(), "", "no place, no cache");
}
