//! How is a document shortened without tearing it apart?

use crate::text::markdown::{Outline, Strength, open_fence, outline};
use crate::text::tokens::Tokenizer;
use std::fmt::Write as _;

/// Bytes for each token in which a cut is looked for. Prose has 4; the bound keeps a vocabulary from counting all of a
/// huge text.
const MOST_BYTES_PER_TOKEN: u64 = 16;

/// A cut between blocks is worth at most this part of the text that a cut between lines would keep: a document that is
/// one long paragraph below its title must not be cut to the title.
const BLOCK_SHARE: usize = 2;

/// The deepest level of headings in a table of contents.
const CONTENTS_LEVEL: u8 = 3;

/// A document with its structure.
pub(crate) struct Shortener<'a> {
    body: &'a str,
    outline: Outline,
    title: &'a str,
    tokenizer: Tokenizer,
}

impl<'a> Shortener<'a> {
    /// Looks at the structure of a body.
    pub(crate) fn new(title: &'a str, body: &'a str, tokenizer: Tokenizer) -> Self {
        Self {
            outline: outline(body),
            body,
            title,
            tokenizer,
        }
    }

    /// The title as a heading.
    pub(crate) fn title(&self) -> String {
        format!("# {}\n", self.title)
    }

    /// The title and the first block that is neither heading nor comment.
    pub(crate) fn title_and_first_paragraph(&self) -> String {
        let paragraph = self.blocks().find(|block| {
            let is_heading = self.outline.headings.iter().any(|h| h.start == block.start);
            let text = self.slice(block.start, block.end);
            !is_heading && !text.trim_start().starts_with("<!--")
        });
        match paragraph {
            Some(block) => {
                let text = self.slice(block.start, block.end).trim_end();
                format!("{}\n{}", self.title(), closed(text))
            }
            None => self.title(),
        }
    }

    /// What stands before the second heading of level 2, and the headings of the whole.
    pub(crate) fn first_section_and_contents(&self) -> String {
        let second = self.outline.headings.iter().filter(|h| h.level == 2).nth(1);
        let end = second.map_or(self.body.len(), |heading| heading.start);
        let mut out = closed(self.slice(0, end).trim_end());
        let contents = self.contents();
        if !contents.is_empty() {
            let _ = write!(
                out,
                "\n[… the rest is left out; its contents:]\n\n{contents}"
            );
        }
        out
    }

    /// The title and the beginning of what stands below it, of at most `tokens`.
    pub(crate) fn title_and_beginning(&self, tokens: u64) -> String {
        let below = self.outline.headings.first().filter(|heading| {
            let leading = self.slice(0, heading.start).trim().is_empty();
            leading && heading.text == self.title
        });
        let rest = self.slice(below.map_or(0, |heading| heading.end), self.body.len());
        let rest = rest.trim_start_matches(['\n', '\r']);
        let shortened = Shortener::new(self.title, rest, self.tokenizer);
        format!("{}\n{}", self.title(), shortened.beginning(tokens))
    }

    /// The beginning, of at most `tokens` and a note.
    pub(crate) fn beginning(&self, tokens: u64) -> String {
        let total = self.tokenizer.count(self.body);
        if total <= tokens {
            return self.body.to_owned();
        }
        let kept = self.slice(0, self.cut(tokens)).trim_end();
        let shown = self.tokenizer.count(kept);
        format!("{}\n[… {shown} of {total} tokens shown]\n", closed(kept))
    }

    /// Where to cut so that at most `tokens` stay: between blocks, else between lines, else between characters.
    fn cut(&self, tokens: u64) -> usize {
        let window = usize::try_from(tokens.saturating_mul(MOST_BYTES_PER_TOKEN));
        let window = window.unwrap_or(usize::MAX).min(self.body.len());
        let places = |least: Strength| {
            let cuts = self.outline.cuts.iter();
            cuts.filter(move |cut| cut.strength >= least && cut.at <= window)
                .map(|cut| cut.at)
                .collect::<Vec<_>>()
        };
        let block = self.last_that_fits(&places(Strength::Block), tokens);
        let line = self.last_that_fits(&places(Strength::Line), tokens);
        if block > 0 && block >= line / BLOCK_SHARE {
            return block;
        }
        if line > 0 && !self.slice(0, line).trim().is_empty() {
            return line;
        }
        let characters = self.body.char_indices().map(|(at, _)| at);
        let characters: Vec<usize> = characters.take_while(|at| *at <= window).collect();
        self.last_that_fits(&characters, tokens)
    }

    /// The last of some places, in order, up to which the text has at most `tokens`; 0 where none is.
    fn last_that_fits(&self, places: &[usize], tokens: u64) -> usize {
        let fits = |at: &usize| self.tokenizer.count(self.slice(0, *at)) <= tokens;
        let count = places.partition_point(fits);
        count.checked_sub(1).map_or(0, |last| places[last])
    }

