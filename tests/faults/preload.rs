//! Faults that only the C library can play: it is asked for time, locks and fsync through functions that a library of the
//! test may stand in front of. Needs the C compiler that Rust links with, and a program that asks the C library.

use super::writer::Stage;
use crate::corpus::unprivileged::find;
use crate::harness::{Dir, Output, outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The functions that the library stands in front of; what they do is chosen by a macro.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Says in a file that a function was called: a fault that nobody meets shows nothing. */
static void met(void) {
    const char *log = getenv("FAULT_LOG");
    if (!log) return;
    int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file >= 0) { syscall(SYS_write, file, "x", 1); syscall(SYS_close, file); }
}

#ifdef FAULT_CLOCK
int clock_gettime(clockid_t clock, struct timespec *time) {
    int code = syscall(SYS_clock_gettime, clock, time);
    if (code == 0 && clock == CLOCK_REALTIME) { met(); time->tv_sec = FAULT_CLOCK; }
    return code;
}
#endif

#ifdef FAULT_LOCK
int flock(int file, int operation) { (void)file; (void)operation; met(); errno = FAULT_LOCK; return -1; }
#endif

#ifdef FAULT_SLOW
static void wait_long(void) { struct timespec time = {0, FAULT_SLOW}; met(); nanosleep(&time, 0); }
int fsync(int file) { wait_long(); return syscall(SYS_fsync, file); }
int fdatasync(int file) { wait_long(); return syscall(SYS_fdatasync, file); }
ssize_t write(int file, const void *bytes, size_t count) { wait_long(); return syscall(SYS_write, file, bytes, count); }
#endif
"#;

/// A library that plays one fault.
pub(super) struct Preload {
    library: PathBuf,
    _dir: tempfile::TempDir,
}

impl Preload {
    /// Compiles it; `None` where a program can not be given a library beforehand.
    pub(super) fn new(fault: &str) -> Option<Self> {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            return None;
        }
        let dir = tempfile::Builder::new()
            .prefix("vibey-test-")
            .tempdir()
            .unwrap();
        let (source, library) = (dir.path().join("fault.c"), dir.path().join("fault.so"));
        std::fs::write(&source, SOURCE).unwrap();
        let compiler = find("cc").expect("this test needs `cc`, as the linking of Rust does");
        let built = Command::new(compiler)
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &source])
            .arg(format!("-D{fault}"))
            .status()
            .unwrap();
        assert!(built.success());
        Some(Self { library, _dir: dir })
    }

    /// Runs a stage's program behind it, and says whether the fault was met.
    pub(super) fn run(&self, stage: &Stage) -> (Output, bool) {
        let log = stage.dir.path().parent().unwrap().join("met");
        let mut command = stage.dir.command(&stage.cwd());
        self.prepare(&mut command, &log);
        let run = outcome(command.args(stage.words()));
        let met = log.exists();
        let _ = std::fs::remove_file(log);
        (run, met)
    }

    /// Runs the program with any words behind it, and says whether the fault was met.
    pub(super) fn run_words(&self, dir: &Dir, cwd: &Path, words: &[&str]) -> (Output, bool) {
        let log = dir.path().parent().unwrap().join("met");
        let mut command = dir.command(cwd);
        self.prepare(&mut command, &log);
        let run = outcome(command.args(words));
        let met = log.exists();
        let _ = std::fs::remove_file(log);
        (run, met)
    }

    fn prepare(&self, command: &mut assert_cmd::Command, log: &Path) {
        command
            .env("LD_PRELOAD", &self.library)
            .env("FAULT_LOG", log);
    }
}
