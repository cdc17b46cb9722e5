//! Each way in which a run ends is told from the others.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{WaitOptions, waitpid};
use vibey_context_host::cancel::Cancel;
use vibey_context_host::process::{Outcome, StartFailure, run};

use crate::bed::{PATIENCE, pids, script, text};

#[test]
fn an_exit_code_is_kept_and_the_leader_is_reaped() {
    for code in [0, 1, 77, 255] {
        let finished = run(&script("echo $$; exit $1", &[&code.to_string()]));
        assert!(matches!(finished.outcome, Outcome::Exited(found) if found == code));
        let leader = pids(&text(finished.stdout))[0];
        assert_eq!(
            waitpid(Some(leader), WaitOptions::NOHANG).unwrap_err(),
            Errno::CHILD
        );
    }
}

#[test]
fn a_deadly_signal_is_no_exit_code() {
    for signal in [9, 15] {
        let finished = run(&script("kill -$1 $$", &[&signal.to_string()]));
        assert!(matches!(finished.outcome, Outcome::Signalled(found) if found == signal));
    }
    let finished = run(&script("exit 137", &[]));
    assert!(matches!(finished.outcome, Outcome::Exited(137)));
}

#[test]
fn a_missing_program_is_not_found() {
    for program in ["no-such-program", "/no/such/program", "/bin/sh/program"] {
        let mut command = script("", &[]);
        command.program = program.into();
        assert!(
            matches!(
                run(&command).outcome,
                Outcome::FailedToStart(StartFailure::NotFound)
            ),
            "{program}"
        );
    }
}

#[test]
fn a_file_without_permission_is_not_executable() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("tool");
    fs::write(&path, "#!/bin/sh\nexit 3\n").unwrap();
    let mut command = script("", &[]);
    command.program = path.clone().into();
    assert!(matches!(
        run(&command).outcome,
        Outcome::FailedToStart(StartFailure::NotExecutable)
    ));
    // The same file with permission runs, found by its bare name in the given PATH.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    command.program = "tool".into();
    command.environment = vec![("PATH".into(), scratch.path().into())];
    assert!(matches!(run(&command).outcome, Outcome::Exited(3)));
}

#[test]
fn a_missing_working_directory_is_no_missing_program() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for directory in ["/no/such/folder".as_ref(), file.path()] {
        let mut command = script("exit 0", &[]);
        command.directory = directory.to_owned();
        assert!(matches!(
            run(&command).outcome,
            Outcome::FailedToStart(StartFailure::Directory(_))
        ));
    }
}

#[test]
fn an_argument_with_a_nul_byte_is_refused() {
    let finished = run(&script("exit 0", &["a\0b"]));
    assert!(matches!(
        finished.outcome,
        Outcome::FailedToStart(StartFailure::Other(_))
    ));
}

#[test]
fn what_is_cancelled_before_it_starts_does_not_start() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = script("touch started", &[]);
    command.directory = scratch.path().to_owned();
    let cancel = Cancel::new().unwrap();
    cancel.clone().cancel();
    cancel.cancel();
    assert!(cancel.is_cancelled());
    command.cancel = Some(cancel);
    assert!(matches!(run(&command).outcome, Outcome::Cancelled));
    assert!(!scratch.path().join("started").exists());
}

#[test]
fn no_answer_to_the_timeout_turns_it_into_success() {
    let mut command = script(
        "trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done",
        &[],
    );
    command.timeout = Some(Duration::from_secs(2));
    command.grace = PATIENCE;
    let finished = run(&command);
    assert!(matches!(finished.outcome, Outcome::TimedOut));
    assert_eq!(text(finished.stdout), "bye\n");
    assert!(
        finished.duration < Duration::from_secs(15),
        "grace ends early"
    );
}
