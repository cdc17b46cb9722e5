//! How far is the token estimate off, and does docs/tokens.md say so?
//!
//! `VIBEY_BLESS=1 cargo test --test integration tokens` writes the table of docs/tokens.md anew.

use crate::docs::generated;
use proptest::prelude::*;
use vibey_context::text::tokens::{Tokenizer, estimate};

/// Lowest and highest number of tokens for 100 estimated ones, in any excerpt of a kind.
type Bounds = (u64, u64);

/// A kind of text, with a sample of it.
struct Kind {
    name: &'static str,
    sample: &'static str,
    o200k: Bounds,
    cl100k: Bounds,
}

macro_rules! kind {
    ($name:literal, $file:literal, $o200k:expr, $cl100k:expr) => {
        Kind {
            name: $name,
            sample: include_str!(concat!("fixtures/tokens/", $file, ".txt")),
            o200k: $o200k,
            cl100k: $cl100k,
        }
    };
}

/// Excerpts are of whole lines and at least this many bytes: shorter ones say more about their words than their kind.
const EXCERPT_MIN: usize = 256;

/// Bounds are the extremes over every excerpt of the sample, rounded away from each other.
const KINDS: [Kind; 12] = [
    kind!("English prose", "english", (83, 94), (83, 94)),
    kind!("Chinese", "chinese", (91, 100), (130, 150)),
    kind!("Japanese", "japanese", (93, 117), (137, 155)),
    kind!("Korean", "korean", (88, 99), (142, 167)),
    kind!("Russian and Ukrainian", "cyrillic", (49, 76), (75, 135)),
    kind!("emoji", "emoji", (172, 208), (235, 296)),
    kind!("Rust", "rust", (81, 125), (81, 125)),
    kind!("Python", "python", (70, 122), (70, 119)),
    kind!("JSON", "json", (124, 148), (124, 148)),
    kind!("Markdown tables", "table", (111, 242), (111, 242)),
    kind!("hexadecimal digits", "hex", (213, 245), (213, 245)),
    kind!("base64", "base64", (268, 289), (281, 306)),
];

const EXACT: [Tokenizer; 2] = [Tokenizer::O200kBase, Tokenizer::Cl100kBase];

impl Kind {
    fn bounds(&self, tokenizer: Tokenizer) -> Bounds {
        match tokenizer {
            Tokenizer::Estimate => (100, 100),
            Tokenizer::O200kBase => self.o200k,
            Tokenizer::Cl100kBase => self.cl100k,
        }
    }

    /// Whole lines of the sample from line `start` on, as few as make [`EXCERPT_MIN`] bytes, and `more` beyond them.
    /// Nothing where the sample ends before.
    fn excerpt(&self, start: usize, more: usize) -> Option<String> {
        let mut lines = self.sample.split_inclusive('\n').skip(start);
        let mut text = String::new();
        while text.len() < EXCERPT_MIN {
            text.push_str(lines.next()?);
        }
        text.extend(lines.take(more));
        Some(text)
    }
}

/// A number of hundredths.
fn decimal(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Tokens for one estimated token, rounded to hundredths.
fn ratio(tokens: u64, estimate: u64) -> String {
    decimal((200 * tokens + estimate) / (2 * estimate))
}

#[test]
fn the_table_of_the_document_is_measured() {
    let mut table = String::from(
        "| text | bytes | estimate | o200k_base | ratio | excerpts | cl100k_base | ratio | excerpts |\n\
         | --- | --: | --: | --: | --: | --- | --: | --: | --- |\n",
    );
    for kind in &KINDS {
        let estimated = estimate(kind.sample);
        let (name, bytes) = (kind.name, kind.sample.len());
        table.push_str(&format!("| {name} | {bytes} | {estimated} |"));
        for tokenizer in EXACT {
            let tokens = tokenizer.count(kind.sample);
            let (low, high) = kind.bounds(tokenizer);
            table.push_str(&format!(
                " {tokens} | {} | {} to {} |",
                ratio(tokens, estimated),
                decimal(low),
                decimal(high)
            ));
        }
        table.push('\n');
    }
    let excerpts = format!(
        "`excerpts` is what the property test holds every excerpt of at least {EXCERPT_MIN} bytes to.\n"
    );
    generated(
        "docs/tokens.md",
        &[("kinds", format!("{table}\n{excerpts}"))],
    );
}

#[test]
fn bounds_are_as_narrow_as_the_samples_allow() {
    let mut wrong = Vec::new();
    for kind in &KINDS {
        for tokenizer in EXACT {
            let lines = kind.sample.lines().count();
            let mut seen: Bounds = (u64::MAX, 0);
            for start in 0..lines {
                for more in 0..lines - start {
                    let Some(text) = kind.excerpt(start, more) else {
                        break;
                    };
                    let (tokens, estimated) = (100 * tokenizer.count(&text), estimate(&text));
                    seen.0 = seen.0.min(tokens / estimated);
                    seen.1 = seen.1.max(tokens.div_ceil(estimated));
                }
            }
            if seen != kind.bounds(tokenizer) {
                wrong.push(format!("{}, {}: {seen:?}", kind.name, tokenizer.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "bounds should be {wrong:#?}");
}

proptest! {
    /// Any mix of excerpts lies within the bounds of its parts, weighed by their sizes.
    #[test]
    fn a_mix_of_kinds_stays_within_the_bounds_of_the_document(
        parts in prop::collection::vec((0..KINDS.len(), 0usize..80, 0usize..80), 1..12),
    ) {
        let parts: Vec<(&Kind, String)> = parts
            .into_iter()
            .filter_map(|(kind, start, more)| {
                let kind = &KINDS[kind];
                // Lines behind the last excerpt start at the first again.
                let start = start % kind.sample.lines().count();
                Some((kind, kind.excerpt(start, more).or_else(|| kind.excerpt(0, more))?))
            })
            .collect();
        let mix: String = parts.iter().map(|(_, text)| text.as_str()).collect();
        for tokenizer in EXACT {
            let tokens = 100 * tokenizer.count(&mix);
            let (mut low, mut high) = (0, 0);
            for (kind, text) in &parts {
                let bounds = kind.bounds(tokenizer);
                low += bounds.0 * estimate(text);
                high += bounds.1 * estimate(text);
            }
            // A token where two parts meet: an indented first line joins the line's end before it.
            let seams = 100 * (parts.len() as u64 - 1);
            prop_assert!(
                (low.saturating_sub(seams)..=high + seams).contains(&tokens),
                "{tokenizer:?}: {tokens} of {low} to {high}"
            );
        }
    }
}
