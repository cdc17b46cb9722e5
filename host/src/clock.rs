//! How long something took, and what time it is.
//!
//! Neither value may reach an output that has a digest; both are for reports, limits and the comparison
//! of file times.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Measures elapsed time on the monotonic clock, which no one can set back.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    started: Instant,
}

impl Stopwatch {
    /// Starts measuring now.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the monotonic clock"
    )]
    pub fn start() -> Self {
        Self {
            started: Instant::now(),
        }
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time since the start in whole microseconds; `u64::MAX` after half a million years.
    #[must_use]
    pub fn elapsed_micros(&self) -> u64 {
        u64::try_from(self.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// Wall-clock time in nanoseconds since 1970-01-01 UTC, and 0 on a machine whose clock stands before that.
///
/// Zero is the safe end: a file time is then never older than "now", so nothing passes for unchanged.
#[must_use]
pub fn unix_nanos_now() -> i128 {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the wall clock"
    )]
    let now = SystemTime::now();
    nanos_since_epoch(now)
}

fn nanos_since_epoch(time: SystemTime) -> i128 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| {
        i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_is_zero() {
        assert_eq!(nanos_since_epoch(UNIX_EPOCH - Duration::from_secs(1)), 0);
        assert_eq!(nanos_since_epoch(UNIX_EPOCH), 0);
    }

    #[test]
    fn nanoseconds_are_kept() {
        let time = UNIX_EPOCH + Duration::new(3, 7);
        assert_eq!(nanos_since_epoch(time), 3_000_000_007);
    }

    #[test]
    fn elapsed_time_never_goes_back() {
        let watch = Stopwatch::start();
        let first = watch.elapsed_micros();
        assert!(watch.elapsed_micros() >= first);
    }
}
