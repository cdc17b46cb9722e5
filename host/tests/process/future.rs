//! The same runs, awaited.

use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::timeout;
use vibey_context_host::process::{Outcome, run_async};

use crate::bed::{lines_of, pids, runs, script, text, until};

#[test]
fn a_run_is_awaited() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let finished = runtime.block_on(run_async(script("echo x; exit 5", &[])));
    assert!(matches!(finished.outcome, Outcome::Exited(5)));
    assert_eq!(text(finished.stdout), "x\n");
}

#[test]
fn a_dropped_future_ends_its_run() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pids");
    let command = script("echo $$ > $1; exec sleep 100", &[path.to_str().unwrap()]);
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let program = runtime.block_on(async {
        let mut run = Box::pin(run_async(command));
        // Polled until the program runs, then dropped.
        while !path.exists() {
            let waited = timeout(Duration::from_millis(5), &mut run).await;
            assert!(waited.is_err());
        }
        let program = pids(&lines_of(&path, 1))[0];
        assert!(runs(program));
        program
    });
    until("the death of the program", || !runs(program));
}
