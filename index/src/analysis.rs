//! From text to index terms; the same function for what is indexed and for what is asked.
//!
//! A term is a run of letters and digits, lowercased without regard to locale; ASCII words are stemmed (Porter's
//! English stemmer, second version, and one rule more). A word whose stem is another string has its own form as a second
//! term, so that `mining` finds `mine` and prefers `mining`. Han, Hiragana and Katakana, which are written without blanks, become
//! overlapping pairs of characters. `C++`, `C#`, `F#` and `.NET` keep what tells them from their neighbours.

use std::str::Chars;
use stop::STOP_WORDS;

mod stop;

/// Longer runs are encoded data, not words: they are cut here, in bytes.
const TERM_MAX_BYTES: usize = 64;
/// Words shorter than this are not stemmed: the stemmer leaves them alone or maims abbreviations (`aws`, `dns`).
const STEM_MIN_BYTES: usize = 4;
/// Stems longer than this lose a final `i`: Porter's stemmer turns `cryptography` into `cryptographi` and `cryptographic`
/// into `cryptograph`. On the 50 public cases this moves any@5 from 43 to 45 (docs/ranking.md).
const FOLD_MIN_BYTES: usize = 4;
/// What the term of a word's own form starts with; no other term does.
pub const FORM_MARK: char = '=';

/// What is known of a word.
enum Word {
    /// It says nothing about a topic.
    Stop,
    /// It is its own stem.
    Stem,
    /// It has another stem.
    Form(String),
}

/// Turns text into terms. Keeps what it has found out about words: a corpus of two million words has some eighty thousand
/// different ones.
pub struct Analyzer {
    stemmer: frostem::Stemmer,
    /// Never iterated, so its order does not matter; a tree spent a quarter of the analysis on comparing words.
    #[expect(clippy::disallowed_types, reason = "looked up only")]
    known: std::collections::HashMap<String, Word, foldhash::fast::RandomState>,
    word: String,
}

impl Default for Analyzer {
    fn default() -> Self {
        Self {
            stemmer: frostem::Stemmer::new(frostem::Algorithm::English),
            known: Default::default(),
            word: String::new(),
        }
    }
}

impl Analyzer {
    /// Calls `emit` with the stem of every word of `text`, in order.
    pub fn terms(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        self.words(text, |stem, _| emit(stem));
    }

    /// Calls `emit` with stem and own form of every word of `text`, in order; the form is the stem itself where they do not
    /// differ.
    pub fn words(&mut self, text: &str, mut emit: impl FnMut(&str, &str)) {
        let mut characters = text.chars();
        let mut before = ' ';
        while let Some(character) = characters.next() {
            if character == '.' && !before.is_alphanumeric() {
                // `.NET` is a name; `.net` in a host name follows a letter.
                let mut ahead = characters.clone();
                if ["n", "e", "t"].iter().all(|want| {
                    ahead
                        .next()
                        .is_some_and(|c| c.to_lowercase().eq(want.chars()))
                }) && !ahead.next().is_some_and(char::is_alphanumeric)
                {
                    emit("dotnet", "dotnet");
                    for _ in 0..3 {
                        before = characters.next().unwrap_or(' ');
                    }
                    continue;
                }
            }
            if is_unspaced(character) {
                let mut left = character;
                let mut alone = true;
                while let Some(right) = next_if(&mut characters, is_unspaced) {
                    self.word.clear();
                    self.word.extend([left, right]);
                    emit(&self.word, &self.word);
                    left = right;
                    alone = false;
                }
                if alone {
                    self.word.clear();
                    self.word.push(character);
                    emit(&self.word, &self.word);
                }
                before = left;
                continue;
            }
            before = character;
            if character.is_alphanumeric() {
                self.word.clear();
                self.word.extend(character.to_lowercase());
                self.rest(&mut characters, &mut before);
                self.suffix(&mut characters);
                self.emit_word(&mut emit);
            }
        }
    }

    /// Takes the rest of a word, whose first letter is there; `before` is the last one then.
    fn rest(&mut self, characters: &mut Chars<'_>, before: &mut char) {
        loop {
            // Nearly all letters are ASCII: as bytes they cost a third of what they cost as characters.
            let ahead = characters.as_str();
            let ascii = ahead.bytes().take_while(u8::is_ascii_alphanumeric).count();
            if let Some((run, behind)) = ahead.split_at_checked(ascii)
                && let Some(last) = run.bytes().last()
            {
                let room = TERM_MAX_BYTES.saturating_sub(self.word.len());
                let from = self.word.len();
                self.word
                    .push_str(run.get(..ascii.min(room)).unwrap_or(run));
                if let Some(added) = self.word.get_mut(from..) {
                    added.make_ascii_lowercase();
                }
                *before = char::from(last);
                *characters = behind.chars();
            }
            let letter = |c: char| c.is_alphanumeric() && !is_unspaced(c);
            let Some(next) = next_if(characters, letter) else {
                return;
            };
            if self.word.len() < TERM_MAX_BYTES {
                self.word.extend(next.to_lowercase());
            }
            *before = next;
        }
    }

