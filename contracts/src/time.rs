//! Times in documents: RFC 3339 in UTC with milliseconds, which sort as text.

const MS_PER_DAY: i64 = 86_400_000;
/// 9999-12-31T23:59:59.999Z: the last time that RFC 3339 can write.
const LAST_MS: i64 = 253_402_300_799_999;

/// Milliseconds since 1970 as `2026-11-30T15:45:07.123Z`. Times beyond the year 9999 are written as its last.
#[must_use]
pub fn rfc3339(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(LAST_MS).min(LAST_MS);
    let (year, month, day) = date_of(ms / MS_PER_DAY);
    let rest = ms % MS_PER_DAY;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        rest / 3_600_000,
        rest / 60_000 % 60,
        rest / 1_000 % 60,
        rest % 1_000
    )
}

/// [`rfc3339`] in whole seconds, cut: `2026-11-30T15:45:07Z`.
#[must_use]
pub fn rfc3339_seconds(unix_ms: u64) -> String {
    let text = rfc3339(unix_ms);
    match text.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => text,
    }
}

/// Milliseconds since 1970 of an RFC 3339 time, or of a date alone (its first moment in UTC). Digits behind the third
/// decimal are cut. `None` where it is no such time, or before 1970.
#[must_use]
pub fn parse(text: &str) -> Option<u64> {
    let (date, clock) = match text.split_once(['T', 't', ' ']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4)?;
    let month = number(parts.next()?, 2)?;
    let day = number(parts.next()?, 2)?;
    if parts.next().is_some()
        || !(1..=12).contains(&month)
        || !(1..=days_of(year, month)).contains(&day)
    {
        return None;
    }
    let ms = days_from(year, month, day) * MS_PER_DAY + clock.map_or(Some(0), clock_ms)?;
    u64::try_from(ms).ok()
}

/// Milliseconds of `hh:mm:ss[.fff](Z|±hh:mm)` since midnight UTC; negative where the offset says so.
fn clock_ms(text: &str) -> Option<i64> {
    let (clock, offset) = if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        (clock, 0)
    } else {
        let at = text.rfind(['+', '-'])?;
        let (clock, offset) = text.split_at_checked(at)?;
        let minutes = |text: &str| {
            let (hours, minutes) = text.split_once(':')?;
            let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
            (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
        };
        match offset.strip_prefix('-') {
            Some(back) => (clock, -minutes(back)?),
            None => (clock, minutes(offset.strip_prefix('+')?)?),
        }
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let millis: String = fraction.chars().chain("00".chars()).take(3).collect();
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = number(parts.next()?, 2)?;
    let second = number(parts.next()?, 2)?;
    // A leap second counts as the second before it.
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = (hour * 60 + minute - offset) * 60 + second.min(59);
    Some(seconds * 1_000 + millis.parse::<i64>().ok()?)
}

fn number(text: &str, digits: usize) -> Option<i64> {
    if text.len() != digits || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 0001-01-01 to the first of January of `year` in the Gregorian calendar.
fn days_before(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400)
}

/// Days since 1970-01-01.
fn days_from(year: i64, month: i64, day: i64) -> i64 {
    let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
    days_before(year) - days_before(1970) + months + day - 1
}

/// Year, month and day of a number of days since 1970-01-01 that is not negative.
fn date_of(days: i64) -> (i64, i64, i64) {
    // A year has at most 366 days, so this guess is never too late, and at most a few years too early.
    let mut year = 1970 + days / 366;
    while days_from(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut rest = days - days_from(year, 1, 1);
    let mut month = 1;
    while rest >= days_of(year, month) {
        rest -= days_of(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_times() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_234_567_890_123, "2009-02-13T23:31:30.123Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
            (LAST_MS.cast_unsigned(), "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(rfc3339(ms), text);
            assert_eq!(parse(text), Some(ms));
        }
        assert_eq!(rfc3339(u64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(rfc3339_seconds(1_234_567_890_999), "2009-02-13T23:31:30Z");
    }

    #[test]
    fn other_spellings_are_read() {
        for (text, ms) in [
            ("1970-01-02", Some(86_400_000)),
            ("1970-01-01T01:00:00+01:00", Some(0)),
            ("1969-12-31t23:00:00-01:00", Some(0)),
            ("1970-01-01 00:00:00.5z", Some(500)),
            ("1970-01-01T00:00:00.1239999Z", Some(123)),
            ("1970-01-01T00:00:60Z", Some(59_000)),
            ("1969-12-31", None),
            ("1970-02-30", None),
            ("1970-13-01", None),
            ("1970-1-1", None),
            ("1970-01-01T00:00:00", None),
            ("1970-01-01T24:00:00Z", None),
            ("1970-01-01T00:00:00.Z", None),
            ("1970-01-01T00:00:00+1:00", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(parse(text), ms, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(ms in 0..=LAST_MS.cast_unsigned()) {
            prop_assert_eq!(parse(&rfc3339(ms)), Some(ms));
        }

        #[test]
        fn text_sorts_as_time(a in 0..=LAST_MS.cast_unsigned(), b in 0..=LAST_MS.cast_unsigned()) {
            prop_assert_eq!(rfc3339(a).cmp(&rfc3339(b)), a.cmp(&b));
        }

        #[test]
        fn any_text_is_survived(text in "[0-9TZ:+. -]{0,32}|.*") {
            let _ = parse(&text);
        }
    }
}
