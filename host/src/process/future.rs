//! How does a tokio program wait for a child?

use std::panic;

use super::{Command, Finished, Outcome, StartFailure, run_until};
use crate::cancel::Cancel;
use crate::clock::Stopwatch;

/// Runs a program as [`run`](super::run) does, on a thread of the runtime's blocking pool.
///
/// A future that is dropped cancels the run. The clean-up (grace, `SIGKILL`) goes on behind the caller's
/// back, and the runtime's own end waits for it; who has to know when the program is gone calls
/// [`Cancel::cancel`] and goes on awaiting.
pub async fn run_async(command: Command) -> Finished {
    let watch = Stopwatch::start();
    let dropped = match Cancel::new() {
        Ok(cancel) => CancelOnDrop(cancel),
        Err(cause) => {
            let failure = StartFailure::Other(cause);
            return Finished::without_output(Outcome::FailedToStart(failure), watch);
        }
    };
    let cancel = dropped.0.clone();
    match tokio::task::spawn_blocking(move || run_until(&command, Some(&cancel))).await {
        Ok(finished) => finished,
        Err(fault) => match fault.try_into_panic() {
            Ok(payload) => panic::resume_unwind(payload),
            // The runtime shut down before the run began.
            Err(_) => Finished::without_output(Outcome::Cancelled, watch),
        },
    }
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