    /// `c++`, `c#` and `f#` become `cpp`, `csharp` and `fsharp`.
    fn suffix(&mut self, characters: &mut Chars<'_>) {
        let mut ahead = characters.clone();
        let marks = (ahead.next(), ahead.next());
        if self.word == "c" && marks == (Some('+'), Some('+')) {
            self.word.push_str("pp");
            *characters = ahead;
        } else if (self.word == "c" || self.word == "f") && marks.0 == Some('#') {
            self.word.push_str("sharp");
            characters.next();
        }
    }

    fn emit_word(&mut self, emit: &mut impl FnMut(&str, &str)) {
        let word = self.word.as_str();
        if let Some(known) = self.known.get(word) {
            return known.emit(word, emit);
        }
        let known = self.found_out(word);
        known.emit(word, emit);
        self.known.insert(word.to_owned(), known);
    }

    fn found_out(&self, word: &str) -> Word {
        let single = word.len() == 1 && word.bytes().all(|b| b.is_ascii_alphabetic());
        if (single && word != "c" && word != "r") || STOP_WORDS.binary_search(&word).is_ok() {
            return Word::Stop;
        }
        if word.len() < STEM_MIN_BYTES || !word.bytes().all(|b| b.is_ascii_lowercase()) {
            return Word::Stem;
        }
        match folded(&self.stemmer.stem(word)) {
            stem if stem == word => Word::Stem,
            stem => Word::Form(stem.to_owned()),
        }
    }

    /// The stems of `text`, each followed by a line break: the form in which documents are handed to the engine.
    pub fn lines(&mut self, text: &str, out: &mut String) {
        self.terms(text, |term| {
            out.push_str(term);
            out.push('\n');
        });
    }

    /// As [`Analyzer::lines`], with the own form of a word behind its stem where they differ.
    pub fn lines_with_forms(&mut self, text: &str, out: &mut String) {
        self.words(text, |stem, form| push_with_form(stem, form, out));
    }

    /// [`Analyzer::lines`] and [`Analyzer::lines_with_forms`] at once.
    pub(crate) fn both_lines(&mut self, text: &str, lines: &mut String, with_forms: &mut String) {
        self.words(text, |stem, form| {
            lines.push_str(stem);
            lines.push('\n');
            push_with_form(stem, form, with_forms);
        });
    }
}

impl Word {
    fn emit(&self, word: &str, emit: &mut impl FnMut(&str, &str)) {
        match self {
            Self::Stop => {}
            Self::Stem => emit(word, word),
            Self::Form(stem) => emit(stem, word),
        }
    }
}

fn push_with_form(stem: &str, form: &str, out: &mut String) {
    out.push_str(stem);
    out.push('\n');
    if form != stem {
        out.push(FORM_MARK);
        out.push_str(form);
        out.push('\n');
    }
}

/// The next character, if it is one of these.
fn next_if(characters: &mut Chars<'_>, wanted: impl Fn(char) -> bool) -> Option<char> {
    let mut ahead = characters.clone();
    let next = ahead.next().filter(|&c| wanted(c))?;
    *characters = ahead;
    Some(next)
}

/// A stem without the final `i` that Porter's stemmer makes of `y`.
fn folded(stem: &str) -> &str {
    match stem.strip_suffix('i') {
        Some(short) if stem.len() > FOLD_MIN_BYTES => short,
        _ => stem,
    }
}

/// Han, Hiragana, Katakana and their marks: scripts without blanks between words (Unicode blocks).
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
        && character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        Analyzer::default().terms(text, |term| all.push(term.to_owned()));
        all
    }

    #[test]
    fn words_are_folded_and_stemmed() {
        assert_eq!(
            terms("Testing the migrations of PostgreSQL"),
            ["test", "migrat", "postgresql"]
        );
        assert_eq!(terms("kebab-case_and snake"), ["kebab", "case", "snake"]);
        assert_eq!(terms("don't stop"), ["stop"]);
    }

    #[test]
    fn names_with_marks_stay_apart() {
        assert_eq!(
            terms("C++ and C# and c, F#, .NET, x.net"),
            ["cpp", "csharp", "c", "fsharp", "dotnet", "net"]
        );
    }

    #[test]
    fn unspaced_scripts_become_pairs() {
        assert_eq!(
            terms("日本語 テスト 猫"),
            ["日本", "本語", "テス", "スト", "猫"]
        );
    }

    #[test]
    fn case_folding_has_no_locale() {
        assert_eq!(terms("TITLE Straße ÉCOLE"), ["titl", "straße", "école"]);
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    proptest! {
        #[test]
        fn any_text_gives_bounded_terms(text in "\\PC*") {
            for term in terms(&text) {
                prop_assert!(!term.is_empty() && term.len() <= TERM_MAX_BYTES + 8);
                prop_assert!(!term.contains('\n'));
            }
        }
    }
}
