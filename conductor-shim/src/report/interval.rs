//! How sure is a rate, and a difference of two?
//!
//! In `f64` and with nothing but the four operations and the square root, which IEEE 754 rounds correctly: the same bits
//! on every platform.

use vibey_context_contracts::conductor::report::{
    Acceptance, Decision, Difference, MILLION, OUTCOMES_MIN,
};

/// The 97.5th percentile of the standard normal distribution: two sides leave 95 per cent between them.
const Z: f64 = 1.959_963_984_540_054;

/// A rate with its interval, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The rate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The 95 % score interval of a proportion (Wilson, "Probable inference, the law of succession, and statistical
/// inference", JASA 22, 1927): `(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)`. It keeps its promise for small
/// samples and for rates near 0 and 1, where the usual `p ± z √(p(1-p)/n)` does not. `None` without trials.
///
/// Attempts count as independent. Those of one job are not quite, so that the true interval is a little wider.
#[must_use]
pub fn wilson(successes: u64, trials: u64) -> Option<Rate> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let p = successes.min(trials) as f64 / n;
    let square = Z * Z;
    let centre = p + square / (2.0 * n);
    let reach = Z * (p * (1.0 - p) / n + square / (4.0 * n * n)).sqrt();
    let scale = 1.0 + square / n;
    // At the ends the formula gives 0 and 1, up to rounding.
    let low = match successes {
        0 => 0.0,
        _ => ((centre - reach) / scale).max(0.0),
    };
    let high = match successes >= trials {
        true => 1.0,
        false => ((centre + reach) / scale).min(1.0),
    };
    Some(Rate {
        value: p,
        low,
        high,
    })
}

/// `one - other` with its 95 % interval, made of the two score intervals (Newcombe, "Interval estimation for the
/// difference between independent proportions: comparison of eleven methods", Statistics in Medicine 17, 1998, method
/// 10): `d - √((p1-l1)² + (u2-p2)²)` to `d + √((u1-p1)² + (p2-l2)²)`.
#[must_use]
pub fn newcombe(one: Rate, other: Rate) -> Rate {
    let value = one.value - other.value;
    let reach = |a: f64, b: f64| (a * a + b * b).sqrt();
    Rate {
        value,
        low: value - reach(one.value - one.low, other.high - other.value),
        high: value + reach(one.high - one.value, other.value - other.low),
    }
}

/// The rate of accepted outcomes, as the report has it.
#[must_use]
pub fn acceptance(accepted: u64, outcomes: u64) -> Acceptance {
    let rate = wilson(accepted, outcomes);
    let ppm = |part: fn(Rate) -> f64| rate.map(|rate| millionths(part(rate)).unsigned_abs());
    Acceptance {
        outcomes,
        accepted,
        rate_ppm: ppm(|rate| rate.value),
        low_ppm: ppm(|rate| rate.low),
        high_ppm: ppm(|rate| rate.high),
    }
}

/// Inject less shadow, and what it means. Decided on the interval itself, not on its rounded ends.
#[must_use]
pub fn compare(shadow: &Acceptance, inject: &Acceptance) -> (Option<Difference>, Decision) {
    let rate = |arm: &Acceptance| wilson(arm.accepted, arm.outcomes);
    let found = rate(inject).zip(rate(shadow));
    let found = found.map(|(inject, shadow)| newcombe(inject, shadow));
    let few = shadow.outcomes < OUTCOMES_MIN || inject.outcomes < OUTCOMES_MIN;
    let decision = match found {
        Some(found) if !few => match found {
            found if found.low > 0.0 => Decision::InjectBetter,
            found if found.high < 0.0 => Decision::InjectWorse,
            _ => Decision::CannotDecideHoldsZero,
        },
        _ => Decision::CannotDecideFewOutcomes,
    };
    let difference = found.map(|found| Difference {
        value_ppm: millionths(found.value),
        low_ppm: millionths(found.low),
        high_ppm: millionths(found.high),
    });
    (difference, decision)
}

/// A number from -1 to 1 in parts per million, rounded half away from 0.
fn millionths(value: f64) -> i32 {
    (value * f64::from(MILLION)).round() as i32
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.000_05, "{found} {expected}");
    }

    #[test]
    fn wilson_as_published() {
        // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
        for (successes, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let rate = wilson(successes, trials).unwrap();
            near(rate.low, low);
            near(rate.high, high);
        }
        assert_eq!(wilson(0, 0), None);
        assert_eq!(wilson(20, 20).unwrap().high, 1.0);
    }

    #[test]
    fn newcombe_as_published() {
        // Statistics in Medicine 17 (1998), table II, method 10.
        for (one, other, low, high) in [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((6, 7), (2, 7), 0.0582, 0.8062),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((0, 10), (0, 20), -0.1611, 0.2775),
            ((10, 10), (0, 20), 0.6791, 1.0),
        ] {
            let found = newcombe(
                wilson(one.0, one.1).unwrap(),
                wilson(other.0, other.1).unwrap(),
            );
            near(found.low, low);
            near(found.high, high);
        }
    }

    #[test]
    fn few_outcomes_decide_nothing_however_clear() {
        let decide = |shadow: (u64, u64), inject: (u64, u64)| {
            compare(
                &acceptance(shadow.0, shadow.1),
                &acceptance(inject.0, inject.1),
            )
        };
        use Decision::{CannotDecideFewOutcomes, CannotDecideHoldsZero, InjectBetter, InjectWorse};
        assert_eq!(decide((0, 29), (30, 30)).1, CannotDecideFewOutcomes);
        assert_eq!(decide((0, 30), (29, 29)).1, CannotDecideFewOutcomes);
        assert_eq!(decide((0, 30), (30, 30)).1, InjectBetter);
        assert_eq!(decide((30, 30), (0, 30)).1, InjectWorse);
        assert_eq!(decide((20, 40), (21, 40)).1, CannotDecideHoldsZero);
        assert_eq!(decide((0, 0), (5, 9)), (None, CannotDecideFewOutcomes));
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_rate(trials in 1..100_000u64, part in 0.0..=1.0) {
            let successes = (trials as f64 * part) as u64;
            let rate = wilson(successes, trials).unwrap();
            prop_assert!(0.0 <= rate.low && rate.low <= rate.value, "{:?}", rate);
            prop_assert!(rate.value <= rate.high && rate.high <= 1.0, "{:?}", rate);
            let none = newcombe(rate, rate);
            prop_assert!(none.low <= 0.0 && none.high >= 0.0);
        }
    }
}
