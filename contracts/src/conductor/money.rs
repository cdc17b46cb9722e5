//! Amounts of money as whole micro-dollars: a sum of them is exact.

/// Micro-dollars in a dollar.
pub const MICROS: u64 = 1_000_000;

/// A decimal amount of dollars, such as `0.1234`, in micro-dollars. `None` where it is none, is negative, has more
/// than six decimals that are not zero, or is above `u64`.
#[must_use]
pub fn micro_usd(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(decimals) {
        return None;
    }
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > 6 {
        return None;
    }
    let fraction: u64 = format!("{decimals:0<6}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(MICROS)?
        .checked_add(fraction)
}

/// An amount as decimal dollars with six decimals, such as `0.123400`.
#[must_use]
pub fn usd(micros: u64) -> String {
    format!("{}.{:06}", micros / MICROS, micros % MICROS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_read_exactly() {
        for (text, micros) in [
            ("0", Some(0)),
            ("0.1", Some(100_000)),
            ("12.345678", Some(12_345_678)),
            ("1.50000000", Some(1_500_000)),
            ("007.5", Some(7_500_000)),
            ("18446744073709.551615", Some(u64::MAX)),
            ("18446744073709.551616", None),
            ("0.1234567", None),
            ("-1", None),
            ("+1", None),
            ("1e3", None),
            (".5", None),
            ("5.", None),
            ("", None),
            ("1,5", None),
            ("$1", None),
            ("NaN", None),
            ("١", None),
        ] {
            assert_eq!(micro_usd(text), micros, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(micros: u64) {
            prop_assert_eq!(micro_usd(&usd(micros)), Some(micros));
        }
    }
}
