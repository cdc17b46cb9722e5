//! How are the values of a figure spread?

use std::collections::BTreeMap;
use vibey_context_contracts::conductor::report::Spread;

/// Values and how often each was seen. Tokens and milliseconds repeat, so that this stays far smaller than a list, and
/// percentiles are exact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    times: BTreeMap<u64, u64>,
    count: u64,
    sum: u128,
}

impl Values {
    /// Adds a value.
    pub fn add(&mut self, value: u64) {
        *self.times.entry(value).or_default() += 1;
        self.count += 1;
        self.sum += u128::from(value);
    }

    /// The percentile by nearest rank: the smallest value `v` such that at least `percent` per cent of the values are
    /// `<= v`, which is the value at rank `ceil(percent / 100 * n)` of the sorted ones, from 1. `None` without values.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let rank = (u128::from(percent) * u128::from(self.count)).div_ceil(100);
        let mut seen = 0;
        self.times.iter().find_map(|(value, times)| {
            seen += u128::from(*times);
            (seen >= rank).then_some(*value)
        })
    }

    /// Figures of all values.
    #[must_use]
    pub fn spread(&self) -> Spread {
        Spread {
            count: self.count,
            sum: whole(self.sum),
            mean_milli: divided(self.sum.saturating_mul(1_000), u128::from(self.count)),
            p50: self.percentile(50),
            p95: self.percentile(95),
        }
    }
}

/// `value`, or the largest number that a report holds.
pub(super) fn whole(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// The quotient, rounded half up; `None` without divisor.
pub(super) fn divided(value: u128, by: u128) -> Option<u64> {
    let half = by / 2;
    value.saturating_add(half).checked_div(by).map(whole)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Values {
        let mut all = Values::default();
        values.iter().for_each(|value| all.add(*value));
        all
    }

    #[test]
    fn percentiles_are_values_of_their_rank() {
        let spread = of(&[15, 20, 35, 40, 50]).spread();
        // Ranks 3 and 5 of 5.
        assert_eq!((spread.p50, spread.p95), (Some(35), Some(50)));
        assert_eq!(spread.mean_milli, Some(32_000));
        // Ranks 10 and 19 of 20.
        let spread = of(&(1..=20).collect::<Vec<_>>()).spread();
        assert_eq!((spread.p50, spread.p95), (Some(10), Some(19)));
        assert_eq!(of(&[]).spread().p50, None);
        assert_eq!(of(&[]).spread().mean_milli, None);
        assert_eq!(of(&[7]).spread().p95, Some(7));
    }

    #[test]
    fn huge_values_do_not_wrap() {
        let spread = of(&[u64::MAX, u64::MAX]).spread();
        assert_eq!((spread.sum, spread.p50), (u64::MAX, Some(u64::MAX)));
    }

    proptest! {
        #[test]
        fn a_percentile_is_that_of_the_sorted_list(mut values in prop::collection::vec(0..50u64, 1..200), percent in 1..=100u64) {
            let found = of(&values).percentile(percent);
            values.sort_unstable();
            let rank = (percent as usize * values.len()).div_ceil(100);
            prop_assert_eq!(found, Some(values[rank - 1]));
        }
    }
}
