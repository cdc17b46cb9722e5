//! How are sizes and ages shown to people?

/// Nanoseconds of a second, as [`vibey_context_host::tree::Extent`] counts.
const NANOS: i128 = 1_000_000_000;
/// Seconds of units, the largest first.
const UNITS: [(u64, &str); 3] = [(86_400, "day"), (3_600, "hour"), (60, "minute")];

/// Seconds between a moment and now; 0 where it lies in the future.
pub(super) fn age_seconds(then_ns: i128, now_ns: i128) -> u64 {
    let seconds = now_ns.saturating_sub(then_ns).max(0) / NANOS;
    u64::try_from(seconds).unwrap_or(u64::MAX)
}

/// A size as people read it, in powers of ten as disks are sold.
pub(super) fn size(bytes: u64) -> String {
    let mut scaled = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if scaled < 1000.0 {
            return match unit {
                "bytes" => counted(bytes, "byte"),
                _ => format!("{scaled:.1} {unit}"),
            };
        }
        scaled /= 1000.0;
    }
    format!("{scaled:.1} TB")
}

/// An age in its largest whole unit.
pub(super) fn age(seconds: u64) -> String {
    let unit = UNITS.iter().find(|(unit, _)| seconds >= *unit);
    match unit {
        Some((unit, name)) => counted(seconds / unit, name),
        None => counted(seconds, "second"),
    }
}

/// A number and what is counted, in the plural where it has to be.
pub(super) fn counted(number: u64, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ages_are_rounded_to_what_matters() {
        for (bytes, shown) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (12_345_678, "12.3 MB"),
            (5_000_000_000_000, "5.0 TB"),
        ] {
            assert_eq!(size(bytes), shown);
        }
        for (seconds, shown) in [
            (0, "0 seconds"),
            (61, "1 minute"),
            (7_199, "1 hour"),
            (172_800, "2 days"),
        ] {
            assert_eq!(age(seconds), shown);
        }
        assert_eq!(age_seconds(5 * NANOS, 3 * NANOS), 0);
        assert_eq!(age_seconds(3 * NANOS, 5 * NANOS + 1), 2);
    }
}
