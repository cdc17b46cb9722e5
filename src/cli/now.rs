//! What time is it, or is it to be?

use super::failure::Failure;
use vibey_context_contracts::exit;
use vibey_context_contracts::time::parse;
use vibey_context_host::clock::unix_nanos_now;

/// Nanoseconds of a millisecond.
const NANOS_PER_MS: i128 = 1_000_000;

/// The time of `--now`, else the clock's, in milliseconds since 1970.
///
/// # Errors
/// A [`Failure`] of usage where `--now` is no time.
pub(super) fn now_ms(asked: Option<&str>) -> Result<u64, Failure> {
    let Some(text) = asked else {
        return Ok(u64::try_from(unix_nanos_now() / NANOS_PER_MS).unwrap_or(u64::MAX));
    };
    parse(text).ok_or_else(|| {
        let message = format!("`--now {text}` is no time");
        let help = "write it as 2026-11-30T12:00:00Z";
        Failure::new("usage", message, help).ending_with(exit::USAGE)
    })
}
