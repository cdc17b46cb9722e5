//! What the tests of child processes share: scripts, and a look at processes from outside.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};
use vibey_context_host::process::{Bound, Captured, Command, Input, Leftovers, Output};

/// Against hangs only.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// More than any script here writes where it must be kept whole.
const ROOM: Output = Output::Capture(Bound {
    head_bytes: 1 << 20,
    tail_bytes: 0,
});

/// A shell script with `$1` and so on, both streams kept, nothing on standard input.
pub(crate) fn script(text: &str, args: &[&str]) -> Command {
    let mut words = vec!["-c", text, "sh"];
    words.extend(args);
    Command {
        program: "/bin/sh".into(),
        args: words.into_iter().map(OsString::from).collect(),
        directory: PathBuf::from("/"),
        environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
        stdin: Input::Null,
        stdout: ROOM,
        stderr: ROOM,
        output_limit_bytes: None,
        timeout: Some(PATIENCE),
        grace: Duration::from_millis(200),
        cancel: None,
        forward: None,
        leftovers: Leftovers::Kill,
    }
}

/// The whole of a stream that has ended, as text.
pub(crate) fn text(captured: Captured) -> String {
    assert!(captured.ended);
    String::from_utf8(captured.whole().unwrap()).unwrap()
}

/// The process numbers in a text.
pub(crate) fn pids(text: &str) -> Vec<Pid> {
    text.split_whitespace()
        .map(|word| Pid::from_raw(word.parse().unwrap()).unwrap())
        .collect()
}

/// Whether a process runs. One that is dead and waits for its parent does not.
pub(crate) fn runs(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    match stat {
        Ok(stat) => !stat.rsplit_once(')').unwrap().1.starts_with(" Z"),
        Err(_) => test_kill_process(pid).is_ok(),
    }
}

/// Waits until something is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The `count` lines of a file that somebody is about to write.
pub(crate) fn lines_of(path: &Path, count: usize) -> String {
    let read = || fs::read_to_string(path).unwrap_or_default();
    until("lines of a file", || read().matches('\n').count() >= count);
    read()
}
