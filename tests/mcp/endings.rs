//! How does the server end, and what does it leave: when its client goes, when it is asked to end, when input has no end?

use super::served::{Served, answers, ended, hello, line, start};
use super::{served, text};
use crate::harness::{Dir, fixture};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::{Read as _, Write as _};
use vibey_context_host::signals::is_ignored;

/// Kibibytes that the server may have needed at its most: a message, and what a program of its size needs. Without a bound the
/// line of the test alone takes more.
const PEAK_MAX_KIB: u64 = 128 * 1024;
/// Bytes of a line that is no message any more.
const ENDLESS: usize = 200 * 1024 * 1024;

#[test]
fn it_ends_when_its_client_goes() {
    let dir = Dir::new();
    let (_, served) = served(&dir);
    served.call("compile_packet", fixture::migration());
    let (status, said) = served.close();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn a_client_that_never_says_a_word_is_no_failure() {
    let dir = Dir::new();
    let run = dir.run_with("", ["--embedded", "mcp"]).expect(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn what_was_asked_before_the_end_is_answered() {
    let dir = Dir::new();
    let arguments = json!({"name": "compile_packet", "arguments": fixture::migration()});
    let input = format!("{}{}", hello(), line(1, "tools/call", arguments));
    let root = fixture::write(&dir);
    let run = dir.run_with(input, ["--skills", &root, "mcp"]).expect(0);
    let answers = answers(&run.stdout);
    assert_eq!(answers[&1]["result"]["structuredContent"]["status"], "ok");
    assert_eq!(run.stderr, "");
}

#[test]
fn a_signal_ends_it_with_zero() {
    let dir = Dir::new();
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        // What is ignored where the tests run, as in the background of a shell, stays so in the server.
        if is_ignored(signal.as_raw()) {
            assert_ne!(signal, Signal::TERM);
            continue;
        }
        let (_, mut served) = served(&dir);
        served.call("search_skills", json!({"query": "retry"}));
        let id = Pid::from_raw(served.id() as i32).unwrap();
        kill_process(id, signal).unwrap();
        let (status, said) = served.end();
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{signal:?}");
    }
}

#[test]
fn a_signal_ends_it_before_a_client_has_spoken() {
    let dir = Dir::new();
    let mut child = start(&dir, &dir.path(), &["--embedded", "mcp"]);
    // It answers a ping, so it listens for signals, too.
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(line(1, "ping", json!({})).as_bytes())
        .unwrap();
    let mut first = [0];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    let id = Pid::from_raw(child.id() as i32).unwrap();
    kill_process(id, Signal::TERM).unwrap();
    assert_eq!(ended(&mut child).code(), Some(0));
}

#[test]
fn a_line_without_end_is_passed_over_and_not_kept() {
    let dir = Dir::new();
    let mut child = start(&dir, &dir.path(), &["--embedded", "mcp"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(hello().as_bytes()).unwrap();
    let chunk = vec![b'x'; 1024 * 1024];
    for _ in 0..ENDLESS / chunk.len() {
        input.write_all(&chunk).unwrap();
    }
    let call = json!({"name": "may_read", "arguments": {"path": "x"}});
    let after = format!("\n{}", line(1, "tools/call", call));
    input.write_all(after.as_bytes()).unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    while !printed.contains("\"id\":1,") {
        let read = std::io::BufRead::read_line(&mut stdout, &mut printed).unwrap();
        assert_ne!(read, 0, "{printed}");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak: u64 = peak
        .and_then(|peak| peak.split_whitespace().next()?.parse().ok())
        .unwrap();
    assert!(peak < PEAK_MAX_KIB, "{peak} KiB");
    drop(input);
    assert_eq!(ended(&mut child).code(), Some(0));
    let answer = &answers(&printed)[&1]["result"];
    assert_eq!(answer["structuredContent"]["readable"], true);
}

#[test]
fn notes_are_printed_only_where_somebody_asked() {
    let dir = Dir::new();
    for (args, expected) in [
        (&["mcp"][..], ""),
        (
            &["mcp", "--log"],
            "note: no skills found; the starter corpus inside the program is used\n",
        ),
    ] {
        let served = Served::new(&dir, args);
        let result = served.call("compile_packet", fixture::migration());
        let manifest = result.structured_content.as_ref().unwrap();
        assert_eq!(manifest["corpus_origin"], "embedded");
        assert!(text(&result).contains("starter/"));
        assert_eq!(served.close().1, expected);
    }
}

#[test]
fn somebody_who_is_no_client_is_told() {
    let dir = Dir::new();
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let run = dir.run_with(format!("{note}\n"), ["--embedded", "mcp"]);
    let run = run.expect(1);
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.contains("do not lead to an MCP client"),
        "{}",
        run.stderr
    );
}
