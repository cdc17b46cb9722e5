//! How is a document shortened without tearing it apart?

use super::document::Document;
use crate::text::markdown::{Outline, Strength, open_fence, outline};
use crate::text::tokens::Tokenizer;
use std::fmt::Write as _;
use std::ops::Range;

mod code;

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
    is_code: bool,
    tokenizer: Tokenizer,
}

impl<'a> Shortener<'a> {
    /// Looks at the structure of a document.
    pub(crate) fn new(title: &'a str, document: &'a Document, tokenizer: Tokenizer) -> Self {
        Self::of(title, &document.body, document.is_code, tokenizer)
    }

    fn of(title: &'a str, body: &'a str, is_code: bool, tokenizer: Tokenizer) -> Self {
        Self {
            outline: if is_code {
                code::outline(body)
            } else {
                outline(body)
            },
            body,
            title,
            is_code,
            tokenizer,
        }
    }

    /// The title as a heading.
    pub(crate) fn title(&self) -> String {
        format!("# {}\n", self.title)
    }

    /// The title and the first block that is neither heading nor comment.
    pub(crate) fn title_and_first_paragraph(&self) -> String {
        let paragraph = if self.is_code {
            code::first_block(self.body)
        } else {
            self.first_paragraph()
        };
        match paragraph {
            Some(block) => {
                let text = self.slice(block.start, block.end).trim_end();
                self.below_title(&closed(text))
            }
            None => self.title(),
        }
    }

    fn first_paragraph(&self) -> Option<Range<usize>> {
        self.blocks().find(|block| {
            let headings = &self.outline.headings;
            let is_heading = headings
                .binary_search_by_key(&block.start, |h| h.start)
                .is_ok();
            let text = self.slice(block.start, block.end);
            !is_heading && !text.trim_start().starts_with("<!--")
        })
    }

    /// A text below the title, but for one whose first line has to be the first.
    fn below_title(&self, text: &str) -> String {
        if self.is_code && text.starts_with(code::SHEBANG) {
            text.to_owned()
        } else {
            format!("{}\n{text}", self.title())
        }
    }

    /// What stands before the second heading of level 2, and the headings of the whole. Code has none: its beginning, of at
    /// most `tokens`, stands for it.
    pub(crate) fn first_section_and_contents(&self, tokens: u64) -> String {
        if self.is_code {
            return self.beginning(tokens);
        }
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
        let shortened = Shortener::of(self.title, rest, self.is_code, self.tokenizer);
        self.below_title(&shortened.beginning(tokens))
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

    /// Where to cut so that at most `tokens` stay: between blocks, else between lines, else between characters; not behind a
    /// heading, which announces what is left out.
    fn cut(&self, tokens: u64) -> usize {
        let window = usize::try_from(tokens.saturating_mul(MOST_BYTES_PER_TOKEN));
        let window = window.unwrap_or(usize::MAX).min(self.body.len());
        let places = |least: Strength| {
            let cuts = self.outline.cuts.iter();
            cuts.filter(move |cut| cut.strength >= least && cut.at <= window)
                .map(|cut| cut.at)
                .filter(|at| !self.ends_on_heading(*at))
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
        let newlines = self.body.match_indices('\n').map(|(at, _)| at + 1);
        let lines = newlines.take_while(|at| *at <= window);
        let lines: Vec<usize> = lines.filter(|at| !self.ends_on_heading(*at)).collect();
        let line = self.last_that_fits(&lines, tokens);
        if !self.slice(0, line).trim().is_empty() {
            return line;
        }
        let characters = self.body.char_indices().map(|(at, _)| at);
        let characters: Vec<usize> = characters.take_while(|at| *at <= window).collect();
        self.last_that_fits(&characters, tokens)
    }

    /// Whether nothing but blanks stands between a place and the heading before it, or the place lies in the heading.
    fn ends_on_heading(&self, at: usize) -> bool {
        let headings = &self.outline.headings;
        let before = headings.partition_point(|heading| heading.start < at);
        let last = before.checked_sub(1).and_then(|last| headings.get(last));
        last.is_some_and(|heading| {
            at <= heading.end || self.slice(heading.end, at).chars().all(char::is_whitespace)
        })
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
    fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
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
        Shortener::of("T", body, false, Tokenizer::Estimate)
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
        let text = shortener(BODY).first_section_and_contents(10);
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
    fn a_beginning_does_not_end_on_a_heading() {
        let para = "x x x x x\n".repeat(4);
        let long = "y y y y y\n".repeat(20);
        for (body, kept) in [
            (format!("{para}\n## Two\n\n{long}"), para.trim_end()),
            (
                format!("{para}\n## Two\n\n### Three\n\n{long}"),
                para.trim_end(),
            ),
            (format!("{para}\nTwo\n---\n\n{long}"), para.trim_end()),
            (
                format!("# T\n\n```\n{long}```\n"),
                "# T\n\n```\ny y y y y\ny y y y y\ny y y y y\ny y y y y\n```",
            ),
        ] {
            let text = shortener(&body).beginning(13);
            let (start, _) = text.split_once("\n\n[…").unwrap();
            assert_eq!(start, kept, "{body}");
        }
        // There is nothing else.
        let text = shortener(&format!("# {}", "z".repeat(200))).beginning(13);
        assert!(text.starts_with("# zzz"), "{text}");
    }

    #[test]
    fn code_is_cut_without_headings() {
        let lines = "x = 1  # one\n".repeat(8);
        let body = format!(
            "#!/usr/bin/python\n# A banner.\n\n# A comment.\nimport x\n\n{lines}\n# End\ny = 2\n"
        );
        let code = |body| Shortener::of("a.py", body, true, Tokenizer::Estimate);
        let first = code(&body).title_and_first_paragraph();
        assert_eq!(first, "# a.py\n\n# A comment.\nimport x\n");
        let section = code(&body).first_section_and_contents(20);
        let (start, note) = section.split_once("\n\n[…").unwrap();
        assert_eq!(
            start,
            "#!/usr/bin/python\n# A banner.\n\n# A comment.\nimport x"
        );
        assert!(note.ends_with(" tokens shown]\n"), "{note}");
        // Nothing stands above a line that has to be the first.
        assert!(code(&body).title_and_beginning(20).starts_with("#!/usr"));
        let short = code("#!/bin/sh\nset -e\n\nls\n").title_and_first_paragraph();
        assert_eq!(short, "#!/bin/sh\nset -e\n");
        assert_eq!(
            code("# only\n").title_and_first_paragraph(),
            "# a.py\n\n# only\n"
        );
        assert_eq!(code("").title_and_first_paragraph(), "# a.py\n");
        assert_eq!(code("ls\n").title_and_beginning(20), "# a.py\n\nls\n");
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
            let _ = (short.title_and_first_paragraph(), short.first_section_and_contents(10));
            let _ = (short.title_and_beginning(3), short.beginning(1));
            let code = Shortener::of("T", &body, true, Tokenizer::Estimate);
            let _ = (code.title_and_first_paragraph(), code.title_and_beginning(3));
        }
    }
}
