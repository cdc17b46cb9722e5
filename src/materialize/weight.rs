//! What does a document cost that is put together from parts, without counting the whole again for each change?

use crate::text::tokens::{Tokenizer, estimate_bytes};

/// The cost of a part: bytes for the estimate, which rounds only once, tokens for a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Weight(u64);

/// The cost of a part. Parts are whole lines, and none starts with a blank, so that their costs add up.
pub(crate) fn weight(text: &str, tokenizer: Tokenizer) -> Weight {
    Weight(match tokenizer {
        Tokenizer::Estimate => text.len() as u64,
        exact => exact.count(text),
    })
}

/// The tokens of parts together.
pub(crate) fn tokens(parts: impl Iterator<Item = Weight>, tokenizer: Tokenizer) -> u64 {
    let sum = parts.map(|part| part.0).sum();
    match tokenizer {
        Tokenizer::Estimate => estimate_bytes(usize::try_from(sum).unwrap_or(usize::MAX)),
        _ => sum,
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
            assert_eq!(tokens(weights, tokenizer), tokenizer.count(&parts.concat()));
        }
    }
}