    /// The headings of level 1 to 3 as a nested list.
    fn contents(&self) -> String {
        let shown = || {
            let headings = self.outline.headings.iter();
            headings.filter(|heading| heading.level <= CONTENTS_LEVEL)
        };
        let top = shown().map(|heading| heading.level).min().unwrap_or(1);
        let mut out = String::new();
        for heading in shown() {
            let depth = usize::from(heading.level.saturating_sub(top));
            let _ = writeln!(out, "{}- {}", "  ".repeat(depth), heading.text);
        }
        out
    }

    /// The blocks of the document itself.
    fn blocks(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts: Vec<usize> = self
            .outline
            .cuts
            .iter()
            .filter(|cut| cut.strength == Strength::Block)
            .map(|cut| cut.at)
            .collect();
        let ends: Vec<usize> = starts
            .iter()
            .skip(1)
            .copied()
            .chain([self.body.len()])
            .collect();
        starts.into_iter().zip(ends).map(|(start, end)| start..end)
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.body.get(from..to).unwrap_or_default()
    }
}

/// The text as whole lines, with a code fence that it leaves open closed.
fn closed(text: &str) -> String {
    let mut out = format!("{text}\n");
    if let Some(line) = open_fence(text) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BODY: &str = "# T\n\n<!-- note -->\n\nFirst para\nof two lines.\n\n## One\n\nText one.\n\n### Deep\n\n#### Deeper\n\n## Two\n\nText two.\n";

    fn shortener(body: &str) -> Shortener<'_> {
        Shortener::new("T", body, Tokenizer::Estimate)
    }

    #[test]
    fn the_first_paragraph_is_neither_heading_nor_comment() {
        let text = shortener(BODY).title_and_first_paragraph();
        assert_eq!(text, "# T\n\nFirst para\nof two lines.\n");
        assert_eq!(shortener("# x\n").title_and_first_paragraph(), "# T\n");
        let fence = shortener("```\ncode").title_and_first_paragraph();
        assert_eq!(fence, "# T\n\n```\ncode\n```\n");
    }

    #[test]
    fn the_first_section_ends_at_the_second_heading_of_level_two() {
        let text = shortener(BODY).first_section_and_contents();
        let (section, contents) = text.split_once("[…").unwrap();
        assert!(
            section.ends_with("### Deep\n\n#### Deeper\n\n"),
            "{section}"
        );
        let (_, list) = contents.split_once("\n\n").unwrap();
        assert_eq!(list, "- T\n  - One\n    - Deep\n  - Two\n");
    }

    #[test]
    fn a_beginning_ends_between_blocks_and_says_so() {
        // 40 bytes are 10 tokens.
        let body = format!(
            "{}\n\n{}\n\n{}\n",
            "a".repeat(18),
            "b".repeat(18),
            "c".repeat(18)
        );
        let text = shortener(&body).beginning(11);
        let expected = format!(
            "{}\n\n{}\n\n[… 10 of 15 tokens shown]\n",
            "a".repeat(18),
            "b".repeat(18)
        );
        assert_eq!(text, expected);
        assert_eq!(shortener(&body).beginning(15), body);
    }

    #[test]
    fn without_blocks_lines_are_cut_and_without_lines_characters() {
        let lines = format!("# T\n\n{}", "x x x x x\n".repeat(20));
        let text = shortener(&lines).beginning(30);
        assert_eq!(text.matches("x x x x x\n").count(), 11);
        let line = "é".repeat(100);
        let text = shortener(&line).beginning(5);
        assert_eq!(text.matches('é').count(), 10);
    }

    #[test]
    fn an_open_fence_is_closed_before_the_note() {
        let body = format!("```sh\n{}```\nend\n", "echo\n".repeat(50));
        let text = shortener(&body).beginning(10);
        assert!(text.contains("\n```\n\n[… "), "{text}");
    }

    #[test]
    fn a_title_does_not_stand_twice() {
        let text = shortener("# T\n\nText.\n").title_and_beginning(100);
        assert_eq!(text, "# T\n\nText.\n");
        let text = shortener("# Other\n").title_and_beginning(100);
        assert_eq!(text, "# T\n\n# Other\n");
    }

    proptest! {
        #[test]
        fn a_beginning_keeps_its_bound(body in "([a-z#`> \n-]{0,40}|é|\r\n){0,20}", tokens in 0_u64..40) {
            let text = shortener(&body).beginning(tokens);
            if text != body {
                let (kept, _) = text.rsplit_once("\n[…").unwrap();
                // A closing fence is the one thing that is not of the body.
                let own = kept.rsplit_once('\n').map_or("", |(own, _)| own);
                prop_assert!(body.starts_with(own));
                prop_assert!(Tokenizer::Estimate.count(own) <= tokens);
            }
        }

        #[test]
        fn no_cut_panics(body in ".{0,80}|([#`~<!> \n\r-]|[a-z]){0,60}") {
            let short = shortener(&body);
            let _ = (short.title_and_first_paragraph(), short.first_section_and_contents());
            let _ = (short.title_and_beginning(3), short.beginning(1));
        }
    }
}
