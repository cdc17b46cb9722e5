//! Progress of long builds: a bar on a terminal after half a second, and nothing elsewhere.

use super::surroundings::Surroundings;
use crate::corpus::build::Observer;
use indicatif::{ProgressBar, ProgressStyle};
use vibey_context_host::clock::Stopwatch;

/// A build shorter than this draws nothing, in microseconds.
const PATIENCE_MICROS: u64 = 500_000;

/// Tells a person what a build does.
pub(super) struct Progress<'a> {
    surroundings: &'a Surroundings,
    watch: Stopwatch,
    bar: Option<ProgressBar>,
}

impl<'a> Progress<'a> {
    /// For a build that starts now.
    #[must_use]
    pub(super) fn new(surroundings: &'a Surroundings) -> Self {
        Self {
            surroundings,
            watch: Stopwatch::start(),
            bar: None,
        }
    }

    fn show(&mut self, what: &'static str, done: u64, total: u64) {
        if !self.surroundings.interactive || self.watch.elapsed_micros() < PATIENCE_MICROS {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{msg:>8} {wide_bar} {percent}% {eta}");
            ProgressBar::new(total)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_message(what);
        bar.set_length(total);
        bar.set_position(done);
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress<'_> {
    fn waiting(&mut self) {
        self.surroundings
            .note("note: another build holds the index; waiting for it");
    }

    fn reading(&mut self, done: usize, total: usize) {
        self.show("reading", done as u64, total as u64);
    }

    fn indexing(&mut self, done: u64, total: u64) {
        self.show("indexing", done, total);
    }

    fn repairing(&mut self, reason: &str) {
        self.surroundings.note(&format!(
            "warning: the index is damaged and is built anew: {reason}"
        ));
    }
}
