//! What does a document cost that is put together from parts, without counting the whole again for each change?

use crate::text::tokens::{Tokenizer, estimate_bytes};
use std::iter::Sum;
use std::ops::{Add, Sub};

/// The cost of a part: bytes for the estimate, which rounds only once, tokens for a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Weight(u64);

/// The cost of a part. Parts are whole lines, and none starts with a blank, so that their costs add up.
pub(crate) fn weight(text: &str, tokenizer: Tokenizer) -> Weight {
    Weight(match tokenizer {
        Tokenizer::Estimate => text.len() as u64,
        exact => exact.count(text),
    })
}

impl Weight {
    /// The estimate's cost of a part that ends one byte earlier.
    pub(crate) fn without_last_byte(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl Add for Weight {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Weight {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Weight {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

/// A cost in tokens.
pub(crate) fn tokens(cost: Weight, tokenizer: Tokenizer) -> u64 {
    match tokenizer {
        Tokenizer::Estimate => estimate_bytes(usize::try_from(cost.0).unwrap_or(usize::MAX)),
        _ => cost.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cost_what_the_whole_costs() {
        let parts = [
            "# A title\n\n",
            "## One\n\n- x: y\n\n",
            "## Two\n\nLast words.\n",
        ];
        for tokenizer in Tokenizer::ALL {
            let weights = parts.iter().map(|part| weight(part, tokenizer));
            let together = tokens(weights.sum(), tokenizer);
            assert_eq!(together, tokenizer.count(&parts.concat()));
        }
    }
}
