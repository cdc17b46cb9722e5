//! How many tokens does a text cost?
//!
//! The estimate needs no vocabulary, so it is the same on every machine and for every model. It counts bytes,
//! not characters: a CJK character is three bytes and about one token, so that counting characters would
//! underrate such text several times over. How far it is off is measured in docs/tokens.md; who needs exactness
//! names a [`Tokenizer`].

pub use vibey_context_contracts::packet::{BYTES_PER_TOKEN, ESTIMATOR, estimate_bytes};

mod bpe;

/// The estimated tokens of a text, rounded up: zero for the empty text only.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    estimate_bytes(text.len())
}

/// What tokens are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenizer {
    /// The estimate, [`estimate`].
    Estimate,
    /// The vocabulary `o200k_base` of OpenAI's newer models.
    O200kBase,
    /// The vocabulary `cl100k_base` of OpenAI's models before those.
    Cl100kBase,
}

impl Tokenizer {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Estimate, Self::O200kBase, Self::Cl100kBase];

    /// Its name on the command line and in manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Estimate => ESTIMATOR,
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// The tokenizer of a name, as it stands in a manifest; `None` for a name that this version does not know.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The tokens of a text: zero for the empty text only.
    ///
    /// What looks like a special token (`<|endoftext|>`) is text like any other. Counts add up where texts are joined
    /// between the end of a line and a line that starts with neither white space nor `/`; elsewhere the whole may have
    /// a token more or less than its parts. The first count by a vocabulary loads it, which takes some tenths of a
    /// second once in a process.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        match self {
            Self::Estimate => estimate(text),
            // The empty text needs no vocabulary.
            _ if text.is_empty() => 0,
            Self::O200kBase => bpe::count(tiktoken_rs::o200k_base_singleton(), text),
            Self::Cl100kBase => bpe::count(tiktoken_rs::cl100k_base_singleton(), text),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;

    #[test]
    fn rounds_up() {
        let got: Vec<u64> = (0..=9).map(estimate_bytes).collect();
        assert_eq!(got, [0, 1, 1, 1, 1, 2, 2, 2, 2, 3]);
    }

    #[test]
    fn does_not_overflow() {
        assert_eq!(estimate_bytes(usize::MAX), u64::MAX / 4 + 1);
    }

    #[test]
    fn counts_bytes_rather_than_characters() {
        assert_eq!(estimate(&"你好世界".repeat(100)), 300);
        assert_eq!(estimate(&"🔥".repeat(50)), 50);
    }

    #[test]
    fn special_tokens_are_plain_text() {
        let text = "text <|endoftext|> text";
        assert_eq!(estimate(text), 6);
        for exact in [Tokenizer::O200kBase, Tokenizer::Cl100kBase] {
            // `text`, ` <`, `|`, `endo`, `ft`, `ext`, `|`, `>`, ` text` or nearly so; as a special token it would be 4.
            assert!(exact.count(text) >= 8, "{exact:?}");
            for special in ["<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>"] {
                assert!(exact.count(special) > 3, "{exact:?} {special}");
            }
        }
    }

    #[test]
    fn names_lead_back_to_their_tokenizer() {
        for one in Tokenizer::ALL {
            assert_eq!(Tokenizer::named(one.name()), Some(one));
        }
        assert_eq!(Tokenizer::named("O200K_BASE"), None);
    }

    #[test]
    fn the_vocabularies_are_the_published_ones() {
        // Counts that OpenAI's own `tiktoken` gives for the same texts.
        let text = "antidisestablishmentarianism";
        assert_eq!(Tokenizer::O200kBase.count(text), 6);
        assert_eq!(Tokenizer::Cl100kBase.count(text), 6);
        assert_eq!(Tokenizer::O200kBase.count("お誕生日おめでとう"), 8);
        assert_eq!(Tokenizer::Cl100kBase.count("お誕生日おめでとう"), 9);
    }

    #[test]
    fn the_empty_text_costs_nothing_and_no_other_does() {
        for one in Tokenizer::ALL {
            assert_eq!(one.count(""), 0);
            for text in ["\0", " ", "\n", "\u{feff}", "\u{200d}", "a"] {
                assert!(one.count(text) >= 1, "{one:?} {text:?}");
            }
        }
    }
}
