//! How many tokens of a published vocabulary does a text cost, however long and odd it is?

use tiktoken_rs::CoreBPE;

/// Bytes that are counted in one go. The library gives up on a million blanks in a row, and a run without any break costs
/// it more per byte the longer it is; a megabyte of one letter, cut at this size, takes half a second unoptimised.
/// Lines end far below it in any text that a person wrote.
const PIECE_MAX: usize = 64 * 1024;

/// The tokens of a text.
///
/// Exact where every 64 KiB of it hold the start of a line; else the cuts add up to a few tokens each.
pub(super) fn count(bpe: &CoreBPE, text: &str) -> u64 {
    let mut total = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = cut(rest);
        // No token is shorter than a byte, so that a piece which the library refuses is never underrated.
        let tokens = bpe.count(piece, &Default::default()).unwrap_or(piece.len());
        total += tokens as u64;
        rest = after;
    }
    total
}

/// The longest piece at the start of a text that ends where no token can span, and what follows; a piece of
/// [`PIECE_MAX`] where there is no such place.
fn cut(text: &str) -> (&str, &str) {
    if text.len() <= PIECE_MAX {
        return (text, "");
    }
    let window = (1..=PIECE_MAX)
        .rev()
        .find_map(|at| text.split_at_checked(at));
    let Some((window, after)) = window else {
        return (text, "");
    };
    window
        .rmatch_indices('\n')
        .filter_map(|(at, newline)| text.split_at_checked(at + newline.len()))
        .find(|(_, after)| starts_afresh(after))
        .unwrap_or((window, after))
}

/// Whether no token spans from the end of a line into what follows. Both vocabularies split a text by a pattern first; a
/// match that holds a line's end goes on over white space only, or over `/` behind punctuation.
fn starts_afresh(after: &str) -> bool {
    after
        .chars()
        .next()
        .is_some_and(|first| !first.is_whitespace() && first != '/')
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

    fn both() -> [&'static CoreBPE; 2] {
        [o200k_base_singleton(), cl100k_base_singleton()]
    }

    fn whole(bpe: &CoreBPE, text: &str) -> u64 {
        bpe.count_ordinary(text) as u64
    }

    #[test]
    fn a_long_text_with_lines_is_counted_exactly() {
        let line = "The quick brown fox; it's /usr/bin/fox -- 12345 \u{1f98a}, naïve 漢字。\n";
        let text = line.repeat(4 * PIECE_MAX / line.len());
        assert!(cut(&text).1.len() > PIECE_MAX);
        for bpe in both() {
            assert_eq!(count(bpe, &text), whole(bpe, &text));
        }
    }

    #[test]
    fn long_runs_are_counted_with_a_few_tokens_for_each_cut() {
        for unit in [
            "a",
            "A",
            ".",
            "漢",
            "1",
            "aB",
            "\u{301}",
            "🔥",
            "<|endoftext|>",
        ] {
            let text = unit.repeat(4 * PIECE_MAX / unit.len());
            let cuts = (text.len() / PIECE_MAX) as u64;
            for bpe in both() {
                let (ours, exact) = (count(bpe, &text), whole(bpe, &text));
                assert!(
                    ours.abs_diff(exact) <= 3 * cuts,
                    "{unit}: {ours} for {exact}"
                );
            }
        }
    }

    #[test]
    fn white_space_on_which_the_library_gives_up_is_counted() {
        for (unit, tail) in [
            (" ", ""),
            (" ", "x"),
            ("\t", "x"),
            ("\u{a0}", "x"),
            ("\n ", "\n"),
        ] {
            let text = format!("{}{tail}", unit.repeat(1_100_000));
            for bpe in both() {
                let tokens = count(bpe, &text);
                assert!(
                    (1_000..=text.len() as u64 / 2).contains(&tokens),
                    "{unit:?}: {tokens}"
                );
            }
        }
    }

    #[test]
    fn pieces_are_bounded_and_lose_nothing() {
        for text in [
            "漢".repeat(PIECE_MAX),
            "\n".repeat(3 * PIECE_MAX),
            "a".repeat(PIECE_MAX + 1),
        ] {
            let mut rest = text.as_str();
            let mut together = String::new();
            while !rest.is_empty() {
                let (piece, after) = cut(rest);
                assert!((1..=PIECE_MAX).contains(&piece.len()));
                together.push_str(piece);
                rest = after;
            }
            assert_eq!(together, text);
        }
    }

    /// Cases of the property test over long runs, a hundred kilobytes each: more take longer than all other tests here.
    const LONG_CASES: u32 = 16;

    proptest! {
        /// The promise of [`starts_afresh`], over the characters that the patterns tell apart.
        #[test]
        fn nothing_spans_a_line_that_starts_afresh(
            before in "[a-cA-C1 \t\r\n/'.<|漢é\u{301}\u{a0}\u{1f525}]{0,12}",
            after in "[a-cA-C1 \t\r\n/'.<|漢é\u{301}\u{a0}\u{1f525}]{0,12}",
        ) {
            let before = format!("{before}\n");
            prop_assume!(starts_afresh(&after));
            let joined = format!("{before}{after}");
            for bpe in both() {
                prop_assert_eq!(whole(bpe, &joined), whole(bpe, &before) + whole(bpe, &after));
            }
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(LONG_CASES))]

        /// Runs of every length and mixture, without a panic.
        #[test]
        fn any_text_has_between_one_token_and_one_for_each_byte(
            runs in prop::collection::vec(("[a-cA-C1 \t\r\n/'.<|漢é\u{301}\u{a0}]", 1usize..40_000), 1..6),
        ) {
            let text: String = runs.iter().map(|(unit, times)| unit.repeat(*times)).collect();
            for bpe in both() {
                let tokens = count(bpe, &text);
                prop_assert!((1..=text.len() as u64).contains(&tokens));
            }
        }
    }
}
